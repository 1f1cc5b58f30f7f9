"""A server on another machine, behind the real ssh: who is answered, how it stops, and what each fault says."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2 as httpx
import psutil
import pytest

from tests.fakes.sshd import LoopbackServer, free_port
from tests.workflows.conftest import Built
from tests.workflows.service.http.serving import TOKEN
from tests.workflows.service.remote.test_loopback import processes_of, seconds_until_gone
from workflows.common.errors import RemoteError, RequestError
from workflows.process.machines import RemoteMachine
from workflows.service.http.listening import AddressError
from workflows.service.http.settings import read_settings
from workflows.service.remote import remote_server
from workflows.service.remote.remote_server import StopRequests, serve_there

HEADERS = {"Authorization": f"Bearer {TOKEN}"}
LONG = {"model": "b", "prompt": "8*7=", "max_tokens": 300, "stream": True, "logit_bias": {"2": -100}}


@pytest.fixture
def bundle(built: Built) -> Path:
    return built("demo:qwen3", cache="gqa")


class Served:
    """`joinery serve b=BUNDLE --on loop`, as the window starts it."""

    def __init__(self, bundle: Path) -> None:
        command = [sys.executable, "-m", "workflows", "serve", f"b={bundle}", "--port", "0", "--on", "loop"]
        self.process = subprocess.Popen(
            [*command, "--json", "--stop-at-eof"],
            env=os.environ | {"JOINERY_SERVE_TOKEN": TOKEN},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.address = self.next("serving")["address"]

    def next(self, event: str) -> dict[str, Any]:
        """The next event of a kind. Fails at the end of the output."""
        assert self.process.stdout is not None and self.process.stderr is not None
        while line := self.process.stdout.readline():
            fields: dict[str, Any] = json.loads(line)
            if fields["event"] == event:
                return fields
        pytest.fail(self.process.stderr.read())

    def complete(self, body: dict[str, Any], **headers: str) -> httpx.Response:
        return httpx.post(f"{self.address}/v1/completions", json=body, headers=headers, timeout=60)

    def read_long(self) -> tuple[threading.Thread, list[str]]:
        """Starts a client of a long stream; its lines, of which the first one has come."""
        lines, has_begun = list[str](), threading.Event()

        def read() -> None:
            with httpx.stream(
                "POST", f"{self.address}/v1/completions", json=LONG, headers=HEADERS, timeout=60
            ) as answer:
                for line in answer.iter_lines():
                    lines.append(line)
                    has_begun.set()

        client = threading.Thread(target=read)
        client.start()
        assert has_begun.wait(60)
        return client, lines

    def end(self) -> tuple[int, str]:
        """Exit code and stderr, after its end."""
        _, stderr = self.process.communicate(timeout=60)
        return self.process.returncode, stderr


@pytest.mark.slow
def test_clients_here_are_answered_there(server: LoopbackServer, loopback: RemoteMachine, bundle: Path) -> None:
    """With the token, which no command line has; on loopback alone; a stop waits for what runs, and leaves nothing."""
    served = Served(bundle)
    assert served.complete({"model": "b", "prompt": "8*7="}).status_code == 401
    answer = served.complete({"model": "b", "prompt": "8*7=", "max_tokens": 8}, **HEADERS).json()
    assert answer["choices"][0]["text"] == " 56"
    while (status := served.next("status"))["done"] < 1:
        pass
    assert [one["name"] for one in status["bundles"]] == ["b"] and status["tokens"] == 4
    there = processes_of(server)
    assert all(TOKEN not in " ".join(one.cmdline()) for one in [*there, psutil.Process(served.process.pid)])
    listening = {line.laddr.ip for one in there for line in one.net_connections("inet") if line.status == "LISTEN"}
    assert listening == {"127.0.0.1"}
    client, lines = served.read_long()
    assert served.process.stdin is not None
    served.process.stdin.close()
    client.join()
    assert lines[-2] == "data: [DONE]" and sum('"text":' in one for one in lines) > 290, lines[-4:]
    served.process.stdin = None
    assert served.end() == (0, "")
    assert seconds_until_gone(server) < 2


@pytest.mark.slow
def test_a_lost_connection_ends_it_with_one_sentence(
    server: LoopbackServer, loopback: RemoteMachine, bundle: Path
) -> None:
    served = Served(bundle)
    for one in psutil.Process(served.process.pid).children(recursive=True):
        if one.name() == "ssh":
            one.kill()
    error = served.next("error")
    assert error["kind"] == "remote"
    assert error["message"] == "The connection to loop was lost: what ran there was ended."
    assert served.end() == (1, f"joinery: {error['message']}\n")
    assert seconds_until_gone(server) < 10


@pytest.mark.slow
def test_a_window_that_dies_ends_it(server: LoopbackServer, loopback: RemoteMachine, bundle: Path) -> None:
    served = Served(bundle)
    served.process.kill()
    served.end()
    assert seconds_until_gone(server) < 10


@pytest.mark.slow
def test_an_ssh_server_that_forwards_nothing_is_one_sentence(
    new_server: Callable[..., LoopbackServer], bundle: Path, loopback: RemoteMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = new_server("AllowTcpForwarding no")
    monkeypatch.setenv("JOINERY_SSH", closed.ssh())
    settings = read_settings(None, {"bundles": {"b": bundle}, "port": 0})
    machine = RemoteMachine("closed", closed.address, loopback.joinery)
    with pytest.raises(RemoteError, match=r"^closed serves, but its ssh server forwards no port: allow AllowTcpForw"):
        serve_there(machine, settings, pytest.fail, lambda _: None, lambda _: None, StopRequests())
    assert seconds_until_gone(closed) < 10


@pytest.mark.slow
def test_a_port_that_is_taken_there_is_another_one_s(
    loopback: RemoteMachine, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the next one is tried; without one the sentence names the machine."""
    settings, stops, addresses = read_settings(None, {"bundles": {"b": bundle}, "port": 0}), StopRequests(), []

    def on_ready(address: str) -> None:
        addresses.append(address)
        stops.add()

    def serve() -> None:
        serve_there(loopback, settings, on_ready, lambda _: None, lambda _: None, stops)

    monkeypatch.setattr(random, "SystemRandom", lambda: SimpleNamespace(sample=lambda ports, _: ports))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(remote_server, "_PORTS", [port])
        with pytest.raises(AddressError, match=rf"^loop: Nothing can listen on 127\.0\.0\.1, port {port}: "):
            serve()
        monkeypatch.setattr(remote_server, "_PORTS", [port, free_port()])
        serve()
    assert len(addresses) == 1 and addresses[0].startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"host": "10.0.0.1", "token": TOKEN}, r"answers this machine alone, and not at 10\.0\.0\.1: leave --host out"),
        ({"certificate": Path("c.pem"), "key": Path("k.pem")}, "is encrypted by ssh: leave the certificate out"),
    ],
)
def test_what_needs_a_server_of_this_machine(options: dict[str, Any], said: str) -> None:
    settings = read_settings(None, {"bundles": {"b": Path("b")}, **options})
    with pytest.raises(RequestError, match=said):
        serve_there(RemoteMachine("a", "ssh://a"), settings, pytest.fail, pytest.fail, pytest.fail, StopRequests())


def test_the_port_here_is_looked_at_first() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = read_settings(None, {"bundles": {"b": Path("b")}, "port": taken.getsockname()[1]})
        with pytest.raises(AddressError, match=r"^Nothing can listen on 127\.0\.0\.1, port "):
            serve_there(RemoteMachine("a", "ssh://a"), settings, pytest.fail, pytest.fail, pytest.fail, StopRequests())


def test_a_stop_before_it_serves_is_no_error(machine: RemoteMachine, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    settings, stops = read_settings(None, {"bundles": {"b": tmp_path / "b"}, "port": 0}), StopRequests()
    stops.add()
    began = time.monotonic()
    serve_there(machine, settings, pytest.fail, pytest.fail, lambda _: None, stops)
    assert time.monotonic() - began < 10

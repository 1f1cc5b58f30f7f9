"""Machines of tests: an `ssh` that runs everything here, and a real one with a server on loopback."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fakes.sshd import CHECKOUT, MISSING, LoopbackServer, machine_without_network
from workflows.process.machines import RemoteMachine, add_machine


@pytest.fixture(autouse=True)
def _own_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees another's machines or history."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "here"))


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """HOME of the other machine."""
    folder = tmp_path / "there"
    folder.mkdir()
    return folder


@pytest.fixture
def machine(tmp_path: Path, there: Path, monkeypatch: pytest.MonkeyPatch) -> RemoteMachine:
    """A machine that is reached without a network: by a shell script in the place of ssh."""
    environment, made = machine_without_network(tmp_path, there)
    monkeypatch.setenv("JOINERY_SSH", environment)
    add_machine(made)
    return made


@pytest.fixture(scope="module")
def new_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., LoopbackServer]]:
    """Starts real servers, which end with the module's tests."""
    if MISSING or sys.platform == "win32":
        pytest.skip(MISSING or "no sshd of the tests' own on Windows")
    servers = list[LoopbackServer]()

    def start(*options: str) -> LoopbackServer:
        servers.append(LoopbackServer(tmp_path_factory.mktemp("sshd") / "server", options))
        return servers[-1]

    yield start
    for one in servers:
        one.stop()


@pytest.fixture(scope="module")
def server(new_server: Callable[..., LoopbackServer]) -> LoopbackServer:
    """A server that lets the tests' key in."""
    return new_server()


@pytest.fixture
def loopback(server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> RemoteMachine:
    """A machine behind the real ssh and the real sshd."""
    monkeypatch.setenv("JOINERY_SSH", server.ssh())
    made = RemoteMachine("loop", server.address, CHECKOUT)
    add_machine(made)
    return made

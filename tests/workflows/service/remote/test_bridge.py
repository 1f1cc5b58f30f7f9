"""The bridge as the window drives it: lines in and out of a process, which stands for a worker there."""

from __future__ import annotations

import io
import json
import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.workflows.service.remote.test_connection import gone
from tests.workflows.service.test_worker import Client
from workflows.process.machines import RemoteMachine
from workflows.service.remote.bridge import Bridge
from workflows.wire.request_lines import parse_line


@pytest.fixture
def bridge(machine: RemoteMachine) -> Iterator[Client]:
    client = Client("-P", "-m", "workflows.service.remote.bridge", machine.name)
    yield client
    client.process.kill()
    client.process.wait()
    for thread in client.threads:
        thread.join()
    client.process.stdin.close()  # type: ignore[union-attr]


def test_a_bundle_is_copied_opened_and_generates(bridge: Client, demo_split_bundle: Path, tmp_path: Path) -> None:
    """With progress; events have the paths of this machine; a saved cache lies here."""
    opened = bridge.send("open", bundle=str(demo_split_bundle))
    lines = bridge.until(lambda one: one["job"] == opened and one["event"] in ("ready", "error"))
    assert lines[0] | {"event": "hello"} == lines[0] and lines[-1]["bundle"] == str(demo_split_bundle.resolve())
    copied = [one for one in lines if one["event"] == "progress" and one["stage"] == "copy"]
    assert copied and copied[-1]["done"] == copied[-1]["total"] > 1e6
    done = bridge.last(bridge.send("generate", prompt="8*7=", options={"max_new_tokens": 4}))
    assert done["event"] == "done" and done["text"].strip().startswith("56")
    assert bridge.last(bridge.send("save_cache", path=str(tmp_path / "made.cache")))["event"] == "result"
    assert (tmp_path / "made.cache").stat().st_size > 1000
    assert bridge.last(bridge.send("load_cache", path=str(tmp_path / "made.cache")))["event"] == "result"
    refused = bridge.last(bridge.send("prune", keep=1))
    assert refused["kind"] == "request" and "runs on this machine alone" in refused["message"]
    missing = bridge.last(bridge.send("open", bundle=str(tmp_path / "none")))
    assert missing["kind"] == "bundle" and str(tmp_path / "none") in missing["message"]
    assert bridge.last(bridge.send("ping"))["event"] == "result"


@pytest.mark.slow
def test_a_generation_there_is_cancelled(bridge: Client, demo_split_bundle: Path) -> None:
    assert bridge.last(bridge.send("open", bundle=str(demo_split_bundle)))["event"] == "ready"
    hot = {"max_new_tokens": 100_000, "temperature": 100.0, "seed": 1}
    job = bridge.send("generate", prompt_ids=[5, 6, 7], options=hot)
    bridge.until(lambda one: one["job"] == job and one["event"] == "token")
    bridge.send("cancel", target=job)
    assert bridge.last(job)["finish_reason"] in ("cancelled", "capacity")


@pytest.mark.slow
def test_a_hanging_worker_answers_no_ping(bridge: Client, demo_split_bundle: Path) -> None:
    """While it computes or waits for work the bridge may answer; stopped, nothing does."""
    assert bridge.last(bridge.send("open", bundle=str(demo_split_bundle)))["event"] == "ready"
    (worker,) = [
        one
        for one in psutil.Process(bridge.process.pid).children(recursive=True)
        if one.cmdline()[-1:] == ["workflows.service.worker"]
    ]
    worker.suspend()
    time.sleep(2.5)  # two reports of the other end
    job = bridge.send("ping")
    with pytest.raises(queue.Empty):
        bridge.until(lambda one: one["job"] == job, timeout=2)
    worker.resume()
    bridge.until(lambda one: one["job"] == job)


@pytest.mark.slow
def test_the_end_of_the_connection_ends_the_job_with_a_sentence(bridge: Client, demo_split_bundle: Path) -> None:
    assert bridge.last(bridge.send("open", bundle=str(demo_split_bundle)))["event"] == "ready"
    hot = {"max_new_tokens": 100_000, "temperature": 100.0, "seed": 1}
    job = bridge.send("generate", prompt_ids=[5, 6, 7], options=hot)
    bridge.until(lambda one: one["job"] == job and one["event"] == "token")
    there = psutil.Process(bridge.process.pid).children(recursive=True)
    assert len(there) >= 2
    there[0].kill()
    ended = bridge.last(job)
    assert ended["kind"] == "remote" and ended["message"].startswith("The connection to box was lost")
    assert bridge.until(lambda one: one["job"] == 0 and one["event"] == "error")[-1]["message"] == ended["message"]
    assert bridge.process.wait(10) == 1 and all(gone(one.pid) for one in there)


def test_a_killed_bridge_leaves_nothing(bridge: Client) -> None:
    """The window was killed, or has killed it."""
    assert bridge.last(bridge.send("form", form="regex", text="[0-9]"))["event"] == "result"
    there = psutil.Process(bridge.process.pid).children(recursive=True)
    bridge.process.kill()
    assert len(there) >= 2 and all(gone(one.pid) for one in there)


def test_a_machine_that_cannot_be_reached_is_one_sentence(bridge: Client, machine: RemoteMachine) -> None:
    client = Client("-P", "-m", "workflows.service.remote.bridge", "nobody")
    assert "No machine is called 'nobody'" in client.until(lambda one: one["event"] == "error")[-1]["message"]
    assert client.process.wait(10) == 1
    for thread in client.threads:
        thread.join()
    client.process.stdin.close()  # type: ignore[union-attr]


def test_a_cancel_before_the_worker_knows_the_job_reaches_it(machine: RemoteMachine) -> None:
    """It arrives after the copy and before the request is sent: it follows the request."""
    bridge = Bridge(machine, io.StringIO(), io.StringIO())

    class Cancelling:
        """Stands for a connection: the first line is sent while the window cancels."""

        def __init__(self) -> None:
            self.lines = list[Any]()

        def write_input(self, data: bytes) -> None:
            self.lines.append(json.loads(data))
            bridge._cancelled.add(6)

    connection: Any = Cancelling()
    bridge._connection, copier = connection, type("Copies", (), {})()
    bridge._request(connection, copier, parse_line('{"id": 6, "job": "form", "form": "regex", "text": "a"}'))
    assert [(one["job"], one.get("target")) for one in connection.lines] == [("form", None), ("cancel", 6)]

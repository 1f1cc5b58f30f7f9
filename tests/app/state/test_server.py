"""The server of the window over a fake process: its states, its failures, its choices and its last minutes."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.state.server import ServerModel
from app.state.server_options import ServerOptions, free_name, refusal
from app.state.server_traffic import WINDOW_S, ServerTraffic
from tests.fakes.server import IDLE, program, traffic
from workflows.wire.codec import read
from workflows.wire.reports.server import ServerStatus


@pytest.fixture
def server(qtbot: QtBot, tmp_path: Path) -> Iterator[ServerModel]:
    model = ServerModel(tmp_path / "home")
    model.choose(ServerOptions(bundles={"demo": "/b/demo"}))
    yield model
    model.close()
    model.deleteLater()


def run(server: ServerModel, qtbot: QtBot, state: str, **scenario: Any) -> None:
    """Starts it over a fake process, and waits for a state."""
    server.program = program(**scenario)
    server.start()
    assert server.state == "starting"
    qtbot.waitUntil(lambda: server.state == state)


def test_start_and_stop(server: ServerModel, qtbot: QtBot, tmp_path: Path) -> None:
    """The choices are arguments, the token a variable of the process alone; its lines become a status and points."""
    own = tmp_path / "arguments"
    server.change(host="0.0.0.0", token="secret-token", rows=4, port=9000, idle_s=60)
    run(server, qtbot, "running", arguments=str(own), statuses=traffic(3), address="http://0.0.0.0:9000")
    assert server.address == "http://127.0.0.1:9000" == server.client_address
    qtbot.waitUntil(lambda: server.status is not None and server.status.uptime_s == 1.0)
    assert server.status is not None and [one.name for one in server.status.bundles] == ["qwen3-demo", "minilm-l6-v2"]
    assert server.busy == 3 + 2
    with qtbot.waitSignal(server.sampled):
        pass
    assert server.traffic.points[-1].waiting == 2
    given, variables = json.loads(own.read_text("utf-8"))
    expected = "serve demo=/b/demo --host 0.0.0.0 --port 9000 --rows 4 --queue 64 --seconds 600 --idle 60 --body 32"
    assert given == [*expected.split(), "--json", "--stop-at-eof"]
    assert variables == {"JOINERY_SERVE_TOKEN": "secret-token"}
    server.stop()
    assert server.state == "stopping" and server.busy == 5
    qtbot.waitUntil(lambda: server.state == "stopped")
    assert server.failure is None and server.lines[-1].endswith("  Stopped.") and server.busy == 0
    assert server.status is not None and {one.state for one in server.status.requests} == {"cancelled"}


def test_the_window_s_own_variables_do_not_reach_it(
    server: ServerModel, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOINERY_SERVE_PORT", "1")
    own = tmp_path / "arguments"
    run(server, qtbot, "running", arguments=str(own))
    assert json.loads(own.read_text("utf-8"))[1] == {}


def test_on_another_machine(server: ServerModel, qtbot: QtBot, tmp_path: Path) -> None:
    """It is the same command with --on; what it copies is told while it starts; the address is this machine's own."""
    own = tmp_path / "arguments"
    server.change(host="0.0.0.0", certificate="c.pem", machine="npu", port=9000)
    assert server.options.is_local and not server.options.problem
    assert server.client_address == "http://127.0.0.1:9000"
    run(server, qtbot, "starting", arguments=str(own), silent=True, copies=["copying demo: 1.0 of 2.1 MiB"])
    qtbot.waitUntil(lambda: server.progress == "copying demo: 1.0 of 2.1 MiB")
    given, _ = json.loads(own.read_text("utf-8"))
    assert given[:6] == ["serve", "demo=/b/demo", "--host", "127.0.0.1", "--port", "9000"]
    assert given[-4:] == ["--on", "npu", "--json", "--stop-at-eof"] and "--certificate" not in given
    assert server.lines[0].endswith("  Starting on npu: demo")


@pytest.mark.parametrize(
    "error",
    [
        {"kind": "address", "message": "Nothing can listen on 127.0.0.1, port 8080: Address already in use."},
        {"kind": "package", "message": "Serving needs uvicorn: install it with pip install 'joinery[serve]'."},
        {"kind": "bundle", "message": "There is no bundle folder /b/demo: check the path."},
    ],
)
def test_a_refusal_is_a_failure_with_its_kind(server: ServerModel, qtbot: QtBot, error: dict[str, str]) -> None:
    run(server, qtbot, "stopped", error=error)
    assert server.failure is not None
    assert (server.failure.kind, server.failure.message) == (error["kind"], error["message"])
    assert sum(error["message"] in line for line in server.lines) == 1
    run(server, qtbot, "running")
    assert server.failure is None


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_crash_is_a_failure_with_its_lines(server: ServerModel, qtbot: QtBot) -> None:
    run(server, qtbot, "running", statuses=traffic(2), lines=["A driver warns."])
    qtbot.waitUntil(lambda: server.status is not None)
    os.kill(server.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: server.state == "stopped")
    assert server.failure is not None and server.failure.kind == "crashed"
    assert "signal SIGKILL" in server.failure.message and "A driver warns." in server.failure.details


def test_a_program_that_cannot_start(server: ServerModel, qtbot: QtBot) -> None:
    server.program = ["/no/such/program"]
    server.start()
    qtbot.waitUntil(lambda: server.state == "stopped")
    assert server.failure is not None and server.failure.kind == "start"


def test_a_second_stop_ends_it_at_once(server: ServerModel, qtbot: QtBot) -> None:
    run(server, qtbot, "running", linger=600)
    server.stop()
    server.stop()
    qtbot.waitUntil(lambda: server.state == "stopped")
    assert server.failure is None


def test_it_can_be_stopped_while_it_starts(server: ServerModel, qtbot: QtBot) -> None:
    run(server, qtbot, "starting", silent=True)
    server.stop()
    qtbot.waitUntil(lambda: server.state == "stopped")
    assert server.failure is None


def test_it_ends_with_the_window(server: ServerModel, qtbot: QtBot) -> None:
    """Also where a request would take longer than a window waits."""
    run(server, qtbot, "running", linger=600)
    server.close()
    assert server.state == "stopped" and server.failure is None and server.pid == 0


def test_choices_are_saved_without_the_token(qtbot: QtBot, tmp_path: Path) -> None:
    first = ServerModel(tmp_path)
    first.change(bundles={"a": "/b/a"}, port=0, token="secret-token")
    first.close()
    assert "secret" not in (tmp_path / "server.json").read_text("utf-8")
    assert ServerModel(tmp_path).options == ServerOptions(bundles={"a": "/b/a"}, port=0)
    (tmp_path / "server.json").write_text('{"port": "many"}', "utf-8")
    assert ServerModel(tmp_path).options == ServerOptions()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (ServerOptions(), "Add a bundle"),
        (ServerOptions(bundles={"a": "a"}, host=""), "Choose an address"),
        (ServerOptions(bundles={"a": "a"}, host="10.0.0.1"), "make a token"),
        (ServerOptions(bundles={"a": "a"}, certificate="a.pem"), "its key"),
        (ServerOptions(bundles={"a": "a"}), ""),
        (ServerOptions(bundles={"a": "a"}, host="10.0.0.1", token="0123456789"), ""),
    ],
)
def test_choices_that_do_not_go_together(options: ServerOptions, problem: str) -> None:
    assert problem in options.problem and bool(problem) == bool(options.problem)


def test_what_no_route_is_for() -> None:
    assert refusal({"task": "text-generation"}) == "" == refusal({"task": "text-classification", "labels": 1})
    assert "depth-estimation" in refusal({"task": "depth-estimation"})
    assert refusal({"task": "text-classification", "labels": 3})
    assert free_name("/b/demo", {"demo": "", "demo-2": ""}) == "demo-3"


def test_the_rate_is_that_of_two_seconds() -> None:
    """A status that comes late is no pause, and what is older than the window is forgotten."""
    points = ServerTraffic()
    for place in range(20):
        points.sample(place * 0.5, read(ServerStatus, IDLE | {"tokens": 100 * (place // 2)}))
    assert all(abs(one.tokens_per_s - 100) <= 25 for one in list(points.points)[6:])
    points.sample(20.0, read(ServerStatus, IDLE | {"tokens": 900}))
    assert points.rate == 0.0
    points.sample(WINDOW_S + 9.9, read(ServerStatus, IDLE | {"tokens": 900}))
    assert points.points[0].at == 20.0

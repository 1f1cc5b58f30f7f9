"""The worker client against a process that follows a script."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.jobs.job import Job
from app.jobs.worker_client import BACKGROUND_NICE, WorkerClient
from tests.fakes.worker import program
from tests.traps import lay_traps, sprung
from workflows import __version__
from workflows.wire.events import (
    ErrorEvent,
    Event,
    HelloEvent,
    LogEvent,
    ProcessEvent,
    ProgressEvent,
    ResultEvent,
)
from workflows.wire.requests import Build, Generate, ListDevices, Ping, ProbeSource, VerifyBundle

Make = Callable[..., WorkerClient]


@pytest.fixture
def make_worker(qapp: Any) -> Iterator[Make]:
    made: list[WorkerClient] = []

    def make(**scenario: Any) -> WorkerClient:
        made.append(WorkerClient(program(**scenario)))
        return made[-1]

    yield make
    for worker in made:
        worker.close()


def last(qtbot: Any, job: Job[Any]) -> Any:
    """The event that ends `job`."""
    got: list[Any] = []
    job.finished.connect(got.append)
    qtbot.waitUntil(lambda: bool(got))
    return got[0]


def test_a_job_gives_its_events_in_order_and_one_end(qtbot: Any, make_worker: Make) -> None:
    job = make_worker().request(ProbeSource("owner/name"))
    seen: list[Any] = []
    job.event.connect(seen.append)
    end = last(qtbot, job)
    assert [e.done for e in seen if isinstance(e, ProgressEvent)] == [0.0, 3e6, 6e6, 9e6]
    assert isinstance(end, ResultEvent)
    assert end.value.kind == "hub"
    assert job.ended


def test_jobs_keep_their_answers_apart(qtbot: Any, make_worker: Make) -> None:
    worker = make_worker()
    first, second = worker.request(ProbeSource("demo:qwen3")), worker.request(ListDevices())
    ends: list[tuple[str, str]] = []
    for job in (first, second):
        job.finished.connect(lambda event, job=job: ends.append((job.request.job, type(event.value).__name__)))
    qtbot.waitUntil(lambda: len(ends) == 2)
    assert ends == [("probe", "ProbeReport"), ("devices", "DevicesReport")]


def test_garbage_goes_to_the_log_and_a_line_in_two_halves_is_one_event(qtbot: Any, make_worker: Make) -> None:
    worker = make_worker(garbage=True)
    lines: list[str] = []
    worker.log.connect(lines.append)
    job = worker.request(VerifyBundle("b"))
    seen: list[Any] = []
    job.event.connect(seen.append)
    assert isinstance(last(qtbot, job), ResultEvent)
    assert [e.message for e in seen if isinstance(e, LogEvent)] == ["in two halves"]
    assert "not json" in lines
    assert "[1, 2]" in lines
    qtbot.waitUntil(lambda: "a line for the log" in lines)


def test_text_keeps_its_characters(qtbot: Any, make_worker: Make) -> None:
    job = make_worker(reply="naïve 東京").request(Generate(prompt="é"))
    assert last(qtbot, job).text == "naïve 東京"


def test_kill_9_is_reported_and_the_next_request_starts_anew(qtbot: Any, make_worker: Make) -> None:
    worker = make_worker(hang_on="generate")
    crashes: list[str] = []
    worker.crashed.connect(crashes.append)
    job = worker.request(Generate(prompt="x"))
    qtbot.waitUntil(lambda: "hanging" in worker.last_lines)
    os.kill(worker.pid, signal.SIGKILL)
    end = last(qtbot, job)
    assert isinstance(end, ErrorEvent)
    assert end.kind == "crashed"
    assert "SIGKILL" in crashes[0]
    assert "hanging" in end.details
    assert worker.pid == 0
    assert isinstance(last(qtbot, worker.request(ListDevices())), ResultEvent)


def test_a_crash_ends_every_open_job_after_it_was_reported(qtbot: Any, make_worker: Make) -> None:
    worker = make_worker(crash_on="probe")
    order: list[str] = []
    worker.crashed.connect(lambda _text: order.append("crashed"))
    for job in (worker.request(ProbeSource("s")), worker.request(ListDevices())):
        job.finished.connect(lambda event, job=job: order.append(f"{job.request.job} {event.kind}"))
    qtbot.waitUntil(lambda: len(order) == 3)
    assert order == ["crashed", "probe crashed", "devices crashed"]


def test_cancel_is_a_message_first(qtbot: Any, make_worker: Make) -> None:
    worker = make_worker(delay=5)
    job = worker.request(Generate(prompt="x"))
    qtbot.waitUntil(lambda: worker.pid > 0)
    pid = worker.pid
    job.cancel()
    assert last(qtbot, job).finish_reason == "cancelled"
    assert worker.pid == pid


@pytest.mark.parametrize("stubborn", [False, True])
def test_cancel_terminates_then_kills_what_does_not_answer(qtbot: Any, make_worker: Make, stubborn: bool) -> None:
    worker = make_worker(hang_on="build", stubborn=stubborn)
    worker.grace_ms, worker.kill_ms = 100, 100
    job = worker.request(Build("s", "o"))
    qtbot.waitUntil(lambda: "hanging" in worker.last_lines)
    job.cancel()
    end = last(qtbot, job)
    assert (type(end), end.kind) == (ErrorEvent, "cancelled")
    assert worker.pid == 0


def test_a_program_that_does_not_exist_is_a_crash(qtbot: Any, qapp: Any) -> None:
    worker = WorkerClient(["/nonexistent/program"])
    crashes: list[str] = []
    worker.crashed.connect(crashes.append)
    ends: list[Any] = []
    job = worker.request(ListDevices())
    job.finished.connect(ends.append)
    qtbot.waitUntil(lambda: bool(crashes))
    assert "could not be started" in crashes[0]


def test_memory_is_reported_while_it_lives(qtbot: Any, make_worker: Make) -> None:
    worker = make_worker(hang_on="generate")
    worker.request(Generate(prompt="x"))
    with qtbot.waitSignal(worker.memory, timeout=5000) as blocker:
        pass
    assert blocker.args[0] > 1_000_000


@pytest.mark.skipif(sys.platform == "win32", reason="priorities have other names there")
def test_a_worker_in_the_background_stands_back(qtbot: Any, make_worker: Make) -> None:
    ours = psutil.Process().nice()
    niceness = []
    for background in (False, True):
        worker = make_worker()
        worker.background = background
        last(qtbot, worker.request(ListDevices()))
        niceness.append(psutil.Process(worker.pid).nice() - ours)
    assert niceness == [0, min(BACKGROUND_NICE, 19 - ours)]


def test_close_ends_the_process_without_a_crash(qtbot: Any, make_worker: Make) -> None:
    worker = make_worker()
    crashes: list[str] = []
    worker.crashed.connect(crashes.append)
    last(qtbot, worker.request(ListDevices()))
    worker.close()
    assert (worker.pid, crashes) == (0, [])


def test_the_window_s_worker_runs_nothing_of_the_current_folder(
    tmp_path: Path, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where PYTHONPATH has an empty entry, which means the current folder."""
    traps = lay_traps(tmp_path / "checkpoint", "app", "workflows", "tests")
    monkeypatch.chdir(traps)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", os.environ.get("PYTHONPATH", "")]))
    worker = WorkerClient()
    assert isinstance(last(qtbot, worker.request(ListDevices())), ResultEvent)
    worker.close()
    assert sprung(traps) == ""


def test_the_window_never_imports_the_heavy_libraries(qtbot: Any) -> None:
    import subprocess

    code = (
        "import sys, app.main, app.startup.tour; "
        "heavy = {'torch', 'transformers', 'onnx', 'onnxruntime', 'numpy', 'pyqtgraph', 'pydantic'}; "
        "heavy &= set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_signal_can_be_emitted_a_million_times(qapp: Any) -> None:
    """PySide6 6.12 on CPython 3.11 loses a reference with each emit and aborts."""
    from PySide6.QtCore import QObject, Signal

    class Source(QObject):
        fired = Signal(bool)

    source, count = Source(), [0]
    source.fired.connect(lambda on: count.__setitem__(0, count[0] + on))
    for _ in range(1_000_000):
        source.fired.emit(True)
    assert count[0] == 1_000_000


ODD = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"event": "log", "job": asked["id"], "message": 7}))
    print(json.dumps({"event": "result", "job": asked["id"], "value": {"devices": [{"name": "cpu"}]}}), flush=True)
"""


def test_an_answer_that_cannot_be_read_ends_its_job(qtbot: Any, qapp: Any) -> None:
    worker = WorkerClient([sys.executable, "-c", ODD])
    lines: list[str] = []
    worker.log.connect(lines.append)
    answers: list[object] = []
    job = worker.request(ListDevices())
    job.on_answer(answers.append)
    end = last(qtbot, job)
    worker.close()
    assert isinstance(end, ErrorEvent) and end.kind == "internal" and not answers
    assert end.details == "devices: lacks its 'devices[0].title'"
    assert len(lines) == 1 and '"message": 7' in lines[0]  # an event that is none goes to the log, and ends nothing


def test_an_idle_process_ends_and_the_next_job_starts_another(qtbot: Any, make_worker: Make) -> None:
    worker = make_worker()
    worker.idle_ms = 50
    crashes: list[str] = []
    worker.crashed.connect(crashes.append)
    last(qtbot, worker.request(ListDevices()))
    first = worker.pid
    qtbot.waitUntil(lambda: worker.pid == 0)
    assert isinstance(last(qtbot, worker.request(ListDevices())), ResultEvent)
    assert first and worker.pid not in (0, first) and not crashes


def test_a_job_that_meets_the_end_of_an_idle_process_is_answered(qtbot: Any, make_worker: Make) -> None:
    worker = make_worker()
    last(qtbot, worker.request(ListDevices()))
    first = worker.pid
    worker._end_idle()
    job = worker.request(ListDevices())
    assert worker.pid != first and isinstance(last(qtbot, job), ResultEvent)


def worker_of(qtbot: Any, code: str) -> WorkerClient:
    """A worker that is this Python program."""
    return WorkerClient([sys.executable, "-c", f"import sys, time, json\n{code}"])


def line(event: Event) -> str:
    """A statement that prints an event of no job."""
    return f"print({event.to_line(0)!r}, flush=True)"


def test_a_worker_of_another_version_is_one_sentence(qtbot: Any) -> None:
    worker = worker_of(qtbot, line(HelloEvent(joinery="9.9", wire="00000000")) + "\nsys.stdin.read()")
    with qtbot.waitSignal(worker.crashed) as crashed:
        errors: list[str] = []
        worker.request(Ping()).on_error(lambda error: errors.append(error.message))
    expected = f"The worker is of Joinery 9.9, and the window of {__version__}: install one version."
    assert crashed.args == [expected] and errors == [expected]
    worker.close()


def test_a_worker_elsewhere_reports_its_memory_and_why_it_ends(qtbot: Any) -> None:
    """The memory of the process here, which only connects, is not reported."""
    ended = ErrorEvent(kind="remote", message="The connection to box was lost.")
    code = "\n".join([line(ProcessEvent(memory=123 << 20)), "time.sleep(1.5)", line(ended), "sys.exit(1)"])
    worker = WorkerClient()
    worker.use_program([sys.executable, "-c", f"import sys, time\n{code}"], remote=True)
    seen: list[int] = []
    worker.memory.connect(seen.append)
    with qtbot.waitSignal(worker.crashed) as crashed:
        worker.request(Ping())
    assert crashed.args == ["The connection to box was lost."] and set(seen) == {123 << 20, 0}

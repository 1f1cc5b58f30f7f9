"""Of several requests only the newest counts, and after a cancellation none."""

from __future__ import annotations

from typing import Any

from pytestqt.qtbot import QtBot

from app.jobs.latest_request import LatestRequest
from tests.app.test_session import StubWorker
from workflows.wire.events import ErrorEvent, ProgressEvent
from workflows.wire.requests import ProbeSource

PROGRESS = ProgressEvent(stage="probe", done=1, total=2, unit="files", message="one")


def latest(delay_ms: int = 0) -> tuple[LatestRequest, StubWorker, list[Any]]:
    """A request to a worker that only remembers, and all that is emitted."""
    worker, emitted = StubWorker(), list[Any]()
    made = LatestRequest(worker, delay_ms)  # type: ignore[arg-type]
    for signal in (made.progress, made.answered, made.failed):
        signal.connect(emitted.append)
    return made, worker, emitted


def test_only_the_newest_request_is_answered(qtbot: QtBot) -> None:
    request, worker, emitted = latest()
    request.send(ProbeSource("a"))
    request.send(ProbeSource("b"))
    first, second = worker.jobs
    first.event.emit(PROGRESS)
    first.answered.emit("a")
    assert emitted == [] and request.busy
    second.event.emit(PROGRESS)
    second.answered.emit("b")
    assert emitted == [PROGRESS, "b"] and not request.busy


def test_an_error_ends_it(qtbot: QtBot) -> None:
    request, worker, emitted = latest()
    request.send(ProbeSource("a"))
    error = ErrorEvent(kind="hub", message="no network")
    worker.jobs[0].failed.emit(error)
    assert emitted == [error] and not request.busy


def test_a_cancelled_request_emits_nothing(qtbot: QtBot) -> None:
    request, worker, emitted = latest()
    request.send(ProbeSource("a"))
    request.cancel()
    worker.jobs[0].failed.emit(ErrorEvent(kind="cancelled", message="Stopped."))
    assert worker.jobs[0].cancelled and emitted == [] and not request.busy


def test_requests_within_the_delay_are_sent_as_one(qtbot: QtBot) -> None:
    request, worker, _ = latest(delay_ms=20)
    request.send(ProbeSource("a"))
    request.send(ProbeSource("b"))
    assert request.busy and worker.jobs == []
    qtbot.waitUntil(lambda: bool(worker.jobs))
    assert [job.request for job in worker.jobs] == [ProbeSource("b")]
    request.send(ProbeSource("c"))
    request.cancel()
    qtbot.wait(40)
    assert len(worker.jobs) == 1 and not request.busy

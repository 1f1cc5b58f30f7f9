"""One request in a worker of its own: who is let go and when; and jobs that tell their end once."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.jobs.job import Job
from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import HARD_GRACE_MS, HARD_KILL_MS
from app.state.device_jobs import DeviceJobs
from tests.app.state.test_interop import BackgroundTasks
from workflows.wire.events import ErrorEvent, ProgressEvent, ResultEvent
from workflows.wire.requests import ListDevices, VerifyBundle

REQUEST = VerifyBundle("/b")
BROKE, STOPPED = (ErrorEvent(kind=kind, message="It broke.") for kind in ("internal", "cancelled"))


@pytest.fixture
def workers(qtbot: QtBot) -> BackgroundTasks:
    return BackgroundTasks()


@pytest.mark.parametrize(("end", "event"), [("answered", object()), ("failed", BROKE)])
def test_its_worker_goes_with_the_end_and_another_may_be_run(workers: BackgroundTasks, end: str, event: object) -> None:
    worker = OneShotWorker(workers)  # type: ignore[arg-type]
    worker.run(REQUEST)
    assert worker.running and workers.retired == 0
    stub: Any = workers.workers[0]
    assert (stub.grace_ms, stub.kill_ms) == (HARD_GRACE_MS, HARD_KILL_MS)  # it may hang in a driver
    getattr(workers.job, end).emit(event)
    assert not worker.running and workers.retired == 1
    worker.run(REQUEST)
    assert len(workers.workers) == 2


def test_cancelling_asks_and_waits_for_the_end(workers: BackgroundTasks) -> None:
    worker = OneShotWorker(workers)  # type: ignore[arg-type]
    worker.cancel()  # nothing runs
    worker.run(REQUEST)
    worker.cancel()
    assert workers.job.cancelled and worker.running and workers.retired == 0
    workers.job.failed.emit(STOPPED)
    assert not worker.running


# -- what is made for a device ---------------------------------------------------------------------------------


@pytest.fixture
def work(workers: BackgroundTasks) -> DeviceJobs:
    return DeviceJobs(workers)  # type: ignore[arg-type]


def test_a_device_has_a_line_until_it_is_done(work: DeviceJobs, workers: BackgroundTasks) -> None:
    done: list[tuple[str, object, str]] = []
    work.done.connect(lambda device, answer: done.append((device, answer, work.device)))
    assert work.start("qnn", REQUEST, "Asking …")
    assert (work.device, work.line) == ("qnn", "Asking …")
    workers.job.event.emit(ProgressEvent(stage="", message="40 of 90 MB"))
    assert work.line == "40 of 90 MB"
    assert not work.start("cuda", REQUEST, "Another")
    assert (work.device, len(workers.workers)) == ("qnn", 1)
    workers.job.answered.emit("made")
    assert done == [("qnn", "made", "")]  # who hears of it finds nothing under way


@pytest.mark.parametrize(("error", "told"), [(BROKE, [("qnn", BROKE)]), (STOPPED, [])])
def test_what_a_person_stopped_is_no_failure(
    work: DeviceJobs, workers: BackgroundTasks, error: ErrorEvent, told: list[object]
) -> None:
    failed: list[object] = []
    work.failed.connect(lambda device, why: failed.append((device, why)))
    work.start("qnn", REQUEST, "")
    work.cancel()
    workers.job.failed.emit(error)
    assert failed == told and work.device == "" and workers.retired == 1


# -- a job -----------------------------------------------------------------------------------------------------


FOUND = ResultEvent(value="found")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("end", "said"), [(FOUND, ["event", "answer found", "end"]), (BROKE, ["event", "error", "end"])]
)
def test_a_job_reports_its_events_its_end_and_nothing_after_it(qtbot: QtBot, end: Any, said: list[str]) -> None:
    cancels: list[int] = []
    job = Job(7, ListDevices(), lambda one: cancels.append(one.id))
    heard: list[str] = []
    job.event.connect(lambda _event: heard.append("event"))
    job.on_answer(lambda answer: heard.append(f"answer {answer}"))
    job.on_error(lambda _error: heard.append("error"))
    job.finished.connect(lambda _event: heard.append("end"))
    job.take(ProgressEvent(stage=""))
    job.cancel()
    assert cancels == [7] and not job.ended
    job.take(end)
    job.cancel()  # too late
    assert heard == said and job.ended and cancels == [7]

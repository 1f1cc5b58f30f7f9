"""One import, export or assembly: what is said meanwhile, how it ends, and that the next begins clean."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.state.interop import InteropModel
from tests.app.test_session import StubJob, StubWorker
from workflows.wire.events import BuildDone, ErrorEvent, LogEvent, NoticeEvent, ProgressEvent, StageEvent
from workflows.wire.requests import ImportGenai

REQUEST = ImportGenai("/theirs", "/ours")


class BackgroundTasks:
    """Hands out workers that remember whether they were let go."""

    def __init__(self) -> None:
        self.workers: list[StubWorker] = []
        self.retired = 0

    def __call__(self) -> StubWorker:
        worker = StubWorker()
        worker.retire = self._retire  # type: ignore[attr-defined]
        self.workers.append(worker)
        return worker

    def _retire(self) -> None:
        self.retired += 1

    @property
    def job(self) -> StubJob:
        return self.workers[-1].jobs[-1]


@pytest.fixture
def tasks(qtbot: QtBot) -> BackgroundTasks:
    return BackgroundTasks()


@pytest.fixture
def model(tasks: BackgroundTasks) -> InteropModel:
    return InteropModel(tasks)  # type: ignore[arg-type]


DONE = BuildDone(bundle="/ours", components=["decode"], seconds=1.0, bytes=9)


def test_what_the_work_says_is_the_note_and_notices_are_kept(model: InteropModel, tasks: BackgroundTasks) -> None:
    model.start(REQUEST)
    for event, note in (
        (LogEvent(message="Reading."), "Reading."),
        (ProgressEvent(stage="", message="3 of 7 files", done=3, total=7), "3 of 7 files"),
        (StageEvent(stage="bundle", state="running", note=""), "3 of 7 files"),
        (StageEvent(stage="bundle", state="running", note="Writing."), "Writing."),
        (NoticeEvent(code="x", message="It has no chat template."), "Writing."),
    ):
        tasks.job.event.emit(event)
        assert model.note == note and model.running
    tasks.job.answered.emit(DONE)
    assert (model.state, model.outcome, model.notices) == ("done", DONE, ["It has no chat template."])
    assert tasks.retired == 1


@pytest.mark.parametrize(("kind", "state"), [("cancelled", "cancelled"), ("bundle", "failed"), ("crashed", "failed")])
def test_how_it_ended_and_why(model: InteropModel, tasks: BackgroundTasks, kind: str, state: str) -> None:
    model.start(REQUEST)
    tasks.job.failed.emit(ErrorEvent(kind=kind, message="It has a window."))
    assert model.error is not None and model.error.message == "It has a window."
    assert (model.state, model.outcome, model.running) == (state, None, False)
    assert tasks.retired == 1


def test_one_at_a_time_and_the_next_begins_without_the_words_of_the_last(
    model: InteropModel, tasks: BackgroundTasks
) -> None:
    model.start(REQUEST)
    model.start(ImportGenai("/other", "/ours"))
    assert len(tasks.workers) == 1
    tasks.job.event.emit(NoticeEvent(code="x", message="Odd."))
    tasks.job.failed.emit(ErrorEvent(kind="bundle", message="No."))
    model.start(ImportGenai("/other", "/ours"))
    assert len(tasks.workers) == 2 and tasks.job.request == ImportGenai("/other", "/ours")
    assert (model.state, model.note, model.error, model.notices) == ("running", "", None, [])


def test_stopping_is_reported_until_it_has_stopped(model: InteropModel, tasks: BackgroundTasks) -> None:
    model.cancel()  # nothing runs
    assert model.note == ""
    model.start(REQUEST)
    model.cancel()
    assert model.note == "Stopping …" and tasks.job.cancelled and model.running
    tasks.job.failed.emit(ErrorEvent(kind="cancelled", message="Cancelled."))
    model.cancel()
    assert model.state == "cancelled"

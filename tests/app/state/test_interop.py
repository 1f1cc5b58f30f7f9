"""One import, export or assembly: what is said meanwhile, how it ends, and that the next begins clean."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.state.interop import InteropModel
from tests.app.test_session import StubJob, StubWorker
from workflows.wire.events import BuildDone, ErrorEvent, LogEvent, NoticeEvent, ProgressEvent, StageEvent
from workflows.wire.requests import ImportGenai

REQUEST = ImportGenai("/theirs", "/ours")


class Errands:
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
def errands(qtbot: QtBot) -> Errands:
    return Errands()


@pytest.fixture
def door(errands: Errands) -> InteropModel:
    return InteropModel(errands)  # type: ignore[arg-type]


DONE = BuildDone(bundle="/ours", components=["decode"], seconds=1.0, bytes=9)


def test_what_the_work_says_is_the_note_and_notices_are_kept(door: InteropModel, errands: Errands) -> None:
    door.start(REQUEST)
    for event, note in (
        (LogEvent(message="Reading."), "Reading."),
        (ProgressEvent(stage="", message="3 of 7 files", done=3, total=7), "3 of 7 files"),
        (StageEvent(stage="bundle", state="running", note=""), "3 of 7 files"),
        (StageEvent(stage="bundle", state="running", note="Writing."), "Writing."),
        (NoticeEvent(code="x", message="It has no chat template."), "Writing."),
    ):
        errands.job.event.emit(event)
        assert door.note == note and door.running
    errands.job.answered.emit(DONE)
    assert (door.state, door.outcome, door.notices) == ("done", DONE, ["It has no chat template."])
    assert errands.retired == 1


@pytest.mark.parametrize(("kind", "state"), [("cancelled", "cancelled"), ("bundle", "failed"), ("crashed", "failed")])
def test_how_it_ended_and_why(door: InteropModel, errands: Errands, kind: str, state: str) -> None:
    door.start(REQUEST)
    errands.job.failed.emit(ErrorEvent(kind=kind, message="It has a window."))
    assert (door.state, door.error, door.outcome, door.running) == (state, "It has a window.", None, False)
    assert errands.retired == 1


def test_one_at_a_time_and_the_next_begins_without_the_words_of_the_last(door: InteropModel, errands: Errands) -> None:
    door.start(REQUEST)
    door.start(ImportGenai("/other", "/ours"))
    assert len(errands.workers) == 1
    errands.job.event.emit(NoticeEvent(code="x", message="Odd."))
    errands.job.failed.emit(ErrorEvent(kind="bundle", message="No."))
    door.start(ImportGenai("/other", "/ours"))
    assert len(errands.workers) == 2 and errands.job.request == ImportGenai("/other", "/ours")
    assert (door.state, door.note, door.error, door.notices) == ("running", "", "", [])


def test_stopping_says_so_until_it_has_stopped(door: InteropModel, errands: Errands) -> None:
    door.cancel()  # nothing runs
    assert door.note == ""
    door.start(REQUEST)
    door.cancel()
    assert door.note == "Stopping …" and errands.job.cancelled and door.running
    errands.job.failed.emit(ErrorEvent(kind="cancelled", message="Cancelled."))
    door.cancel()
    assert door.state == "cancelled"

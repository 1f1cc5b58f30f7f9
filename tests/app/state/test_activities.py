"""What a person is told of the workers' jobs: which, how far, and failures until they are seen or tried again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.jobs.job import Job
from app.state.activities import Activities
from workflows.wire.events import ErrorEvent, ProgressEvent, ResultEvent
from workflows.wire.requests import Build, ListDevices, ProbeSource, Request


class Begins(QObject):
    """A worker as far as activities know it."""

    jobStarted = Signal(object)

    def start(self, request: Request[object]) -> Job[object]:
        job = Job(1, request, lambda _job: None)
        self.jobStarted.emit(job)
        return job


@pytest.fixture
def worker(qtbot: QtBot) -> Begins:
    return Begins()


@pytest.fixture
def activities(worker: Begins) -> Activities:
    made = Activities()
    made.track_worker(worker)  # type: ignore[arg-type]
    return made


def told(activities: Activities) -> list[tuple[str, float | None]]:
    return [(one.kind, one.share) for one in activities.running]


def part(done: int, total: int, unit: str = "") -> ProgressEvent:
    return ProgressEvent(stage="", message="going on", done=done, total=total, unit=unit)


BUILD, PROBE = Build("demo:qwen3", "/out"), ProbeSource("owner/name")
BROKE, STOPPED = (ErrorEvent(kind=kind, message="It broke.") for kind in ("export", "cancelled"))


def test_a_job_is_reported_with_its_progress_until_it_ends(activities: Activities, worker: Begins) -> None:
    job = worker.start(BUILD)
    assert told(activities) == [("build", None)]
    for progress, share in ((part(1, 4), 0.25), (part(9, 4), 1.0), (part(5, 0), None)):
        job.take(progress)
        assert told(activities) == [("build", share)]
    job.take(ResultEvent(value=None))
    assert told(activities) == [] and activities.failures == {}


def test_quiet_jobs_count_until_the_last_has_ended(activities: Activities, worker: Begins) -> None:
    assert activities.idle
    jobs = [worker.start(BUILD), worker.start(PROBE)]
    jobs[0].take(ResultEvent(value=None))
    assert not activities.running and not activities.idle
    jobs[1].take(ResultEvent(value=None))
    assert activities.idle


def test_several_stand_in_the_order_of_their_beginning(activities: Activities, worker: Begins) -> None:
    first, _second = worker.start(BUILD), worker.start(Build("b", "/b"))
    worker.start(ListDevices())  # the page of devices shows that itself
    assert [one.job.request for one in activities.running] == [BUILD, Build("b", "/b")]
    first.take(BROKE)
    assert [one.job.request for one in activities.running] == [Build("b", "/b")]


@pytest.mark.parametrize("unit", ["B", "bytes"])
def test_looking_at_a_source_is_reported_once_it_downloads(activities: Activities, worker: Begins, unit: str) -> None:
    job = worker.start(PROBE)
    job.take(part(1, 2, "files"))
    assert told(activities) == []
    job.take(part(1, 2, unit))
    assert told(activities) == [("probe", 0.5)]


@pytest.mark.parametrize(("end", "failures"), [(BROKE, {"build": "It broke."}), (STOPPED, {})])
def test_a_failure_stays_until_it_is_acknowledged(
    activities: Activities, worker: Begins, end: ErrorEvent, failures: dict[str, str], qtbot: QtBot
) -> None:
    worker.start(BUILD).take(end)
    assert activities.failures == failures
    changes: list[None] = []
    activities.changed.connect(lambda: changes.append(None))
    activities.acknowledge("build")
    activities.acknowledge("build")
    assert activities.failures == {} and len(changes) == len(failures)


@pytest.mark.parametrize("request_", [BUILD, PROBE])
def test_a_failure_is_forgotten_when_its_kind_begins_anew(
    activities: Activities, worker: Begins, request_: Request[object]
) -> None:
    """Also where it is told only once bytes are on their way."""
    job = worker.start(request_)
    job.take(part(1, 2, "B"))
    job.take(BROKE)
    assert list(activities.failures) == [request_.job]
    worker.start(ListDevices())
    assert list(activities.failures) == [request_.job]
    worker.start(request_)
    assert activities.failures == {}


def test_what_a_page_shows_itself_fails_unsaid(activities: Activities, worker: Begins) -> None:
    worker.start(PROBE).take(BROKE)
    assert activities.failures == {}

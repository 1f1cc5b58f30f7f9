"""What is done to an open bundle's cache besides generating, one job at a time: rewound, saved, loaded.

begin ──▶ Worker ──CacheEvent──▶ pictured ──▶ done, or failed
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from app.state.cache_history import Moment
from app.state.session_failure import SessionFailure
from workflows.wire.events import CacheEvent, ErrorEvent, Event
from workflows.wire.reports.base import Done
from workflows.wire.requests import Request

if TYPE_CHECKING:
    from app.jobs.job import Job
    from app.jobs.worker_client import WorkerClient

CacheJob = Literal["", "rewind", "save_cache", "load_cache"]


class CacheJobs(QObject):
    """The job that runs, if any. Its failure is none of the session's."""

    changed = Signal(str)  # CacheJob; empty when none runs
    pictured = Signal(object, str)  # list of groups, and the Moment
    done = Signal(str, object)  # which CacheJob, and its length or path
    failed = Signal(str, object)  # which CacheJob, SessionFailure

    def __init__(self, worker: WorkerClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self.name: CacheJob = ""
        self._job: Job[Done] | None = None

    def begin(self, name: CacheJob, subject: int | str, request: Request[Done]) -> bool:
        """Asks the worker; False while another job runs. subject: what `done` tells of."""
        if self.name:
            return False
        job = self._job = self._worker.request(request)
        moment: Moment = "rewind" if name == "rewind" else "load"
        job.event.connect(lambda event: self._on_event(job, event, moment))
        job.on_answer(lambda _: self._on_done(job, subject))
        job.on_error(lambda error: self._on_error(job, error))
        self._set(name)
        return True

    def abandon(self) -> None:
        """What the job still says is not listened to."""
        self._end()

    def _on_event(self, job: Job[Done], event: Event, moment: Moment) -> None:
        if job is self._job and isinstance(event, CacheEvent):
            self.pictured.emit(event.groups, moment)

    def _on_done(self, job: Job[Done], subject: int | str) -> None:
        if job is self._job:
            self.done.emit(self._end(), subject)

    def _on_error(self, job: Job[Done], error: ErrorEvent) -> None:
        if job is self._job:
            self.failed.emit(self._end(), SessionFailure(error.kind, error.message, error.details))

    def _end(self) -> CacheJob:
        name, self._job = self.name, None
        self._set("")
        return name

    def _set(self, name: CacheJob) -> None:
        if name != self.name:
            self.name = name
            self.changed.emit(name)

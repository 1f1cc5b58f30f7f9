"""The cache of an open bundle: what it holds, what it held during the last generation, and jobs that change it.

rewind, save, load ──▶ worker ──CacheEvent──▶ groups, history ──▶ done │ failed        one job at a time
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from app.state.cache_history import CacheHistory, Moment
from app.state.session_failure import SessionFailure
from workflows.wire.events import CacheEvent, ErrorEvent, Event, GroupView
from workflows.wire.reports.base import Done
from workflows.wire.requests import LoadCache, Request, Rewind, SaveCache

if TYPE_CHECKING:
    from app.jobs.job import Job
    from app.jobs.worker_client import WorkerClient

CacheJob = Literal["", "rewind", "save_cache", "load_cache"]


class SessionCache(QObject):
    """The cache groups, and the job that runs on them, if any. A job's failure does not fail the session.

    is_ready: whether the session can take a job now.
    """

    changed = Signal(object)  # list of groups, as in CacheEvent
    jobChanged = Signal(str)  # noqa: N815  CacheJob; empty when none runs
    done = Signal(str, object)  # which CacheJob, and its length or path
    failed = Signal(str, object)  # which CacheJob, SessionFailure

    def __init__(self, worker: WorkerClient, is_ready: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker, self._is_ready = worker, is_ready
        self._running: Job[Done] | None = None
        self._tokens = 0
        self.job: CacheJob = ""
        self.groups: list[GroupView] = []
        self.history = CacheHistory()

    def rewind(self, length: int) -> bool:
        """Goes back to the first `length` tokens; False where the session is not ready for it."""
        return self._start("rewind", length, Rewind(length))

    def save(self, path: str | Path) -> bool:
        """Saves what the cache holds to a file; False where the session is not ready for it."""
        return self._start("save_cache", str(path), SaveCache(str(path)))

    def load(self, path: str | Path) -> bool:
        """Loads the cache from a file; False where the session is not ready for it."""
        return self._start("load_cache", str(path), LoadCache(str(path)))

    def begin_generation(self) -> None:
        """Starts the history anew with what the cache holds."""
        self._tokens = 0
        self.history.begin(self.groups)

    def count_token(self) -> None:
        """Counts a generated token."""
        self._tokens += 1

    def show(self, groups: list[GroupView], moment: Moment | None = None) -> None:
        """Takes over what the cache holds now; by default, in the course of a generation."""
        if groups:
            self.history.note(moment or ("decode" if self._tokens else "prefill"), self._tokens, groups)
        else:
            self.history.clear()
        if groups or self.groups:
            self.groups = groups
            self.changed.emit(groups)

    def abandon_job(self) -> None:
        """Ignores what the running job still reports."""
        self._end()

    def _start(self, name: CacheJob, subject: int | str, request: Request[Done]) -> bool:
        """subject: the length or path that `done` reports."""
        if self.job or not self._is_ready():
            return False
        job = self._running = self._worker.request(request)
        moment: Moment = "rewind" if name == "rewind" else "load"
        job.event.connect(lambda event: self._on_event(job, event, moment))
        job.on_answer(lambda _: self._on_done(job, subject))
        job.on_error(lambda error: self._on_error(job, error))
        self._set_job(name)
        return True

    def _on_event(self, job: Job[Done], event: Event, moment: Moment) -> None:
        if job is self._running and isinstance(event, CacheEvent):
            self.show(event.groups, moment)

    def _on_done(self, job: Job[Done], subject: int | str) -> None:
        if job is self._running:
            self.done.emit(self._end(), subject)

    def _on_error(self, job: Job[Done], error: ErrorEvent) -> None:
        if job is self._running:
            self.failed.emit(self._end(), SessionFailure(error.kind, error.message, error.details))

    def _end(self) -> CacheJob:
        name, self._running = self.job, None
        self._set_job("")
        return name

    def _set_job(self, name: CacheJob) -> None:
        if name != self.job:
            self.job = name
            self.jobChanged.emit(name)

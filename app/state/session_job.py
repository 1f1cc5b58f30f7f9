"""The job that a session runs in its worker, to open a bundle or to generate, and the events of that job.

start(Open | Generate) ──▶ token, chunk, speculation, notice, progress … ──▶ answered │ failed
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.state.session_cache import SessionCache
from workflows.wire.events import (
    CacheEvent,
    ChunkEvent,
    ErrorEvent,
    Event,
    GenerationDone,
    NoticeEvent,
    ProgressEvent,
    ReadyEvent,
    SpeculationEvent,
    TokenEvent,
)
from workflows.wire.requests import Request

if TYPE_CHECKING:
    from app.jobs.job import Job
    from app.jobs.worker_client import WorkerClient


class SessionJob(QObject):
    """One job at a time, beside one that was dropped: of that, only what the cache holds is reported until it ends."""

    chunk = Signal(object)  # ChunkEvent
    token = Signal(object)  # TokenEvent
    speculation = Signal(object)  # SpeculationEvent
    notice = Signal(object)  # NoticeEvent
    progress = Signal(object)  # ProgressEvent
    answered = Signal(object)  # ReadyEvent or GenerationDone
    failed = Signal(object)  # ErrorEvent

    def __init__(self, worker: WorkerClient, cache: SessionCache, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker, self._cache = worker, cache
        self._job: Job[ReadyEvent] | Job[GenerationDone] | None = None
        self._dropped: Job[ReadyEvent] | Job[GenerationDone] | None = None

    @property
    def running(self) -> bool:
        """Whether a job runs, other than a dropped one."""
        return self._job is not None

    @property
    def stopping(self) -> bool:
        """Whether the running job was cancelled, or a dropped one has not ended yet."""
        return self._dropped is not None or (self._job is not None and self._job.cancelled)

    def start(self, request: Request[ReadyEvent] | Request[GenerationDone]) -> None:
        """Sends a request to the worker and follows it."""
        job: Job[ReadyEvent | GenerationDone] = self._worker.request(request)
        self._job = job  # type: ignore[assignment]
        job.event.connect(lambda event: self._on_event(job, event))
        job.on_answer(lambda answer: self._on_answer(job, answer))
        job.on_error(lambda error: self._on_error(job, error))

    def cancel(self) -> None:
        """Asks the running job to end; it still reports how it ended."""
        if self._job is not None:
            self._job.cancel()

    def drop(self) -> None:
        """Cancels the running job and reports nothing of it any more, except what the cache holds until it ends."""
        self._dropped, self._job = self._job, None
        if self._dropped is not None:
            self._dropped.cancel()

    def forget(self) -> None:
        """Ignores all jobs from now on."""
        self._job = self._dropped = None

    def _on_event(self, job: Job[object], event: Event) -> None:
        if job is self._dropped and isinstance(event, CacheEvent):
            self._cache.show(event.groups, "before")
        if job is not self._job:
            return
        if isinstance(event, TokenEvent):
            self._cache.count_token()
            self.token.emit(event)
        elif isinstance(event, SpeculationEvent):
            self.speculation.emit(event)
        elif isinstance(event, ChunkEvent):
            self.chunk.emit(event)
        elif isinstance(event, CacheEvent):
            self._cache.show(event.groups)
        elif isinstance(event, NoticeEvent):
            self.notice.emit(event)
        elif isinstance(event, ProgressEvent):
            self.progress.emit(event)

    def _ends(self, job: Job[object]) -> bool:
        """Whether the running job ended; the end of a dropped one is not reported."""
        if job is self._dropped:
            self._dropped = None
        ends = job is self._job
        if ends:
            self._job = None
        return ends

    def _on_answer(self, job: Job[object], answer: ReadyEvent | GenerationDone) -> None:
        if self._ends(job):
            self.answered.emit(answer)

    def _on_error(self, job: Job[object], error: ErrorEvent) -> None:
        if self._ends(job):
            self.failed.emit(error)

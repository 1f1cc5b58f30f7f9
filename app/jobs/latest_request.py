"""A request of which only the newest counts: answers of earlier ones are ignored.

send(request) ──delay──▶ worker ──▶ progress … answered │ failed
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs.job import Job
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import ErrorEvent, Event, ProgressEvent
from workflows.wire.requests import Request


class LatestRequest(QObject):
    """Sends requests to one worker, or to the one that a function makes when the first request is sent.

    delay_ms: waits so long for another request, which then replaces the one before.
    """

    progress = Signal(object)  # ProgressEvent
    answered = Signal(object)
    failed = Signal(object)  # ErrorEvent

    def __init__(
        self, worker: WorkerClient | Callable[[], WorkerClient], delay_ms: int = 0, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._worker, self._delay_ms = worker, delay_ms
        self._waiting: Request[object] | None = None
        self._job: Job[object] | None = None
        self._timer = QTimer(self, singleShot=True, interval=delay_ms)
        self._timer.timeout.connect(self._send)

    @property
    def busy(self) -> bool:
        """Whether an answer is awaited."""
        return self._job is not None or self._waiting is not None

    def send(self, request: Request[object]) -> None:
        """Sends a request, at once or after the delay."""
        self._waiting = request
        if self._delay_ms:
            self._timer.start()
        else:
            self._send()

    def cancel(self) -> None:
        """Cancels the request; nothing of it is emitted any more."""
        job, self._job, self._waiting = self._job, None, None
        self._timer.stop()
        if job is not None:
            job.cancel()

    def _send(self) -> None:
        request, self._waiting = self._waiting, None
        assert request is not None
        if callable(self._worker):
            self._worker = self._worker()
        job = self._job = self._worker.request(request)
        job.event.connect(lambda event: self._on_event(job, event))
        job.on_answer(lambda answer: self._end(job, answer, None))
        job.on_error(lambda error: self._end(job, None, error))

    def _on_event(self, job: Job[object], event: Event) -> None:
        if job is self._job and isinstance(event, ProgressEvent):
            self.progress.emit(event)

    def _end(self, job: Job[object], answer: object, error: ErrorEvent | None) -> None:
        if job is not self._job:
            return
        self._job = None
        if error is not None:
            self.failed.emit(error)
        else:
            self.answered.emit(answer)

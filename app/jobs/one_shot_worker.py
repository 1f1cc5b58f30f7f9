"""One request in its own worker process, which ends with it: for work that takes long, or may crash or hang.

run(request) ─▶ Job … finished ─▶ the worker retires;   cancel() ─▶ a message, then the end of the process
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, Signal

from app.jobs.job import Job
from app.jobs.worker_client import HARD_GRACE_MS, HARD_KILL_MS, WorkerClient
from workflows.wire.events import ErrorEvent, Event, ProgressEvent
from workflows.wire.requests import Request

Answer = TypeVar("Answer")
OneShotState = Literal["idle", "running", "done", "failed", "cancelled"]


class OneShotWorker(QObject):
    """Runs one request at a time. hard_stop: kills soon after `cancel`, for providers. background: at low priority."""

    def __init__(
        self,
        new_worker: Callable[[], WorkerClient],
        parent: QObject | None = None,
        *,
        hard_stop: bool = True,
        background: bool = False,
    ) -> None:
        super().__init__(parent)
        self._new_worker, self._hard_stop, self._background = new_worker, hard_stop, background
        self._job: Job[object] | None = None

    @property
    def running(self) -> bool:
        """Whether a request is under way."""
        return self._job is not None

    def run(self, request: Request[Answer]) -> Job[Answer]:
        """Starts a worker for `request`; no other request may be running."""
        assert self._job is None
        worker = self._new_worker()
        if self._hard_stop:
            worker.grace_ms, worker.kill_ms = HARD_GRACE_MS, HARD_KILL_MS
        worker.background = self._background
        job = worker.request(request)
        self._job = job
        job.on_answer(lambda _: self._end(worker))
        job.on_error(lambda _: self._end(worker))
        return job

    def cancel(self) -> None:
        """Cancels the running request; it still reports how it ended."""
        if self._job is not None:
            self._job.cancel()

    def _end(self, worker: WorkerClient) -> None:
        self._job = None
        worker.retire()


class OneShotModel(QObject):
    """The request that runs in its own worker, or the last one. error: of a failed or cancelled one."""

    changed = Signal()

    def __init__(self, one_shot: OneShotWorker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        one_shot.setParent(self)
        self._one_shot = one_shot
        self.state: OneShotState = "idle"
        self.error: ErrorEvent | None = None

    @property
    def running(self) -> bool:
        """Whether a request is under way."""
        return self.state == "running"

    def cancel(self) -> None:
        """Cancels the request; `state` changes when it has ended."""
        self._one_shot.cancel()

    def _run(self, request: Request[object]) -> None:
        self.state, self.error = "running", None
        job = self._one_shot.run(request)
        job.event.connect(self._on_event)
        job.on_answer(self._on_answer)
        job.on_error(self._on_error)
        self.changed.emit()

    def _on_event(self, event: Event) -> None:
        raise NotImplementedError

    def _on_answer(self, answer: Any) -> None:
        raise NotImplementedError

    def _on_error(self, error: ErrorEvent) -> None:
        self.error, self.state = error, "cancelled" if error.kind == "cancelled" else "failed"
        self.changed.emit()


class ReportModel(OneShotModel):
    """A request that is answered by a report. progress: the last one of the worker."""

    report: Any

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(OneShotWorker(new_worker), parent)
        self.request: Request[Any] | None = None
        self.report = None
        self.progress: ProgressEvent | None = None

    @property
    def share(self) -> float:
        """The share that is done, 0 to 1; 0 where it is unknown."""
        known = self.progress is not None and self.progress.total > 0
        return self.progress.done / self.progress.total if known and self.progress else 0.0

    def start(self, request: Request[Any]) -> bool:
        """Starts a request and forgets the last report; returns False while another runs."""
        if self.running:
            return False
        self.request, self.report, self.progress = request, None, None
        self._run(request)
        return True

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ProgressEvent):
            self.progress = event
            self.changed.emit()

    def _on_answer(self, report: Any) -> None:
        self.report, self.state = report, "done"
        self.changed.emit()

"""One request in a worker of its own, which is gone afterwards: for what takes long, or may crash or hang.

run(request) ─▶ Job … finished ─▶ the worker retires;   cancel() ─▶ a message, and soon the end of the process
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject

from app.jobs.job import Job
from app.jobs.worker_client import HARD_GRACE_MS, HARD_KILL_MS, WorkerClient
from workflows.wire.requests import Request

Asked = TypeVar("Asked")


class OneShotWorker(QObject):
    """One at a time."""

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._new_worker = new_worker
        self._job: Job[object] | None = None

    @property
    def running(self) -> bool:
        """Whether a request is under way."""
        return self._job is not None

    def run(self, request: Request[Asked]) -> Job[Asked]:
        """Starts a worker for `request`, which nothing else may be under way for."""
        assert self._job is None
        worker = self._new_worker()
        worker.grace_ms, worker.kill_ms = HARD_GRACE_MS, HARD_KILL_MS
        job = worker.request(request)
        self._job = job
        job.on_answer(lambda _: self._end(worker))
        job.on_error(lambda _: self._end(worker))
        return job

    def cancel(self) -> None:
        """Ends what runs; it still says how it ended."""
        if self._job is not None:
            self._job.cancel()

    def _end(self, worker: WorkerClient) -> None:
        self._job = None
        worker.retire()

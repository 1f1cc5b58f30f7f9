"""Something given to a bundle without a chat: the request that runs, and the report of the last one.

request ──start──▶ worker of its own ──report──▶ changed
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from app.jobs.latest_request import LatestRequest
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import ErrorEvent
from workflows.wire.requests import Request

Sent = TypeVar("Sent", bound=Request[Any])
Report = TypeVar("Report")


class BundleTask(QObject, Generic[Sent, Report]):
    """Runs one request of one bundle at a time. new_worker: makes the worker when the first request is sent: one that
    ends after a while, and the model with it."""

    changed = Signal()

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._requests = LatestRequest(new_worker, parent=self)
        self._requests.answered.connect(self._on_answer)
        self._requests.failed.connect(self._on_error)
        self._sent: Sent | None = None
        self.bundle = ""
        self.request: Sent | None = None
        """What `report` answers."""
        self.report: Report | None = None
        self.error: ErrorEvent | None = None
        """Why the last request failed."""
        self.problem = ""
        """Why nothing can be sent, before a request is made."""

    @property
    def running(self) -> bool:
        """Whether a request runs."""
        return self._sent is not None

    def set_bundle(self, bundle: str) -> None:
        """Takes another bundle; figures of the one before are forgotten."""
        if bundle != self.bundle:
            self._stop()
            self.bundle, self.request, self.report, self.error, self.problem = bundle, None, None, None, ""
            self.changed.emit()

    def cancel(self) -> None:
        """Stops the running request; the last report stays."""
        self._stop()
        self.changed.emit()

    def _start(self, problem: str, make: Callable[[], Sent]) -> bool:
        """Sends the request that `make` makes; returns False where `problem` says why not."""
        self.error, self.problem = None, problem
        if not problem:
            self._sent = make()
            self._requests.send(self._sent)
        self.changed.emit()
        return not problem

    def _stop(self) -> None:
        self._sent = None
        self._requests.cancel()

    def _on_answer(self, report: Report) -> None:
        self.request, self.report, self._sent = self._sent, report, None
        self.changed.emit()

    def _on_error(self, error: ErrorEvent) -> None:
        self._sent = None
        self.error = None if error.kind == "cancelled" else error
        self.changed.emit()

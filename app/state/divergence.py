"""The search for the first value where two runs diverge, in its own worker.

start(Diverge) ──▶ progress … ──▶ DivergenceReport | error
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import ErrorEvent, Event, ProgressEvent
from workflows.wire.reports.divergence import DivergenceReport
from workflows.wire.requests import Diverge

State = Literal["idle", "running", "done", "failed", "cancelled"]


class DivergenceModel(QObject):
    """The search that runs, or the last one. share: of the values that were compared, 0 to 1."""

    changed = Signal()

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._one_shot = OneShotWorker(new_worker, self)
        self.state: State = "idle"
        self.request: Diverge | None = None
        self.report: DivergenceReport | None = None
        self.error: ErrorEvent | None = None
        self.share = 0.0

    @property
    def running(self) -> bool:
        """Whether a search runs."""
        return self.state == "running"

    def start(self, request: Diverge) -> bool:
        """Starts a search and forgets the last report; returns False while another runs."""
        if self.running:
            return False
        self.request, self.report, self.error, self.share = request, None, None, 0.0
        self.state = "running"
        job = self._one_shot.run(request)
        job.event.connect(self._on_event)
        job.on_answer(self._on_answer)
        job.on_error(self._on_error)
        self.changed.emit()
        return True

    def cancel(self) -> None:
        """Cancels the search; it still reports how it ended."""
        self._one_shot.cancel()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ProgressEvent) and event.total:
            self.share = event.done / event.total
            self.changed.emit()

    def _on_answer(self, report: DivergenceReport) -> None:
        self.report, self.state = report, "done"
        self.changed.emit()

    def _on_error(self, error: ErrorEvent) -> None:
        self.error, self.state = error, "cancelled" if error.kind == "cancelled" else "failed"
        self.changed.emit()

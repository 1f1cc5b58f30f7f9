"""The search for the first value where two runs diverge, in its own worker.

start(Diverge) ──▶ progress … ──▶ DivergenceReport | error
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.jobs.one_shot_worker import OneShotModel, OneShotWorker
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.divergence import DivergenceReport
from workflows.wire.requests import Diverge


class DivergenceModel(OneShotModel):
    """The search that runs, or the last one. share: of the values that were compared, 0 to 1."""

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(OneShotWorker(new_worker), parent)
        self.request: Diverge | None = None
        self.report: DivergenceReport | None = None
        self.share = 0.0

    def start(self, request: Diverge) -> bool:
        """Starts a search and forgets the last report; returns False while another runs."""
        if self.running:
            return False
        self.request, self.report, self.share = request, None, 0.0
        self._run(request)
        return True

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ProgressEvent) and event.total:
            self.share = event.done / event.total
            self.changed.emit()

    def _on_answer(self, report: DivergenceReport) -> None:
        self.report, self.state = report, "done"
        self.changed.emit()

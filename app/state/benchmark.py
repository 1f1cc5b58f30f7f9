"""The benchmark of a bundle, in its own worker; its run appears in the history.

start(Bench) ──▶ progress … ──▶ BenchReport | error
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.jobs.one_shot_worker import OneShotModel, OneShotWorker
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.bench import BenchReport
from workflows.wire.requests import Bench


class BenchmarkModel(OneShotModel):
    """The benchmark that runs, or the last one. progress: the last one of the worker."""

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(OneShotWorker(new_worker), parent)
        self.report: BenchReport | None = None
        self.progress: ProgressEvent | None = None

    def start(self, request: Bench) -> bool:
        """Starts a benchmark and forgets the last report; returns False while another runs."""
        if self.running:
            return False
        self.report = self.progress = None
        self._run(request)
        return True

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ProgressEvent):
            self.progress = event
            self.changed.emit()

    def _on_answer(self, report: BenchReport) -> None:
        self.report, self.state = report, "done"
        self.changed.emit()

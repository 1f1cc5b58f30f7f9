"""An import, export or assembly, in its own worker.

start(ImportGenai | ExportGenai | ExportGguf | Assemble) ──▶ progress … ──▶ BuildDone | error
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.jobs.one_shot_worker import OneShotModel, OneShotWorker
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import BuildDone, Event, LogEvent, NoticeEvent, ProgressEvent, StageEvent
from workflows.wire.requests import Request


class InteropModel(OneShotModel):
    """The job that runs, or the last one. notices: remarks on the result for the user."""

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(OneShotWorker(new_worker, hard_stop=False), parent)
        self.note = ""
        self.notices: list[str] = []
        self.outcome: BuildDone | None = None

    def start(self, request: Request[BuildDone]) -> None:
        """Starts a job, unless one runs."""
        if not self.running:
            self.note, self.notices, self.outcome = "", [], None
            self._run(request)

    def cancel(self) -> None:
        """Cancels the job; the target folder is then unchanged."""
        if self.running:
            self.note = self.tr("Stopping …")
            super().cancel()
            self.changed.emit()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, NoticeEvent):
            self.notices.append(event.message)
        elif isinstance(event, LogEvent | ProgressEvent):
            self.note = event.message
        elif isinstance(event, StageEvent) and event.note:
            self.note = event.note
        self.changed.emit()

    def _on_answer(self, outcome: BuildDone) -> None:
        self.state, self.outcome = "done", outcome
        self.changed.emit()

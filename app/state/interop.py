"""An import, export or assembly, in its own worker.

start(ImportGenai | ExportGenai | Assemble) ──▶ progress … ──▶ BuildDone | error
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import BuildDone, ErrorEvent, Event, LogEvent, NoticeEvent, ProgressEvent, StageEvent
from workflows.wire.requests import Request

State = Literal["idle", "running", "done", "failed", "cancelled"]


class InteropModel(QObject):
    """The job that runs, or the last one. notices: remarks on the result for the user."""

    changed = Signal()

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._one_shot = OneShotWorker(new_worker, self, hard_stop=False)
        self.state: State = "idle"
        self.note = self.error = ""
        self.notices: list[str] = []
        self.outcome: BuildDone | None = None

    @property
    def running(self) -> bool:
        """Whether a job runs."""
        return self.state == "running"

    def start(self, request: Request[BuildDone]) -> None:
        """Starts a job, unless one runs."""
        if self.running:
            return
        self.state, self.note, self.error, self.notices, self.outcome = "running", "", "", [], None
        job = self._one_shot.run(request)
        job.event.connect(self._on_event)
        job.on_answer(self._on_answer)
        job.on_error(self._on_error)
        self.changed.emit()

    def cancel(self) -> None:
        """Cancels the job; the target folder is then unchanged."""
        if self.running:
            self.note = self.tr("Stopping …")
            self._one_shot.cancel()
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

    def _on_error(self, error: ErrorEvent) -> None:
        self.state = "cancelled" if error.kind == "cancelled" else "failed"
        self.error = error.message
        self.changed.emit()

"""One import, export or assembly: asked of a worker of its own, followed until the folder is there.

start(ImportGenai | ExportGenai | Assemble) ──▶ progress … ──▶ BuildDone | error
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.jobs.job import Job
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import BuildDone, ErrorEvent, Event, LogEvent, NoticeEvent, ProgressEvent, StageEvent
from workflows.wire.requests import Request

State = Literal["idle", "running", "done", "failed", "cancelled"]


class InteropModel(QObject):
    """The work that runs, or the last that ended. notices: what a person should know of what was made."""

    changed = Signal()

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._new_worker = new_worker
        self._worker: WorkerClient | None = None
        self._job: Job[BuildDone] | None = None
        self.state: State = "idle"
        self.note = self.error = ""
        self.notices: list[str] = []
        self.outcome: BuildDone | None = None

    @property
    def running(self) -> bool:
        """Whether the work is under way."""
        return self.state == "running"

    def start(self, request: Request[BuildDone]) -> None:
        """Begins; one at a time."""
        if self.running:
            return
        self.state, self.note, self.error, self.notices, self.outcome = "running", "", "", [], None
        self._worker = self._new_worker()
        self._job = self._worker.request(request)
        self._job.event.connect(self._take)
        self._job.on_answer(self._done)
        self._job.on_error(self._failed)
        self.changed.emit()

    def cancel(self) -> None:
        """Asks the work to stop; the target is then as it was."""
        if self._job is not None and self.running:
            self.note = self.tr("Stopping …")
            self._job.cancel()
            self.changed.emit()

    def _take(self, event: Event) -> None:
        if isinstance(event, NoticeEvent):
            self.notices.append(event.message)
        elif isinstance(event, LogEvent | ProgressEvent):
            self.note = event.message
        elif isinstance(event, StageEvent) and event.note:
            self.note = event.note
        self.changed.emit()

    def _done(self, outcome: BuildDone) -> None:
        self.state, self.outcome = "done", outcome
        self._end()

    def _failed(self, error: ErrorEvent) -> None:
        self.state = "cancelled" if error.kind == "cancelled" else "failed"
        self.error = error.message
        self._end()

    def _end(self) -> None:
        self._job = None
        if self._worker is not None:
            self._worker.retire()
            self._worker = None
        self.changed.emit()

"""Jobs for a device in their own worker: installing its plugin, or compiling a bundle's graphs.

start(device, request, line) ──▶ line … ──▶ done(answer) │ failed(device, error)
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import ErrorEvent, Event, ProgressEvent
from workflows.wire.requests import Request


class DeviceJobs(QObject):
    """One job at a time."""

    changed = Signal()
    done = Signal(str, object)  # the device, and the request's answer
    failed = Signal(str, object)  # the device, and an ErrorEvent; not for a cancelled job

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._one_shot = OneShotWorker(new_worker, self)
        self.device = self.line = ""
        """The device, empty for none; and a line about the progress."""

    def start(self, device: str, request: Request[object], line: str) -> bool:
        """Starts a job; returns False while another runs. line: the first progress text."""
        if self._one_shot.running:
            return False
        self.device, self.line = device, line
        job = self._one_shot.run(request)
        job.event.connect(self._on_event)
        job.on_answer(lambda answer: self._end(lambda: self.done.emit(device, answer)))
        job.on_error(lambda error: self._on_error(device, error))
        self.changed.emit()
        return True

    def cancel(self) -> None:
        """Cancels the job."""
        self._one_shot.cancel()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ProgressEvent):
            self.line = event.message
            self.changed.emit()

    def _on_error(self, device: str, error: ErrorEvent) -> None:
        self._end(lambda: None if error.kind == "cancelled" else self.failed.emit(device, error))

    def _end(self, report: Callable[[], None]) -> None:
        self.device = ""
        self.changed.emit()
        report()

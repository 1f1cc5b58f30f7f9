"""Installing a provider's plugin: what pip says while it does, and the devices that there are then.

    install(provider) ──InstallPlugin──▶ line … ──▶ devices │ failed
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.jobs.errand import Errand
from app.jobs.worker import Worker
from workflows.wire.events import ErrorEvent, Event, ProgressEvent
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.requests import InstallPlugin


class Plugins(QObject):
    """One installation at a time."""

    changed = Signal()
    devices = Signal(object)  # DevicesReport, with the plugin that was installed
    failed = Signal(object)  # ErrorEvent; not where a person stopped it

    def __init__(self, new_worker: Callable[[], Worker], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._errand = Errand(new_worker, self)
        self.provider = self.line = ""
        """Whose plugin is being installed, empty for none; and what pip said last."""

    def install(self, provider: str) -> bool:
        """Begins; False while another is under way."""
        if self._errand.running:
            return False
        self.provider, self.line = provider, self.tr("Starting pip …")
        job = self._errand.run(InstallPlugin(provider))
        job.event.connect(self._on_event)
        job.on_answer(self._on_done)
        job.on_error(self._on_error)
        self.changed.emit()
        return True

    def cancel(self) -> None:
        """Ends pip."""
        self._errand.cancel()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ProgressEvent):
            self.line = event.message
            self.changed.emit()

    def _on_done(self, found: DevicesReport) -> None:
        self.provider = ""
        self.changed.emit()
        self.devices.emit(found)

    def _on_error(self, error: ErrorEvent) -> None:
        self.provider = ""
        self.changed.emit()
        if error.kind != "cancelled":
            self.failed.emit(error)

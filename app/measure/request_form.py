"""A form whose button starts a job with the entered request, or stops the running job."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.widgets.basics import button, set_role
from app.widgets.theme import set_icon


class RequestForm(QWidget):
    """Subclasses build the fields and implement `fields`, `ready` and `request`; they call `refresh` after an edit."""

    requested = Signal(object)
    stopped = Signal()

    def __init__(self, title: str, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._icon, self._running = title, icon, False
        self.start_button = button(title, icon, "primary", self._on_button)

    @property
    def fields(self) -> Sequence[QWidget]:
        """The widgets that are disabled while the job runs."""
        raise NotImplementedError

    @property
    def ready(self) -> bool:
        """Whether the fields hold a complete request."""
        raise NotImplementedError

    def request(self) -> object:
        """The request that the fields hold."""
        raise NotImplementedError

    def start(self) -> None:
        """Emit `requested` if the form is complete and no job runs."""
        if self.ready and not self._running:
            self.requested.emit(self.request())

    def set_running(self, running: bool) -> None:
        """Make the button start or stop the job."""
        self._running = running
        for field in self.fields:
            field.setEnabled(not running)
        self.start_button.setText(self.tr("Stop") if running else self._title)
        self.start_button.setAccessibleName(self.start_button.text())
        set_role(self.start_button, "danger" if running else "primary")
        set_icon(self.start_button, "stop" if running else self._icon, "error" if running else "accent_text")
        self.refresh()

    def refresh(self) -> None:
        """Enable the button if it can start or stop the job."""
        self.start_button.setEnabled(self._running or self.ready)

    def _on_button(self) -> None:
        if self._running:
            self.stopped.emit()
        else:
            self.start()

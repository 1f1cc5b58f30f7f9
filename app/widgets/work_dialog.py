"""A dialog that runs work: closing it stops the work first, and deletes it when the work has stopped."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QWidget


class DialogWork(Protocol):
    """Work that runs or has ended."""

    @property
    def running(self) -> bool:
        """Whether it is running."""
        ...

    def cancel(self) -> None:
        """Request it to stop; it still reports its end."""
        ...


class WorkDialog(QDialog):
    """Deletes itself when closed. Subclasses have the `model`, and call `settle` when it changes."""

    model: DialogWork

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._leaving = False
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def settle(self) -> None:
        """Close the dialog if it was closed before its work ended."""
        if self._leaving and not self.model.running:
            QTimer.singleShot(0, self, self.close)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop running work, and stay hidden until it has stopped (Qt's name)."""
        if self.model.running:
            self._leaving = True
            self.model.cancel()
            self.hide()
            event.ignore()
        else:
            super().closeEvent(event)

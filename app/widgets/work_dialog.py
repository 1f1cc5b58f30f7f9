"""A dialog over work: closed while that runs, it stops the work first, and is gone when it has stopped."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QWidget


class DialogWork(Protocol):
    """What runs, or has ended."""

    @property
    def running(self) -> bool:
        """Whether it runs."""
        ...

    def cancel(self) -> None:
        """Ask it to stop; it still says how it ended."""
        ...


class WorkDialog(QDialog):
    """It deletes itself when it is closed. Subclasses have the `model`, and call `settle` as that changes."""

    model: DialogWork

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._leaving = False
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def settle(self) -> None:
        """Closes the dialog that was closed before its work had ended."""
        if self._leaving and not self.model.running:
            QTimer.singleShot(0, self, self.close)

    def closeEvent(self, event: QCloseEvent) -> None:
        """What runs is stopped, for nobody would see how it ended; the dialog waits for that unseen."""
        if self.model.running:
            self._leaving = True
            self.model.cancel()
            self.hide()
            event.ignore()
        else:
            super().closeEvent(event)

"""What the window does with files that are dropped on it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent


def accept_as_copy(event: QDropEvent) -> None:
    """Accepts dropped or dragged files as copied: who is told of a move may remove them at their place."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()

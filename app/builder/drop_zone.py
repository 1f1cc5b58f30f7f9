"""A drop area for one folder or file."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from app.widgets.basics import set_role
from app.widgets.drops import accept_as_copy
from app.widgets.plain_text import PlainLabel


class DropZone(PlainLabel):
    """Its frame highlights while a folder or a file is over it."""

    dropped = Signal(str)

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setProperty("role", "drop")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(u.isLocalFile() for u in event.mimeData().urls()):
            accept_as_copy(event)
            set_role(self, "true", "hover")

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        set_role(self, "false", "hover")

    def dropEvent(self, event: QDropEvent) -> None:
        set_role(self, "false", "hover")
        paths = [u.toLocalFile() for u in event.mimeData().urls() if u.isLocalFile()]
        if paths:
            accept_as_copy(event)
            self.dropped.emit(paths[0])

"""A splitter that draws its own hairline, for frames, which have no stylesheet (app/widgets/styling.py)."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from app.widgets.theme import theme


class _Hair(QSplitterHandle):
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the line (Qt's name)."""
        QPainter(self).fillRect(event.rect(), theme().color("border"))


class Splitter(QSplitter):
    """Parts side by side or one below the other."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setHandleWidth(1)

    def createHandle(self) -> QSplitterHandle:  # noqa: N802
        """Create the handle (Qt's name)."""
        return _Hair(self.orientation(), self)

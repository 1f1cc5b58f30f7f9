"""A picture file as large as its place allows.

file ──thread──QImageReader, bounded──▶ QImage ──▶ FittedPicture, scaled to its place
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.jobs.background_tasks import BackgroundTasks
from app.widgets.theme import G, theme
from app.widgets.thumbnail import read_thumbnail

_HEIGHT = 1024
"""The most pixels of the height that are decoded."""


class FittedPicture(QWidget):
    """name: what the picture is, for a screen reader. hint: what stands in its place while there is none."""

    def __init__(self, name: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hint = hint
        self.path = ""
        self.image = QImage()
        self._reading = 0
        self.setAccessibleName(name)
        self.setMinimumSize(12 * G, 12 * G)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Qt's name."""
        return QSize(40 * G, 30 * G)

    def show_file(self, path: str) -> None:
        """Shows a file as it is now, or none for an empty path."""
        self.path, self.image = path, QImage()
        self._reading += 1
        if path:
            read, number = partial(read_thumbnail, path, _HEIGHT), self._reading
            BackgroundTasks(self).run(read, partial(self._show, number), lambda _why: None)
        self.update()

    def _show(self, number: int, image: QImage) -> None:
        if number == self._reading:  # another file may have been shown meanwhile
            self.image = image
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt's name: the picture in the middle, or the hint."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self.image.isNull():
            painter.setPen(theme().color("border"))
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), G / 2, G / 2)
            painter.setPen(theme().color("muted"))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect().adjusted(G, G, -G, -G), flags, self._hint)
        else:
            size = self.image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
            place = QRect(0, 0, size.width(), size.height())
            place.moveCenter(self.rect().center())
            painter.drawImage(place, self.image)
        painter.end()

"""Small pictures of picture files; a placeholder for a file that is missing, damaged or too large.

file ──header──▶ size of the widget
     ──thread──QImageReader, scaled and bounded──▶ QImage ──▶ Thumbnail
"""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QImageIOHandler, QImageReader, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.jobs.background_tasks import BackgroundTasks
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, theme

MOST_PIXELS, MOST_BYTES, MOST_MIB = 50_000_000, 100 << 20, 256
"""Limits of what is decoded: states, file, and the memory of one decoder."""
_ROTATED = QImageIOHandler.Transformation.TransformationRotate90  # created here: no class of Qt's in a thread
_DECODING = threading.Lock()  # one at a time: each may take MOST_MIB


def thumbnail_size(path: str, height: int) -> QSize:
    """The size of the picture scaled to `height`, at most twice as wide; empty where it cannot be shown."""
    reader = _open(path)
    return QSize() if reader is None else _scaled(reader, height)


def read_thumbnail(path: str, height: int, device_ratio: float = 1.0) -> QImage:
    """The picture of thumbnail_size, in pixels of the device; a null image where it cannot be shown."""
    with _DECODING:
        reader = _open(path)
        if reader is None:
            return QImage()
        size = _scaled(reader, max(1, round(height * device_ratio)))
        reader.setScaledSize(size.transposed() if _turned(reader) else size)
        image = reader.read()
    image.setDevicePixelRatio(device_ratio)
    return image


def _open(path: str) -> QImageReader | None:
    """A reader whose picture is within the limits; None for other files."""
    QImageReader.setAllocationLimit(MOST_MIB)
    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return None
    except OSError:
        return None
    reader = QImageReader(path)
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    size = reader.size()
    return reader if size.isValid() and size.width() * size.height() <= MOST_PIXELS else None


def _scaled(reader: QImageReader, height: int) -> QSize:
    size = reader.size().transposed() if _turned(reader) else reader.size()
    return size.scaled(QSize(2 * height, height), Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1))


def _turned(reader: QImageReader) -> bool:
    """Whether width and height of the shown picture are exchanged."""
    return bool(reader.transformation() & _ROTATED)


class Thumbnail(QWidget):
    """Shows a picture file `height` pixels high; its name is the accessible name and the tool tip.

    The picture appears once it is decoded: a photograph takes 0.1 s and more.
    """

    def __init__(self, path: str, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.missing = not Path(path).is_file()
        name = Path(path).name
        gone = self.tr("The picture {0} is missing; it is not sent.").format(name)
        text = gone if self.missing else self.tr("Picture {0}").format(name)
        self.setAccessibleName(text)
        set_tool_tip(self, gone if self.missing else path)
        size = thumbnail_size(path, height)
        self.setFixedSize(QSize(height, height) if size.isEmpty() else size.expandedTo(QSize(3 * G, 3 * G)))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)
        self._image: QImage | None = QImage()
        if not size.isEmpty():
            self._image = None  # until it is decoded
            read = partial(read_thumbnail, path, height, self.devicePixelRatioF())
            BackgroundTasks(self).run(read, self._show, lambda _why: self._show(QImage()))

    def _show(self, image: QImage) -> None:
        self._image = image
        self.update()

    @property
    def shown(self) -> bool:
        """Whether the picture itself is shown, and not the placeholder."""
        return self._image is not None and not self._image.isNull()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt's name: the picture with round corners, or the placeholder in the colours of the theme."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        outline = QPainterPath()
        outline.addRoundedRect(frame, G / 2, G / 2)
        if self._image is not None and self.shown:
            painter.setClipPath(outline)
            place = QRect(0, 0, *self._image.deviceIndependentSize().toSize().toTuple())
            place.moveCenter(self.rect().center())
            painter.drawImage(place, self._image)
            painter.setClipping(False)
        elif self._image is not None:
            place = QRect(0, 0, 3 * G, 3 * G)
            place.moveCenter(self.rect().center() - QPoint(0, G))
            theme().icon("warning" if self.missing else "picture", "muted").paint(painter, place)
            below = self.rect().adjusted(G // 2, place.bottom() + 2, -G // 2, 0)
            name = painter.fontMetrics().elidedText(Path(self.path).name, Qt.TextElideMode.ElideMiddle, below.width())
            painter.setPen(theme().color("muted"))
            painter.drawText(below, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, name)
        painter.setPen(theme().color("border"))
        painter.drawPath(outline)
        painter.end()

"""Small pictures of picture files; a placeholder for a file that is missing, damaged or too large to decode at once.

file ──QImageReader, scaled and bounded──▶ QImage ──▶ Thumbnail
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, theme

MOST_PIXELS, MOST_BYTES, MOST_MIB = 50_000_000, 100 << 20, 256
"""Limits of what is decoded in the window's thread: states, file, and the memory of one decoder."""


def read_thumbnail(path: str, height: int, device_ratio: float = 1.0) -> QImage:
    """The picture scaled to `height`, at most twice as wide; a null image where it cannot be shown."""
    QImageReader.setAllocationLimit(MOST_MIB)
    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return QImage()
    except OSError:
        return QImage()
    reader = QImageReader(path)
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    size = reader.size()
    if not size.isValid() or size.width() * size.height() > MOST_PIXELS:
        return QImage()
    side = max(1, round(height * device_ratio))
    box = QSize(2 * side, 2 * side) if _turned(reader) else QSize(2 * side, side)
    reader.setScaledSize(size.scaled(box, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1)))
    image = reader.read()
    if image.height() > side:
        image = image.scaledToHeight(side, Qt.TransformationMode.SmoothTransformation)
    image.setDevicePixelRatio(device_ratio)
    return image


def _turned(reader: QImageReader) -> bool:
    """Whether width and height of the shown picture are exchanged."""
    return bool(reader.transformation().value & 4)


class Thumbnail(QWidget):
    """Shows a picture file `height` pixels high; its name is the accessible name and the tool tip."""

    def __init__(self, path: str, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self._image = read_thumbnail(path, height, self.devicePixelRatioF())
        self.missing = not Path(path).is_file()
        name = Path(path).name
        gone = self.tr("The picture {0} is missing; it is not sent.").format(name)
        text = gone if self.missing else self.tr("Picture {0}").format(name)
        self.setAccessibleName(text)
        set_tool_tip(self, gone if self.missing else path)
        shown = self._image.deviceIndependentSize().toSize()
        self.setFixedSize(QSize(height, height) if self._image.isNull() else shown.expandedTo(QSize(3 * G, 3 * G)))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    @property
    def shown(self) -> bool:
        """Whether the picture itself is shown, and not the placeholder."""
        return not self._image.isNull()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt's name: the picture with round corners, or the placeholder in the colours of the theme."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        outline = QPainterPath()
        outline.addRoundedRect(frame, G / 2, G / 2)
        if self.shown:
            painter.setClipPath(outline)
            place = QRect(0, 0, *self._image.deviceIndependentSize().toSize().toTuple())
            place.moveCenter(self.rect().center())
            painter.drawImage(place, self._image)
            painter.setClipping(False)
        else:
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

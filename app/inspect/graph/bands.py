"""A whole graph drawn into a picture, band by band: 20,000 boxes at once would take the window 200 ms.

Scene + area ──Art, a band a step──▶ QImage
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QImage, QPainter

from app.inspect.graph.art import Art
from app.scene.levels import Scene
from app.scene.model import Steps

BAND = 1000
"""About as many nodes are drawn at a time."""
REACH = 80.0
"""How far what belongs to a box lies outside of it: its shadow and its badge."""


def draw_in_bands(image: QImage, art: Art, scene: Scene, area: QRectF, scale: float, corner: QPointF) -> Steps:
    """Draws `area` of the scene with its corner at `corner` of the image, in logical pixels."""
    size = image.deviceIndependentSize().toSize()
    bands = max(1, len(scene.graph.nodes) // BAND)
    for band in range(bands):
        top, bottom = (size.height() * at // bands for at in (band, band + 1))
        begin = area.top() + (top - corner.y()) / scale
        part = QRectF(area.left(), begin, area.width(), (bottom - top) / scale).adjusted(0, -REACH, 0, REACH)
        painter = QPainter(image)
        painter.setClipRect(QRect(0, top, size.width(), bottom - top))
        painter.translate(corner)
        painter.scale(scale, scale)
        painter.translate(-area.topLeft())
        art.draw(painter, scene, part, scale)
        painter.end()
        yield

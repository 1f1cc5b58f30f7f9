"""Draws a whole graph into an image in bands: 20,000 boxes at once would block the window for 200 ms.

Scene + area ──ScenePainter, one band per slice──▶ QImage
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QImage, QPainter

from app.graph_scene.indexed_graph import SlicedTask
from app.graph_scene.scene import Scene
from app.inspect.graph.scene_painter import ScenePainter

BAND_NODES = 1000
"""Nodes that are drawn per slice, about."""
OVERHANG = 80.0
"""How far the shadow and the badge of a box reach beyond it."""


def draw_in_bands(
    image: QImage, art: ScenePainter, scene: Scene, area: QRectF, scale: float, corner: QPointF
) -> SlicedTask:
    """Draws `area` of the scene with its corner at `corner` of the image in logical pixels, in slices."""
    size = image.deviceIndependentSize().toSize()
    bands = max(1, len(scene.graph.nodes) // BAND_NODES)
    for band in range(bands):
        top, bottom = (size.height() * at // bands for at in (band, band + 1))
        begin = area.top() + (top - corner.y()) / scale
        part = QRectF(area.left(), begin, area.width(), (bottom - top) / scale).adjusted(0, -OVERHANG, 0, OVERHANG)
        painter = QPainter(image)
        painter.setClipRect(QRect(0, top, size.width(), bottom - top))
        painter.translate(corner)
        painter.scale(scale, scale)
        painter.translate(-area.topLeft())
        art.draw(painter, scene, part, scale)
        painter.end()
        yield

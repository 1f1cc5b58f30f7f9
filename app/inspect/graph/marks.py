"""What is marked in the picture: found, chosen, giving, taking, pointed at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.graph.boxes import Key
from app.widgets.theme import theme

if TYPE_CHECKING:
    from app.inspect.graph.canvas import Canvas


def draw_marks(canvas: Canvas, painter: QPainter) -> None:
    """Outlines of what was found, chosen and pointed at, and strands from the chosen box to its neighbours."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    visible = canvas.visible()
    for key in canvas.found:
        _outline(canvas, painter, key, theme().color("warning"), 2, visible)
    for keys, color in zip(canvas.near, ("decode", "prefill"), strict=True):
        for key in keys:
            _outline(canvas, painter, key, theme().color(color), 2, visible)
    if canvas.selected is not None:
        _strands(canvas, painter)
        _outline(canvas, painter, canvas.selected, canvas.art.accent, 3, visible)
    if canvas.over is not None and canvas.over != canvas.selected:
        _outline(canvas, painter, canvas.over, canvas.art.muted, 1, visible)


def _outline(canvas: Canvas, painter: QPainter, key: Key, color: QColor, width: int, visible: QRectF) -> None:
    place = canvas.place_of(key)
    if place is not None and place.intersects(visible):
        painter.setPen(QPen(color, width))
        painter.drawRoundedRect(canvas.to_screen(place).adjusted(-2, -2, 2, 2), 6, 6)


def _strands(canvas: Canvas, painter: QPainter) -> None:
    """From the chosen box to its neighbours, also where no line is drawn otherwise."""
    assert canvas.selected is not None
    here = canvas.place_of(canvas.selected)
    if here is None or max(len(canvas.near[0]), len(canvas.near[1])) > 40:
        return
    for keys, color, inward in ((canvas.near[0], "decode", True), (canvas.near[1], "prefill", False)):
        painter.setPen(QPen(theme().color(color), 1.2, Qt.PenStyle.DashLine))
        for key in keys:
            other = canvas.place_of(key)
            pair = (key, canvas.selected) if inward else (canvas.selected, key)
            if other is not None and canvas.scene is not None and not canvas.scene.lined(*pair):
                upper, lower = (other, here) if inward else (here, other)
                a, b = canvas.to_screen(upper), canvas.to_screen(lower)
                painter.drawLine(QPointF(a.center().x(), a.bottom()), QPointF(b.center().x(), b.top()))

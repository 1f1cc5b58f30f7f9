"""What is marked in the picture: found, chosen, giving, taking, pointed at."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.graph_scene.boxes import BoxKey
from app.inspect.graph.viewport import Viewport
from app.widgets.theme import theme

MANY = 300
"""Boxes from which on they are too small for round corners."""


@dataclass
class Highlights:
    """Boxes by what is marked of them. near: those that give to the selected one, and those that take from it."""

    selected: BoxKey | None = None
    near: tuple[set[BoxKey], set[BoxKey]] = (set(), set())
    found: set[BoxKey] = field(default_factory=set)
    over: BoxKey | None = None


def draw_highlights(view: Viewport, marks: Highlights, painter: QPainter) -> None:
    """Outlines of what was found, chosen and pointed at, and strands from the chosen box to its neighbours."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    visible = view.visible()
    _found(view, marks.found, painter, visible)
    for keys, color in zip(marks.near, ("decode", "prefill"), strict=True):
        for key in keys:
            _outline(view, painter, key, theme().color(color), 2, visible)
    if marks.selected is not None:
        _strands(view, marks, painter)
        _outline(view, painter, marks.selected, theme().color("accent"), 3, visible)
    if marks.over is not None and marks.over != marks.selected:
        _outline(view, painter, marks.over, theme().color("muted"), 1, visible)


def _found(view: Viewport, found: set[BoxKey], painter: QPainter, visible: QRectF) -> None:
    """Around what a search found, of what is seen: a letter is in every node's name."""
    if view.scene is None or not found:
        return
    boxes = view.scene.within((visible.left(), visible.top(), visible.right(), visible.bottom()))
    places = [QRectF(x, y, box.w, box.h) for box, x, y in boxes if box.key in found]
    painter.setPen(QPen(theme().color("warning"), 2))
    if len(places) > MANY:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawRects([view.to_screen(place).adjusted(-2, -2, 2, 2) for place in places])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        return
    for place in places:
        painter.drawRoundedRect(view.to_screen(place).adjusted(-2, -2, 2, 2), 6, 6)


def _outline(view: Viewport, painter: QPainter, key: BoxKey, color: QColor, width: int, visible: QRectF) -> None:
    place = view.place_of(key)
    if place is not None and place.intersects(visible):
        painter.setPen(QPen(color, width))
        painter.drawRoundedRect(view.to_screen(place).adjusted(-2, -2, 2, 2), 6, 6)


def _strands(view: Viewport, marks: Highlights, painter: QPainter) -> None:
    """From the chosen box to its neighbours, also where no line is drawn otherwise."""
    assert marks.selected is not None
    here = view.place_of(marks.selected)
    if here is None or max(len(marks.near[0]), len(marks.near[1])) > 40:
        return
    for keys, color, inward in ((marks.near[0], "decode", True), (marks.near[1], "prefill", False)):
        painter.setPen(QPen(theme().color(color), 1.2, Qt.PenStyle.DashLine))
        for key in keys:
            other = view.place_of(key)
            pair = (key, marks.selected) if inward else (marks.selected, key)
            if other is not None and view.scene is not None and not view.scene.lined(*pair):
                upper, lower = (other, here) if inward else (here, other)
                a, b = view.to_screen(upper), view.to_screen(lower)
                painter.drawLine(QPointF(a.center().x(), a.bottom()), QPointF(b.center().x(), b.top()))

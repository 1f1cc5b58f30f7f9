"""The highlighted boxes of a graph: selected, its neighbours, search matches, hovered."""

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
    """The keys of the highlighted boxes. neighbours: sources and targets of the selected box."""

    selected: BoxKey | None = None
    neighbours: tuple[set[BoxKey], set[BoxKey]] = (set(), set())
    matches: set[BoxKey] = field(default_factory=set)
    hovered: BoxKey | None = None


def draw_highlights(view: Viewport, highlights: Highlights, painter: QPainter) -> None:
    """Draws outlines around the highlighted boxes, and lines from the selected box to its neighbours."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    visible = view.visible()
    _match_outlines(view, highlights.matches, painter, visible)
    for keys, color in zip(highlights.neighbours, ("decode", "prefill"), strict=True):
        for key in keys:
            _outline(view, painter, key, theme().color(color), 2, visible)
    if highlights.selected is not None:
        _neighbour_lines(view, highlights, painter)
        _outline(view, painter, highlights.selected, theme().color("accent"), 3, visible)
    if highlights.hovered is not None and highlights.hovered != highlights.selected:
        _outline(view, painter, highlights.hovered, theme().color("muted"), 1, visible)


def _match_outlines(view: Viewport, matches: set[BoxKey], painter: QPainter, visible: QRectF) -> None:
    """Outlines the visible matches: a single letter matches every node."""
    if view.scene is None or not matches:
        return
    boxes = view.scene.boxes_within((visible.left(), visible.top(), visible.right(), visible.bottom()))
    places = [QRectF(x, y, box.w, box.h) for box, x, y in boxes if box.key in matches]
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


def _neighbour_lines(view: Viewport, highlights: Highlights, painter: QPainter) -> None:
    """Draws dashed lines from the selected box to neighbours that no line of the picture connects."""
    assert highlights.selected is not None
    here = view.place_of(highlights.selected)
    if here is None or max(len(highlights.neighbours[0]), len(highlights.neighbours[1])) > 40:
        return
    for keys, color, inward in (
        (highlights.neighbours[0], "decode", True),
        (highlights.neighbours[1], "prefill", False),
    ):
        painter.setPen(QPen(theme().color(color), 1.2, Qt.PenStyle.DashLine))
        for key in keys:
            other = view.place_of(key)
            pair = (key, highlights.selected) if inward else (highlights.selected, key)
            if other is not None and view.scene is not None and not view.scene.has_line(*pair):
                upper, lower = (other, here) if inward else (here, other)
                a, b = view.to_screen(upper), view.to_screen(lower)
                painter.drawLine(QPointF(a.center().x(), a.bottom()), QPointF(b.center().x(), b.top()))

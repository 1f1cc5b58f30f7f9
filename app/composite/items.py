"""The boxes and lines of a drawing, painted as in the SVG file; highlighted while their run is active.

They are painted, and not rendered from the file's text: pen, colour and texts change with each step of a run.
"""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import blend_colors, mono_font, sans_font, theme
from workflows.inspection.picture.drawing import (
    LID_HEIGHT,
    PILL_SIZE,
    SIZES,
    TINTS,
    DrawnBox,
    DrawnEdge,
    PhasePill,
    TextLine,
    arrowheads,
    text_width,
)

OPENABLE_KINDS = ("session", "state")
"""Kinds of boxes that a click opens."""


class CompositeItem(QGraphicsItem):
    """A part of the picture. runs: the runs that highlight it. active: the run that does now, or empty."""

    def __init__(self, runs: tuple[str, ...], tool_tip: str) -> None:
        super().__init__()
        self.runs = runs
        self.active = ""
        self.marked = False
        set_tool_tip(self, tool_tip)

    def set_run(self, run: str) -> None:
        """Highlights the part if it belongs to the active run; an empty name is the end of the run."""
        active = run if run in self.runs else ""
        if active != self.active:
            self.active = active
            self.update()

    def mark(self, on: bool) -> None:
        """Marks the part: it is chosen, hovered, or connected to a box that is."""
        if on != self.marked:
            self.marked = on
            self.update()


class NodeItem(CompositeItem):
    """A box: a session, a state, or the inputs and outputs of a session."""

    def __init__(self, node: DrawnBox) -> None:
        super().__init__(node.runs, node.description)
        self.node = node
        self.box = QRectF(node.x, node.y, node.w, node.h)
        self.setZValue(1)
        if node.kind in OPENABLE_KINDS:
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def boundingRect(self) -> QRectF:
        return self.box.adjusted(-5, -5, 5, 5)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        color = theme().color
        tint = color(_outline(self.node.tint))
        if self.active:
            tint = color(_tint(self.active))
        self._paint_outline(painter, tint)
        if self.marked:
            painter.setPen(QPen(color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.box.adjusted(-4, -4, 4, 4), 8, 8)
        for line in self.node.lines:
            paint_line(painter, line)
        for pill in self.node.pills:
            self._paint_pill(painter, pill)

    def _paint_outline(self, painter: QPainter, tint: QColor) -> None:
        ground = theme().color("surface" if self.node.kind in OPENABLE_KINDS else "window")
        painter.setBrush(blend_colors(tint, ground, 0.16) if self.active else ground)
        pen = QPen(tint, 3 if self.active else 1.5)
        if self.node.kind == "state":
            painter.setPen(pen)
            painter.drawPath(cylinder_path(self.box))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(cylinder_rim(self.box))
        elif self.node.kind == "session":
            painter.setPen(pen)
            painter.drawRoundedRect(self.box, 6, 6)
        else:
            pen.setWidthF(1.5 if self.active else 1.0)
            pen.setStyle(Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.drawRoundedRect(self.box, 3, 3)

    def _paint_pill(self, painter: QPainter, pill: PhasePill) -> None:
        """Draws the name of a run; filled and with an arrow while the run is active."""
        tint, on = theme().color(_tint(pill.run)), bool(self.active) and pill.run == self.active
        box = QRectF(pill.x, pill.y, pill.w, pill.h)
        painter.setPen(QPen(tint, 1))
        painter.setBrush(tint if on else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, pill.h / 2, pill.h / 2)
        painter.setFont(sans_font(PILL_SIZE))
        painter.setPen(theme().color("surface") if on else tint)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"▸{pill.text}" if on else pill.text)


class LinkItem(CompositeItem):
    """A line with its arrow heads and its label."""

    def __init__(self, link: DrawnEdge) -> None:
        super().__init__(link.runs, link.description)
        self.link = link
        self._curve = curve_path(link)
        near = QPainterPathStroker()
        near.setWidth(12)
        self._shape = near.createStroke(self._curve)
        for line in link.lines:
            size = SIZES[line.style]
            self._shape.addRect(QRectF(line.x, line.y - size, text_width(line.text, line.style), size + 4))
        self._bounds = self._shape.boundingRect().adjusted(-2, -2, 2, 2)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        """Qt's name: the area that the pointer hits, close to the line or on its label."""
        return self._shape

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        name = "accent" if self.marked else self.link.tint
        tint = theme().color(_tint(self.active) if self.active else name)
        painter.setPen(QPen(tint, 3 if self.active else 2 if self.marked else 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._curve)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        for corners in arrowheads(self.link):
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        for line in self.link.lines:
            paint_line(painter, line)


def paint_line(painter: QPainter, line: TextLine) -> None:
    """Draws one line of text at its baseline."""
    font = mono_font(SIZES[line.style])
    if line.style == "title":
        font = sans_font(SIZES["title"], QFont.Weight.DemiBold)
    painter.setFont(font)
    painter.setPen(theme().color("muted" if line.style == "detail" else "text"))
    painter.drawText(QPointF(line.x, line.y), line.text)


def curve_path(link: DrawnEdge) -> QPainterPath:
    """A path through the points of a link: straight between points of one height, else an S-shaped curve."""
    path = QPainterPath(QPointF(*link.points[0]))
    for (x, y), (to_x, to_y) in pairwise(link.points):
        middle = (x + to_x) / 2
        if y == to_y or x == to_x:
            path.lineTo(to_x, to_y)
        else:
            path.cubicTo(middle, y, middle, to_y, to_x, to_y)
    return path


def cylinder_path(box: QRectF) -> QPainterPath:
    """The outline of a state: a cylinder."""
    path = QPainterPath(QPointF(box.left(), box.top() + LID_HEIGHT))
    path.arcTo(QRectF(box.left(), box.top(), box.width(), 2 * LID_HEIGHT), 180, -180)
    path.lineTo(box.right(), box.bottom() - LID_HEIGHT)
    path.arcTo(QRectF(box.left(), box.bottom() - 2 * LID_HEIGHT, box.width(), 2 * LID_HEIGHT), 0, -180)
    path.closeSubpath()
    return path


def cylinder_rim(box: QRectF) -> QPainterPath:
    """The front edge of the cylinder's lid."""
    path = QPainterPath(QPointF(box.left(), box.top() + LID_HEIGHT))
    path.arcTo(QRectF(box.left(), box.top(), box.width(), 2 * LID_HEIGHT), 180, 180)
    return path


def _tint(run: str) -> str:
    return TINTS.get(run, "muted")


def _outline(tint: str) -> str:
    return "faint" if tint in ("text", "muted") else tint

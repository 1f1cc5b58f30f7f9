"""The parts of a plot: a view that zooms the time axis only, axes, labels beside their levels, marks of owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsRectItem,
    QGraphicsSceneWheelEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from app.text.formatting import format_figures
from app.widgets.plot_style import NumberAxis
from app.widgets.theme import mono_font, sans_font, theme
from workflows.inspection.picture.columns import isotonic_positions

if TYPE_CHECKING:
    from app.measure.charts.plot_data import Label


UPRIGHT = 1
"""pyqtgraph's number of the axis that follows the visible values."""
AXIS_WIDTH = 64
MARGIN_WIDTH = 120
"""The width in pixels of the labels' margin."""
LABEL_GAP = 15
"""The smallest distance in pixels between two labels."""
TICK_GAP = 18
"""The smallest distance in pixels between two tick texts."""
LEADER = 10
"""The length in pixels of the line from a level to its label."""
CLOSEST_MARKS, SHORTEST_TEXT = 3, 24
"""The smallest distance in pixels between two mark lines, and the smallest width of a mark's text."""
SHORTEST_DRAG = 6
"""The shortest horizontal drag in pixels; a shorter one is a click."""


def with_alpha(color: QColor, alpha: int) -> QColor:
    """The colour with another opacity."""
    color.setAlpha(alpha)
    return color


class TimeViewBox(pg.ViewBox):  # type: ignore[misc]
    """A view that maps the mouse to time: a drag selects a range, the wheel zooms about the cursor or pans."""

    range_dragged = Signal(float, float)  # seconds, ascending
    wheeled = Signal(float, float)  # factor, time in seconds about which to zoom
    panned = Signal(float)  # share of the visible range

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseEnabled(x=False, y=False)
        self._band = QGraphicsRectItem(self)
        self._band.setZValue(1e9)
        self._band.hide()

    def restyle(self) -> None:
        self.setBorder(None)
        self._band.setPen(pg.mkPen(theme().color("accent")))
        self._band.setBrush(pg.mkBrush(with_alpha(theme().color("accent"), 40)))

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        """Select a range with the left button, pan with another one (pyqtgraph's name)."""
        if axis == UPRIGHT:
            event.ignore()
            return
        event.accept()
        if event.button() != Qt.MouseButton.LeftButton:
            self.panned.emit((event.lastPos().x() - event.pos().x()) / max(self.width(), 1.0))
            return
        left, right = sorted((event.buttonDownPos().x(), event.pos().x()))
        self._band.setRect(QRectF(left, 0, right - left, self.height()))
        self._band.setVisible(not event.isFinish())
        if event.isFinish() and right - left >= SHORTEST_DRAG:
            first, last = (self.mapToView(QPointF(x, 0)).x() for x in (left, right))
            self.range_dragged.emit(first, last)

    def wheelEvent(self, event: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        """Zoom about the cursor; a tilted wheel, or one with Shift, pans (Qt's name)."""
        if axis == UPRIGHT:
            event.ignore()
            return
        event.accept()
        turned = event.delta() / 120
        shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.orientation() == Qt.Orientation.Horizontal or shifted:
            self.panned.emit(-turned / 10)
        else:
            about = self.mapToView(self.mapFromScene(event.scenePos())).x()
            self.wheeled.emit(0.8**turned, about)


class ValueAxis(NumberAxis):
    """Plain numbers as tick texts, on a log scale too."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)  # drawing ticks takes longer than drawing data

    def logTickStrings(self, values: Sequence[float], scale: float, _spacing: float) -> list[str]:  # noqa: N802
        """Tick texts such as 0.5, 1, 20, 1000 (pyqtgraph's name)."""
        return [format_figures(10**value * scale) for value in values]

    def texts(self, pixels: float) -> list[tuple[float, str]]:
        """(coordinate, text) of the labelled ticks of an axis of `pixels` length."""
        low, high = self.range
        labels: dict[float, str] = {}
        for spacing, values in self.tickValues(low, high, pixels):
            texts = zip(values, self.tickStrings(values, 1.0, spacing), strict=True)
            more = {float(value): text for value, text in texts if text and low <= value <= high}
            if len(labels | more) * TICK_GAP <= pixels or not labels:
                labels |= more
        return sorted(labels.items())

    def restyle(self) -> None:
        self.setPen(pg.mkPen(theme().color("border")))
        self.setTextPen(pg.mkPen(theme().color("muted")))
        self.setTickFont(sans_font(11))
        self.label.setFont(sans_font(12))


def label_positions(
    labels: Sequence[Label], view: tuple[float, float], height: float
) -> list[tuple[float, float, str]]:
    """(y of the level, y of its label, text) in pixels from the top of a view of `height` pixels."""
    low, high = view
    inside = sorted((label for label in reversed(labels) if low <= label.at <= high), key=lambda label: -label.at)
    levels = [height * (high - label.at) / (high - low) for label in inside]
    spots = spread_labels(levels, LABEL_GAP, LABEL_GAP / 2, height - LABEL_GAP / 2)
    return [(level, spot, label.text) for level, spot, label in zip(levels, spots, inside, strict=True)]


class LabelAxis(pg.AxisItem):  # type: ignore[misc]
    """Labels right of the plot at the height of their levels, or connected by a line if they had to move."""

    def __init__(self) -> None:
        super().__init__("right")
        self.setWidth(MARGIN_WIDTH)
        self.labels: list[Label] = []

    def show_labels(self, labels: list[Label]) -> None:
        if labels != self.labels:
            self.labels = labels
            self.update()

    def placed(self) -> list[tuple[float, float, str]]:
        """The label positions; see `label_positions`."""
        return label_positions(self.labels, (self.range[0], self.range[1]), self.height())

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        painter.setFont(mono_font(11))
        for level, spot, text in self.placed():
            painter.setPen(theme().color("muted"))
            painter.drawLine(QPointF(0, level), QPointF(LEADER, spot))
            painter.setPen(theme().color("text"))
            box = QRectF(LEADER + 3, spot - LABEL_GAP / 2, self.width() - LEADER - 3, LABEL_GAP)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


class OwnerMarks(pg.GraphicsObject):  # type: ignore[misc]
    """Vertical lines where another owner's runs start. named: whether they have texts at the top."""

    def __init__(self, named: bool = False) -> None:
        super().__init__()
        self.marks: list[Label] = []
        self._named = named

    def show_marks(self, marks: list[Label]) -> None:
        if marks != self.marks:
            self.marks = marks
            self.update()

    def viewTransformChanged(self) -> None:  # noqa: N802
        """Redraw after a change of the visible range (pyqtgraph's name)."""
        super().viewTransformChanged()
        self.prepareGeometryChange()

    def boundingRect(self) -> QRectF:
        rect: QRectF | None = self.viewRect()
        return QRectF() if rect is None else rect

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        if not self.marks:
            return
        place, view = painter.transform(), self.boundingRect()
        top, bottom = (place.map(QPointF(0, y)).y() for y in (view.bottom(), view.top()))
        xs = [place.map(QPointF(mark.at, 0)).x() for mark in self.marks]
        edge = place.map(view.bottomRight()).x()
        painter.save()
        painter.resetTransform()
        painter.setPen(theme().color("accent"))
        distinct = {round(x / CLOSEST_MARKS): x for x in xs}  # only lines that can be told apart
        painter.drawLines([QLineF(x, top, x, bottom) for x in distinct.values()])
        if self._named:
            self._write(painter, list(zip(xs, [*xs[1:], edge], self.marks, strict=True)), top)
        painter.restore()

    def _write(self, painter: QPainter, marks: list[tuple[float, float, Label]], top: float) -> None:
        """The texts with enough room: (x, x of the next mark, mark) in pixels."""
        painter.setFont(sans_font(11))
        painter.setPen(theme().color("text"))
        metrics = painter.fontMetrics()
        for x, after, mark in marks:
            room = int(after - x - 8)
            if room > SHORTEST_TEXT:
                text = metrics.elidedText(mark.text, Qt.TextElideMode.ElideRight, room)
                painter.drawText(QPointF(x + 4, top + metrics.ascent() + 2), text)


def spread_labels(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Ascending values moved apart to at least `gap` within low … high, each as near to its own value as possible.

    Values with enough room stay; the others move in groups.
    """
    offsets = [index * gap for index in range(len(values))]
    last = high - (len(values) - 1) * gap
    positions = zip(isotonic_positions(values, offsets), offsets, strict=True)
    return [max(min(position - offset, last), low) + offset for position, offset in positions]

"""The parts of a plot: a view that zooms time alone, axes, labels beside their levels, marks of another owner."""

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

from app.measure.charts.label_layout import spread_labels
from app.widgets.theme import mono_font, sans_font, theme

if TYPE_CHECKING:
    from app.measure.charts.plot_data import Label

UPRIGHT = 1
"""The axis, to pyqtgraph, whose values follow what is shown."""
AXIS_WIDTH = 64
MARGIN_WIDTH = 120
"""Pixels at the right, where labels stand."""
LABEL_GAP = 15
"""Pixels between two of them at least."""
TICK_GAP = 18
"""Pixels between two ticks' texts at least."""
LEADER = 10
"""Pixels of the line from a level to its label."""
CLOSEST_MARKS, SHORTEST_TEXT = 3, 24
"""Pixels between two marks' lines, and those that the text of one needs, at least."""
SHORTEST_DRAG = 6
"""Pixels to the side: less was a click, or a slip."""


def with_alpha(color: QColor, alpha: int) -> QColor:
    """The colour, so opaque."""
    color.setAlpha(alpha)
    return color


class TimeViewBox(pg.ViewBox):  # type: ignore[misc]
    """A view whose mouse means time: a drag chooses a range, the wheel zooms about the cursor or goes sideways."""

    range_dragged = Signal(float, float)  # seconds, ascending
    wheeled = Signal(float, float)  # by which factor, about which second
    panned = Signal(float)  # by which share of what is seen

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseEnabled(x=False, y=False)
        self._band = QGraphicsRectItem(self)
        self._band.setZValue(1e9)
        self._band.hide()

    def restyle(self) -> None:
        """Takes the theme's colours."""
        self.setBorder(None)
        self._band.setPen(pg.mkPen(theme().color("accent")))
        self._band.setBrush(pg.mkBrush(with_alpha(theme().color("accent"), 40)))

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        """pyqtgraph's name: with the left button a range, with another one sideways."""
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
        """Qt's name: zooms about the cursor; a wheel that is tilted, or turned with Shift, goes sideways."""
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


class ValueAxis(pg.AxisItem):  # type: ignore[misc]
    """Numbers as they are read, on a log scale too."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)  # drawing ticks takes longer than drawing data

    def logTickStrings(self, values: Sequence[float], scale: float, _spacing: float) -> list[str]:  # noqa: N802
        """pyqtgraph's name: 0.5, 1, 20, 1000."""
        return [f"{10**value * scale:.4g}" for value in values]

    def texts(self, pixels: float) -> list[tuple[float, str]]:
        """(coordinate, text) of the ticks that have one, on an axis of so many pixels."""
        low, high = self.range
        found: dict[float, str] = {}
        for spacing, values in self.tickValues(low, high, pixels):
            texts = zip(values, self.tickStrings(values, 1.0, spacing), strict=True)
            more = {float(value): text for value, text in texts if text and low <= value <= high}
            if len(found | more) * TICK_GAP <= pixels or not found:
                found |= more
        return sorted(found.items())

    def restyle(self) -> None:
        """Takes the theme's colours."""
        self.setPen(pg.mkPen(theme().color("border")))
        self.setTextPen(pg.mkPen(theme().color("muted")))
        self.setTickFont(sans_font(11))
        self.label.setFont(sans_font(12))


def label_positions(
    labels: Sequence[Label], view: tuple[float, float], height: float
) -> list[tuple[float, float, str]]:
    """(pixels from the top of the level, of its label, text) of the labels within a view that is so high."""
    low, high = view
    inside = sorted((label for label in reversed(labels) if low <= label.at <= high), key=lambda label: -label.at)
    levels = [height * (high - label.at) / (high - low) for label in inside]
    spots = spread_labels(levels, LABEL_GAP, LABEL_GAP / 2, height - LABEL_GAP / 2)
    return [(level, spot, label.text) for level, spot, label in zip(levels, spots, inside, strict=True)]


class LabelAxis(pg.AxisItem):  # type: ignore[misc]
    """Labels right of the plot, each at the height of its level, or led to it where others need the room."""

    def __init__(self) -> None:
        super().__init__("right")
        self.setWidth(MARGIN_WIDTH)
        self.labels: list[Label] = []

    def show_labels(self, labels: list[Label]) -> None:
        """Shows others."""
        if labels != self.labels:
            self.labels = labels
            self.update()

    def placed(self) -> list[tuple[float, float, str]]:
        """Where they are; see `places`."""
        return label_positions(self.labels, (self.range[0], self.range[1]), self.height())

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        """Qt's name for drawing."""
        painter.setFont(mono_font(11))
        for level, spot, text in self.placed():
            painter.setPen(theme().color("muted"))
            painter.drawLine(QPointF(0, level), QPointF(LEADER, spot))
            painter.setPen(theme().color("text"))
            box = QRectF(LEADER + 3, spot - LABEL_GAP / 2, self.width() - LEADER - 3, LABEL_GAP)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


class OwnerMarks(pg.GraphicsObject):  # type: ignore[misc]
    """Vertical lines through a view where runs of another owner begin; `named` ones have their text at the top."""

    def __init__(self, named: bool = False) -> None:
        super().__init__()
        self.marks: list[Label] = []
        self._named = named

    def show_marks(self, marks: list[Label]) -> None:
        """Shows others."""
        if marks != self.marks:
            self.marks = marks
            self.update()

    def viewTransformChanged(self) -> None:  # noqa: N802
        """pyqtgraph's name: the view shows another part."""
        super().viewTransformChanged()
        self.prepareGeometryChange()

    def boundingRect(self) -> QRectF:
        """Qt's name for the rectangle that paint fills."""
        rect: QRectF | None = self.viewRect()
        return QRectF() if rect is None else rect

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        """Qt's name for drawing."""
        if not self.marks:
            return
        place, view = painter.transform(), self.boundingRect()
        top, bottom = (place.map(QPointF(0, y)).y() for y in (view.bottom(), view.top()))
        xs = [place.map(QPointF(mark.at, 0)).x() for mark in self.marks]
        edge = place.map(view.bottomRight()).x()
        painter.save()
        painter.resetTransform()
        painter.setPen(theme().color("accent"))
        apart = {round(x / CLOSEST_MARKS): x for x in xs}  # no more lines than can be told apart
        painter.drawLines([QLineF(x, top, x, bottom) for x in apart.values()])
        if self._named:
            self._write(painter, list(zip(xs, [*xs[1:], edge], self.marks, strict=True)), top)
        painter.restore()

    def _write(self, painter: QPainter, marks: list[tuple[float, float, Label]], top: float) -> None:
        """The texts that have room: (pixels from the left, those of the next mark, mark)."""
        painter.setFont(sans_font(11))
        painter.setPen(theme().color("text"))
        metrics = painter.fontMetrics()
        for x, after, mark in marks:
            room = int(after - x - 8)
            if room > SHORTEST_TEXT:
                text = metrics.elidedText(mark.text, Qt.TextElideMode.ElideMiddle, room)
                painter.drawText(QPointF(x + 4, top + metrics.ascent() + 2), text)

"""The KV cache as a heat strip: one row per layer, one column per slot, colored by the state of the slot.

    KvGroup, SlotOccupancy ──▶ StripGeometry ──▶ one line of pixels, drawn once per layer
    mouse, arrow keys ──▶ hovered(layer, slot);   a drag of the handle ──RewindHandle──▶ previewed, rewindRequested

Where there are more slots than pixels, a column shows the state with the highest priority among its slots. Of a buffer
that grows, the strip draws the allocated slots and the beginning of the rest. The handle stands behind the last token.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygon
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.inspect.slot_legend import paint_slots, state_color
from app.state.inspection import (
    EMPTY,
    EVICTED,
    FILLED,
    FROZEN,
    HEAD,
    PASSED,
    PICTURE,
    REUSED,
    UNALLOCATED,
    KvGroup,
    SlotOccupancy,
)
from app.text.formatting import format_number
from app.widgets.spoken_selection import SpokenSelection
from app.widgets.theme import sans_font, theme

GUTTER = 40
"""Width of the layer names, in pixels."""
AXIS = 24
"""Height of the slot numbers, in pixels."""
GRIP_H = 20
"""Height of the space for the handle above the slots, in pixels."""
GRAB_DISTANCE = 8
"""Distance within which the mouse grabs the handle, in pixels."""
_BY_PRIORITY = (UNALLOCATED, EMPTY, PASSED, FILLED, FROZEN, REUSED, PICTURE, EVICTED, HEAD)


@dataclass(frozen=True)
class StripGeometry:
    """Where the rows and slots of a group are in a strip that is `width` pixels wide."""

    group: KvGroup
    table: SlotOccupancy
    width: int
    has_handle: bool

    @property
    def row_height(self) -> int:
        """Pixels per layer; fewer where there are many layers."""
        layers = len(self.group.layers)
        return 18 if layers <= 12 else 12 if layers <= 28 else 8

    @property
    def height(self) -> int:
        """Height of the whole strip, in pixels."""
        return (GRIP_H if self.has_handle else 0) + self.row_height * max(len(self.group.layers), 1) + AXIS

    @property
    def span(self) -> int:
        """Number of slots drawn: all, or of a growing buffer the allocated ones and the first of the rest."""
        capacity, allocated = self.group.capacity, self.table.allocated
        return min(capacity, allocated + max(allocated // 8, 8)) if 0 < allocated < capacity else capacity

    @property
    def area(self) -> QRect:
        height = self.row_height * len(self.group.layers)
        return QRect(GUTTER, GRIP_H if self.has_handle else 0, max(self.width - GUTTER - 6, 1), height)

    def slot_x(self, slot: int) -> int:
        """The left edge of a slot, in pixels."""
        area = self.area
        return area.left() + slot * area.width() // self.span

    def cell_at(self, point: QPoint) -> tuple[int, int]:
        """(layer, slot) at a point; (-1, -1) outside the slots."""
        area = self.area
        if not area.contains(point) or not self.span:
            return -1, -1
        row = min((point.y() - area.top()) // self.row_height, len(self.group.layers) - 1)
        slot = (point.x() - area.left()) * self.span // area.width()
        return self.group.layers[row], min(slot, self.span - 1)

    def columns(self) -> list[int]:
        """The state that each pixel column shows."""
        width, capacity, states = self.area.width(), self.span, self.table.states
        head = self.table.head
        result = []
        for x in range(width):
            first = x * capacity // width
            last = max((x + 1) * capacity // width, first + 1)
            state = max(states[first:last], key=_BY_PRIORITY.index)
            result.append(HEAD if head is not None and first <= head < last else state)
        return result


class RewindHandle(QObject):
    """The handle at the end of the tokens, which is dragged to rewind the cache.

    `previewed` carries the length under the handle during a drag, and -1 at its end; `rewindRequested` the length at
    which the handle was released.
    """

    changed = Signal()
    previewed = Signal(int)
    rewindRequested = Signal(int)  # noqa: N815

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.enabled = False
        self.dragging = False
        self.length = -1
        """The length that is previewed; -1 for none."""

    def preview(self, length: int) -> None:
        """Shades the tokens that a rewind to `length` would forget; -1 for none."""
        if length != self.length:
            self.length = length
            self.changed.emit()

    def x(self, geometry: StripGeometry) -> int | None:
        """The position of the handle in pixels; None where there is no handle."""
        table = geometry.table
        if not self.enabled or not geometry.span:
            return None
        edge = table.boundary_after(self.length if self.length >= 0 else table.length)
        if edge is None:
            edge = table.boundary_after(table.length)
        return None if edge is None else geometry.slot_x(edge)

    def is_near(self, geometry: StripGeometry, point: QPoint) -> bool:
        """Whether the mouse can grab the handle at `point`."""
        x = self.x(geometry)
        return x is not None and abs(point.x() - x) <= GRAB_DISTANCE and point.y() <= geometry.area.bottom()

    def drag_to(self, geometry: StripGeometry, point: QPoint) -> None:
        """Begins or continues a drag; near a possible length the handle takes that one."""
        self.dragging = True
        area, table = geometry.area, geometry.table
        length = table.length_at((point.x() - area.left()) * geometry.span / area.width())
        nearest = table.nearest_possible(length)
        edge = None if nearest is None else table.boundary_after(nearest)
        if nearest is not None and edge is not None and abs(geometry.slot_x(edge) - point.x()) <= GRAB_DISTANCE:
            length = nearest
        self.preview(length)
        self.previewed.emit(length)

    def cancel(self) -> None:
        """Ends a drag without a request."""
        if self.dragging:
            self.dragging = False
            self.preview(-1)
            self.previewed.emit(-1)

    def release(self, table: SlotOccupancy) -> None:
        """Ends a drag and requests its length, unless the cache has that length."""
        length = self.length
        self.cancel()
        if length != table.length:
            self.rewindRequested.emit(length)

    def paint(self, painter: QPainter, geometry: StripGeometry) -> None:
        """Draws a line with a grip; during a drag the forgotten tokens and the length too."""
        x = self.x(geometry)
        if x is None:
            return
        area, table, moving = geometry.area, geometry.table, self.length >= 0
        legal = not moving or table.can_rewind_to(self.length)
        color = theme().color("accent" if legal else "error")
        if moving:
            veil = theme().color("surface")
            veil.setAlpha(170)
            for slot, count in table.discarded_by(self.length):
                left, right = geometry.slot_x(slot), geometry.slot_x(slot + count)
                painter.fillRect(QRect(left, area.top(), right - left, area.height()), veil)
            self._paint_possible_lengths(painter, geometry)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRect(x - 1, GRIP_H - 6, 2, area.height() + 6), color)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRoundedRect(QRect(x - 5, 2, 10, GRIP_H - 6), 3, 3)
        painter.restore()
        if moving:
            painter.setPen(color)
            self._paint_length(painter, x, geometry.width, legal)

    def _paint_possible_lengths(self, painter: QPainter, geometry: StripGeometry) -> None:
        """Draws a mark above each length that is possible by itself; those between two are not."""
        for first, last in geometry.table.rewindable:
            edge = geometry.table.boundary_after(first) if first == last else None
            if edge is not None:
                painter.fillRect(QRect(geometry.slot_x(edge) - 1, GRIP_H - 4, 2, 4), theme().color("accent"))

    def _paint_length(self, painter: QPainter, x: int, strip_width: int, legal: bool) -> None:
        text = self.tr("back to {0}") if legal else self.tr("{0} is no possible length")
        painter.setFont(sans_font(11))
        line = text.format(format_number(self.length))
        width = painter.fontMetrics().horizontalAdvance(line) + 2
        left = x + 10 if x + 10 + width <= strip_width else x - 10 - width
        middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRect(left, 0, width, GRIP_H - 3), middle, line)


class KvStrip(QWidget):
    """The slots of one group. `hovered` carries (layer, slot), or (-1, -1) for none."""

    hovered = Signal(int, int)

    def __init__(self, group: KvGroup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.group = group
        self.table = SlotOccupancy(group.capacity)
        self.handle = RewindHandle(self)
        self.cell = (-1, -1)
        """The layer and slot under the pointer or chosen by keys; -1 for none."""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(self.slot_geometry.height)
        self.spoken = SpokenSelection(self, self.tr("Slots of cache group {0}").format(group.name))
        self.setAccessibleDescription(self.tr("Arrow keys move from slot to slot."))
        self.handle.changed.connect(self.update)
        theme().changed.connect(self.update)

    @property
    def slot_geometry(self) -> StripGeometry:
        """Where the slots are at the strip's present width."""
        return StripGeometry(self.group, self.table, self.width(), self.handle.enabled)

    def sizeHint(self) -> QSize:
        return QSize(480, self.height())

    def set_table(self, table: SlotOccupancy) -> None:
        """Shows another table of the group's capacity."""
        self.table = table
        self.update()

    def set_movable(self, on: bool) -> None:
        if on != self.handle.enabled:
            self.handle.enabled = on
            self.handle.cancel()
            self.setFixedHeight(self.slot_geometry.height)
            self.updateGeometry()
            self.update()

    # -- painting --------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, geometry = QPainter(self), self.slot_geometry
        if geometry.span:
            self._paint_slots(painter, geometry)
            self._paint_axis(painter, geometry)
            self.handle.paint(painter, geometry)
        if self.hasFocus():
            painter.setPen(QPen(theme().color("accent"), 1))
            painter.drawRect(geometry.area.adjusted(-1, 0, 0, -1))
        painter.end()
        super().paintEvent(event)

    def _paint_slots(self, painter: QPainter, geometry: StripGeometry) -> None:
        area, height = geometry.area, geometry.row_height
        spans: list[tuple[int, int, int]] = []  # (first column, behind the last, state)
        for x, state in enumerate(geometry.columns()):
            if spans and spans[-1][2] == state:
                spans[-1] = (spans[-1][0], x + 1, state)
            else:
                spans.append((x, x + 1, state))
        for row in range(len(self.group.layers)):
            top = area.top() + row * height
            for left, right, state in spans:
                width = max(right - left, 2 if state == HEAD else 1)
                paint_slots(painter, QRect(area.left() + left, top, width, height - 1), state)
        if area.width() / geometry.span >= 5:
            painter.setPen(theme().color("surface"))
            for slot in range(1, geometry.span):
                x = geometry.slot_x(slot)
                painter.drawLine(x, area.top(), x, area.bottom())
        self._paint_cell(painter, geometry)

    def _paint_cell(self, painter: QPainter, geometry: StripGeometry) -> None:
        layer, slot = self.cell
        if slot < 0:
            return
        width = max(geometry.area.width() // geometry.span, 3)
        top = geometry.area.top() + self.group.layers.index(layer) * geometry.row_height
        painter.setPen(QPen(theme().color("text"), 1))
        painter.drawRect(geometry.slot_x(slot) - 1, top - 1 if top else 0, width, geometry.row_height)

    def _paint_axis(self, painter: QPainter, geometry: StripGeometry) -> None:
        area, capacity, row_height = geometry.area, geometry.span, geometry.row_height
        painter.setFont(sans_font(11))
        painter.setPen(theme().color("muted"))
        every = 1 if row_height >= 12 else 4
        for row, layer in enumerate(self.group.layers):
            if row % every == 0:
                box = QRect(0, area.top() + row * row_height, GUTTER - 8, row_height)
                painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"L{layer}")
        self._paint_head(painter, geometry)
        for part in range(5):
            slot = min(part * capacity // 4, capacity - 1)
            x = geometry.slot_x(slot)
            align = Qt.AlignmentFlag.AlignLeft if part == 0 else Qt.AlignmentFlag.AlignHCenter
            box = QRect(x if part == 0 else x - 40, area.bottom() + 8, 80, AXIS - 8)
            if part == 4:
                align, box = Qt.AlignmentFlag.AlignRight, QRect(area.right() - 80, area.bottom() + 8, 80, AXIS - 8)
            more = " …" if part == 4 and capacity < self.group.capacity else ""
            painter.drawText(box, align | Qt.AlignmentFlag.AlignTop, format_number(slot) + more)

    def _paint_head(self, painter: QPainter, geometry: StripGeometry) -> None:
        """Draws a wedge under the slot of the next token, since a column of one pixel is easily missed."""
        if self.table.head is None:
            return
        area = geometry.area
        x = area.left() + (2 * self.table.head + 1) * area.width() // (2 * geometry.span)
        y = area.bottom() + 1
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(state_color(HEAD))
        painter.drawPolygon(QPolygon([QPoint(x, y), QPoint(x - 4, y + 6), QPoint(x + 4, y + 6)]))
        painter.restore()

    # -- mouse and keyboard ----------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        geometry, point = self.slot_geometry, event.position().toPoint()
        if event.button() == Qt.MouseButton.LeftButton and self.handle.is_near(geometry, point):
            self.handle.drag_to(geometry, point)
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.handle.dragging and event.button() == Qt.MouseButton.LeftButton:
            self.handle.release(self.table)
        super().mouseReleaseEvent(event)

    def _hover(self, layer: int, slot: int) -> None:
        if (layer, slot) != self.cell:
            self.cell = (layer, slot)
            self.hovered.emit(layer, slot)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: hovers over a cell, or drags the handle."""
        geometry, point = self.slot_geometry, event.position().toPoint()
        if self.handle.dragging:
            self.handle.drag_to(geometry, point)
            return
        near = self.handle.is_near(geometry, point)
        self.setCursor(Qt.CursorShape.SizeHorCursor if near else Qt.CursorShape.ArrowCursor)
        self._hover(*geometry.cell_at(point))

    def leaveEvent(self, event: QEvent) -> None:
        """Qt's name: no cell is hovered, unless the strip has the keyboard focus."""
        if not self.hasFocus():
            self._hover(-1, -1)
        super().leaveEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._hover(-1, -1)
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: arrows move by slot and layer, Home and End to the ends; Escape cancels a drag."""
        if event.key() == Qt.Key.Key_Escape and self.handle.dragging:
            self.handle.cancel()
            return
        span = self.slot_geometry.span
        moves = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
            Qt.Key.Key_Home: (0, -span),
            Qt.Key.Key_End: (0, span),
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None or not span or not self.group.layers:
            super().keyPressEvent(event)
            return
        layer, slot = self.cell
        row = self.group.layers.index(layer) if layer in self.group.layers else 0
        row = max(0, min(row + move[0], len(self.group.layers) - 1))
        self._hover(self.group.layers[row], max(0, min(max(slot, 0) + move[1], span - 1)))

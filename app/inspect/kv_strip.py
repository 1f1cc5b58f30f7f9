"""The KV cache as a heat strip: a row a layer, a column a slot, coloured by what the slot holds.

    KvGroup, SlotTable ──▶ one line of pixels ──▶ drawn once a layer;  mouse or arrow keys ──▶ hovered(layer, slot)

Where there are more slots than pixels a column shows the most telling state of its slots. Of a buffer that grows only
the beginning of what is not in memory yet is drawn. A handle stands where the
tokens end; dragged back it shows the length it stands for, and `rewindAsked` tells where it was let go.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygon
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.inspect.slot_legend import paint_slots, state_color
from app.state.inspection import (
    EMPTY,
    EVICTED,
    FILLED,
    FROZEN,
    HEAD,
    PASSED,
    REUSED,
    UNALLOCATED,
    KvGroup,
    SlotTable,
)
from app.text.formatting import format_number
from app.widgets.theme import sans_font, theme

GUTTER = 40
AXIS = 24
GRIP_H = 20
"""Pixels over the slots for the handle, where there is one."""
GRAB_DISTANCE = 8
"""How near to the handle the mouse takes hold of it."""
_BY_PRIORITY = (UNALLOCATED, EMPTY, PASSED, FILLED, FROZEN, REUSED, EVICTED, HEAD)


class KvStrip(QWidget):
    """The slots of one group. `hovered` tells (layer, slot), or (-1, -1) for none.

    While the handle is dragged `previewed` tells the length it stands for, and -1 when it is let go.
    """

    hovered = Signal(int, int)
    previewed = Signal(int)
    rewindRequested = Signal(int)  # noqa: N815

    def __init__(self, group: KvGroup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.group = group
        self.table = SlotTable(group.capacity)
        self._cell = (-1, -1)
        self._preview = -1
        self._dragging = False
        self._movable = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fit()
        self.setAccessibleName(self.tr("Slots of cache group {0}").format(group.name))
        self.setAccessibleDescription(self.tr("Arrow keys move from slot to slot."))
        theme().changed.connect(self.update)

    @property
    def row_height(self) -> int:
        """Pixels a layer: fewer where there are many."""
        layers = len(self.group.layers)
        return 18 if layers <= 12 else 12 if layers <= 28 else 8

    @property
    def span(self) -> int:
        """Slots that are drawn: all, or of a buffer that grows those in memory and the first of what may come."""
        capacity, allocated = self.group.capacity, self.table.allocated
        return min(capacity, allocated + max(allocated // 8, 8)) if 0 < allocated < capacity else capacity

    def sizeHint(self) -> QSize:
        """Qt's name for the wished size."""
        return QSize(480, self.height())

    def set_table(self, table: SlotTable) -> None:
        """Shows a table, which is that of the group's capacity."""
        self.table = table
        self.update()

    def set_movable(self, on: bool) -> None:
        """Whether the handle is there to be dragged."""
        if on != self._movable:
            self._movable = on
            self._let_go()
            self._fit()
            self.updateGeometry()
            self.update()

    def preview(self, length: int) -> None:
        """Shades what a rewind to `length` would forget; -1 for nothing."""
        if length != self._preview:
            self._preview = length
            self.update()

    def handle(self) -> int | None:
        """Where the handle stands, in pixels; None where there is none."""
        if not self._movable or not self.span:
            return None
        edge = self.table.edge(self._preview if self._preview >= 0 else self.table.length)
        if edge is None:
            edge = self.table.edge(self.table.length)
        area = self.area()
        return None if edge is None else area.left() + edge * area.width() // self.span

    def _fit(self) -> None:
        rows = self.row_height * max(len(self.group.layers), 1)
        self.setFixedHeight((GRIP_H if self._movable else 0) + rows + AXIS)

    def area(self) -> QRect:
        """Where the slots are drawn."""
        height = self.row_height * len(self.group.layers)
        return QRect(GUTTER, GRIP_H if self._movable else 0, max(self.width() - GUTTER - 6, 1), height)

    def cell_at(self, point: QPoint) -> tuple[int, int]:
        """(layer, slot) at a point, (-1, -1) outside."""
        area = self.area()
        if not area.contains(point) or not self.span:
            return -1, -1
        row = min((point.y() - area.top()) // self.row_height, len(self.group.layers) - 1)
        slot = (point.x() - area.left()) * self.span // area.width()
        return self.group.layers[row], min(slot, self.span - 1)

    def columns(self) -> list[int]:
        """The state that each pixel column shows."""
        width, capacity, states = self.area().width(), self.span, self.table.states
        result = []
        for x in range(width):
            first = x * capacity // width
            last = max((x + 1) * capacity // width, first + 1)
            held = states[first:last]
            state = max(held, key=_BY_PRIORITY.index)
            head = self.table.head
            result.append(HEAD if head is not None and first <= head < last else state)
        return result

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt's name for drawing."""
        painter = QPainter(self)
        if self.span:
            self._paint_slots(painter)
            self._paint_axis(painter)
            self._paint_handle(painter)
        if self.hasFocus():
            painter.setPen(QPen(theme().color("accent"), 1))
            painter.drawRect(self.area().adjusted(-1, 0, 0, -1))
        painter.end()
        super().paintEvent(event)

    def _paint_slots(self, painter: QPainter) -> None:
        area, height = self.area(), self.row_height
        spans: list[tuple[int, int, int]] = []
        for x, state in enumerate(self.columns()):
            if spans and spans[-1][2] == state:
                spans[-1] = (spans[-1][0], x + 1, state)
            else:
                spans.append((x, x + 1, state))
        for row in range(len(self.group.layers)):
            top = area.top() + row * height
            for left, right, state in spans:
                width = max(right - left, 2 if state == HEAD else 1)
                paint_slots(painter, QRect(area.left() + left, top, width, height - 1), state)
        pixels = area.width() / self.span
        if pixels >= 5:
            painter.setPen(theme().color("surface"))
            for slot in range(1, self.span):
                x = area.left() + slot * area.width() // self.span
                painter.drawLine(x, area.top(), x, area.bottom())
        self._paint_cell(painter)

    def _paint_cell(self, painter: QPainter) -> None:
        layer, slot = self._cell
        if slot < 0:
            return
        area = self.area()
        left = area.left() + slot * area.width() // self.span
        width = max(area.width() // self.span, 3)
        top = area.top() + self.group.layers.index(layer) * self.row_height
        painter.setPen(QPen(theme().color("text"), 1))
        painter.drawRect(left - 1, top - 1 if top else 0, width, self.row_height)

    def _paint_axis(self, painter: QPainter) -> None:
        area, capacity = self.area(), self.span
        painter.setFont(sans_font(11))
        painter.setPen(theme().color("muted"))
        for row, layer in enumerate(self.group.layers):
            every = 1 if self.row_height >= 12 else 4
            if row % every == 0:
                box = QRect(0, area.top() + row * self.row_height, GUTTER - 8, self.row_height)
                painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"L{layer}")
        self._paint_head(painter)
        for part in range(5):
            slot = min(part * capacity // 4, capacity - 1)
            x = area.left() + slot * area.width() // capacity
            align = Qt.AlignmentFlag.AlignLeft if part == 0 else Qt.AlignmentFlag.AlignHCenter
            box = QRect(x if part == 0 else x - 40, area.bottom() + 8, 80, AXIS - 8)
            if part == 4:
                align, box = Qt.AlignmentFlag.AlignRight, QRect(area.right() - 80, area.bottom() + 8, 80, AXIS - 8)
            more = " …" if part == 4 and capacity < self.group.capacity else ""
            painter.drawText(box, align | Qt.AlignmentFlag.AlignTop, format_number(slot) + more)

    def _paint_head(self, painter: QPainter) -> None:
        """A wedge under the column where the next token goes: one pixel alone is easily missed."""
        if self.table.head is None:
            return
        area = self.area()
        x = area.left() + (2 * self.table.head + 1) * area.width() // (2 * self.span)
        y = area.bottom() + 1
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(state_color(HEAD))
        painter.drawPolygon(QPolygon([QPoint(x, y), QPoint(x - 4, y + 6), QPoint(x + 4, y + 6)]))
        painter.restore()

    def _paint_handle(self, painter: QPainter) -> None:
        """A line with a grip where the tokens end; while it is dragged, what would be forgotten, and the length."""
        x = self.handle()
        if x is None:
            return
        area, moving = self.area(), self._preview >= 0
        good = not moving or self.table.legal(self._preview)
        ink = theme().color("accent" if good else "error")
        if moving:
            veil = theme().color("surface")
            veil.setAlpha(170)
            for slot, count in self.table.forgotten(self._preview):
                left = area.left() + slot * area.width() // self.span
                right = area.left() + (slot + count) * area.width() // self.span
                painter.fillRect(QRect(left, area.top(), right - left, area.height()), veil)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRect(x - 1, GRIP_H - 6, 2, area.height() + 6), ink)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawRoundedRect(QRect(x - 5, 2, 10, GRIP_H - 6), 3, 3)
        painter.restore()
        if moving:
            self._paint_length(painter, x, good, ink)

    def _paint_length(self, painter: QPainter, x: int, good: bool, ink: QColor) -> None:
        text = self.tr("back to {0}") if good else self.tr("{0} is no legal length")
        painter.setFont(sans_font(11))
        painter.setPen(ink)
        line = text.format(format_number(self._preview))
        width = painter.fontMetrics().horizontalAdvance(line) + 2
        left = x + 10 if x + 10 + width <= self.width() else x - 10 - width
        middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRect(left, 0, width, GRIP_H - 3), middle, line)

    def _near_handle(self, point: QPoint) -> bool:
        x = self.handle()
        return x is not None and abs(point.x() - x) <= GRAB_DISTANCE and point.y() <= self.area().bottom()

    def _drag_to(self, point: QPoint) -> None:
        area = self.area()
        length = self.table.length_at((point.x() - area.left()) * self.span / area.width())
        self.preview(length)
        self.previewed.emit(length)

    def _let_go(self) -> None:
        if self._dragging:
            self._dragging = False
            self.preview(-1)
            self.previewed.emit(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt's name: takes hold of the handle."""
        if event.button() == Qt.MouseButton.LeftButton and self._near_handle(event.position().toPoint()):
            self._dragging = True
            self._drag_to(event.position().toPoint())
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt's name: lets the handle go, and asks for its length where that is another one."""
        asked = self._preview
        if self._dragging and event.button() == Qt.MouseButton.LeftButton:
            self._let_go()
            if asked != self.table.length:
                self.rewindRequested.emit(asked)
        super().mouseReleaseEvent(event)

    def _hover(self, layer: int, slot: int) -> None:
        if (layer, slot) != self._cell:
            self._cell = (layer, slot)
            self.hovered.emit(layer, slot)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: tells the cell under the mouse, or moves the handle."""
        point = event.position().toPoint()
        if self._dragging:
            self._drag_to(point)
            return
        self.setCursor(Qt.CursorShape.SizeHorCursor if self._near_handle(point) else Qt.CursorShape.ArrowCursor)
        self._hover(*self.cell_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Qt's name: no cell any more, unless the keyboard is here."""
        if not self.hasFocus():
            self._hover(-1, -1)
        super().leaveEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Qt's name: no cell any more."""
        self._hover(-1, -1)
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: arrows move from slot to slot and layer to layer, Home and End to the ends; Escape lets go."""
        if event.key() == Qt.Key.Key_Escape and self._dragging:
            self._let_go()
            return
        moves = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
            Qt.Key.Key_Home: (0, -self.span),
            Qt.Key.Key_End: (0, self.span),
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None or not self.span or not self.group.layers:
            super().keyPressEvent(event)
            return
        layer, slot = self._cell
        row = self.group.layers.index(layer) if layer in self.group.layers else 0
        row = max(0, min(row + move[0], len(self.group.layers) - 1))
        self._hover(self.group.layers[row], max(0, min(max(slot, 0) + move[1], self.span - 1)))

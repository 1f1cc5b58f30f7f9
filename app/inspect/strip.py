"""The KV cache as a heat strip: a row a layer, a column a slot, coloured by what the slot holds.

    KvGroup, SlotTable ──▶ one line of pixels ──▶ drawn once a layer;  mouse or arrow keys ──▶ hovered(layer, slot)

Where there are more slots than pixels a column shows the most telling state of its slots.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygon
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QWidget

from app.state.inspection import EMPTY, EVICTED, FILLED, HEAD, REUSED, UNALLOCATED, KvGroup, SlotTable
from app.widgets import label
from app.widgets.format import number
from app.widgets.theme import G, sans_font, theme

GUTTER = 40
AXIS = 24
_LOUDEST = (UNALLOCATED, EMPTY, FILLED, REUSED, EVICTED, HEAD)


def state_color(state: int) -> QColor:
    """The colour of a slot state in the theme in use."""
    color = theme().color
    if state == FILLED:
        return color("cache")
    if state == REUSED:
        return _mix(color("cache"), color("prefill"), 0.6)
    if state == EVICTED:
        return color("warning")
    return color("error") if state == HEAD else color("empty")


def fill_slots(painter: QPainter, box: QRect, state: int) -> None:
    """Fills a box as slots of a state are shown: colour and pattern, so that colour alone need not tell."""
    pattern = {EVICTED: Qt.BrushStyle.FDiagPattern, UNALLOCATED: Qt.BrushStyle.Dense6Pattern}.get(state)
    if pattern is None:
        painter.fillRect(box, state_color(state))
    else:
        painter.fillRect(box, theme().color("surface"))
        painter.fillRect(box, QBrush(theme().color("warning" if state == EVICTED else "muted"), pattern))


def _mix(one: QColor, other: QColor, share: float) -> QColor:
    return QColor.fromRgbF(
        one.redF() * (1 - share) + other.redF() * share,
        one.greenF() * (1 - share) + other.greenF() * share,
        one.blueF() * (1 - share) + other.blueF() * share,
    )


class KvStrip(QWidget):
    """The slots of one group. `hovered` tells (layer, slot), or (-1, -1) for none."""

    hovered = Signal(int, int)

    def __init__(self, group: KvGroup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.group = group
        self.table = SlotTable(group.capacity)
        self._cell = (-1, -1)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(self.row_height * max(len(group.layers), 1) + AXIS)
        self.setAccessibleName(self.tr("Slots of cache group {0}").format(group.name))
        self.setAccessibleDescription(self.tr("Arrow keys move from slot to slot."))
        theme().changed.connect(self.update)

    @property
    def row_height(self) -> int:
        """Pixels a layer: fewer where there are many."""
        layers = len(self.group.layers)
        return 18 if layers <= 12 else 12 if layers <= 28 else 8

    def sizeHint(self) -> QSize:
        """Qt's name for the wished size."""
        return QSize(480, self.height())

    def set_table(self, table: SlotTable) -> None:
        """Shows a table, which is that of the group's capacity."""
        self.table = table
        self.update()

    def area(self) -> QRect:
        """Where the slots are drawn."""
        height = self.row_height * len(self.group.layers)
        return QRect(GUTTER, 0, max(self.width() - GUTTER - 1, 1), height)

    def cell_at(self, point: QPoint) -> tuple[int, int]:
        """(layer, slot) at a point, (-1, -1) outside."""
        area = self.area()
        if not area.contains(point) or not self.group.capacity:
            return -1, -1
        row = min((point.y() - area.top()) // self.row_height, len(self.group.layers) - 1)
        slot = (point.x() - area.left()) * self.group.capacity // area.width()
        return self.group.layers[row], min(slot, self.group.capacity - 1)

    def columns(self) -> list[int]:
        """The state that each pixel column shows."""
        width, capacity, states = self.area().width(), self.group.capacity, self.table.states
        result = []
        for x in range(width):
            first = x * capacity // width
            last = max((x + 1) * capacity // width, first + 1)
            held = states[first:last]
            state = max(held, key=_LOUDEST.index)
            head = self.table.head
            result.append(HEAD if head is not None and first <= head < last else state)
        return result

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt's name for drawing."""
        painter = QPainter(self)
        if self.group.capacity:
            self._paint_slots(painter)
            self._paint_axis(painter)
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
                fill_slots(painter, QRect(area.left() + left, top, width, height - 1), state)
        pixels = area.width() / self.group.capacity
        if pixels >= 5:
            painter.setPen(theme().color("surface"))
            for slot in range(1, self.group.capacity):
                x = area.left() + slot * area.width() // self.group.capacity
                painter.drawLine(x, area.top(), x, area.bottom())
        self._paint_cell(painter)

    def _paint_cell(self, painter: QPainter) -> None:
        layer, slot = self._cell
        if slot < 0:
            return
        area = self.area()
        left = area.left() + slot * area.width() // self.group.capacity
        width = max(area.width() // self.group.capacity, 3)
        top = area.top() + self.group.layers.index(layer) * self.row_height
        painter.setPen(QPen(theme().color("text"), 1))
        painter.drawRect(left - 1, top - 1 if top else 0, width, self.row_height)

    def _paint_axis(self, painter: QPainter) -> None:
        area, capacity = self.area(), self.group.capacity
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
            painter.drawText(box, align | Qt.AlignmentFlag.AlignTop, number(slot))

    def _paint_head(self, painter: QPainter) -> None:
        """A wedge under the column where the next token goes: one pixel alone is easily missed."""
        if self.table.head is None:
            return
        area = self.area()
        x = area.left() + (2 * self.table.head + 1) * area.width() // (2 * self.group.capacity)
        y = area.bottom() + 1
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(state_color(HEAD))
        painter.drawPolygon(QPolygon([QPoint(x, y), QPoint(x - 4, y + 6), QPoint(x + 4, y + 6)]))
        painter.restore()

    def _hover(self, layer: int, slot: int) -> None:
        if (layer, slot) != self._cell:
            self._cell = (layer, slot)
            self.hovered.emit(layer, slot)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: tells the cell under the mouse."""
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
        """Qt's name: arrows move from slot to slot and from layer to layer, Home and End to the ends."""
        moves = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
            Qt.Key.Key_Home: (0, -self.group.capacity),
            Qt.Key.Key_End: (0, self.group.capacity),
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None or not self.group.capacity or not self.group.layers:
            super().keyPressEvent(event)
            return
        layer, slot = self._cell
        row = self.group.layers.index(layer) if layer in self.group.layers else 0
        row = max(0, min(row + move[0], len(self.group.layers) - 1))
        self._hover(self.group.layers[row], max(0, min(max(slot, 0) + move[1], self.group.capacity - 1)))


class Swatch(QFrame):
    """A small square in the colour of a slot state."""

    def __init__(self, state: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.setFixedSize(12, 12)
        theme().changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt's name for drawing."""
        painter = QPainter(self)
        fill_slots(painter, self.rect(), self._state)
        painter.end()


class Legend(QWidget):
    """What the colours of a strip mean, in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(G)
        grid.setVerticalSpacing(G // 2)
        for place, (state, text) in enumerate(
            (
                (FILLED, self.tr("filled")),
                (REUSED, self.tr("filled over an evicted token")),
                (HEAD, self.tr("write head")),
                (EMPTY, self.tr("empty")),
                (EVICTED, self.tr("empty, its token is gone")),
                (UNALLOCATED, self.tr("not allocated yet")),
            )
        ):
            row, column = divmod(place, 3)
            grid.addWidget(Swatch(state), row, 2 * column)
            grid.addWidget(label(text, "muted"), row, 2 * column + 1)
            grid.setColumnMinimumWidth(2 * column + 1, 16 * G)
        grid.setColumnStretch(6, 1)

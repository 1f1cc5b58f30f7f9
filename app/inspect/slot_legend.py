"""The colors and patterns of slot states, and their legend."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.state.inspection import (
    CROSS,
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
)
from app.widgets import label
from app.widgets.layouts import clear_layout, grid_layout
from app.widgets.theme import G, blend_colors, theme


def state_color(state: int) -> QColor:
    """The color of a slot state in the present theme."""
    color = theme().color
    mixes = {REUSED: ("prefill", "cache", 0.6), PASSED: ("empty", "cache", 0.65)}
    if state in mixes:
        one, other, share = mixes[state]
        return blend_colors(color(one), color(other), share)
    names = {FILLED: "cache", FROZEN: "prefill", EVICTED: "warning", HEAD: "error", PICTURE: "picture"}
    return color(names.get(state, "empty"))


def paint_slots(painter: QPainter, box: QRect, state: int) -> None:
    """Fills a rectangle with the color and pattern of a slot state, since color alone is not enough."""
    pattern = {EVICTED: Qt.BrushStyle.FDiagPattern, UNALLOCATED: Qt.BrushStyle.Dense6Pattern}.get(state)
    if pattern is None:
        painter.fillRect(box, state_color(state))
        if state == PICTURE:
            painter.fillRect(box, QBrush(theme().color("surface"), Qt.BrushStyle.HorPattern))
    else:
        painter.fillRect(box, theme().color("surface"))
        painter.fillRect(box, QBrush(theme().color("warning" if state == EVICTED else "muted"), pattern))


class Swatch(QFrame):
    """A small square with the color and pattern of a slot state."""

    def __init__(self, state: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.setFixedSize(12, 12)
        theme().changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_slots(painter, self.rect(), self._state)
        painter.end()


class SlotLegend(QWidget):
    """The legend of a strip's slot states."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = grid_layout(G, G // 2, stretch=(6,), parent=self)
        self._groups: tuple[KvGroup, ...] = ()
        self._pictures = False
        self.set_groups(())

    def set_pictures(self, pictures: bool) -> None:
        """Lists the slots of pictures, too, or leaves them out."""
        if pictures != self._pictures:
            self._pictures = pictures
            self.set_groups(self._groups)

    def set_groups(self, groups: tuple[KvGroup, ...]) -> None:
        """Lists the states that these groups can have."""
        self._groups = groups
        clear_layout(self._grid)
        for place, (state, text) in enumerate(self._entries(groups)):
            row, column = divmod(place, 3)
            self._grid.addWidget(Swatch(state), row, 2 * column)
            self._grid.addWidget(label(text, "muted"), row, 2 * column + 1)
            self._grid.setColumnMinimumWidth(2 * column + 1, 16 * G)

    def _entries(self, groups: tuple[KvGroup, ...]) -> list[tuple[int, str]]:
        empty = self.tr("allocated, empty")
        if any(g.layout == "fifo" for g in groups):
            empty = self.tr("allocated, empty or padding")
        entries = [(FILLED, self.tr("filled")), (HEAD, self.tr("write head")), (EMPTY, empty)]
        if self._pictures:
            entries.append((PICTURE, self.tr("filled, of a picture")))
        entries.append((EVICTED, self.tr("empty, its token is gone")))
        entries.append((UNALLOCATED, self.tr("not allocated yet")))
        if any(g.layout == "window" for g in groups):
            entries.append((REUSED, self.tr("filled over an evicted token")))
        if any(g.window and g.window < g.capacity for g in groups):
            entries.append((PASSED, self.tr("stored, before the window")))
        if any(g.layout == CROSS for g in groups):
            entries.append((FROZEN, self.tr("source, frozen")))
        return entries

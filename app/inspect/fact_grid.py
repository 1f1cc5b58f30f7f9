"""Facts of a cache group in columns: each a name above its value."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.widgets import label
from app.widgets.layouts import grid_layout
from app.widgets.plain_text import PlainLabel
from app.widgets.theme import G

COLUMNS = 4

Facts = Sequence[tuple[str, str]]
"""Names and values."""


class FactGrid(QWidget):
    """Facts whose values may change; their names stay."""

    def __init__(self, facts: Facts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.values: list[PlainLabel] = []
        grid = grid_layout(2 * G, 0, parent=self)
        for place, (name, _) in enumerate(facts):
            row, column = divmod(place, COLUMNS)
            value = label("", "small", wrap=True)
            grid.addWidget(label(name, "muted", selectable=False), 3 * row, column)
            grid.addWidget(value, 3 * row + 1, column, Qt.AlignmentFlag.AlignTop)
            grid.setRowMinimumHeight(3 * row + 2, G // 2)
            grid.setColumnStretch(column, 1)
            self.values.append(value)
        self.set_facts(facts)

    def set_facts(self, facts: Facts) -> None:
        """Shows other values of the same facts."""
        for value, (name, text) in zip(self.values, facts, strict=True):
            value.setText(text)
            value.setAccessibleName(f"{name}: {text}")

"""The style of a run's curve: colour, dash and symbol, which repeat with different periods."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.widgets.theme import theme

COLORS = ("accent", "decode", "warning", "prefill", "error", "text")
DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
SYMBOLS = ("o", "s", "t", "d", "+")


@dataclass(frozen=True, slots=True)
class CurveStyle:
    """The style of the run drawn at position `index`."""

    index: int

    @property
    def color(self) -> QColor:
        """The colour in the current theme."""
        return theme().color(COLORS[self.index % len(COLORS)])

    @property
    def dash(self) -> Qt.PenStyle:
        """The dash of the line."""
        return DASHES[self.index % len(DASHES)]

    @property
    def shape(self) -> str:
        """pyqtgraph's name of the symbol."""
        return SYMBOLS[self.index % len(SYMBOLS)]

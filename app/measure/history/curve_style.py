"""How runs are told apart in a picture: a colour, a dash and a shape each, which repeat at different lengths."""

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
    """Of the run that is drawn as the `index`-th."""

    index: int

    @property
    def color(self) -> QColor:
        """By the theme of now."""
        return theme().color(COLORS[self.index % len(COLORS)])

    @property
    def dash(self) -> Qt.PenStyle:
        """Of its line."""
        return DASHES[self.index % len(DASHES)]

    @property
    def shape(self) -> str:
        """Of its points, by pyqtgraph's names."""
        return SYMBOLS[self.index % len(SYMBOLS)]

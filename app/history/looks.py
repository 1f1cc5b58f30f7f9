"""How runs are told apart in a picture: a colour, a dash and a shape each, which repeat at different lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.widgets.theme import sans_font, theme

INKS = ("accent", "decode", "warning", "prefill", "error", "text")
DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
SHAPES = ("o", "s", "t", "d", "+")


@dataclass(frozen=True, slots=True)
class Look:
    """Of the run that is drawn as the `index`-th."""

    index: int

    @property
    def color(self) -> QColor:
        """By the theme of now."""
        return theme().color(INKS[self.index % len(INKS)])

    @property
    def dash(self) -> Qt.PenStyle:
        """Of its line."""
        return DASHES[self.index % len(DASHES)]

    @property
    def shape(self) -> str:
        """Of its points, by pyqtgraph's names."""
        return SHAPES[self.index % len(SHAPES)]


def still(plot: Any) -> None:
    """A plot without menus and buttons, a grid behind it."""
    plot.setMenuEnabled(False)
    plot.hideButtons()
    plot.showGrid(x=True, y=True, alpha=0.15)
    for side in ("left", "bottom"):
        plot.getAxis(side).enableAutoSIPrefix(False)


def restyle(plot: Any) -> None:
    """The theme's colours for the plot's paper and axes."""
    color = theme().color
    plot.setBackground(color("surface"))
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(pg.mkPen(color("border")))
        axis.setTextPen(pg.mkPen(color("muted")))
        axis.setTickFont(sans_font(11))
        axis.label.setFont(sans_font(12))

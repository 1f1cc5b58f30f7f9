"""The style of the small charts: no interaction, the colours of the theme."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame

from app.text.formatting import format_figures, format_number
from app.widgets.theme import sans_font, theme


class NumberAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis whose tick texts are numbers as the language writes them: 4,096 and 0.005, or 4.096 and 0,005."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """The texts of ticks that are `spacing` apart (pyqtgraph's name)."""
        if self.logMode:
            return list(self.logTickStrings(values, scale, spacing))
        places = max(0, math.ceil(-math.log10(spacing * scale)))
        return [number(one * scale, places) for one in values]


def number(value: float, places: int) -> str:
    """With so many decimals; a very small one by its power of ten."""
    return format_figures(value, 3) if places > 4 else format_number(value, places)


def make_static(plot: Any, upright: bool = True) -> None:
    """Remove frame, menus and buttons of a plot, and show a grid. upright: whether the grid has vertical lines."""
    plot.setFrameShape(QFrame.Shape.NoFrame)
    plot.setMenuEnabled(False)
    plot.hideButtons()
    plot.showGrid(x=upright, y=True, alpha=0.15)
    for side in ("left", "bottom"):
        plot.getAxis(side).enableAutoSIPrefix(False)


def add_point_line(plot: Any) -> Any:
    """A hidden vertical line that marks a point of a plot; makes the plot reachable by Tab."""
    line = pg.InfiniteLine(angle=90, movable=False)
    line.hide()
    plot.addItem(line, ignoreBounds=True)
    plot.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return line


def move_point_line(line: Any, points: Sequence[tuple[float, float]], index: int) -> None:
    """Move a `add_point_line` to a point, or hide it for -1."""
    line.setVisible(index >= 0)
    if index >= 0:
        line.setValue(points[index][0])


def restyle_plot(plot: Any) -> None:
    """Apply the colours of the theme to a plot and its axes."""
    color = theme().color
    plot.setBackground(color("surface"))
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(pg.mkPen(color("border")))
        axis.setTextPen(pg.mkPen(color("muted")))
        axis.setTickFont(sans_font(11))
        axis.label.setFont(sans_font(12))

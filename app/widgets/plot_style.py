"""The style of the small charts: no interaction, the colours of the theme."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame

from app.widgets.theme import sans_font, theme


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

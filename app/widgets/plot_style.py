"""The style of the small charts: no interaction, the colours of the theme."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
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

"""The four plots of the speed page: their layout as rows, their axes, and which of them are visible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF

from app.measure.charts.plot_parts import AXIS_WIDTH, MARGIN_WIDTH, LabelAxis, TimeViewBox, ValueAxis
from app.text.translatable import tr

STRETCHES, HEIGHTS = (5, 2, 3, 2), (76, 60, 88, 116)
"""Stretch factor and minimum height in pixels of each row; with less height the axis names would overlap."""
ROWS = len(STRETCHES)
GAP = 2
"""Pixels between two rows."""
QWIDGETSIZE_MAX = (1 << 24) - 1
"""Qt's name for "no maximum", which PySide does not define."""
DRAFTS = 1
"""The row that is visible only if there were drafts."""


def blank_plot() -> Any:
    """An empty plot. Creating one takes the largest share of the time that creating `PlotRows` takes."""
    axes = {"left": ValueAxis("left"), "bottom": ValueAxis("bottom"), "right": LabelAxis()}
    return pg.PlotItem(viewBox=TimeViewBox(), axisItems=axes, enableMenu=False)


def _size_axes(plot: Any) -> None:
    """Set the sizes of the axes: pyqtgraph resets them when the style of a hidden axis changes."""
    plot.getAxis("left").setWidth(AXIS_WIDTH)
    plot.getAxis("right").setWidth(MARGIN_WIDTH)
    bottom = plot.getAxis("bottom")
    if not bottom.style["showValues"]:
        bottom.setHeight(8)


class PlotRows:
    """Latency, tokens per step, cache and memory over one time axis, in the rows of a graphics layout.

    blanks: plots created before, ROWS at most.
    """

    def __init__(self, view: Any, blanks: Sequence[Any] = ()) -> None:
        self._view, self._blanks = view, [*blanks]
        self.axes: list[ValueAxis] = []
        view.ci.layout.setVerticalSpacing(GAP)
        self.latency = self._add(0, tr("latency (ms)"))
        self.per_step = self._add(DRAFTS, tr("tok/step"))
        self.occupancy = self._add(2, tr("cache (tokens)"))
        self.memory = self._add(3, tr("memory (MiB)"))
        self.plots = (self.latency, self.per_step, self.occupancy, self.memory)
        self.show_drafts(False)
        self.memory.setLabel("bottom", tr("generation time (s)"))

    def _add(self, row: int, name: str) -> Any:
        plot = self._blanks.pop() if self._blanks else blank_plot()
        self._view.addItem(plot, row=row, col=0)
        self.axes += [plot.getAxis("left"), plot.getAxis("bottom")]
        box = plot.getViewBox()
        self._size_row(row, True)
        plot.setLabel("left", name)
        plot.showAxis("right")
        plot.showGrid(x=False, y=True, alpha=0.15)
        plot.hideButtons()
        box.disableAutoRange()
        box.setDefaultPadding(0.0)
        if row:
            plot.setXLink(self.latency)
        if row < ROWS - 1:
            plot.getAxis("bottom").setStyle(showValues=False)
        _size_axes(plot)
        return plot

    def _size_row(self, row: int, visible: bool) -> None:
        layout = self._view.ci.layout
        layout.setRowMinimumHeight(row, HEIGHTS[row] if visible else 0)
        layout.setRowMaximumHeight(row, QWIDGETSIZE_MAX if visible else 0)
        layout.setRowStretchFactor(row, STRETCHES[row] if visible else 0)
        layout.setRowSpacing(row, GAP if visible else 0)

    def show_drafts(self, visible: bool) -> None:
        """Show or hide the plot of tokens per step."""
        self.per_step.setVisible(visible)
        if visible:
            _size_axes(self.per_step)
        self._size_row(DRAFTS, visible)
        without = tr("Latency, cache and memory over time")
        self._view.setAccessibleName(tr("Latency, tokens per step, cache and memory over time") if visible else without)

    def set_log_scale(self, log: bool) -> None:
        """Draw latency on a logarithmic or a linear scale."""
        self.latency.getAxis("left").setLogMode(x=False, y=log)

    def restyle(self) -> None:
        for plot in self.plots:
            plot.getViewBox().restyle()
        for axis in self.axes:
            axis.restyle()

    def time_at(self, position: QPointF) -> float | None:
        """The time in seconds at a position of the scene; None outside of the visible plots."""
        for plot in self.plots:
            box = plot.getViewBox()
            if plot.isVisible() and box.sceneBoundingRect().contains(position):
                return float(box.mapSceneToView(position).x())
        return None

"""The graphics items of the plots: blocks and points of latency, bars of tokens per step, cache, memory, marks.

PlotData ──show()──▶ items of the plots;  levels, means, capacities ──▶ labels at the right
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from app.measure.charts.plot_data import PlotData
from app.measure.charts.plot_parts import OwnerMarks, with_alpha
from app.measure.charts.point_items import BlocksItem, PointsItem
from app.widgets.theme import theme

DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
MAX_MARKED_POINTS = 60
"""Below this number, memory samples are marked: a single one draws no line."""


class PlotItems:
    """The items of the plots (latency, tokens per step, cache, memory), which share one time axis."""

    def __init__(self, plots: tuple[Any, Any, Any, Any]) -> None:
        self._plots = plots
        self.blocks = BlocksItem()
        self.points = PointsItem(4)
        self.percentiles = [pg.InfiniteLine(angle=0) for _ in DASHES]
        self.drafted, self.accepted = BlocksItem(), BlocksItem()
        self.mean = pg.InfiniteLine(angle=0)
        self.area = pg.PlotCurveItem(fillLevel=0.0, connect="finite")
        self.capacity = pg.PlotCurveItem(connect="finite")
        self.rss = pg.PlotCurveItem(connect="finite")
        self.samples = PointsItem(4)
        self.marks = [OwnerMarks(named=True), OwnerMarks(), OwnerMarks(), OwnerMarks()]
        self._cursors = [pg.InfiniteLine(angle=90) for _ in plots]
        items = (
            (self.blocks, self.points, *self.percentiles),
            (self.drafted, self.accepted, self.mean),
            (self.area, self.capacity),
            (self.rss, self.samples),
        )
        for plot, own, mark, cursor in zip(plots, items, self.marks, self._cursors, strict=True):
            cursor.hide()
            for item in (*own, mark, cursor):
                plot.addItem(item, ignoreBounds=True)

    def restyle(self, phase: str) -> None:
        """Apply the colours of the theme. phase: the phase whose percentiles the lines are."""
        color = theme().color
        self.blocks.set_colors(color("prefill"), with_alpha(color("prefill"), 110))
        self.points.set_color(color("decode"))
        self.drafted.set_colors(with_alpha(color("decode"), 110), with_alpha(color("decode"), 45))
        self.accepted.set_colors(color("decode"), with_alpha(color("decode"), 170))
        self.mean.setPen(pg.mkPen(color("muted"), style=Qt.PenStyle.DashLine))
        self.area.setPen(pg.mkPen(color("cache")))
        self.area.setBrush(pg.mkBrush(with_alpha(color("cache"), 70)))
        self.rss.setPen(pg.mkPen(color("text")))
        self.samples.set_color(color("text"))
        self.capacity.setPen(pg.mkPen(color("muted"), style=Qt.PenStyle.DashLine))
        for line, dash in zip(self.percentiles, DASHES, strict=True):
            line.setPen(pg.mkPen(color(phase), style=dash))
        for cursor in self._cursors:
            cursor.setPen(pg.mkPen(color("accent")))

    def show(self, d: PlotData) -> None:
        self._plots[0].setXRange(*d.time)
        for plot, y in zip(self._plots, (d.latency, d.per_step, d.cache, d.rss), strict=True):
            plot.setYRange(*y)
        self.blocks.set_blocks(*d.blocks)
        self.points.set_points(*d.points)
        self.drafted.set_blocks(*d.drafted)
        self.accepted.set_blocks(*d.accepted)
        self.area.setData(*d.used)
        self.capacity.setData(*d.capacity)
        self.rss.setData(*d.memory)
        marked = np.isfinite(d.memory.x) & (len(d.memory.x) < MAX_MARKED_POINTS)
        self.samples.set_points(d.memory.x[marked], d.memory.y[marked])
        self._plots[2].getAxis("right").show_labels(d.capacities)
        for mark in self.marks:
            mark.show_marks(d.marks)

    def show_levels(self, d: PlotData) -> None:
        """Move the percentile lines, the mean of tokens per step, and their labels."""
        for line in self.percentiles:
            line.setVisible(bool(d.levels))
        for line, level in zip(self.percentiles, d.levels, strict=False):
            line.setPos(level.at)
        self._plots[0].getAxis("right").show_labels(d.levels)
        self.mean.setVisible(bool(d.means))
        if d.means:
            self.mean.setPos(d.means[0].at)
        self._plots[1].getAxis("right").show_labels(d.means)

    def set_cursor(self, second: float | None) -> None:
        """Draw a line through all plots; None removes it."""
        for cursor in self._cursors:
            cursor.setVisible(second is not None)
            if second is not None:
                cursor.setPos(second)

"""Plots over one time axis: latency per step, tokens per step where there were drafts, cache occupancy, memory.

Snapshot ──show_snapshot──▶ draw ──▶ curves;  mouse, keys ──▶ Zoom ──viewed──▶ figures;  ──hovered──▶ index of a step
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.measure.charts.latency_style import LatencyStyle
from app.measure.charts.plot_data import PlotData, build_plot_data, with_percentiles
from app.measure.charts.plot_items import PlotItems
from app.measure.charts.plot_parts import AXIS_WIDTH, MARGIN_WIDTH, LabelAxis, TimeViewBox, ValueAxis
from app.measure.charts.time_zoom import TimeZoom
from app.state.measurement_snapshot import MeasurementFigures, MeasurementSnapshot
from app.widgets.theme import theme

STRETCHES, HEIGHTS = (5, 2, 3, 2), (76, 60, 88, 116)
"""Of the rows; pixels at least, or the names of the axes would run into each other."""
ROWS = len(STRETCHES)
GAP = 2
"""Pixels between two rows."""
QWIDGETSIZE_MAX = (1 << 24) - 1
"""Qt's name for no bound, which PySide does not have."""
DRAFTS = 1
"""The row that is there where there were drafts."""
CLOSER, FARTHER, SIDEWAYS = 0.8, 1.25, 0.25


def _tr(text: str) -> str:
    return QCoreApplication.translate("Plots", text)


def blank_plot() -> Any:
    """A plot that nothing is in yet: to make one takes longest of all that the plots are made of."""
    axes = {"left": ValueAxis("left"), "bottom": ValueAxis("bottom"), "right": LabelAxis()}
    return pg.PlotItem(viewBox=TimeViewBox(), axisItems=axes, enableMenu=False)


def _size_axes(plot: Any) -> None:
    """Gives the axes their sizes, which pyqtgraph takes from one that is hidden when its looks change."""
    plot.getAxis("left").setWidth(AXIS_WIDTH)
    plot.getAxis("right").setWidth(MARGIN_WIDTH)
    bottom = plot.getAxis("bottom")
    if not bottom.style["showValues"]:
        bottom.setHeight(8)


class SpeedPlots(pg.GraphicsLayoutWidget):  # type: ignore[misc]
    """The plots. `hovered` tells the index of the step under the mouse or the arrow keys, or -1.

    blanks: those that were made before, ROWS at most.
    """

    hovered = Signal(int)
    zoomed = Signal(bool)  # whether the person has zoomed, so that following is off
    viewed = Signal()  # another part of the time axis is seen, because a person said so

    def __init__(self, parent: QWidget | None = None, blanks: Sequence[Any] = ()) -> None:
        super().__init__(parent)
        self._blanks = [*blanks]
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.zoom = TimeZoom()
        self.look = LatencyStyle()
        self.drawing: PlotData | None = None
        self.snapshot: MeasurementSnapshot | None = None
        self._figures: MeasurementFigures | None = None
        self._hover = -1
        self.axes: list[ValueAxis] = []
        self.ci.layout.setVerticalSpacing(GAP)
        self.latency = self._plot(0, _tr("latency (ms)"))
        self.per_step = self._plot(DRAFTS, _tr("tok/step"))
        self.occupancy = self._plot(2, _tr("cache (tokens)"))
        self.memory = self._plot(3, _tr("memory (MiB)"))
        self._show_drafts(False)
        self.memory.setLabel("bottom", _tr("time generating (s)"))
        self.layers = PlotItems(self.plots)
        self.scene().sigMouseMoved.connect(self._on_mouse)
        theme().changed.connect(self.restyle)
        self.restyle()

    @property
    def plots(self) -> tuple[Any, Any, Any, Any]:
        """Latency, tokens per step, cache, memory."""
        return self.latency, self.per_step, self.occupancy, self.memory

    # -- building --------------------------------------------------------------------------------------------

    def _plot(self, row: int, name: str) -> Any:
        plot = self._blanks.pop() if self._blanks else blank_plot()
        self.addItem(plot, row=row, col=0)
        self.axes += [plot.getAxis("left"), plot.getAxis("bottom")]
        box = plot.getViewBox()
        self._lay_row(row, True)
        plot.setLabel("left", name)
        plot.showAxis("right")
        plot.showGrid(x=False, y=True, alpha=0.15)
        plot.hideButtons()
        box.disableAutoRange()
        box.setDefaultPadding(0.0)
        box.range_dragged.connect(self.zoom_to)
        box.wheeled.connect(self._zoom_by)
        box.panned.connect(self._pan)
        if row:
            plot.setXLink(self.latency)
        if row < ROWS - 1:
            plot.getAxis("bottom").setStyle(showValues=False)
        _size_axes(plot)
        return plot

    def _lay_row(self, row: int, seen: bool) -> None:
        layout = self.ci.layout
        layout.setRowMinimumHeight(row, HEIGHTS[row] if seen else 0)
        layout.setRowMaximumHeight(row, QWIDGETSIZE_MAX if seen else 0)
        layout.setRowStretchFactor(row, STRETCHES[row] if seen else 0)
        layout.setRowSpacing(row, GAP if seen else 0)

    def _show_drafts(self, on: bool) -> None:
        """The plot of tokens per step comes or goes."""
        self.per_step.setVisible(on)
        if on:
            _size_axes(self.per_step)
        self._lay_row(DRAFTS, on)
        without = _tr("Latency, cache and memory over time")
        self.setAccessibleName(_tr("Latency, tokens per step, cache and memory over time") if on else without)

    def restyle(self) -> None:
        """Takes the theme's colours."""
        self.setBackground(theme().color("surface"))
        for plot in self.plots:
            plot.getViewBox().restyle()
        for axis in self.axes:
            axis.restyle()
        self.layers.restyle(self.look.lines)

    # -- drawing ---------------------------------------------------------------------------------------------

    def show_snapshot(self, s: MeasurementSnapshot) -> None:
        """Draws everything anew; keeps a zoom."""
        self.snapshot = s
        self.zoom.extend(*((0.0, float(s.ends[-1])) if len(s) else (0.0, 0.0)))
        if self._hover >= len(s):
            self.hover(-1)
        self._draw()

    def set_style(self, look: LatencyStyle) -> None:
        """Draws latency in another way."""
        if look.log != self.look.log:
            self.latency.getAxis("left").setLogMode(x=False, y=look.log)
        self.look = look
        self.restyle()
        self._draw()

    def figures(self) -> MeasurementFigures:
        """Those of exactly what is shown."""
        assert self.snapshot is not None
        return self.snapshot.figures(*self.zoom.window)

    def show_percentiles(self, figures: MeasurementFigures) -> None:
        """Moves the labelled lines."""
        self._figures = figures
        if self.drawing is None:
            return
        self.drawing = with_percentiles(self.drawing, figures, self.look)
        self.layers.show_levels(self.drawing)

    def _draw(self) -> None:
        if self.snapshot is None:
            return
        self.drawing = build_plot_data(self.snapshot, self.zoom.range, self.look)
        if self.drawing.drafts != self.per_step.isVisible():
            self._show_drafts(self.drawing.drafts)
        self.layers.show(self.drawing)
        if self._figures is not None:
            self.show_percentiles(self._figures)

    # -- zooming ---------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Leaves a zoom: shows all again and goes along with what is measured."""
        self.zoom.reset()
        self._look_again()

    def restart(self, recent: bool) -> None:
        """Before other runs are shown: a zoom means nothing for them. recent: their last seconds are to be seen."""
        self.zoom.recent = recent
        self.zoom.reset()
        self.zoomed.emit(False)

    def zoom_to(self, left: float, right: float) -> None:
        """Shows a part of the time axis; all plots are scaled to what is in it."""
        self.zoom.to(left, right)
        self._look_again()

    def _zoom_by(self, factor: float, about: float) -> None:
        self.zoom.by(factor, None if math.isnan(about) else about)
        self._look_again()

    def _pan(self, share: float) -> None:
        self.zoom.pan(share)
        self._look_again()

    def _look_again(self) -> None:
        self._draw()
        self.zoomed.emit(self.zoom.chosen)
        self.viewed.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt's name: a double click leaves the zoom."""
        self.follow()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: arrows go from step to step, with Shift sideways; + and - zoom, Home and 0 leave the zoom."""
        key, shifted = Qt.Key(event.key()), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        sides = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}
        factors = {Qt.Key.Key_Plus: CLOSER, Qt.Key.Key_Equal: CLOSER, Qt.Key.Key_Minus: FARTHER}
        if key in sides and (shifted or key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)):
            self._pan(sides[key] * SIDEWAYS)
        elif key in sides:
            self._step(sides[key])
        elif key in factors:
            self._zoom_by(factors[key], self._cursor_time())
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.follow()
        else:
            super().keyPressEvent(event)

    # -- the step under the pointer --------------------------------------------------------------------------

    def _cursor_time(self) -> float:
        """That of the marked step where it is seen, about which a key zooms; else none, NaN."""
        at = float(self.snapshot.time_s[self._hover]) if self.snapshot is not None and self._hover >= 0 else math.nan
        left, right = self.zoom.range
        return at if left <= at <= right else math.nan

    def _step(self, side: int) -> None:
        """To the next step, or from nowhere to the last or first one that is seen."""
        if self.snapshot is None or not len(self.snapshot):
            return
        seen = np.flatnonzero(self.snapshot.seen(*self.zoom.window))
        if self._hover >= 0:
            self.hover(max(0, min(self._hover + side, len(self.snapshot) - 1)))
        elif len(seen):
            self.hover(int(seen[-1 if side < 0 else 0]))
        if self._hover >= 0 and math.isnan(self._cursor_time()):
            self.zoom.reveal(float(self.snapshot.time_s[self._hover]))
            self._look_again()

    def leaveEvent(self, event: QEvent) -> None:
        """Qt's name: nothing is hovered any more."""
        self.hover(-1)
        super().leaveEvent(event)

    def _on_mouse(self, position: QPointF) -> None:
        s = self.snapshot
        if s is None or not len(s):
            return
        for plot in self.plots:
            if plot.isVisible() and plot.getViewBox().sceneBoundingRect().contains(position):
                self.hover(self.nearest(plot.getViewBox().mapSceneToView(position).x()))
                return
        self.hover(-1)

    def nearest(self, time_s: float) -> int:
        """The step whose span holds a time: the first that ends at it or later."""
        assert self.snapshot is not None
        index = int(np.searchsorted(self.snapshot.time_s, time_s))
        return min(index, len(self.snapshot) - 1)

    def hover(self, index: int) -> None:
        """Marks a step in all plots; -1 marks none."""
        self._hover = index
        at = float(self.snapshot.time_s[index]) if index >= 0 and self.snapshot is not None else None
        self.layers.set_cursor(at)
        self.hovered.emit(index)

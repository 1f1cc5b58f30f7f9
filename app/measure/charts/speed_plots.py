"""Plots over one time axis: latency per step, tokens per step if there were drafts, cache occupancy, memory.

Snapshot ──show_snapshot──▶ PlotData ──▶ curves;  mouse, keys ──▶ TimeZoom ──viewed──▶ figures;  ──hovered──▶ step index
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.measure.charts.chart_description import ChartDescription
from app.measure.charts.descriptions import plots_text, step_text
from app.measure.charts.latency_style import LatencyStyle
from app.measure.charts.plot_data import PlotData, build_plot_data, with_percentiles
from app.measure.charts.plot_items import PlotItems
from app.measure.charts.plot_rows import PlotRows
from app.measure.charts.time_zoom import TimeZoom
from app.state.measurement_snapshot import MeasurementFigures, MeasurementSnapshot
from app.widgets.theme import theme

ZOOM_IN, ZOOM_OUT, PAN_SHARE = 0.8, 1.25, 0.25


class StepCursor:
    """The marked step of a snapshot; index: -1 while none is marked."""

    def __init__(self) -> None:
        self.index = -1

    def time(self, snapshot: MeasurementSnapshot | None) -> float:
        """The time of the marked step in seconds; NaN without one."""
        return float(snapshot.time_s[self.index]) if snapshot is not None and self.index >= 0 else math.nan

    def neighbour(self, snapshot: MeasurementSnapshot, side: int, window: tuple[float, float]) -> int:
        """The next step (1) or the one before (-1); without a marked step, the first or last in `window`, or -1."""
        if self.index >= 0:
            return max(0, min(self.index + side, len(snapshot) - 1))
        visible = np.flatnonzero(snapshot.seen(*window))
        return int(visible[-1 if side < 0 else 0]) if len(visible) else -1


def step_at(snapshot: MeasurementSnapshot, time_s: float) -> int:
    """The step that runs at a time: the first that ends at it or later."""
    return min(int(np.searchsorted(snapshot.time_s, time_s)), len(snapshot) - 1)


class SpeedPlots(pg.GraphicsLayoutWidget):  # type: ignore[misc]
    """The plots with zoom and step cursor. blanks: plots created before, at most as many as there are rows."""

    hovered = Signal(int)  # the index of the step under the mouse or the arrow keys, or -1
    zoomed = Signal(bool)  # whether the user has zoomed, so that the plots do not follow new steps
    viewed = Signal()  # the user changed the visible part of the time axis

    def __init__(self, parent: QWidget | None = None, blanks: Sequence[Any] = ()) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.zoom = TimeZoom()
        self.latency_style = LatencyStyle()
        self.data: PlotData | None = None
        self.snapshot: MeasurementSnapshot | None = None
        self._figures: MeasurementFigures | None = None
        self.cursor_step = StepCursor()
        self.description = ChartDescription(self, lambda _: None)
        self.rows = PlotRows(self, blanks)
        self.layers = PlotItems(self.rows.plots)
        for plot in self.rows.plots:
            box = plot.getViewBox()
            box.range_dragged.connect(self.zoom_to)
            box.wheeled.connect(self._zoom_by)
            box.panned.connect(self._pan)
        self.scene().sigMouseMoved.connect(self._on_mouse)
        theme().changed.connect(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        self.setBackground(theme().color("surface"))
        self.rows.restyle()
        self.layers.restyle(self.latency_style.lines)

    # -- drawing ---------------------------------------------------------------------------------------------

    def show_snapshot(self, snapshot: MeasurementSnapshot) -> None:
        """Draw a new snapshot; keeps the zoom."""
        self.snapshot = snapshot
        self.zoom.set_data_range(*((0.0, float(snapshot.ends[-1])) if len(snapshot) else (0.0, 0.0)))
        if self.cursor_step.index >= len(snapshot):
            self.hover(-1)
        self._draw()

    def set_style(self, style: LatencyStyle) -> None:
        if style.log != self.latency_style.log:
            self.rows.set_log_scale(style.log)
        self.latency_style = style
        self.restyle()
        self._draw()

    def figures(self) -> MeasurementFigures:
        """The figures of exactly the visible steps."""
        assert self.snapshot is not None
        return self.snapshot.figures(*self.zoom.window)

    def show_percentiles(self, figures: MeasurementFigures) -> None:
        """Move the labelled lines."""
        self._figures = figures
        if self.data is None:
            return
        self.data = with_percentiles(self.data, figures, self.latency_style)
        self.layers.show_levels(self.data)
        if self.snapshot is not None:
            self.description.show(plots_text(self.snapshot, *self.zoom.window), len(self.snapshot), self._step_text)
            self.description.select(self.cursor_step.index)

    def _step_text(self, index: int) -> str:
        return step_text(self.snapshot, index) if self.snapshot is not None else ""

    def _draw(self) -> None:
        if self.snapshot is None:
            return
        self.data = build_plot_data(self.snapshot, self.zoom.range, self.latency_style)
        if self.data.drafts != self.rows.per_step.isVisible():
            self.rows.show_drafts(self.data.drafts)
        self.layers.show(self.data)
        if self._figures is not None:
            self.show_percentiles(self._figures)

    # -- zooming ---------------------------------------------------------------------------------------------

    def reset_zoom(self) -> None:
        """Show the whole time axis, and follow new steps."""
        self.zoom.reset()
        self._on_view_change()

    def restart(self, recent: bool) -> None:
        """Reset the zoom before other runs are shown. recent: follow the last seconds instead of the whole axis."""
        self.zoom.recent = recent
        self.zoom.reset()
        self.zoomed.emit(False)

    def zoom_to(self, left: float, right: float) -> None:
        """Show a part of the time axis; all plots are scaled to the steps in it."""
        self.zoom.show_range(left, right)
        self._on_view_change()

    def _zoom_by(self, factor: float, about: float) -> None:
        self.zoom.scale(factor, None if math.isnan(about) else about)
        self._on_view_change()

    def _pan(self, share: float) -> None:
        self.zoom.pan(share)
        self._on_view_change()

    def _on_view_change(self) -> None:
        self._draw()
        self.zoomed.emit(self.zoom.is_zoomed)
        self.viewed.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.reset_zoom()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move the step cursor, with Shift the view; + and - zoom, Home and 0 reset the zoom (Qt's name)."""
        key, shifted = Qt.Key(event.key()), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        sides = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}
        factors = {Qt.Key.Key_Plus: ZOOM_IN, Qt.Key.Key_Equal: ZOOM_IN, Qt.Key.Key_Minus: ZOOM_OUT}
        if key in sides and (shifted or key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)):
            self._pan(sides[key] * PAN_SHARE)
        elif key in sides:
            self._move_cursor(sides[key])
        elif key in factors:
            left, right = self.zoom.range
            about = self.cursor_step.time(self.snapshot)
            self._zoom_by(factors[key], about if left <= about <= right else math.nan)
        elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            self.reset_zoom()
        else:
            super().keyPressEvent(event)

    # -- the step cursor -------------------------------------------------------------------------------------

    def _move_cursor(self, side: int) -> None:
        """Mark the next step (1) or the one before (-1), and show it."""
        if self.snapshot is None or not len(self.snapshot):
            return
        index = self.cursor_step.neighbour(self.snapshot, side, self.zoom.window)
        if index < 0:
            return
        self.hover(index)
        left, right = self.zoom.range
        at = self.cursor_step.time(self.snapshot)
        if not left <= at <= right:
            self.zoom.reveal(at)
            self._on_view_change()

    def leaveEvent(self, event: QEvent) -> None:
        self.hover(-1)
        super().leaveEvent(event)

    def _on_mouse(self, position: QPointF) -> None:
        if self.snapshot is not None and len(self.snapshot):
            time_s = self.rows.time_at(position)
            self.hover(-1 if time_s is None else step_at(self.snapshot, time_s))

    def hover(self, index: int) -> None:
        """Mark a step in all plots; -1 marks none."""
        if index != self.cursor_step.index:
            self.description.select(index)
        self.cursor_step.index = index
        at = self.cursor_step.time(self.snapshot)
        self.layers.set_cursor(None if math.isnan(at) else at)
        self.hovered.emit(index)

"""Three plots over one time axis: latency per step, cache occupancy, memory.

Snapshot ──show()──▶ curves;  mouse ──hovered──▶ index of a step;  a drag zooms and ends following
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QCoreApplication, QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPen
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFrame, QGraphicsItem, QWidget

from app.charts.points import Points, block_outline
from app.charts.text import latency
from app.state.measurements import CHUNK, DECODE, Percentiles, Snapshot
from app.widgets.theme import mono_font, sans_font, theme

Span = Literal["all", "reply", "recent"]
RECENT_S = 10.0
AXIS_WIDTH = 64
MIB = 1024 * 1024
_DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
LABELS = 0.16
"""Share of the span that is kept free on the right for the labels of the percentile lines."""
FEW = 60
"""Fewer memory samples than this are marked: one alone makes no line."""
LABEL_GAP = 15
"""Pixels between two of them at least."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("Plots", text)


def _faded(color: QColor, alpha: int) -> QColor:
    color.setAlpha(alpha)
    return color


def roomy(value: float) -> float:
    """`value` or up to a seventh more, in steps, so that a range that follows what grows seldom changes."""
    if value <= 0:
        return 1e-3
    step = 1.15
    return float(step ** math.ceil(math.log(value, step) - 1e-9))


def spread(values: list[float], gap: float, low: float, high: float) -> list[float]:
    """Ascending values moved apart to at least `gap`, as little as possible below `high` and above `low`."""
    placed: list[float] = []
    for value in values:
        placed.append(max(value, placed[-1] + gap) if placed else max(value, low))
    middle = (sum(placed) - sum(values)) / len(values) if values else 0.0
    shift = min(middle, placed[0] - low) if placed else 0.0
    shift = max(shift, placed[-1] - high) if placed else 0.0
    return [max(y - shift, low) for y in placed]


class Plots(pg.GraphicsLayoutWidget):  # type: ignore[misc]
    """The three plots. `hovered` tells the index of the step under the mouse or the arrow keys, or -1."""

    hovered = Signal(int)
    zoomed = Signal(bool)  # whether the person has zoomed, so that following is off

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(_tr("Latency, cache and memory over time"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.span: Span = "all"
        self.fit_decode = False
        self.lines: Literal["decode", "prefill"] = "decode"
        self._following = True
        self._moving = False
        self._snapshot: Snapshot | None = None
        self._hover = -1
        self.latency = self._plot(0, _tr("latency"), "ms", stretch=5)
        self.occupancy = self._plot(1, _tr("cache"), _tr("tokens"), stretch=3)
        self.memory = self._plot(2, _tr("memory"), "MiB", stretch=2)
        self.memory.setLabel("bottom", _tr("time generating"), units="s")
        self._add_items()
        self.scene().sigMouseMoved.connect(self._on_mouse)
        theme().changed.connect(self.restyle)
        self.restyle()

    def _plot(self, row: int, name: str, unit: str, stretch: int) -> Any:
        plot = self.addPlot(row=row, col=0)
        self.ci.layout.setRowStretchFactor(row, stretch)
        plot.setLabel("left", f"{name} ({unit})")
        plot.getAxis("left").setWidth(AXIS_WIDTH)
        plot.getAxis("left").enableAutoSIPrefix(False)
        plot.getAxis("bottom").enableAutoSIPrefix(False)
        for side in ("left", "bottom"):  # drawing ticks takes longer than drawing data, and they seldom change
            plot.getAxis(side).setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        plot.showGrid(x=False, y=True, alpha=0.15)
        plot.setMenuEnabled(False)
        plot.hideButtons()
        box = plot.getViewBox()
        box.setMouseMode(pg.ViewBox.RectMode)
        box.disableAutoRange()
        box.setLimits(xMin=-0.5, yMin=0)
        box.setDefaultPadding(0.0)
        box.sigRangeChangedManually.connect(self._on_zoom)
        if row:
            plot.setXLink(self.latency)
        if row < 2:
            plot.getAxis("bottom").setStyle(showValues=False)
            plot.getAxis("bottom").setHeight(8)
        return plot

    def _add_items(self) -> None:
        self.blocks = pg.PlotCurveItem(fillLevel=0.0, skipFiniteCheck=True, pen=None)
        self.outlines = pg.PlotCurveItem(skipFiniteCheck=True)
        self.points = Points(4)
        self.percentiles = [pg.InfiniteLine(angle=0) for _ in _DASHES]
        self.labels = [pg.TextItem(anchor=(1, 0.5)) for _ in _DASHES]
        self.area = pg.PlotDataItem(fillLevel=0.0, skipFiniteCheck=True)
        self.capacity = pg.InfiniteLine(angle=0, label="", labelOpts={"position": 0.995, "anchors": [(1, 0), (1, 0)]})
        self.rss = pg.PlotDataItem(skipFiniteCheck=True)
        for curve in (self.area, self.rss):
            curve.setDownsampling(auto=True, method="peak")
            curve.setClipToView(True)
        for item in (self.blocks, self.outlines, self.points, *self.percentiles, *self.labels):
            self.latency.addItem(item, ignoreBounds=True)
        for item in (self.area, self.capacity):
            self.occupancy.addItem(item, ignoreBounds=True)
        self.memory.addItem(self.rss, ignoreBounds=True)
        self.latency.getViewBox().sigRangeChanged.connect(self._place_labels)
        self._cursors = [pg.InfiniteLine(angle=90) for _ in range(3)]
        for plot, cursor in zip((self.latency, self.occupancy, self.memory), self._cursors, strict=True):
            cursor.hide()
            plot.addItem(cursor, ignoreBounds=True)

    def restyle(self) -> None:
        """Takes the theme's colours."""
        color = theme().color
        self.setBackground(color("surface"))
        for plot in (self.latency, self.occupancy, self.memory):
            plot.getViewBox().setBorder(None)
            plot.getViewBox().rbScaleBox.setPen(pg.mkPen(color("accent")))
            plot.getViewBox().rbScaleBox.setBrush(pg.mkBrush(_faded(color("accent"), 40)))
            for side in ("left", "bottom"):
                axis = plot.getAxis(side)
                axis.setPen(pg.mkPen(color("border")))
                axis.setTextPen(pg.mkPen(color("muted")))
                axis.setTickFont(sans_font(11))
                axis.label.setFont(sans_font(12))
        self.outlines.setPen(pg.mkPen(color("prefill")))
        self.blocks.setBrush(pg.mkBrush(_faded(color("prefill"), 110)))
        self.points.set_color(color("decode"))
        self.area.setPen(pg.mkPen(color("cache")))
        self.area.setBrush(pg.mkBrush(_faded(color("cache"), 70)))
        self.rss.setPen(pg.mkPen(color("text")))
        self.rss.setSymbolPen(None)
        self.rss.setSymbolBrush(pg.mkBrush(color("text")))
        self.capacity.setPen(pg.mkPen(color("muted"), style=Qt.PenStyle.DashLine))
        self.capacity.label.setColor(color("text"))
        self.capacity.label.setFont(mono_font(11))
        for line, text, dash in zip(self.percentiles, self.labels, _DASHES, strict=True):
            line.setPen(pg.mkPen(color(self.lines), style=dash))
            text.setColor(color("text"))
            text.fill = pg.mkBrush(color("surface"))
            text.setFont(mono_font(11))
        for cursor in self._cursors:
            cursor.setPen(pg.mkPen(color("accent")))

    def show_lines_of(self, phase: Literal["decode", "prefill"]) -> None:
        """Whose percentiles the lines are."""
        self.lines = phase
        self.restyle()
        if self._snapshot is not None:
            self.show_percentiles(self._snapshot)

    def show_snapshot(self, s: Snapshot) -> None:
        """Draws everything anew; keeps a zoom."""
        self._snapshot = s
        chunks, decode = s.kind == CHUNK, s.kind == DECODE
        x, y = block_outline(s.time_s[chunks], s.latency_ms[chunks])
        self.blocks.setData(x, y)
        self.outlines.setData(x, y, connect=np.resize(np.array([1, 1, 1, 0], np.int32), len(x)))
        self.points.set_points(s.time_s[decode], s.latency_ms[decode])
        self.area.setData(s.time_s, s.used)
        few = "o" if len(s.memory_s) < FEW else None
        self.rss.setData(s.memory_s, s.memory_bytes / MIB, symbol=few, symbolSize=4)
        capacity = float(s.capacity[-1]) if len(s) else 0.0
        self.capacity.setPos(capacity)
        self.capacity.label.setText(_tr("capacity {0}").format(f"{capacity:,.0f}") if capacity else "")
        if self._following:
            self._fit(s)
        if self._hover >= len(s):
            self.hover(-1)

    def show_percentiles(self, s: Snapshot) -> None:
        """Moves the labelled lines."""
        p: Percentiles = s.decode if self.lines == "decode" else s.prefill
        values = (p.p50, p.p95, p.p99)
        names = ("p50", "p95", "p99")
        for line, text, name, value in zip(self.percentiles, self.labels, names, values, strict=True):
            line.setVisible(value is not None)
            text.setVisible(value is not None)
            if value is not None:
                line.setPos(value)
                text.setText(f"{name} {latency(value)}")
        self._place_labels()

    def _place_labels(self, *_: object) -> None:
        """Puts the labels at the right end of their lines, as far apart as they can be read."""
        box = self.latency.getViewBox()
        (_left, right), (bottom, top) = box.viewRange()
        gap = box.viewPixelSize()[1] * LABEL_GAP
        wanted = [line.value() for line in self.percentiles]
        for text, y in zip(self.labels, spread(wanted, gap, bottom + gap / 2, top - gap / 2), strict=True):
            text.setPos(right, y)

    def follow(self) -> None:
        """Leaves a zoom: shows the chosen span again and goes along with what is measured."""
        self._following = True
        self.zoomed.emit(False)
        if self._snapshot is not None:
            self._fit(self._snapshot)

    def _fit(self, s: Snapshot) -> None:
        if not len(s):
            return
        low, high = self._span(s)
        seen = (s.time_s >= low) & (s.time_s <= high)
        wanted = seen & (s.kind == DECODE) if self.fit_decode else seen & ((s.kind == CHUNK) | (s.kind == DECODE))
        top = float(s.latency_ms[wanted].max()) if wanted.any() else 1.0
        length = roomy(high - low)
        if self.span == "recent":
            low = high - length
        self._moving = True
        self.latency.setXRange(low - length * 0.02, low + length * (1 + LABELS))
        self.latency.setYRange(0, roomy(top * 1.1))
        self.occupancy.setYRange(0, max(float(s.capacity[seen].max()) if seen.any() else 1.0, 1.0) * 1.2)
        peak = float(s.memory_bytes.max()) / MIB if len(s.memory_bytes) else 1.0
        self.memory.setYRange(0, roomy(peak * 1.1))
        self._moving = False

    def _span(self, s: Snapshot) -> tuple[float, float]:
        high = float(s.time_s[-1])
        if self.span == "recent":
            return max(0.0, high - RECENT_S), high
        begins = s.time_s - s.latency_ms / 1000
        if self.span == "reply":
            return float(begins[s.generation == s.generation[-1]].min()), high
        return float(min(begins[0], s.time_s[0])), high

    def _on_zoom(self, *_args: object) -> None:
        if not self._moving:
            self._following = False
            self.zoomed.emit(True)

    def mouseDoubleClickEvent(self, event: Any) -> None:
        """Qt's name: a double click leaves the zoom."""
        self.follow()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: arrows go from step to step, + and - zoom, 0 leaves the zoom."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() in steps and self._snapshot is not None and len(self._snapshot):
            start = self._hover if self._hover >= 0 else len(self._snapshot)
            self.hover(max(0, min(start + steps[Qt.Key(event.key())], len(self._snapshot) - 1)))
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._following = False
            factor = 1.25 if event.key() == Qt.Key.Key_Minus else 0.8
            self.latency.getViewBox().scaleBy(x=factor)
            self.zoomed.emit(True)
        elif event.key() == Qt.Key.Key_0:
            self.follow()
        else:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Qt's name: nothing is hovered any more."""
        self.hover(-1)
        super().leaveEvent(event)

    def _on_mouse(self, position: Any) -> None:
        s = self._snapshot
        if s is None or not len(s):
            return
        for plot in (self.latency, self.occupancy, self.memory):
            if plot.getViewBox().sceneBoundingRect().contains(position):
                x = plot.getViewBox().mapSceneToView(position).x()
                self.hover(self.nearest(x))
                return
        self.hover(-1)

    def nearest(self, time_s: float) -> int:
        """The step whose span holds a time: the first that ends at it or later."""
        assert self._snapshot is not None
        index = int(np.searchsorted(self._snapshot.time_s, time_s))
        return min(index, len(self._snapshot) - 1)

    def hover(self, index: int) -> None:
        """Marks a step in all plots; -1 marks none."""
        self._hover = index
        for cursor in self._cursors:
            cursor.setVisible(index >= 0)
            if index >= 0 and self._snapshot is not None:
                cursor.setPos(float(self._snapshot.time_s[index]))
        self.hovered.emit(index)

    def save(self, path: Path) -> None:
        """Writes what is seen as PNG (at twice the size) or SVG, by the ending. Raises OSError."""
        if path.suffix.lower() == ".svg":
            self._save_svg(path)
            return
        image = QImage(self.size() * 2, QImage.Format.Format_ARGB32)
        image.fill(theme().color("surface"))
        image.setDevicePixelRatio(2)
        self._cache_axes(False)
        painter = QPainter(image)
        self.render_on(painter, QRectF(self.rect()))
        painter.end()
        self._cache_axes(True)
        if not image.save(str(path)):
            raise OSError(_tr("{0} cannot be written.").format(path.name))

    def _save_svg(self, path: Path) -> None:
        memory = QBuffer()
        svg = QSvgGenerator()
        svg.setOutputDevice(memory)
        svg.setSize(self.size())
        svg.setViewBox(self.rect())
        svg.setResolution(self.logicalDpiX())
        svg.setTitle(_tr("Joinery measurements"))
        self._cache_axes(False)  # or ticks and names would be pictures in the drawing
        painter = QPainter(svg)
        painter.fillRect(self.rect(), theme().color("surface"))
        painter.setPen(QPen(theme().color("text")))
        self.render_on(painter, QRectF(self.rect()))
        painter.end()
        self._cache_axes(True)
        path.write_bytes(memory.data().data())

    def _cache_axes(self, on: bool) -> None:
        mode = QGraphicsItem.CacheMode.DeviceCoordinateCache if on else QGraphicsItem.CacheMode.NoCache
        for plot in (self.latency, self.occupancy, self.memory):
            for side in ("left", "bottom"):
                plot.getAxis(side).setCacheMode(mode)

    def render_on(self, painter: QPainter, target: QRectF) -> None:
        """Draws the plots on any paint device."""
        self.render(painter, target, self.rect())

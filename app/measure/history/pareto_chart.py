"""The chart of accuracy against speed: one symbol per point, the Pareto front as a line through named points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.measure.charts.chart_description import ChartDescription, range_text
from app.measure.history.latency_curves import CurveStyle
from app.state.run_rows import axis_title, measure_text, spread_text
from app.text.figures import figure_titles
from app.text.translatable import tr
from app.widgets.plain_text import plain_tool_tip
from app.widgets.plot_style import NumberAxis, make_static, restyle_plot
from app.widgets.theme import sans_font, theme
from workflows.measure.pareto_front import ParetoPoint
from workflows.measure.run_measures import Measure

SIZE, RING = 11, 19


class BoundedAxis(NumberAxis):
    """An axis without ticks above `most`: no share is more than 100 %."""

    most = math.inf

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N802
        """The ticks by their spacing (pyqtgraph's name)."""
        return [
            (spacing, [at for at in ticks if at <= self.most]) for spacing, ticks in super().tickValues(low, high, size)
        ]


class ParetoChart(pg.PlotWidget):  # type: ignore[misc]
    """The tool tip describes the point under the mouse; the points of the front have their names beside them."""

    stepped = Signal(int)  # the point that the arrow keys reached

    def __init__(self, parent: QWidget | None = None) -> None:
        self.upright = BoundedAxis("left")
        super().__init__(parent, axisItems={"left": self.upright, "bottom": NumberAxis("bottom")})
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Accuracy against speed; the table beside it lists the same points"))
        self.setMinimumWidth(280)
        make_static(self)
        self._points: list[ParetoPoint] = []
        self._measures: tuple[Measure, Measure] | None = None
        self._marked = set[int]()
        self.description = ChartDescription(self, self._on_step)
        theme().changed.connect(self._draw)
        self._draw()

    def show_points(self, points: Sequence[ParetoPoint], speed: Measure, accuracy: Measure) -> None:
        self._points, self._measures, self._marked = list(points), (speed, accuracy), set()
        self.upright.most = 100.0 if accuracy.unit == "share" else math.inf
        self._draw()
        self.autoRange(padding=0.15)
        self._describe_all(speed, accuracy)

    def _describe_all(self, speed: Measure, accuracy: Measure) -> None:
        medians = ([one.x.median for one in self._points], [one.y.median for one in self._points])
        ranges = [
            range_text(figure_titles()[measure.key], values, partial(measure_text, measure=measure))
            for measure, values in zip((speed, accuracy), medians, strict=True)
        ]
        points = [", ".join(self._describe(one).split("\n")) for one in self._points]
        self.description.show(" ".join(ranges), len(points), points.__getitem__)

    def _on_step(self, index: int) -> None:
        if index >= 0:
            self.stepped.emit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right move from point to point (Qt's name)."""
        if not self.description.handle_key(event):
            super().keyPressEvent(event)

    def mark(self, indices: set[int]) -> None:
        """Highlight the points at these indices."""
        self._marked = indices
        self._draw()

    def _draw(self) -> None:
        restyle_plot(self)
        self.clear()
        if self._measures is None:
            return
        self.setLabel("bottom", axis_title(self._measures[0]))
        self.setLabel("left", axis_title(self._measures[1]))
        at = [self._place(one) for one in self._points]
        front = sorted(place for place, one in zip(at, self._points, strict=True) if one.on_front)
        line = pg.mkPen(theme().color("muted"), style=Qt.PenStyle.DashLine)
        self.plot([x for x, _ in front], [y for _, y in front], pen=line)
        self._spreads()
        self._rings(at)
        styles = [CurveStyle(index) for index in range(len(at))]
        dots = pg.ScatterPlotItem(
            [x for x, _ in at], [y for _, y in at], symbol=[style.shape for style in styles], size=SIZE, pen=None,
            brush=[pg.mkBrush(style.color) for style in styles], hoverable=True,
            data=[plain_tool_tip(self._describe(one)) for one in self._points], tip=lambda x, y, data: data,
        )  # fmt: skip
        self.addItem(dots)  # one item for all: a sweep has hundreds of points
        for one, (x, y) in zip(self._points, at, strict=True):
            if one.on_front:
                self._name(one, x, y, _relative_position(x, [each for each, _ in at]))

    def _place(self, point: ParetoPoint) -> tuple[float, float]:
        assert self._measures is not None
        speed, accuracy = self._measures
        return speed.on_axis(point.x.median), accuracy.on_axis(point.y.median)

    def _spreads(self) -> None:
        """A bar from the lowest to the highest speed of each point, and one for its accuracy."""
        assert self._measures is not None
        speed, accuracy = self._measures
        for x, y in ((one.x, one.y) for one in self._points):
            middle = speed.on_axis(x.median), accuracy.on_axis(y.median)
            across = [speed.on_axis(end) for end in (x.lowest, x.highest)], [middle[1]] * 2
            upright = [middle[0]] * 2, [accuracy.on_axis(end) for end in (y.lowest, y.highest)]
            for bar, spread in ((across, x), (upright, y)):
                if spread.lowest < spread.highest:
                    self.plot(*bar, pen=pg.mkPen(theme().color("muted"), width=1.5))

    def _rings(self, at: Sequence[tuple[float, float]]) -> None:
        ringed = [n for n, one in enumerate(self._points) if one.on_front or n in self._marked]
        brushes = [pg.mkBrush(theme().color("empty")) if n in self._marked else pg.mkBrush(None) for n in ringed]
        xs, ys = [at[n][0] for n in ringed], [at[n][1] for n in ringed]
        self.addItem(pg.ScatterPlotItem(xs, ys, size=RING, pen=pg.mkPen(theme().color("text")), brush=brushes))

    def _name(self, point: ParetoPoint, x: float, y: float, share: float) -> None:
        """The anchor above a point, shifted so that the name stays inside of the plot."""
        text = pg.TextItem(point.name, color=theme().color("text"), anchor=(share, 1.6))
        text.setFont(sans_font(11))
        text.setPos(x, y)
        self.addItem(text, ignoreBounds=True)

    def _describe(self, point: ParetoPoint) -> str:
        assert self._measures is not None
        speed, accuracy = self._measures
        where = tr("on the front") if point.on_front else tr("not on the front")
        return f"{point.name}\n{spread_text(point.x, speed)}, {spread_text(point.y, accuracy)}\n{where}"


def _relative_position(x: float, among: Sequence[float]) -> float:
    """The relative position of `x` between minimum and maximum; 0.5 if they are equal."""
    low, high = min(among), max(among)
    return (x - low) / (high - low) if high > low else 0.5

"""Three live charts of the last two minutes: tokens a second, requests that run and wait, the share of the cache.

ServerModel.sampled ──TrafficCharts.refresh──▶ TrafficChart.show_series: curves over seconds before now
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.measure.charts.chart_description import ChartDescription, range_text
from app.state.server_traffic import WINDOW_S, ServerTraffic, TrafficPoint
from app.text.formatting import format_number, format_percent, format_token_rate
from app.widgets.basics import CardFrame, PillLabel, label
from app.widgets.layouts import STRETCH, hbox
from app.widgets.plot_style import NumberAxis, add_point_line, make_static, move_point_line, restyle_plot
from app.widgets.theme import G, theme

HEIGHT = 17 * G
_TICKS_S = (30, 60, 90)  # before now


@dataclass(frozen=True)
class TrafficSeries:
    """One curve. tint: a colour of the theme. text: of a value."""

    name: str
    tint: str
    value: Callable[[TrafficPoint], float]
    text: Callable[[float], str]
    is_dashed: bool = False


class TrafficChart(CardFrame):
    """One chart. least: the smallest value at the top of its scale."""

    def __init__(
        self,
        title: str,
        series: Sequence[TrafficSeries],
        least: float,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent=parent)
        self.series, self._least = series, least
        self._points = list[tuple[float, list[float]]]()
        pills = [PillLabel(one.name, one.tint) for one in series] if len(series) > 1 else []
        self.plot = _Plot(self)
        self.plot.setAccessibleName(title)
        self.plot.setFixedHeight(HEIGHT)
        self.curves = [pg.PlotCurveItem(skipFiniteCheck=True) for _ in series]
        for curve in self.curves:
            self.plot.addItem(curve, ignoreBounds=True)
        self.plot.setXRange(-WINDOW_S, 0, padding=0)
        self._line = add_point_line(self.plot)
        self.description = ChartDescription(self.plot, self._mark)
        self.body.setContentsMargins(G, G, G, G // 2)
        self.body.setSpacing(G // 2)
        self.body.addLayout(hbox(label(title, "small"), STRETCH, *pills, spacing=G // 2))
        self.body.addWidget(self.plot)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_points(self, points: Sequence[TrafficPoint]) -> None:
        """Draws other points, the newest at the right edge."""
        now = points[-1].at if points else 0.0
        self._points = [(one.at - now, [series.value(one) for series in self.series]) for one in points]
        times = [at for at, _ in self._points]
        columns = [[values[place] for _, values in self._points] for place in range(len(self.series))]
        for curve, column in zip(self.curves, columns, strict=True):
            curve.setData(times, column)
        top = max((max(column, default=0.0) for column in columns), default=0.0)
        self.plot.setYRange(0, max(top * 1.15, self._least), padding=0)
        selected = self.description.index
        parts = map(range_text, [one.name for one in self.series], columns, [one.text for one in self.series])
        self.description.show(" ".join(parts), len(points), self._point_text)
        if 0 <= selected < len(points):
            self.description.select(selected)

    def _point_text(self, index: int) -> str:
        at, values = self._points[index]
        texts = [f"{one.name} {one.text(value)}" for one, value in zip(self.series, values, strict=True)]
        return self.tr("{0} s ago: {1}").format(format_number(-at), ", ".join(texts))

    def _mark(self, index: int) -> None:
        move_point_line(self._line, [(at, 0.0) for at, _ in self._points], index)

    def _restyle(self) -> None:
        restyle_plot(self.plot)
        self._line.setPen(pg.mkPen(theme().color("text")))
        for curve, one in zip(self.curves, self.series, strict=True):
            style = Qt.PenStyle.DashLine if one.is_dashed else Qt.PenStyle.SolidLine
            curve.setPen(pg.mkPen(theme().color(one.tint), width=1.6, style=style))


class _Plot(pg.PlotWidget):  # type: ignore[misc]
    """The plot itself: no mouse, arrow keys from point to point."""

    def __init__(self, owner: TrafficChart) -> None:
        super().__init__(owner, axisItems={"left": NumberAxis("left")})
        self._owner = owner
        make_static(self)
        self.setMouseEnabled(x=False, y=False)
        self.getAxis("left").setWidth(5 * G)
        self.getAxis("bottom").setTicks([[(-at, f"−{at} s") for at in _TICKS_S]])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._owner.description.handle_key(event):
            super().keyPressEvent(event)


class TrafficCharts(QWidget):
    """The three charts side by side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        rate = TrafficSeries(self.tr("tokens a second"), "decode", lambda one: one.tokens_per_s, format_token_rate)
        running = TrafficSeries(self.tr("running"), "decode", lambda one: one.running, format_number)
        waiting = TrafficSeries(self.tr("waiting"), "warning", lambda one: one.waiting, format_number, is_dashed=True)
        cache = TrafficSeries(self.tr("cache in use"), "cache", lambda one: 100 * one.cache_share, _percent)
        self.charts = (
            TrafficChart(self.tr("Tokens a second"), [rate], 10),
            TrafficChart(self.tr("Requests"), [running, waiting], 4),
            TrafficChart(self.tr("Cache in use, %"), [cache], 10),
        )
        hbox(*((chart, 1) for chart in self.charts), parent=self, spacing=G)

    def refresh(self, traffic: ServerTraffic) -> None:
        """Draws the points of a server."""
        points: list[Any] = list(traffic.points)
        for chart in self.charts:
            chart.show_points(points)


def _percent(value: float) -> str:
    return format_percent(value / 100)

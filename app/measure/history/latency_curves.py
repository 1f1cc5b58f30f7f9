"""The latency of each decoded token of several runs in one plot, with a legend.

reports ──show_reports──▶ one slot each: a line and its symbols, created once and reused
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.measure.charts.chart_description import ChartDescription, range_text
from app.text.formatting import format_latency
from app.widgets.layouts import hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.plot_style import NumberAxis, add_point_line, make_static, move_point_line, restyle_plot
from app.widgets.theme import SMALL, G, sans_font, theme
from workflows.measure.run_measures import decode_latencies, run_label
from workflows.wire.reports.runs import RunReport

COLORS = ("accent", "decode", "warning", "prefill", "error", "text")
DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
SYMBOLS = ("o", "s", "t", "d", "+")


@dataclass(frozen=True, slots=True)
class CurveStyle:
    """The style of the run drawn at position `index`."""

    index: int

    @property
    def color(self) -> QColor:
        return theme().color(COLORS[self.index % len(COLORS)])

    @property
    def dash(self) -> Qt.PenStyle:
        return DASHES[self.index % len(DASHES)]

    @property
    def shape(self) -> str:
        """pyqtgraph's name of the symbol."""
        return SYMBOLS[self.index % len(SYMBOLS)]


ROW, SAMPLE, MAX_WIDTH = 22, 32, 336


class CurveLegend(QWidget):
    """As wide as its longest name, at most MAX_WIDTH pixels; the tool tip has the full names."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names: list[str] = []
        self.setFont(sans_font(SMALL))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def show_names(self, names: Sequence[str]) -> None:
        """Show the names of the curves, in their order."""
        self.names = list(names)
        set_tool_tip(self, "\n".join(names))
        self.setAccessibleName(", ".join(names))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        widest = max((self.fontMetrics().horizontalAdvance(name) for name in self.names), default=0)
        return QSize(min(widest + SAMPLE + 3 * G, MAX_WIDTH), ROW * len(self.names))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme().color("surface"))
        room = self.width() - SAMPLE - 2 * G
        for index, name in enumerate(self.names):
            middle = G + ROW * index + ROW / 2
            self._sample(painter, CurveStyle(index), middle)
            painter.setPen(theme().color("text"))
            text = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QPointF(SAMPLE + G, middle + self.fontMetrics().ascent() / 2 - 1), text)
        painter.end()

    def _sample(self, painter: QPainter, style: CurveStyle, middle: float) -> None:
        painter.setPen(QPen(style.color, 1.3, style.dash))
        painter.drawLine(QPointF(0, middle), QPointF(SAMPLE, middle))
        painter.save()
        painter.translate(SAMPLE / 2, middle)
        painter.scale(8, 8)
        painter.fillPath(Symbols[style.shape], pg.mkBrush(style.color))
        painter.restore()


MARKS = 12
"""The approximate number of symbols along a curve."""


class LatencyCurves(QWidget):
    """One line per run, named in the legend. Drag and wheel zoom; a double click or 0 shows everything."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = _Plot(self)
        self.plot.setLabel("left", self.tr("latency (ms)"))
        self.plot.setLabel("bottom", self.tr("decoded token"))
        self.plot.setAccessibleName(self.tr("Latency of each token of the selected runs"))
        self.legend = CurveLegend()
        self.slots = list[tuple[Any, Any]]()
        self._series: list[list[float]] = []
        self.point_line = add_point_line(self.plot)
        self.description = ChartDescription(self.plot, self._mark)
        hbox((self.plot, 1), self.legend, parent=self, spacing=0)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_reports(self, reports: Sequence[RunReport]) -> None:
        """Draw the reports; one without a decoded token has no line."""
        timed = [one for one in reports if decode_latencies(one)]
        self._series = [decode_latencies(one) for one in timed]
        while len(self.slots) < len(timed):
            self._add_slot()
        for index, (line, marks) in enumerate(self.slots):
            values = self._series[index] if index < len(timed) else []
            at = list(range(0, len(values), max(len(values) // MARKS, 1)))
            line.setData(list(range(len(values))), values)
            marks.setData(at, [values[n] for n in at])
        self.legend.show_names([run_label(one.run) for one in timed])
        ranges = map(range_text, self.legend.names, self._series, [format_latency] * len(timed))
        self.description.show(" ".join(ranges), max(map(len, self._series), default=0), self._token_text)
        self.fit()

    def _token_text(self, index: int) -> str:
        named = zip(self.legend.names, self._series, strict=True)
        parts = [f"{name} {format_latency(values[index])}" for name, values in named if index < len(values)]
        return self.tr("token {0}: {1}").format(index, ", ".join(parts))

    def _mark(self, index: int) -> None:
        move_point_line(self.point_line, [(float(index), 0.0)], min(index, 0))

    def fit(self) -> None:
        """Show everything, from 0 ms."""
        top = max(map(max, self._series), default=1.0)
        longest = max(map(len, self._series), default=1)
        self.plot.setXRange(0, max(longest - 1, 1), padding=0.02)
        self.plot.setYRange(0, top * 1.1 or 1.0, padding=0)

    def _add_slot(self) -> None:
        line, marks = pg.PlotCurveItem(skipFiniteCheck=True), pg.ScatterPlotItem(pen=None, size=8)
        for item in (line, marks):
            self.plot.addItem(item, ignoreBounds=True)
        self.slots.append((line, marks))
        self._apply_style(len(self.slots) - 1)

    def _restyle(self) -> None:
        restyle_plot(self.plot)
        self.point_line.setPen(pg.mkPen(theme().color("text")))
        for index in range(len(self.slots)):
            self._apply_style(index)
        self.legend.update()

    def _apply_style(self, index: int) -> None:
        style, (line, marks) = CurveStyle(index), self.slots[index]
        line.setPen(pg.mkPen(style.color, width=1.3, style=style.dash))
        marks.setSymbol(style.shape)
        marks.setBrush(pg.mkBrush(style.color))


class _Plot(pg.PlotWidget):  # type: ignore[misc]
    """The plot itself."""

    def __init__(self, owner: LatencyCurves) -> None:
        super().__init__(owner, axisItems={side: NumberAxis(side) for side in ("left", "bottom")})
        self._owner = owner
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        make_static(self)

    def mouseDoubleClickEvent(self, event: Any) -> None:
        self._owner.fit()
        event.accept()

    def keyPressEvent(self, event: Any) -> None:
        """Zoom along the tokens with + and -; 0 shows everything; Left and Right go from token to token (Qt's name)."""
        key = event.key()
        if key == Qt.Key.Key_0:
            self._owner.fit()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.getViewBox().scaleBy(x=1.25 if key == Qt.Key.Key_Minus else 0.8)
        elif not self._owner.description.handle_key(event):
            super().keyPressEvent(event)

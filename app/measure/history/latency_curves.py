"""The latency of each decoded token of several runs in one plot, with a legend.

reports ──show_reports──▶ one slot each: a line and its symbols, created once and reused
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.measure.history.curve_legend import CurveLegend
from app.measure.history.curve_style import CurveStyle
from app.widgets.plot_style import make_static, restyle_plot
from app.widgets.theme import theme
from workflows.measure.run_measures import decode_latencies, run_label
from workflows.wire.reports.runs import RunReport

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
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.plot, 1)
        row.addWidget(self.legend)
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
        self.fit()

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
        super().__init__(owner)
        self._owner = owner
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        make_static(self)

    def mouseDoubleClickEvent(self, event: Any) -> None:
        """Show everything (Qt's name)."""
        self._owner.fit()
        event.accept()

    def keyPressEvent(self, event: Any) -> None:
        """Zoom along the tokens with + and -; 0 shows everything (Qt's name)."""
        key = event.key()
        if key == Qt.Key.Key_0:
            self._owner.fit()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.getViewBox().scaleBy(x=1.25 if key == Qt.Key.Key_Minus else 0.8)
        else:
            super().keyPressEvent(event)

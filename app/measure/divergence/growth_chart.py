"""The growth of the difference along the depth on a log scale; the first divergent node is marked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.measure.charts.chart_description import ChartDescription, range_text
from app.text.formatting import format_figures
from app.text.translatable import tr
from app.widgets.plot_style import NumberAxis, add_point_line, make_static, move_point_line, restyle_plot
from app.widgets.theme import theme
from workflows.wire.reports.divergence import DivergenceReport

FLOOR = 1e-9
"""The value drawn for a node without any difference."""
MAX_LABELS = 6
"""The most labels of the left axis: more would overlap at its smallest height."""
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_ticks(low: float, high: float) -> list[tuple[int, str]]:
    """(exponent, label) of powers of ten around two positive values, at most MAX_LABELS."""
    first, last = math.floor(math.log10(low)), max(math.ceil(math.log10(high)), math.floor(math.log10(low)) + 1)
    step = math.ceil((last - first + 1) / MAX_LABELS)
    return [(power, f"10{str(power).translate(SUPERSCRIPTS)}") for power in range(first, last + 1, step)]


class GrowthChart(pg.PlotWidget):  # type: ignore[misc]
    """Nodes from left to right in the order of execution; those that differ by themselves are dots."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, axisItems={"bottom": NumberAxis("bottom")})
        self.setAccessibleName(tr("Growth of the difference along the depth"))
        make_static(self, upright=False)
        self.setMouseEnabled(x=False, y=False)
        self.setLogMode(y=True)
        self.setLabel("left", tr("largest difference"))
        self.setLabel("bottom", tr("depth, in nodes"))
        self.line = self.plot([], [])
        self.dots = self.plot([], [], pen=None, symbol="o")
        self.first = pg.InfiniteLine(angle=90, movable=False)
        self.first.setZValue(-1)
        self.addItem(self.first)
        self.point_line = add_point_line(self)
        self.description = ChartDescription(self, lambda index: move_point_line(self.point_line, self._points, index))
        self._points: list[tuple[float, float]] = []
        theme().changed.connect(self.restyle)
        self.restyle()

    def show_report(self, report: DivergenceReport) -> None:
        """Show another search; a difference that is not a number is not drawn."""
        self._points = points = [(float(depth), max(gap, FLOOR)) for depth, gap in report.curve if gap is not None]
        self.line.setData([x for x, _ in points], [y for _, y in points])
        parted = {node.depth for node in report.nodes if node.parts}
        marked = [(x, y) for x, y in points if x in parted]
        self.dots.setData([x for x, _ in marked], [y for _, y in marked])
        self.first.setVisible(report.first is not None)
        if report.first is not None:
            self.first.setValue(report.first.depth)
        self.setXRange(0, len(report.curve) + 1, padding=0)
        gaps = [gap for _, gap in points]
        ticks = power_ticks(min(gaps, default=FLOOR), max(gaps, default=1.0))
        self.getAxis("left").setTicks([ticks])
        self.setYRange(ticks[0][0], max(ticks[-1][0], math.log10(max(gaps, default=1.0))), padding=0.05)
        self._describe(report, gaps)

    def _describe(self, report: DivergenceReport, gaps: Sequence[float]) -> None:
        names = {node.depth: node.node for node in report.nodes}
        summary = range_text(tr("largest difference"), gaps, "{:.3g}".format)
        if report.first is not None:
            summary += " " + tr("B first differs at depth {0}.").format(report.first.depth)

        def point_text(index: int) -> str:
            depth, gap = self._points[index]
            return tr("depth {0}, {1}: {2}").format(int(depth), names.get(int(depth), ""), format_figures(gap, 3))

        self.description.show(summary, len(self._points), point_text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right move from node to node (Qt's name)."""
        if not self.description.handle_key(event):
            super().keyPressEvent(event)

    def restyle(self) -> None:
        color = theme().color
        restyle_plot(self)
        self.line.setPen(pg.mkPen(color("accent"), width=1.5))
        self.dots.setSymbolPen(None)
        self.dots.setSymbolBrush(pg.mkBrush(color("error")))
        self.dots.setSymbolSize(7)
        self.point_line.setPen(pg.mkPen(color("text")))
        self.first.setPen(pg.mkPen(color("error"), style=Qt.PenStyle.DashLine))

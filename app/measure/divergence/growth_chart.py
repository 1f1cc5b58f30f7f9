"""The growth of the difference along the depth on a log scale; the first divergent node is marked."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.text.translatable import tr
from app.widgets.plot_style import make_static, restyle_plot
from app.widgets.theme import theme
from workflows.wire.reports.divergence import DivergenceReport

FLOOR = 1e-9
"""The value drawn for a node without any difference."""


class GrowthChart(pg.PlotWidget):  # type: ignore[misc]
    """Nodes from left to right in the order of execution; those that differ by themselves are dots."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        theme().changed.connect(self.restyle)
        self.restyle()

    def show_report(self, report: DivergenceReport) -> None:
        """Show another search; a difference that is not a number is not drawn."""
        points = [(depth, max(gap, FLOOR)) for depth, gap in report.curve if gap is not None]
        self.line.setData([x for x, _ in points], [y for _, y in points])
        parted = {node.depth for node in report.nodes if node.parts}
        marked = [(x, y) for x, y in points if x in parted]
        self.dots.setData([x for x, _ in marked], [y for _, y in marked])
        self.first.setVisible(report.first is not None)
        if report.first is not None:
            self.first.setValue(report.first.depth)
        self.setXRange(0, len(report.curve) + 1, padding=0)
        self.getPlotItem().enableAutoRange("y")

    def restyle(self) -> None:
        color = theme().color
        restyle_plot(self)
        self.line.setPen(pg.mkPen(color("accent"), width=1.5))
        self.dots.setSymbolPen(None)
        self.dots.setSymbolBrush(pg.mkBrush(color("error")))
        self.dots.setSymbolSize(7)
        self.first.setPen(pg.mkPen(color("error"), style=Qt.PenStyle.DashLine))

"""Builds × devices × precisions: accuracy against speed with the Pareto front, as a chart and as a table.

shown runs ──two choosers──▶ scatter() ──▶ ParetoChart, a table with "on the front", and what is left out
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.state.run_rows import axis_title, spread_text
from app.text.figures import figure_titles
from app.text.formatting import pluralize
from app.widgets import label
from app.widgets.fields import combo_box
from app.widgets.layouts import hbox, splitter, vbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.measure.pareto_front import ParetoScatter, scatter
from workflows.measure.run_measures import ACCURACY, MEASURES, SPEED, Measure
from workflows.measure.run_measures import run_label as name_of
from workflows.wire.reports.runs import RunRecord

if TYPE_CHECKING:
    from app.measure.history.pareto_chart import ParetoChart


class AccuracySpeedView(QWidget):
    """The runs that pass the table's filter."""

    opened = Signal(object)  # the run that gives a point its speed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: list[RunRecord] = []
        self.scatter_data = ParetoScatter([], [])
        self.dots: ParetoChart | None = None
        self.speed = self._chooser(self.tr("Speed"), SPEED)
        self.accuracy = self._chooser(self.tr("Accuracy"), ACCURACY)
        self.status = label("", "muted", wrap=True)
        self.table = ReadOnlyTable(
            TextTableModel(["", "", "", self.tr("on the front")], numbers=(1, 2)), self.tr("Points")
        )
        self.table.setMinimumWidth(46 * G)
        self.table.activated.connect(lambda index: self.opened.emit(self.scatter_data.points[index.row()].speed))
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._mark())
        self._lay_out()

    def _chooser(self, name: str, keys: Sequence[str]) -> QComboBox:
        box = combo_box(name, ((axis_title(MEASURES[key]), key) for key in keys))
        box.currentIndexChanged.connect(lambda _: self._draw())
        return box

    def _lay_out(self) -> None:
        accuracy, against = label(self.tr("Accuracy"), "muted"), label(self.tr("against"), "muted")
        top = hbox(accuracy, self.accuracy, against, self.speed, (self.status, 1))
        self.split = splitter(Qt.Orientation.Horizontal, self.table)
        vbox(top, (self.split, 1), parent=self, margins=(0, G, 0, 0))

    def show_runs(self, runs: Sequence[RunRecord]) -> None:
        """Show the points of other runs."""
        self._runs = list(runs)
        self._draw()

    def _draw(self) -> None:
        speed, accuracy = MEASURES[self.speed.currentData()], MEASURES[self.accuracy.currentData()]
        self.scatter_data = scatter(self._runs, speed, accuracy)
        names = figure_titles()
        self.table.rows.headings[:3] = [self.tr("bundle"), names[speed.key], names[accuracy.key]]
        self.table.rows.fill(
            [
                (
                    one.name,
                    spread_text(one.x, speed),
                    spread_text(one.y, accuracy),
                    self.tr("yes") if one.on_front else "–",
                )
                for one in self.scatter_data.points
            ]
        )
        self.status.setText(self._status_text(speed, accuracy))
        if self.dots is None and self.scatter_data.points:
            QTimer.singleShot(0, self, self._make_dots)  # creating both in one turn would cause a visible delay
        elif self.dots is not None:
            self.dots.show_points(self.scatter_data.points, speed, accuracy)

    def _make_dots(self) -> None:
        from app.measure.history.pareto_chart import ParetoChart  # imports pyqtgraph

        if self.dots is None:
            self.dots = ParetoChart()
            self.dots.stepped.connect(self.table.selectRow)
            self.split.insertWidget(0, self.dots)
            self.split.setSizes([500, 500])
            QTimer.singleShot(0, self, self._draw)

    def _status_text(self, speed: Measure, accuracy: Measure) -> str:
        """The number of points, and why runs are left out."""
        if not self.scatter_data.points:
            return self.tr("No points: measure the speed of a bundle and compare its accuracy first.")
        if not self.scatter_data.left_out:
            return ""
        titles_of = figure_titles()
        first = [
            self.tr("{0} has no {1}").format(name_of(run), titles_of[key])
            for run, key in self.scatter_data.left_out[:2]
        ]
        count = len(self.scatter_data.left_out)
        text = pluralize(count, self.tr("1 run is not shown:"), self.tr("{0} runs are not shown:"))
        return f"{text} {'; '.join(first)}{' …' if count > len(first) else ''}"

    def _mark(self) -> None:
        if self.dots is not None:
            self.dots.mark({index.row() for index in self.table.selectionModel().selectedRows()})

"""The views under the table of runs: comparison, latency curves, accuracy against speed, one run.

selected, shown ──show_runs──▶ the visible tab; the other tabs when they are shown
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QTabWidget, QWidget

from app.measure.history.accuracy_speed import AccuracySpeedView
from app.measure.history.run_comparison import MAX_RUNS, RunComparison
from app.measure.history.run_details import RunDetails
from app.state.run_history import HistoryModel
from app.widgets import label
from workflows.measure.run_measures import decode_latencies
from workflows.wire.reports.runs import RunRecord, RunReport

if TYPE_CHECKING:
    from app.measure.history.latency_curves import LatencyCurves


class RunViews(QTabWidget):
    """Views of the selected runs and of the runs that the table shows."""

    opened = Signal(object)  # the run of a point

    def __init__(self, model: HistoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._selected: list[RunRecord] = []
        self._shown: list[RunRecord] = []
        self.compare = RunComparison()
        self.curves: LatencyCurves | None = None
        self.hint = label("", "muted", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.lines = QStackedWidget()
        self.lines.addWidget(self.hint)
        self.scatter = AccuracySpeedView()
        self.scatter.opened.connect(self.opened)
        self.details = RunDetails(model)
        self.setDocumentMode(True)
        self.tabBar().setAccessibleName(self.tr("Views of the selected runs"))
        self.addTab(self.compare, self.tr("Side by side"))
        self.addTab(self.lines, self.tr("Curves"))
        self.addTab(self.scatter, self.tr("Accuracy and speed"))
        self.addTab(self.details, self.tr("One run"))
        self.currentChanged.connect(lambda _: self._refresh())

    def show_runs(self, selected: Sequence[RunRecord], shown: Sequence[RunRecord]) -> None:
        """Show other runs. selected: those selected in the table; shown: all that pass its filter."""
        self._selected, self._shown = list(selected), list(shown)
        self._refresh()

    def show_run(self, run: RunRecord) -> None:
        """Show the details of a run."""
        self.details.show_run(run)
        self.setCurrentWidget(self.details)

    def _refresh(self) -> None:
        front = self.currentWidget()
        if front is self.compare:
            self.compare.show_runs(self._selected)
        elif front is self.scatter:
            self.scatter.show_runs(self._shown)
        elif front is self.lines:
            self._model.steps(self._selected[:MAX_RUNS], self._draw)

    def _draw(self, reports: list[RunReport]) -> None:
        if [one.run for one in reports] != self._selected[:MAX_RUNS]:
            return  # the selection changed in the meantime
        timed = [one for one in reports if decode_latencies(one)]
        if not timed:
            self.hint.setText(
                self.tr("Select generations: their tokens' latencies are drawn over each other here.")
                if not reports
                else self.tr("The selected runs kept no steps: generations alone do.")
            )
            self.lines.setCurrentIndex(0)
            return
        if self.curves is None:
            from app.measure.history.latency_curves import LatencyCurves  # imports pyqtgraph

            self.curves = LatencyCurves()
            self.lines.addWidget(self.curves)
            QTimer.singleShot(0, self, self._refresh)  # creating and filling it in one turn would cause a visible delay
            return
        self.curves.show_reports(timed)
        self.lines.setCurrentWidget(self.curves)

"""The views under the table of runs: comparison, latency curves, accuracy against speed, one run.

selected, shown ──show_runs──▶ the visible tab; the other tabs when they are shown
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHeaderView, QPlainTextEdit, QTabWidget, QWidget

from app.measure.history.accuracy_speed import AccuracySpeedView
from app.state.run_history import HistoryModel
from app.state.run_rows import COLUMNS, OWNER, WHERE, kind_title, measure_text, run_row, titles
from app.text.formatting import format_local_time, format_milliseconds, format_number
from app.text.translatable import tr
from app.widgets import button, label
from app.widgets.layouts import hbox, splitter, stack, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G, mono_font
from workflows.measure.run_measures import (
    MEASURES,
    best_indices,
    bundle_name,
    decode_latencies,
    drafts_of,
    measure_value,
    run_label,
)
from workflows.wire.reports.runs import RunRecord, RunReport

if TYPE_CHECKING:
    from app.measure.history.latency_curves import LatencyCurves


MAX_RUNS = 8
"""The most runs compared at once; more cannot be told apart."""


class ComparisonModel(TextTableModel):
    """A table model with changing headings."""

    def show_columns(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.beginResetModel()
        self.headings, self._rows, self._tints = list(headings), list(rows), []
        self.endResetModel()


class RunComparison(ReadOnlyTable):
    """One column per run, one row per figure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.columns = ComparisonModel([""])
        super().__init__(self.columns, tr("Runs side by side"), parent=parent)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)

    def show_runs(self, runs: Sequence[RunRecord]) -> None:
        """Compare at most MAX_RUNS runs."""
        shown = list(runs)[:MAX_RUNS]
        hint = [[tr("Select runs in the table to see them side by side.")]]
        self.columns.show_columns(["", *map(run_label, shown)], comparison_rows(shown) if shown else hint)
        letter = self.fontMetrics().averageCharWidth()
        for column, heading in enumerate(self.columns.headings):
            first = 16 if shown else len(hint[0][0])
            self.setColumnWidth(column, letter * (len(heading) + 4 if column else first) + 2 * G)


def comparison_rows(runs: Sequence[RunRecord]) -> list[list[str]]:
    """The identity rows, and a row for each measure that one of the runs has."""
    names, lines = titles(), [run_row(run) for run in runs]
    rows = [[names[key], *(line.texts[COLUMNS.index(key)] for line in lines)] for key in _identity_rows(runs)]
    for measure in MEASURES.values():
        values = [measure_value(run, measure) for run in runs]
        if any(one is not None for one in values):
            top = best_indices(values, measure.better)
            texts = [measure_text(one, measure) for one in values]
            cells = [tr("{0} (best)").format(text) if at in top else text for at, text in enumerate(texts)]
            rows.append([names[measure.key], *cells])
    against = [run.figures.get("against") for run in runs]
    if any(against):
        rows.append([tr("evaluated against"), *(str(one or "–") for one in against)])
    return rows + [[names[key], *(line.texts[COLUMNS.index(key)] for line in lines)] for key in WHERE]


def _identity_rows(runs: Sequence[RunRecord]) -> list[str]:
    """The rows that identify the runs; drafts only if one ran with some."""
    return [key for key in OWNER if key != "drafts" or any(map(drafts_of, runs))]


def run_figures(run: RunRecord) -> list[list[str]]:
    """Everything saved about a run, with the names that the command line prints."""
    names, line = titles(), run_row(run)
    rows = [[names[key], line.texts[COLUMNS.index(key)]] for key in (*_identity_rows([run]), *WHERE)]
    rows += [[tr("folder"), run.bundle], [tr("digest"), run.digest]]
    return rows + [[name, "–" if figure is None else str(figure)] for name, figure in run.figures.items()]


class RunDetails(QWidget):
    """Reads the steps and the recipe when a run is shown."""

    open_requested = Signal(str)  # the bundle's folder
    report_requested = Signal(str)  # the bundle's folder

    def __init__(self, model: HistoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.run: RunRecord | None = None
        self.title = label(self.tr("Double-click a run, or press Enter, to see its details."), "muted", wrap=True)
        self.open = button(self.tr("Open bundle"), "folder", clicked=lambda: self._emit(self.open_requested))
        self.report = button(
            self.tr("Report on the bundle …"), "save", clicked=lambda: self._emit(self.report_requested)
        )
        self.figures = ReadOnlyTable(
            TextTableModel([self.tr("figure"), self.tr("value")]), self.tr("Figures of the run"), stretch=1
        )
        headings = [self.tr("step"), self.tr("phase"), self.tr("latency"), self.tr("cache")]
        self.steps = ReadOnlyTable(TextTableModel(headings, numbers=(0, 2, 3)), self.tr("Steps of the run"), stretch=1)
        self.recipe = QPlainTextEdit()
        self.recipe.setReadOnly(True)
        self.recipe.setFont(mono_font())
        self.recipe.setAccessibleName(self.tr("Recipe of the bundle"))
        self._lay_out()
        self._enable()

    def _lay_out(self) -> None:
        top = hbox((self.title, 1), self.open, self.report, spacing=None)
        parts = (self.figures, self.steps, self.recipe)
        for part in parts:
            part.setMinimumWidth(24 * G)
        vbox(top, (splitter(Qt.Orientation.Horizontal, *parts), 1), parent=self, margins=(0, G, 0, 0))

    def show_run(self, run: RunRecord) -> None:
        self.run = run
        template = self.tr("{0}: {1} of {2}")
        self.title.setText(template.format(bundle_name(run), kind_title(run.kind), format_local_time(run.time)))
        self.figures.rows.fill(run_figures(run))
        self.steps.rows.fill([])
        self.recipe.setPlainText(self.tr("Reading …"))
        self._model.steps([run], self._show_steps)
        self._model.recipe(run, lambda text: self._show_recipe(run, text))
        self._enable()

    def _enable(self) -> None:
        """Disable the buttons if the bundle's folder does not exist."""
        exists = self.run is not None and Path(self.run.bundle).is_dir()
        for part in (self.open, self.report):
            part.setEnabled(exists)
            set_tool_tip(
                part, "" if exists or self.run is None else self.tr("The folder no longer contains this bundle.")
            )

    def _emit(self, signal: object) -> None:
        if self.run is not None:
            signal.emit(self.run.bundle)  # type: ignore[attr-defined]  # a bound signal

    def _show_steps(self, reports: list[RunReport]) -> None:
        report = reports[0]
        if report.run is self.run:
            self.steps.rows.fill(
                [
                    (format_number(one.step), one.phase, format_milliseconds(one.latency_ms),
                     f"{format_number(one.used)} / {format_number(one.capacity)}")
                    for one in report.steps
                ]
            )  # fmt: skip

    def _show_recipe(self, run: RunRecord, text: str | None) -> None:
        if run is self.run:
            unknown = self.tr("The folder no longer contains the bundle of this run, so its recipe is unknown.")
            self.recipe.setPlainText(unknown if text is None else text or self.tr("This bundle has no recipe."))


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
        self.lines = stack(self.hint)
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
                self.tr("Select runs of the kind generation to see the latencies of their tokens.")
                if not reports
                else self.tr("The selected runs have no steps: only generations save them.")
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

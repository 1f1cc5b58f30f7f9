"""The views under the table of runs: comparison, latency curves, accuracy against speed, one run.

selected, shown ──show_runs──▶ the visible tab; the other tabs when they are shown
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHeaderView, QPlainTextEdit, QTabWidget, QWidget

from app.measure.history.accuracy_speed import AccuracySpeedView
from app.state.run_history import HistoryModel
from app.state.run_rows import (
    COLUMNS,
    IDENTITY,
    WHERE,
    Item,
    kind_title,
    run_row,
    spread_text,
    titles,
    work_text,
)
from app.text.figures import figure_definition
from app.text.formatting import format_local_time, format_milliseconds, format_number
from app.text.translatable import tr
from app.widgets import button, label
from app.widgets.layouts import hbox, splitter, stack, vbox
from app.widgets.plain_text import plain_tool_tip, set_tool_tip
from app.widgets.tables import Index, ReadOnlyTable, TextTableModel
from app.widgets.theme import G, mono_font
from workflows.measure.run_measures import (
    MEASURES,
    Measure,
    best_indices,
    bundle_name,
    decode_latencies,
    drafts_of,
    is_equal_work,
)
from workflows.wire.reports.runs import RunRecord, RunReport

if TYPE_CHECKING:
    from app.measure.history.latency_curves import LatencyCurves


MAX_RUNS = 8
"""The most runs compared at once; more cannot be told apart."""


class ComparisonModel(TextTableModel):
    """A table model with changing headings; the tool tip of a figure's name is its definition."""

    def show_columns(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.beginResetModel()
        self.headings, self._rows, self._tints = list(headings), list(rows), []
        self.endResetModel()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The data of a cell (Qt's name)."""
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 0:
            keys = {name: key for key, name in titles().items()}
            return plain_tool_tip(figure_definition(keys.get(self._rows[index.row()][0], "")))
        return super().data(index, role)


class RunComparison(ReadOnlyTable):
    """One column per run or group of runs, one row per figure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.columns = ComparisonModel([""])
        super().__init__(self.columns, tr("Runs side by side"), parent=parent)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)

    def show_items(self, items: Sequence[Item]) -> None:
        """Compare at most MAX_RUNS runs or groups."""
        shown = list(items)[:MAX_RUNS]
        hint = [[tr("Select runs in the table to see them side by side.")]]
        headings = ["", *(item.label for item in shown)]
        self.columns.show_columns(headings, comparison_rows(shown) if shown else hint)
        letter = self.fontMetrics().averageCharWidth()
        for column, heading in enumerate(self.columns.headings):
            first = 16 if shown else len(hint[0][0])
            self.setColumnWidth(column, letter * (len(heading) + 4 if column else first) + 2 * G)


def comparison_rows(items: Sequence[Item]) -> list[list[str]]:
    """The identity rows, and a row for each measure that one of the runs has."""
    runs = [run for item in items for run in item.runs]
    rows = _texts_of(items, _identity_rows(runs))
    rows.append([tr("work"), *(work_text(item.runs) for item in items)])
    rows += [_measure_row(items, measure, is_equal_work(runs, measure)) for measure in MEASURES.values()]
    rows.append([tr("evaluated against"), *(", ".join(_references(item)) or "–" for item in items)])
    return [row for row in rows if set(row[1:]) - {"", "–"}] + _texts_of(items, WHERE)


def _measure_row(items: Sequence[Item], measure: Measure, equal_work: bool) -> list[str]:
    """The medians of a measure, with the best one marked where all are of equal work."""
    spreads = [item.spread(measure) for item in items]
    medians = [None if spread is None else spread.median for spread in spreads]
    top = best_indices(medians, measure.better) if equal_work else set()
    texts = ["–" if spread is None else spread_text(spread, measure) for spread in spreads]
    cells = [tr("{0} (best)").format(text) if at in top else text for at, text in enumerate(texts)]
    return [titles()[measure.key], *cells]


def _references(item: Item) -> list[str]:
    """What the runs were evaluated against."""
    return list(dict.fromkeys(str(run.figures["against"]) for run in item.runs if run.figures.get("against")))


def _texts_of(items: Sequence[Item], keys: Sequence[str]) -> list[list[str]]:
    """A row for each of these columns of the table."""
    return [[titles()[key], *(item.texts[COLUMNS.index(key)] for item in items)] for key in keys]


def _identity_rows(runs: Sequence[RunRecord]) -> list[str]:
    """The rows that identify the runs; drafts only if one ran with some."""
    return [key for key in IDENTITY if key != "drafts" or any(map(drafts_of, runs))]


def run_figures(run: RunRecord) -> list[list[str]]:
    """Everything saved about a run, with the names that the command line prints."""
    rows = _texts_of([run_row(run)], (*_identity_rows([run]), *WHERE))
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
        self._selected: list[Item] = []
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

    def show_items(self, selected: Sequence[Item], shown: Sequence[RunRecord]) -> None:
        """Show other runs. selected: those selected in the table, or their groups; shown: all that pass its filter."""
        self._selected, self._shown = list(selected), list(shown)
        self._refresh()

    @property
    def _generations(self) -> list[RunRecord]:
        """The selected runs with steps, without duplicates, at most MAX_RUNS."""
        runs = {run.id: run for item in self._selected for run in item.runs if run.kind == "generate"}
        return list(runs.values())[:MAX_RUNS]

    def show_run(self, run: RunRecord) -> None:
        self.details.show_run(run)
        self.setCurrentWidget(self.details)

    def _refresh(self) -> None:
        front = self.currentWidget()
        if front is self.compare:
            self.compare.show_items(self._selected)
        elif front is self.scatter:
            self.scatter.show_runs(self._shown)
        elif front is self.lines:
            self._model.steps(self._generations, self._draw)

    def _draw(self, reports: list[RunReport]) -> None:
        if [one.run for one in reports] != self._generations:
            return  # the selection changed in the meantime
        timed = [one for one in reports if decode_latencies(one)]
        if not timed:
            self.hint.setText(
                self.tr("The selected runs have no steps: only generations save them.")
                if self._selected
                else self.tr("Select runs of the kind generation to see the latencies of their tokens.")
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

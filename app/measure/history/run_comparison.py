"""Runs side by side: their identity, then every measure, with the best of a row marked in words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QHeaderView, QWidget

from app.state.run_rows import COLUMNS, OWNER, WHERE, measure_text, run_row, titles
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.measure.run_measures import MEASURES, best_indices, drafts_of, measure_value, run_label
from workflows.wire.reports.runs import RunRecord

MAX_RUNS = 8
"""The most runs compared at once; more cannot be told apart."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("Compare", text)


class ComparisonModel(TextTableModel):
    """A table model with changing headings."""

    def show_columns(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Replace the columns."""
        self.beginResetModel()
        self.headings, self._rows, self._tints = list(headings), list(rows), []
        self.endResetModel()


class RunComparison(ReadOnlyTable):
    """One column per run, one row per figure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.columns = ComparisonModel([""])
        super().__init__(self.columns, _tr("Runs side by side"), parent=parent)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)

    def show_runs(self, runs: Sequence[RunRecord]) -> None:
        """Compare at most MAX_RUNS runs."""
        shown = list(runs)[:MAX_RUNS]
        hint = [[_tr("Select runs in the table to see them side by side.")]]
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
            cells = [_tr("{0} (best)").format(text) if at in top else text for at, text in enumerate(texts)]
            rows.append([names[measure.key], *cells])
    against = [run.figures.get("against") for run in runs]
    if any(against):
        rows.append([_tr("evaluated against"), *(str(one or "–") for one in against)])
    return rows + [[names[key], *(line.texts[COLUMNS.index(key)] for line in lines)] for key in WHERE]


def _identity_rows(runs: Sequence[RunRecord]) -> list[str]:
    """The rows that identify the runs; drafts only if one ran with some."""
    return [key for key in OWNER if key != "drafts" or any(map(drafts_of, runs))]


def run_figures(run: RunRecord) -> list[list[str]]:
    """Everything saved about a run, with the names that the command line prints."""
    names, line = titles(), run_row(run)
    rows = [[names[key], line.texts[COLUMNS.index(key)]] for key in (*_identity_rows([run]), *WHERE)]
    rows += [[_tr("folder"), run.bundle], [_tr("digest"), run.digest]]
    return rows + [[name, "–" if figure is None else str(figure)] for name, figure in run.figures.items()]

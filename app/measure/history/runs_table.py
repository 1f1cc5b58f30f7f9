"""The table of runs: filtered, sorted and selected; the model sorts its rows itself.

lines ──text, choices──▶ shown ──column, order──▶ rows

A thousand rows take a few milliseconds; a proxy model would make one Python call per comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from app.state.run_rows import COLUMNS, RunRow, titles
from app.widgets.tables import ReadOnlyTable, TextTableModel
from workflows.measure.run_measures import MEASURES
from workflows.wire.reports.runs import RunRecord

NUMBERS = tuple(COLUMNS.index(key) for key in MEASURES)
WIDTHS = {"time": 20, "bundle": 30, "machine": 40, "version": 24, "memory": 15, "resident": 18}
FIGURE = 12
"""The initial width of a column in characters, unless WIDTHS has another."""


class RunsTableModel(TextTableModel):
    """The filtered lines in the order of one column; unknown values are last in both directions."""

    def __init__(self) -> None:
        names = titles()
        super().__init__([names[key] for key in COLUMNS], numbers=NUMBERS, mono=(len(COLUMNS) - 1,))
        self._lines: list[RunRow] = []
        self.shown: list[RunRow] = []
        self._words: list[str] = []
        self._choices: dict[str, str] = {}
        self._column, self._down = 0, True

    def set_lines(self, lines: Sequence[RunRow]) -> None:
        self._lines = list(lines)
        self._arrange()

    def set_filter(self, text: str, choices: Mapping[str, str]) -> None:
        """Show the lines that contain each word of `text`, and in each column of `choices` exactly that cell text."""
        self._words, self._choices = text.casefold().split(), dict(choices)
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; numbers by value (Qt's name)."""
        self._column, self._down = column, order == Qt.SortOrder.DescendingOrder
        self._arrange()

    def _arrange(self) -> None:
        chosen = [(COLUMNS.index(key), text) for key, text in self._choices.items()]
        matches = [
            line
            for line in self._lines
            if all(line.texts[at] == text for at, text in chosen)
            and all(word in line.searched_text for word in self._words)
        ]
        at = self._column
        known = [line for line in matches if line.values[at] is not None]
        known.sort(key=lambda line: line.values[at], reverse=self._down)  # type: ignore[arg-type, return-value]  # one kind a column
        shown = known + [line for line in matches if line.values[at] is None]
        self.beginResetModel()  # before the change: its listeners read the old lines
        self.shown, self._rows = shown, [line.texts for line in shown]
        self.endResetModel()


class RunsTable(ReadOnlyTable):
    """The table view; the selection survives filters and sorting."""

    selection_changed = Signal()
    opened = Signal(object)  # the run that was double-clicked
    removal_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.lines = RunsTableModel()
        super().__init__(self.lines, "", parent=parent)
        self.setAccessibleName(self.tr("Runs"))
        self._selected_ids: set[str] = set()
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)  # fitting would look at every cell
        head.setSectionsMovable(True)
        self._set_widths()
        self.setHorizontalScrollMode(self.ScrollMode.ScrollPerPixel)
        head.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        self.lines.modelAboutToBeReset.connect(self._save_selection)
        self.lines.modelReset.connect(self._restore_selection)
        self.selectionModel().selectionChanged.connect(lambda *_: self.selection_changed.emit())
        self.doubleClicked.connect(lambda index: self.opened.emit(self.lines.shown[index.row()].run))

    @property
    def selected(self) -> list[RunRecord]:
        """The selected runs, in the order of the table."""
        ranges = self.selectionModel().selection()  # not one index per row: a thousand of them take 50 ms
        rows = {row for one in map(ranges.at, range(ranges.size())) for row in range(one.top(), one.bottom() + 1)}
        return [self.lines.shown[row].run for row in sorted(rows)]

    def select(self, run_ids: set[str]) -> None:
        """Select the visible runs with these ids, and nothing else."""
        rows = [row for row, line in enumerate(self.lines.shown) if line.run.id in run_ids]
        selection = QItemSelection()
        for _, group in groupby(enumerate(rows), lambda pair: pair[1] - pair[0]):  # one range per run of neighbours
            stretch = [row for _, row in group]
            last = self.lines.index(stretch[-1], len(COLUMNS) - 1)
            selection.select(self.lines.index(stretch[0], 0), last)
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete requests the removal, Enter the details (Qt's name)."""
        if event.key() == Qt.Key.Key_Delete:
            self.removal_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.lines.shown[self.currentIndex().row()].run)
        else:
            super().keyPressEvent(event)

    def _save_selection(self) -> None:
        self._selected_ids = {run.id for run in self.selected}

    def _restore_selection(self) -> None:
        self.select(self._selected_ids)
        self.selection_changed.emit()

    def _set_widths(self) -> None:
        letter = self.fontMetrics().averageCharWidth()
        for at, key in enumerate(COLUMNS):
            self.setColumnWidth(at, letter * WIDTHS.get(key, FIGURE) + 12)

"""The table of runs: filtered, sorted and chosen from; the model orders its lines itself.

lines ──words, choices──▶ shown ──column, order──▶ rows        a thousand lines in a few milliseconds, without a
                                                                call a comparison, as a proxy model would make it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from app.state.run_rows import COLUMNS, RunRow, titles
from app.widgets.tables import ReadOnlyTable, TextTableModel
from workflows.measure.measures import MEASURES
from workflows.wire.reports.runs import RunRecord

NUMBERS = tuple(COLUMNS.index(key) for key in MEASURES)
WIDTHS = {"time": 20, "bundle": 30, "machine": 40, "version": 24, "memory": 15, "resident": 18}
FIGURE = 12
"""Characters of a column at first: room for the heading and a figure, or as WIDTHS has it."""


class RunsTableModel(TextTableModel):
    """The lines that are shown, in the order that was asked for; what is not known stands last, either way."""

    def __init__(self) -> None:
        names = titles()
        super().__init__([names[key] for key in COLUMNS], numbers=NUMBERS, mono=(len(COLUMNS) - 1,))
        self._lines: list[RunRow] = []
        self.shown: list[RunRow] = []
        self._words: list[str] = []
        self._choices: dict[str, str] = {}
        self._column, self._down = 0, True

    def set_lines(self, lines: Sequence[RunRow]) -> None:
        """Other runs."""
        self._lines = list(lines)
        self._arrange()

    def set_filter(self, words: str, choices: Mapping[str, str]) -> None:
        """Those that have each word in some cell, and in each column of `choices` that text alone."""
        self._words, self._choices = words.casefold().split(), dict(choices)
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Qt's name; numbers are sorted as numbers."""
        self._column, self._down = column, order == Qt.SortOrder.DescendingOrder
        self._arrange()

    def _arrange(self) -> None:
        chosen = [(COLUMNS.index(key), text) for key, text in self._choices.items()]
        found = [
            line
            for line in self._lines
            if all(line.texts[at] == text for at, text in chosen) and all(word in line.words for word in self._words)
        ]
        at = self._column
        known = [line for line in found if line.values[at] is not None]
        known.sort(key=lambda line: line.values[at], reverse=self._down)  # type: ignore[arg-type, return-value]  # one kind a column
        shown = known + [line for line in found if line.values[at] is None]
        self.beginResetModel()  # who hears of it looks at what was shown until now
        self.shown, self._rows = shown, [line.texts for line in shown]
        self.endResetModel()


class RunsTable(ReadOnlyTable):
    """The table; `chosen` tells that other runs are selected, `opened` which one was asked for."""

    chosen = Signal()
    opened = Signal(object)
    removal = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.lines = RunsTableModel()
        super().__init__(self.lines, "", parent=parent)
        self.setAccessibleName(self.tr("Runs"))
        self._kept: set[str] = set()
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)  # fitting would look at every cell
        head.setSectionsMovable(True)
        self._set_widths()
        self.setHorizontalScrollMode(self.ScrollMode.ScrollPerPixel)
        head.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        self.lines.modelAboutToBeReset.connect(self._keep)
        self.lines.modelReset.connect(self._choose_again)
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())
        self.doubleClicked.connect(lambda index: self.opened.emit(self.lines.shown[index.row()].run))

    @property
    def selected(self) -> list[RunRecord]:
        """The runs that are selected, in the order of the table."""
        ranges = self.selectionModel().selection()  # and no index a row: a thousand of them take 50 ms
        rows = {row for one in map(ranges.at, range(ranges.size())) for row in range(one.top(), one.bottom() + 1)}
        return [self.lines.shown[row].run for row in sorted(rows)]

    def select(self, idents: set[str]) -> None:
        """Selects the runs of these ids that are shown, and nothing else."""
        rows = [row for row, line in enumerate(self.lines.shown) if line.run.id in idents]
        chosen = QItemSelection()
        for _, group in groupby(enumerate(rows), lambda pair: pair[1] - pair[0]):  # one range a run of neighbours
            stretch = [row for _, row in group]
            last = self.lines.index(stretch[-1], len(COLUMNS) - 1)
            chosen.select(self.lines.index(stretch[0], 0), last)
        self.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: Delete asks for the removal, Enter for the details."""
        if event.key() == Qt.Key.Key_Delete:
            self.removal.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.lines.shown[self.currentIndex().row()].run)
        else:
            super().keyPressEvent(event)

    def _keep(self) -> None:
        self._kept = {run.id for run in self.selected}

    def _choose_again(self) -> None:
        self.select(self._kept)
        self.chosen.emit()

    def _set_widths(self) -> None:
        letter = self.fontMetrics().averageCharWidth()
        for at, key in enumerate(COLUMNS):
            self.setColumnWidth(at, letter * WIDTHS.get(key, FIGURE) + 12)

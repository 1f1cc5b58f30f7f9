"""The table of runs: a row per bundle, precision and provider with the medians of its runs, and the runs beneath.

lines ──text, choices──▶ matches ──group_rows──▶ groups ──column, order, expanded──▶ shown

Ten thousand rows take some milliseconds; a proxy model would make one Python call per comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeVar

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from app.state.run_rows import COLUMNS, FIGURES, GroupKey, Item, RunGroup, RunRow, column_title, group_rows, work_text
from app.text.figures import figure_definition
from app.text.translatable import tr
from app.widgets.plain_text import plain_tool_tip
from app.widgets.tables import Index, ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.reports.runs import RunRecord

T = TypeVar("T", RunGroup, RunRow)
NUMBERS = tuple(COLUMNS.index(key) for key in ("runs", *FIGURES))
IN_FIRST_COLUMN = COLUMNS.index("kind")
"""The column that filters read, and that the first column shows for a run."""
FITTED_ROWS = 500
"""The rows whose texts decide the width of a column."""
INDENT, ARROW_WIDTH, FIRST_WIDTH = "      ", 24, 216


class _LazyTexts(Sequence[Sequence[str]]):
    """The texts of items, made when a row is read: of ten thousand rows, a window shows some dozens."""

    def __init__(self, items: Sequence[Item], texts: Callable[[Item], Sequence[str]]) -> None:
        self._items, self._texts = items, texts

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, at: Any) -> Any:
        return self._texts(self._items[at])


class RunsTableModel(TextTableModel):
    """Groups in the order of one column, with the runs of the expanded ones; unknown values are last."""

    def __init__(self) -> None:
        super().__init__([column_title(key) for key in COLUMNS], numbers=NUMBERS, mono=(len(COLUMNS) - 1,))
        self._lines: list[RunRow] = []
        self._all_groups: list[RunGroup] = []
        self.matches: list[RunRow] = []
        self._groups: list[RunGroup] = []
        self.shown: list[Item] = []
        self._expanded = set[GroupKey]()
        self._words: list[str] = []
        self._choices: dict[str, str] = {}
        self._column, self._down = COLUMNS.index("time"), True

    def set_lines(self, lines: Sequence[RunRow]) -> None:
        self._lines = list(lines)
        self._all_groups = group_rows(self._lines)
        self._filter()

    def set_filter(self, text: str, choices: Mapping[str, str]) -> None:
        """Show the lines that contain each word of `text`, and in each column of `choices` exactly that cell text."""
        self._words, self._choices = text.casefold().split(), dict(choices)
        self._filter()

    def _filter(self) -> None:
        chosen = [(COLUMNS.index(key), text) for key, text in self._choices.items()]
        self.matches = [
            line
            for line in self._lines
            if all(line.texts[at] == text for at, text in chosen)
            and all(word in line.searched_text for word in self._words)
        ]
        self._groups = self._all_groups if len(self.matches) == len(self._lines) else group_rows(self.matches)
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; numbers by value (Qt's name)."""
        self._column, self._down = column, order == Qt.SortOrder.DescendingOrder
        self._arrange()

    def is_expanded(self, item: Item) -> bool:
        return item.key in self._expanded

    def expand(self, item: Item, on: bool) -> None:
        """Show or hide the runs of a group."""
        if isinstance(item, RunGroup) and on != self.is_expanded(item):
            self._expanded ^= {item.key}
            self._arrange()

    def reveal(self, run_ids: Container[str]) -> None:
        """Expand the groups of these runs."""
        self._expanded |= {group.key for group in self._groups if any(row.key in run_ids for row in group.rows)}
        self._arrange()

    def row_of(self, key: GroupKey | str) -> int:
        """The row of a group or a run; -1 if it is not shown."""
        return next((row for row, item in enumerate(self.shown) if item.key == key), -1)

    def group_of(self, item: Item) -> RunGroup:
        """The group itself, or that of a run."""
        return next(group for group in self._groups if item is group or item in group.rows)

    def _arrange(self) -> None:
        shown = list[Item]()
        for group in self._sorted(self._groups):
            shown.append(group)
            if self.is_expanded(group):
                shown += self._sorted(group.rows)
        self.beginResetModel()  # before the change: its listeners read the old lines
        self.shown, self._rows = shown, _LazyTexts(shown, self._texts)
        self._tints = ["muted" if isinstance(item, RunRow) else "" for item in shown]
        self.endResetModel()

    def _sorted(self, items: Sequence[T]) -> list[T]:
        at = self._column
        known = [item for item in items if item.values[at] is not None]
        known.sort(key=lambda item: item.values[at], reverse=self._down)  # type: ignore[arg-type, return-value]  # one kind a column
        return known + [item for item in items if item.values[at] is None]

    def _texts(self, item: Item) -> Sequence[str]:
        if isinstance(item, RunGroup):
            return (f"{'▾' if self.is_expanded(item) else '▸'}  {item.texts[0]}", *item.texts[1:])
        parts = (item.texts[IN_FIRST_COLUMN], work_text(item.runs), str(item.run.figures.get("against") or ""))
        return (INDENT + " · ".join(filter(None, parts)), *item.texts[1:])

    def empty_columns(self) -> set[int]:
        """The columns without a text in any group."""
        return {at for at in range(len(COLUMNS)) if not any(group.texts[at] for group in self._groups)}

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The data of a cell; a screen reader gets words in place of the arrow (Qt's name)."""
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            item = self.shown[index.row()]
            if isinstance(item, RunGroup):
                return f"{item.label}, {tr('expanded') if self.is_expanded(item) else tr('collapsed')}"
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 0:
            run = self.shown[index.row()].runs[0]
            return plain_tool_tip(f"{run.bundle}\n{tr('digest')} {run.digest}")  # a folder may have had several builds
        return super().data(index, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The heading of a column; the tool tip of a figure is its definition (Qt's name)."""
        if role == Qt.ItemDataRole.ToolTipRole and figure_definition(COLUMNS[section]):
            several = tr("For several runs: their median (lowest–highest).")
            return plain_tool_tip(f"{figure_definition(COLUMNS[section])}\n{several}")
        return super().headerData(section, orientation, role)


class RunsTable(ReadOnlyTable):
    """The table view; the selection survives filters and sorting."""

    selection_changed = Signal()
    opened = Signal(object)  # the run that was double-clicked
    removal_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.lines = RunsTableModel()
        super().__init__(self.lines, "", parent=parent)
        self.setAccessibleName(self.tr("Runs by bundle, precision and provider"))
        self._selected_keys = set[GroupKey | str]()
        self._current: GroupKey | str = ""
        self._fitted: dict[int, int] = {}  # column → the width that its texts need
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)  # fitting would look at every cell
        head.setSectionsMovable(True)
        self.setHorizontalScrollMode(self.ScrollMode.ScrollPerPixel)
        head.setSortIndicator(COLUMNS.index("time"), Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        self.lines.modelAboutToBeReset.connect(self._save_selection)
        self.lines.modelReset.connect(self._restore_selection)
        self.selectionModel().selectionChanged.connect(lambda *_: self.selection_changed.emit())
        self.doubleClicked.connect(lambda index: self.activate(self.lines.shown[index.row()]))

    @property
    def selected_items(self) -> list[Item]:
        """The selected groups and runs, in the order of the table."""
        ranges = self.selectionModel().selection()  # not one index per row: a thousand of them take 50 ms
        rows = {row for one in map(ranges.at, range(ranges.size())) for row in range(one.top(), one.bottom() + 1)}
        return [self.lines.shown[row] for row in sorted(rows)]

    @property
    def selected(self) -> list[RunRecord]:
        """The selected runs, and all runs of selected groups."""
        return list({run.id: run for item in self.selected_items for run in item.runs}.values())

    def select(self, run_ids: set[str]) -> None:
        """Select the runs with these ids, and nothing else."""
        self.lines.reveal(run_ids)
        self._select(run_ids)

    def _select(self, keys: Container[GroupKey | str]) -> None:
        rows = [row for row, item in enumerate(self.lines.shown) if item.key in keys]
        selection = QItemSelection()
        for _, group in groupby(enumerate(rows), lambda pair: pair[1] - pair[0]):  # one range per run of neighbours
            stretch = [row for _, row in group]
            last = self.lines.index(stretch[-1], len(COLUMNS) - 1)
            selection.select(self.lines.index(stretch[0], 0), last)
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def activate(self, item: Item) -> None:
        """Open a run; expand or collapse a group."""
        if isinstance(item, RunRow):
            self.opened.emit(item.run)
        else:
            self.lines.expand(item, not self.lines.is_expanded(item))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on the arrow of a group expands or collapses it (Qt's name)."""
        index = self.indexAt(event.position().toPoint())
        at_arrow = event.position().x() - self.visualRect(index).left() < ARROW_WIDTH
        if index.isValid() and index.column() == 0 and at_arrow and isinstance(self.lines.shown[index.row()], RunGroup):
            self.activate(self.lines.shown[index.row()])
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete requests the removal, Enter the details, Right and Left expand and collapse (Qt's name)."""
        index = self.currentIndex()
        if event.key() == Qt.Key.Key_Delete:
            self.removal_requested.emit()
        elif index.isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self.lines.shown[index.row()])
        elif index.isValid() and event.key() in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            self._step(self.lines.shown[index.row()], event.key() == Qt.Key.Key_Right)
        else:
            super().keyPressEvent(event)

    def _step(self, item: Item, into: bool) -> None:
        """Expand a group; or collapse it, or go from a run to its group."""
        if into or self.lines.is_expanded(item):
            self.lines.expand(item, into)
        else:
            self.selectRow(self.lines.row_of(self.lines.group_of(item).key))

    def _save_selection(self) -> None:
        self._selected_keys = {item.key for item in self.selected_items}
        index = self.currentIndex()
        self._current = self.lines.shown[index.row()].key if index.isValid() else ""

    def _restore_selection(self) -> None:
        self._show_columns()
        row = self.lines.row_of(self._current)
        if row >= 0:
            no_change = QItemSelectionModel.SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(self.lines.index(row, 0), no_change)
        self._select(self._selected_keys)
        self.selection_changed.emit()

    def _show_columns(self) -> None:
        """Hide the empty columns, and fit the others unless the user resized them; without any row, all stay."""
        if not self.lines.shown:
            return
        visible = set(range(len(COLUMNS))) - self.lines.empty_columns() - {IN_FIRST_COLUMN}
        for at in range(len(COLUMNS)):
            if self.isColumnHidden(at) != (at not in visible):
                self.setColumnHidden(at, at not in visible)
        for at in visible:
            width = max(self._fitting_width(at), self._fitted.get(at, 0))
            if width != self._fitted.get(at) and self.columnWidth(at) == self._fitted.get(at, self.columnWidth(at)):
                self.setColumnWidth(at, width)
                self._fitted[at] = width

    def _fitting_width(self, at: int) -> int:
        """The width of the heading and of the longest text in the first rows of a column."""
        width_of = self.fontMetrics().horizontalAdvance
        longest = max((item.texts[at] for item in self.lines.shown[:FITTED_ROWS]), key=len)
        heading = width_of(self.lines.headings[at]) + 3 * G
        return max(width_of(longest) + 3 * G, heading, FIRST_WIDTH if at == 0 else 0)

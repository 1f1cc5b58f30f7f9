"""The chain as a Qt list model: rows are edited, moved, added and removed; every change can be undone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.chat.decoding.chain_ops import LAST, ChainRow, op_titles, problem_of
from app.widgets.plain_text import plain_tool_tip

Index = QModelIndex | QPersistentModelIndex
PROBLEM = Qt.ItemDataRole.UserRole + 1
"""The role of a row's problem: one sentence, empty for none."""
VALUE = Qt.ItemDataRole.UserRole + 2
NOWHERE = QModelIndex()


class UndoHistory:
    """The states of a chain before and after the shown one."""

    def __init__(self) -> None:
        self._before: list[tuple[ChainRow, ...]] = []
        self._after: list[tuple[ChainRow, ...]] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return bool(self._before)

    def push(self, rows: tuple[ChainRow, ...]) -> None:
        """Records the state before a change; nothing can be redone from then on."""
        self._before.append(rows)
        self._after.clear()

    def clear(self) -> None:
        """Forgets all changes."""
        self._before.clear()
        self._after.clear()

    def undo(self, rows: tuple[ChainRow, ...]) -> tuple[ChainRow, ...] | None:
        """The state before `rows`; None where there is none."""
        return self._move(rows, self._before, self._after)

    def redo(self, rows: tuple[ChainRow, ...]) -> tuple[ChainRow, ...] | None:
        """The state after `rows` that was taken back; None where there is none."""
        return self._move(rows, self._after, self._before)

    @staticmethod
    def _move(
        rows: tuple[ChainRow, ...], source: list[tuple[ChainRow, ...]], target: list[tuple[ChainRow, ...]]
    ) -> tuple[ChainRow, ...] | None:
        if not source:
            return None
        target.append(rows)
        return source.pop()


class ChainModel(QAbstractListModel):
    """`edited` is emitted after a change by the user only. `sample` stays the last row."""

    edited = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ChainRow] = []
        self._problems: dict[ChainRow, str] = {}
        self.history = UndoHistory()

    @property
    def rows(self) -> tuple[ChainRow, ...]:
        """The rows of the chain."""
        return tuple(self._rows)

    @property
    def problem(self) -> str:
        """The problem of the first row that has one; empty for none."""
        problems = ((row, self._problem(row)) for row in self._rows)
        return next((f"{op_titles()[row.op][0]}: {problem}" for row, problem in problems if problem), "")

    def show_rows(self, rows: Sequence[ChainRow]) -> None:
        """Shows other rows without emitting `edited`, and clears the history."""
        self.history.clear()
        if tuple(rows) != self.rows:
            self._reset(rows)

    def replace(self, rows: Sequence[ChainRow]) -> None:
        """Shows other rows without emitting `edited`; this can be undone."""
        self.history.push(self.rows)
        self._reset(rows)

    def add(self, op: str, text: str) -> int:
        """Adds a row before `sample`, or at the end, unless the chain has this op; returns its index."""
        there = next((place for place, row in enumerate(self._rows) if row.op == op), None)
        if there is not None:
            return there
        place = len(self._rows) if op == LAST else self._end
        self.history.push(self.rows)
        self.beginInsertRows(NOWHERE, place, place)
        self._rows.insert(place, ChainRow(op, text))
        self.endInsertRows()
        self.edited.emit()
        return place

    def remove(self, place: int) -> None:
        """Removes a row."""
        if 0 <= place < len(self._rows):
            self.history.push(self.rows)
            self.beginRemoveRows(NOWHERE, place, place)
            del self._rows[place]
            self.endRemoveRows()
            self.edited.emit()

    def shift(self, place: int, by: int) -> bool:
        """Moves a row up (-1) or down (1); returns whether it could."""
        return self.moveRow(NOWHERE, place, NOWHERE, place + (by if by < 0 else by + 1))

    def moveRows(  # noqa: N802 - Qt's name and its parameters
        self, source: Index, first: int, count: int, target: Index, before: int
    ) -> bool:
        """Moves one row, also by dragging. before: the row that it is put in front of."""
        if count != 1 or not 0 <= first < self._end or not 0 <= before <= len(self._rows):
            return False
        before = min(before, self._end)
        if not self.beginMoveRows(NOWHERE, first, first, NOWHERE, before):
            return False
        self.history.push(self.rows)
        row = self._rows.pop(first)
        self._rows.insert(before - (before > first), row)
        self.endMoveRows()
        self.edited.emit()
        return True

    def undo(self) -> None:
        """Takes back the last change."""
        self._restore(self.history.undo(self.rows))

    def redo(self) -> None:
        """Makes the change again that was taken back last."""
        self._restore(self.history.redo(self.rows))

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return op_titles()[row.op][0]
        if role in (Qt.ItemDataRole.EditRole, VALUE):
            return row.text
        if role == PROBLEM:
            return self._problem(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tool_tip(self._problem(row) or op_titles()[row.op][1])
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{op_titles()[row.op][0]} {row.text} {self._problem(row)}".strip()
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Stores what was typed, valid or not."""
        row = ChainRow(self._rows[index.row()].op, str(value).strip())
        if role == Qt.ItemDataRole.EditRole and row != self._rows[index.row()]:
            self.history.push(self.rows)
            self._rows[index.row()] = row
            self.dataChanged.emit(index, index)
            self.edited.emit()
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if self._rows[index.row()].op == LAST:  # it has no value and stays last
            return flags
        return flags | Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled

    def supportedDropActions(self) -> Qt.DropAction:  # noqa: N802 - Qt's name
        return Qt.DropAction.MoveAction

    @property
    def _end(self) -> int:
        """The index of `sample`, or of the end."""
        return next((place for place, row in enumerate(self._rows) if row.op == LAST), len(self._rows))

    def _problem(self, row: ChainRow) -> str:
        if row not in self._problems:
            self._problems[row] = problem_of(row)
        return self._problems[row]

    def _restore(self, rows: tuple[ChainRow, ...] | None) -> None:
        if rows is not None:
            self._reset(rows)
            self.edited.emit()

    def _reset(self, rows: Sequence[ChainRow]) -> None:
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

"""The chain as a list model: its rows are typed, moved, added and taken out, and every such change can be undone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.chat.decoding.chain_ops import BARE, LAST, ChainRow, op_titles, problem_of
from app.widgets.plain_text import plain_tool_tip

Index = QModelIndex | QPersistentModelIndex
PROBLEM = Qt.ItemDataRole.UserRole + 1
"""What is wrong with a row, one sentence; empty for nothing."""
VALUE = Qt.ItemDataRole.UserRole + 2
NOWHERE = QModelIndex()


class ChainModel(QAbstractListModel):
    """`edited` follows a change of a person alone. `sample` stays the last row."""

    edited = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ChainRow] = []
        self._problems: dict[ChainRow, str] = {}
        self._undone: list[tuple[ChainRow, ...]] = []
        self._done: list[tuple[ChainRow, ...]] = []

    @property
    def rows(self) -> tuple[ChainRow, ...]:
        """What stands there."""
        return tuple(self._rows)

    @property
    def problem(self) -> str:
        """What is wrong with the first row that is."""
        return next((f"{op_titles()[row.op][0]}: {said}" for row in self._rows if (said := self._problem(row))), "")

    def show_rows(self, rows: Sequence[ChainRow]) -> None:
        """Other rows, without telling of a change; there is nothing to be undone then."""
        self._done.clear()
        self._undone.clear()
        if tuple(rows) != self.rows:
            self._reset(rows)

    def replace(self, rows: Sequence[ChainRow]) -> None:
        """Other rows, which can be undone, without telling of a change."""
        self._keep()
        self._reset(rows)

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to be taken back."""
        return bool(self._done)

    def add(self, op: str, text: str) -> int:
        """A row before `sample`, or at the end; its place. One of its kind that is there is that place."""
        there = next((place for place, row in enumerate(self._rows) if row.op == op), None)
        if there is not None:
            return there
        place = len(self._rows) if op == LAST else self._end
        self._keep()
        self.beginInsertRows(NOWHERE, place, place)
        self._rows.insert(place, ChainRow(op, text))
        self.endInsertRows()
        self.edited.emit()
        return place

    def remove(self, place: int) -> None:
        """Takes a row out."""
        if 0 <= place < len(self._rows):
            self._keep()
            self.beginRemoveRows(NOWHERE, place, place)
            del self._rows[place]
            self.endRemoveRows()
            self.edited.emit()

    def shift(self, place: int, by: int) -> bool:
        """Moves a row up (-1) or down (1); whether it could."""
        return self.moveRow(NOWHERE, place, NOWHERE, place + (by if by < 0 else by + 1))

    def moveRows(  # noqa: N802 - Qt's name and its parameters
        self, source: Index, first: int, count: int, target: Index, before: int
    ) -> bool:
        """Qt's name: also what is dragged comes here. before: the row that it is put in front of."""
        if count != 1 or not 0 <= first < self._end or not 0 <= before <= len(self._rows):
            return False
        before = min(before, self._end)
        if not self.beginMoveRows(NOWHERE, first, first, NOWHERE, before):
            return False
        self._keep()
        row = self._rows.pop(first)
        self._rows.insert(before - (before > first), row)
        self.endMoveRows()
        self.edited.emit()
        return True

    def undo(self) -> None:
        """Back before the last change."""
        self._back(self._done, self._undone)

    def redo(self) -> None:
        """What was undone last, again."""
        self._back(self._undone, self._done)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Qt's name."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Qt's name."""
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
        """Qt's name: what was typed stands there, right or wrong."""
        row = ChainRow(self._rows[index.row()].op, str(value).strip())
        if role == Qt.ItemDataRole.EditRole and row != self._rows[index.row()]:
            self._keep()
            self._rows[index.row()] = row
            self.dataChanged.emit(index, index)
            self.edited.emit()
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Qt's name."""
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        found = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        op = self._rows[index.row()].op
        if op not in BARE:
            found |= Qt.ItemFlag.ItemIsEditable
        return found if op == LAST else found | Qt.ItemFlag.ItemIsDragEnabled

    def supportedDropActions(self) -> Qt.DropAction:  # noqa: N802 - Qt's name
        """Qt's name."""
        return Qt.DropAction.MoveAction

    @property
    def _end(self) -> int:
        """The place of `sample`, or the end."""
        return next((place for place, row in enumerate(self._rows) if row.op == LAST), len(self._rows))

    def _problem(self, row: ChainRow) -> str:
        if row not in self._problems:
            self._problems[row] = problem_of(row)
        return self._problems[row]

    def _keep(self) -> None:
        self._done.append(self.rows)
        self._undone.clear()

    def _back(self, taken: list[tuple[ChainRow, ...]], given: list[tuple[ChainRow, ...]]) -> None:
        if taken:
            given.append(self.rows)
            self._reset(taken.pop())
            self.edited.emit()

    def _reset(self, rows: Sequence[ChainRow]) -> None:
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

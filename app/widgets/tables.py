"""Read-only tables whose cells can be copied, and a delegate that draws a share as a bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.widgets.plain_text import plain_tool_tip
from app.widgets.theme import SMALL, mono_font, sans_font, theme

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_TEXT, _TIP = int(Qt.ItemDataRole.DisplayRole), int(Qt.ItemDataRole.ToolTipRole)
_ALIGNMENT, _FONT = int(Qt.ItemDataRole.TextAlignmentRole), int(Qt.ItemDataRole.FontRole)
_INK = int(Qt.ItemDataRole.ForegroundRole)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
"""The Qt roles as plain integers: painting a table reads them thousands of times."""


class TextTableModel(QAbstractTableModel):
    """Rows of texts under headings; numbers are right-aligned. A row may have a theme colour for its first cell."""

    def __init__(
        self, headings: Sequence[str], numbers: Sequence[int] = (), mono: Sequence[int] = (), parent: Any = None
    ) -> None:
        super().__init__(parent)
        self.headings = list(headings)
        self._numbers = frozenset(numbers)
        self._mono = frozenset(mono)
        self._rows: Sequence[Sequence[str]] = []
        self._tints: list[str] = []

    def fill(self, rows: Sequence[Sequence[str]], tints: Sequence[str] = ()) -> None:
        """Replace the rows. tints: the name of a theme colour per row, or empty."""
        self.beginResetModel()
        self._rows, self._tints = list(rows), list(tints)
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.headings)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == _TEXT:
            return self._rows[index.row()][index.column()]
        if role == _TIP:
            return plain_tool_tip(self._rows[index.row()][index.column()])
        if role == _ALIGNMENT:
            return _RIGHT if index.column() in self._numbers else _LEFT
        if role == _FONT and index.column() in self._mono:
            return mono_font()
        if role == _INK and index.row() < len(self._tints) and self._tints[index.row()]:
            return theme().color(self._tints[index.row()])
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.headings[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in self._numbers else _LEFT
        return None


class ReadOnlyTable(QTableView):
    """A table to read: selects whole rows; Ctrl+C copies them with tabs between the cells."""

    def __init__(self, model: TextTableModel, name: str, stretch: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = model
        model.setParent(self)
        self.setModel(model)
        self.setAccessibleName(name)
        self.setFont(sans_font(SMALL))
        self.setStyleSheet("QTableView::item { padding: 0 5px; }")
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(28)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        # no style for selected columns: Qt would ask each cell whether its column is selected, without a visible effect
        head.setSelectionModel(QItemSelectionModel(model, head))
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)

    def show_all_rows(self) -> None:
        """Let the table be as high as its rows, without scroll bars."""
        self.setSizeAdjustPolicy(QAbstractItemView.SizeAdjustPolicy.AdjustToContents)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
        else:
            super().keyPressEvent(event)

    def selected_text(self) -> str:
        """The selected rows, with tabs between the cells."""
        chosen = sorted({index.row() for index in self.selectionModel().selectedIndexes()})
        columns = range(self.rows.columnCount())
        return "\n".join("\t".join(str(self.rows.index(r, c).data()) for c in columns) for r in chosen)


class BarDelegate(QStyledItemDelegate):
    """Draws the percentage in a cell's text as a bar behind the text."""

    def __init__(self, color: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._color = color

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        share = float(str(index.data(Qt.ItemDataRole.UserRole) or 0))
        rect = option.rect.adjusted(8, 10, -8, -10)
        rect.setWidth(max(int(rect.width() * share), 2))
        color = QColor(theme().color(self._color))
        painter.fillRect(rect, color)


class CountTableModel(TextTableModel):
    """Name, count, and a bar relative to the largest count."""

    def set_counts(self, counts: dict[str, int], text: Any) -> None:
        """Show counts in descending order."""
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        top = max(counts.values(), default=1) or 1
        self._shares = [count / top for _, count in ordered]
        self.fill([(name, text(count), "") for name, count in ordered])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The data of a cell; the user role of the last column is the share (Qt's name)."""
        if role == Qt.ItemDataRole.UserRole and index.column() == 2:
            return self._shares[index.row()]
        return super().data(index, role)

"""The list of a chain's ops: dragged, moved by keys, with values edited in place."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.chat.decoding.chain_model import PROBLEM, VALUE, ChainModel
from app.widgets.theme import G, mono_font, theme

LINE = 3 * G + G // 2
MOST_SEEN = 8


class ChainListView(QListView):
    """The rows of a chain."""

    def __init__(self, rows: ChainModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = rows
        self.setModel(rows)
        self.setItemDelegate(_Delegate(self))
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        for changed in (rows.rowsInserted, rows.rowsRemoved, rows.modelReset):
            changed.connect(self._fit)
        self._fit()

    def place(self) -> int:
        """The index of the selected row; -1 for none."""
        return self.currentIndex().row()

    def choose(self, place: int) -> None:
        """Selects the row at `place`, or the last one."""
        self.setCurrentIndex(self.rows.index(min(place, self.rows.rowCount() - 1), 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: Alt+arrows move a row, Delete takes it out, Ctrl+Z takes a change back, Enter types a value."""
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if self.state() == QAbstractItemView.State.EditingState:  # Enter in a field comes here, too
            event.accept()
        elif alt and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.rows.shift(self.place(), -1 if event.key() == Qt.Key.Key_Up else 1)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.take_out()
        elif event.matches(QKeySequence.StandardKey.Undo):
            self.rows.undo()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.rows.redo()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def take_out(self) -> None:
        """Removes the selected row."""
        place = self.place()
        self.rows.remove(place)
        self.choose(place)

    def _fit(self) -> None:
        self.setFixedHeight(max(2, min(self.rows.rowCount(), MOST_SEEN)) * LINE + 4)


class _Delegate(QStyledItemDelegate):
    """Paints the op on the left and its value on the right, where it is edited."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Qt's name."""
        super().paint(painter, option, index)
        text = str(index.data(VALUE))
        if index.data(PROBLEM):
            text = f"⚠ {text}".rstrip()
        painter.save()
        chosen = bool(option.state & option.state.State_Selected)
        ink = option.palette.color(QPalette.ColorRole.HighlightedText)
        painter.setPen(ink if chosen else theme().color("error" if index.data(PROBLEM) else "text"))
        painter.setFont(mono_font())
        area = _right(option.rect)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, shown)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Qt's name."""
        return QSize(super().sizeHint(option, index).width(), LINE)

    def createEditor(  # noqa: N802 - Qt's name
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        """Qt's name."""
        field = QLineEdit(parent)
        field.setFont(mono_font())
        field.setStyleSheet("QLineEdit { padding: 0 4px; min-height: 0; border-radius: 0; }")
        field.setAccessibleName(str(index.data()))
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        return field

    def updateEditorGeometry(  # noqa: N802 - Qt's name
        self, editor: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Qt's name."""
        editor.setGeometry(_right(option.rect).adjusted(0, 0, G - 2, 0))


def _right(row: QRect) -> QRect:
    return row.adjusted(row.width() * 6 // 11, 0, -G, 0)

"""The section for the chain of logits processors: ops are dragged, moved, added, removed, and their values edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from app.chat.decoding.chain_model import PROBLEM, VALUE, ChainModel
from app.chat.decoding.chain_ops import BEGIN, ChainRow, model_chain, op_titles
from app.chat.sampling import SamplingSettings
from app.text.formatting import pluralize
from app.text.translatable import tr
from app.widgets import button, label
from app.widgets.actions import tool_button
from app.widgets.collapsible import CollapsibleSection
from app.widgets.layouts import STRETCH, hbox
from app.widgets.plain_text import set_tool_tip
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
        return QSize(super().sizeHint(option, index).width(), LINE)

    def createEditor(  # noqa: N802 - Qt's name
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        field = QLineEdit(parent)
        field.setFont(mono_font())
        field.setStyleSheet("QLineEdit { padding: 0 4px; min-height: 0; border-radius: 0; }")
        field.setAccessibleName(str(index.data()))
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        return field

    def updateEditorGeometry(  # noqa: N802 - Qt's name
        self, editor: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        editor.setGeometry(_right(option.rect).adjusted(0, 0, G - 2, 0))


def _right(row: QRect) -> QRect:
    return row.adjusted(row.width() * 6 // 11, 0, -G, 0)


class ChainSection(CollapsibleSection):
    """`changed` gives the custom chain, None for the model's."""

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        tip = tr("The operations on the logits before a token is chosen, in this order.")
        super().__init__(tr("Chain"), tip, parent)
        self._ops: Sequence[Mapping[str, object]] = ()
        self.own = self._began_own = False
        self._sampling = SamplingSettings()
        self.rows = ChainModel(self)
        self.list = ChainListView(self.rows)
        self.list.setAccessibleName(self.tr("Chain of logits"))
        set_tool_tip(self.list, self.tr("Drag, or Alt+Up and Alt+Down: move. Enter: edit the value. Del: remove."))
        self.note = label("", "muted", wrap=True)
        self.problem = label("", "error", wrap=True)
        self.add_button = tool_button("plus", self.tr("Add an op"))
        self.add_button.setMenu(self._menu())
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.reset = button(self.tr("Use the model's chain"), role="link", clicked=self._forget)
        self._lay_out()
        self.rows.edited.connect(self._on_edited)
        theme().changed.connect(self.list.viewport().update)
        self.show_chain(None)

    def _lay_out(self) -> None:
        self.undo = tool_button("undo", self.tr("Undo (Ctrl+Z)"))
        tools = (
            (tool_button("chevron-up", self.tr("Up (Alt+Up)")), partial(self._shift, -1)),
            (tool_button("chevron-down", self.tr("Down (Alt+Down)")), partial(self._shift, 1)),
            (tool_button("trash", self.tr("Remove (Del)")), self.list.take_out),
            (self.undo, self.rows.undo),
        )
        for one, act in tools:
            one.clicked.connect(lambda _checked=False, act=act: act())
        for part in (self.note, self.list, self.problem):
            self.body.addWidget(part)
        self.body.addLayout(hbox(self.add_button, *(one for one, _act in tools), STRETCH, spacing=G // 2))
        self.body.addLayout(hbox(self.reset, STRETCH))

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for op in BEGIN:
            title, tip = op_titles()[op]
            entry = menu.addAction(title)
            set_tool_tip(entry, tip)
            entry.triggered.connect(partial(self.add, op))
        return menu

    def add(self, op: str, *_: object) -> None:
        """Adds an op in its place, and moves the focus to its value."""
        place = self.rows.add(op, BEGIN[op])
        self.list.choose(place)
        self.list.setFocus()

    def set_ops(self, ops: Sequence[Mapping[str, object]]) -> None:
        """Sets the bundle's chain, which applies without a custom one."""
        self._ops = ops
        if not self.own:
            self.show_chain(None)

    def set_sampling(self, sampling: SamplingSettings) -> None:
        """Sets the sampling, which is the chain of a bundle without one."""
        self._sampling = sampling
        if not self.own:
            self.show_chain(None)

    def show_chain(self, chain: Sequence[ChainRow] | None) -> None:
        """Shows a chain without emitting `changed`."""
        self.own = self._began_own = chain is not None
        self.rows.show_rows(model_chain(self._ops, self._sampling) if chain is None else chain)
        self._refresh()

    def _on_edited(self) -> None:
        """Handles a change or an undo; undoing the first change returns to the model's chain."""
        self.own = self._began_own or self.rows.history.can_undo
        self._emit_changed()

    def _forget(self) -> None:
        self.rows.replace(model_chain(self._ops, self._sampling))
        self.own = False
        self._emit_changed()

    def _emit_changed(self) -> None:
        self._refresh()
        self.changed.emit(self.rows.rows if self.own else None)

    def _shift(self, by: int) -> None:
        self.rows.shift(self.list.place(), by)
        self.list.setFocus()

    def _refresh(self) -> None:
        count = len(self.rows.rows)
        ops = pluralize(count, self.tr("1 op"), self.tr("{0} ops"))
        self.set_summary(self.tr("custom, {0}").format(ops) if self.own else self.tr("the model's chain"))
        self.reset.setVisible(self.own)
        self.undo.setEnabled(self.rows.history.can_undo)
        self.problem.setText(self.rows.problem if self.own else "")
        self.problem.setVisible(bool(self.problem.text()))
        self.note.setText(self._note())

    def _note(self) -> str:
        if self.own:
            return self.tr("Replaces the model's chain and the settings under Sampling.")
        if self._ops:
            return self.tr("The bundle's own chain; the settings under Sampling replace its values.")
        return self.tr("The settings under Sampling, in their default order. A change makes it a custom chain.")

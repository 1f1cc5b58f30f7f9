"""The command palette (Ctrl+K): finds every action of the window by a part of its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QAction, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.frame.cli_actions import SYNONYMS
from app.widgets.basics import label
from app.widgets.fields import line_edit
from app.widgets.layouts import vbox
from app.widgets.theme import G, theme

_KEYS = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex
_OWN_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)


def matches(pattern: str, text: str) -> bool:
    """Whether `text` contains each word, ignoring case."""
    return all(word in text.casefold() for word in pattern.casefold().split())


class _KeysDelegate(QStyledItemDelegate):
    """Draws the keys of an action at the right of its line."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        keys = index.data(_KEYS)
        if keys:
            chosen = bool(option.state & QStyle.StateFlag.State_Selected)
            painter.setPen(theme().color("accent_text" if chosen else "muted"))
            area = option.rect.adjusted(0, 0, -2 * G, 0)
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, keys)


class CommandPalette(QFrame):
    """An overlay of its parent window. source: returns the actions when the palette opens."""

    def __init__(self, source: Callable[[], Iterable[QAction]], parent: QWidget) -> None:
        super().__init__(parent)
        self._window = parent
        self._source = source
        self._actions: list[QAction] = []
        self._before: QWidget | None = None
        self.setProperty("role", "palette")
        self.field = line_edit(self.tr("Find an action"), self.tr("Find an action"))
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Actions"))
        self.list.setItemDelegate(_KeysDelegate(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # a long name is cut at its end
        self.list.itemClicked.connect(lambda _item: self._run())
        self._none = label(self.tr("No action and no recent bundle has these words."), "muted")
        vbox(self.field, self.list, self._none, parent=self, margins=G)
        self.hide()

    def open(self) -> None:
        """Show the palette with all actions."""
        window = self._window
        self._before = window.focusWidget()
        width = min(80 * G, window.width() - 8 * G)
        self.setGeometry((window.width() - width) // 2, 8 * G, width, min(48 * G, window.height() - 16 * G))
        self._actions = [a for a in self._source() if a.isEnabled() and a.isVisible() and a.text()]
        self.field.clear()
        self._fill("")
        self.show()
        self.raise_()
        self.field.setFocus()

    def close_quietly(self) -> None:
        """Hide the palette and restore the focus."""
        self.hide()
        if self._before is not None:
            self._before.setFocus()

    def _fill(self, pattern: str) -> None:
        self.list.clear()
        for action in self._actions:
            text = action.text().replace("&", "")
            if matches(pattern, f"{text} {action.property(SYNONYMS) or ''}"):
                keys = action.shortcut().toString()
                item = QListWidgetItem(theme().icon(action.property("iconName") or "chevron-right", "muted"), text)
                item.setData(_KEYS, keys)
                item.setData(Qt.ItemDataRole.UserRole, action)
                self.list.addItem(item)
        self.list.setCurrentRow(0)
        self._none.setVisible(self.list.count() == 0)

    def _run(self) -> None:
        item = self.list.currentItem()
        self.close_quietly()
        if item is not None:
            item.data(Qt.ItemDataRole.UserRole).trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the field: arrows move in the list, Enter runs, Escape and a lost focus close (Qt's name)."""
        if event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and event.key() in _OWN_KEYS:
            event.accept()  # no shortcut of the page behind
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                step = 1 if key == Qt.Key.Key_Down else -1
                self.list.setCurrentRow(max(0, min(self.list.count() - 1, self.list.currentRow() + step)))
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run()
                return True
            if key == Qt.Key.Key_Escape:
                self.close_quietly()
                return True
        return super().eventFilter(watched, event)

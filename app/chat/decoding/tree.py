"""A JSON reply as a tree that folds, with a way back to its text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.state.json_file import parse_json
from app.text.formatting import pluralize
from app.widgets import button
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G

VALUE = Qt.ItemDataRole.UserRole
MOST_OPEN = 60
"""Rows that are unfolded at first; of a larger reply only the outermost ones are."""


class JsonReplyTree(QWidget):
    """`toggled` gives True for the tree, False for the text."""

    toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tree = _Tree()
        self.toggle = button("", role="link", clicked=lambda: self.show_tree(self.tree.isHidden()))
        self.copy = button(self.tr("Copy JSON"), "copy", "link", clicked=self._copy)
        vbox(self.tree, hbox(self.toggle, STRETCH, self.copy), spacing=G // 2, parent=self)
        self._value: Any = None

    def show_text(self, text: str) -> bool:
        """Shows a reply; returns False if it is no object or list."""
        try:
            value = parse_json(text)
        except ValueError:
            return False
        if not isinstance(value, (dict, list)) or not value:
            return False
        self._value = value
        self.tree.show_value(value)
        self.show_tree(True)
        return True

    def show_tree(self, on: bool) -> None:
        """Shows the tree, or the text."""
        self.tree.setVisible(on)
        self.toggle.setText(self.tr("Show as text") if on else self.tr("Show as a tree"))
        self.toggle.setAccessibleName(self.toggle.text())
        self.toggled.emit(on)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(json.dumps(self._value, ensure_ascii=False, indent=2))


class _Tree(QTreeWidget):
    """Names on the left, values on the right; as high as its rows, so that only the transcript scrolls."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setAccessibleName(self.tr("Reply as a tree"))
        set_tool_tip(self, self.tr("Ctrl+C copies the chosen value as JSON."))
        self.setTabKeyNavigation(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setStyleSheet("QTreeView::item { padding: 2px 0; }")
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self._copy = QAction(self.tr("Copy as JSON"), self)
        self._copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        self._copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self._copy.triggered.connect(lambda _checked=False: self.copy_chosen())
        self.addAction(self._copy)
        self.itemExpanded.connect(lambda _item: self._fit())
        self.itemCollapsed.connect(lambda _item: self._fit())

    def show_value(self, value: dict[str, Any] | list[Any]) -> None:
        """Shows another reply."""
        self.clear()
        rows = list(self._rows(value))
        self.addTopLevelItems(rows)
        for row in rows:
            row.setExpanded(True)
        if len(self._items(lambda _item: True)) <= MOST_OPEN:
            self.expandAll()
        self.resizeColumnToContents(0)
        self._fit()

    def copy_chosen(self) -> None:
        """The selected value, with everything in it."""
        item = self.currentItem()
        if item is not None:
            QGuiApplication.clipboard().setText(json.dumps(item.data(0, VALUE), ensure_ascii=False, indent=2))

    def _rows(self, value: Any) -> list[QTreeWidgetItem]:
        """The rows for the content of a value."""
        pairs = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else ()
        items = []
        for name, inner in pairs:
            text = self._words(inner)
            item = QTreeWidgetItem([str(name), text])
            item.setData(0, VALUE, inner)
            set_tool_tip(item, text, 1)
            item.addChildren(self._rows(inner))
            items.append(item)
        return items

    def _words(self, value: Any) -> str:
        if isinstance(value, dict):
            return pluralize(len(value), self.tr("1 field"), self.tr("{0} fields"))
        if isinstance(value, list):
            return pluralize(len(value), self.tr("1 item"), self.tr("{0} items"))
        return json.dumps(value, ensure_ascii=False)

    def _items(self, enter: Callable[[QTreeWidgetItem], bool]) -> list[QTreeWidgetItem]:
        """All items, except those inside an item that is not entered."""
        items = [item for place in range(self.topLevelItemCount()) if (item := self.topLevelItem(place)) is not None]
        for item in items:  # it grows meanwhile
            if enter(item):
                items += [child for place in range(item.childCount()) if (child := item.child(place)) is not None]
        return items

    def _fit(self) -> None:
        rows = self._items(QTreeWidgetItem.isExpanded)
        self.setFixedHeight(len(rows) * self.sizeHintForRow(0) + 4 if rows else 0)

    def _menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.addAction(self._copy)
        menu.exec(self.viewport().mapToGlobal(at))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: the names take half of it at most."""
        super().resizeEvent(event)
        self.resizeColumnToContents(0)
        self.setColumnWidth(0, min(self.columnWidth(0) + G, self.viewport().width() // 2))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt's name: the transcript scrolls."""
        event.ignore()

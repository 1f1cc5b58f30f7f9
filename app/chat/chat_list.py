"""The saved chats, with title, date and bundle: searched, renamed, deleted.

ChatStore.saved(query) ──▶ SavedChatModel ──▶ list ──requested(OpenChat, RenameChat, DeleteChat)──▶ ChatPage.do
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QDateTime,
    QLocale,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QListView, QWidget

from app.chat.controller import ChatController
from app.chat.intents import DeleteChat, OpenChat, RenameChat
from app.jobs.time_slices import TimeSlicer, run_at_once
from app.state.chat_store import SavedChat
from app.widgets import label
from app.widgets.actions import add_action
from app.widgets.layouts import hbox, vbox
from app.widgets.plain_text import plain_tool_tip
from app.widgets.theme import G

WIDTH = 208
REFRESH_MS = 300
_LOOK = (
    "QListView { border: 0; background: transparent; } QListView::item { padding: 6px 8px; border-radius: 4px; }"
    "QListView::item:selected { background: palette(highlight); color: palette(highlighted-text); }"
)
Index = QModelIndex | QPersistentModelIndex


class SavedChatModel(QAbstractListModel):
    """Rows of SavedChat. `renamed` gives a key and the typed name."""

    renamed = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[SavedChat] = []

    def show_rows(self, rows: list[SavedChat]) -> None:
        """Shows other rows, if they differ."""
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def place(self, key: str) -> QModelIndex:
        """The index of a chat; an invalid index if it is not shown."""
        row = next((row for row, one in enumerate(self.rows) if one.key == key), -1)
        return self.index(row) if row >= 0 else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Qt's name: a title can be edited in its place."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        saved = self.rows[index.row()]
        title = saved.title or self.tr("Untitled")
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{title}\n{_when(saved.changed_at)}{f' · {saved.bundle}' if saved.bundle else ''}"
        if role == Qt.ItemDataRole.EditRole:
            return saved.title
        whole = ", ".join(part for part in (title, _when(saved.changed_at), saved.bundle) if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tool_tip(whole)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return whole
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Qt's name: a title was typed."""
        saved, name = self.rows[index.row()], str(value).strip()
        if name != saved.title:
            self.renamed.emit(saved.key, name)
        return True


class ChatList(QWidget):
    """A search box and the matching chats. Enter opens, F2 renames, Del deletes."""

    requested = Signal(object)  # OpenChat, RenameChat or DeleteChat

    def __init__(self, controller: ChatController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedWidth(WIDTH)
        self._controller = controller
        self.model = SavedChatModel()
        self._slices = TimeSlicer(self)
        self.query = QLineEdit()
        self.query.setPlaceholderText(self.tr("Search the chats"))
        self.query.setAccessibleName(self.tr("Search the chats"))
        self.query.setClearButtonEnabled(True)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setAccessibleName(self.tr("Chats"))
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.view.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        add_action(self.view, self.tr("Rename the chat"), self._rename)
        add_action(self.view, self.tr("Delete the chat"), self._delete, "Del")
        self.none = label("", "muted", wrap=True)
        self._lay_out()
        self._later = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._later.timeout.connect(self.refresh)
        self.query.textChanged.connect(lambda _text: self._later.start())
        self.query.returnPressed.connect(self._open_first)
        self.view.clicked.connect(self._open)
        self.view.activated.connect(self._open)
        self.model.renamed.connect(lambda key, name: self.requested.emit(RenameChat(key, name)))
        for signal in (controller.reset, controller.appended, controller.ended, controller.endedBehind):
            signal.connect(lambda *_: self._later.start())
        self._later.start()

    def _lay_out(self) -> None:
        head = hbox(self.query, margins=(G, G, G, 0))
        note = hbox((self.none, 0, Qt.AlignmentFlag.AlignTop), margins=(G, 0, G, G))
        vbox(head, note, (hbox(self.view, margins=(G // 2, 0, G // 2, 0)), 1), parent=self)
        self.view.setFrameShape(QListView.Shape.NoFrame)
        self.view.setStyleSheet(_LOOK)

    def refresh(self) -> None:
        """Reads the folder again, and marks the open chat."""
        self._later.stop()
        if self.isVisible():
            self._slices.run(self._controller.store.saved(self.query.text()), self._show)

    def _show(self, rows: list[SavedChat]) -> None:
        query = self.query.text().strip()
        self.model.show_rows(rows)
        self.none.setText(self.tr("No chat contains these words.") if query else self.tr("No chats so far."))
        self.none.setVisible(not rows)
        self.view.setCurrentIndex(self.model.place(self._controller.chat.key))

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: a hidden list is not updated."""
        super().showEvent(event)
        self._later.start()

    def _open(self, index: QModelIndex) -> None:
        saved = self.model.rows[index.row()]
        if saved.key != self._controller.chat.key:
            self.requested.emit(OpenChat(saved.key))

    def _open_first(self) -> None:
        self._later.stop()
        self._slices.stop()
        self._show(run_at_once(self._controller.store.saved(self.query.text())))
        if self.model.rows:
            self._open(self.model.index(0))

    def _rename(self) -> None:
        if (index := self.view.currentIndex()).isValid():
            self.view.edit(index)

    def _delete(self) -> None:
        if (index := self.view.currentIndex()).isValid():
            self.requested.emit(DeleteChat(self.model.rows[index.row()].key))


def _when(seconds: float) -> str:
    """The time of a chat of today, else its date."""
    moment = QDateTime.fromSecsSinceEpoch(int(seconds))
    if moment.date() == QDateTime.currentDateTime().date():
        return QLocale().toString(moment.time(), QLocale.FormatType.ShortFormat)
    return QLocale().toString(moment.date(), QLocale.FormatType.ShortFormat)

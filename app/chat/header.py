"""The header of a chat: title, and buttons for a new chat, saved chats, comparison, export and the side panel."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.chat.intents import CompareBundles, NewChat
from app.widgets import label
from app.widgets.actions import tool_button
from app.widgets.layouts import hbox
from app.widgets.theme import G


class ChatHeader(QWidget):
    """`requested` gives NewChat or CompareBundles; the export button opens a menu that ChatFiles fills."""

    requested = Signal(object)  # NewChat or Compare

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = label("", "heading")
        self.new = tool_button("plus", self.tr("New chat (Ctrl+N)"))
        self.recent = tool_button("clock", self.tr("Show or hide the list of chats"))
        self.compare = tool_button("branch", self.tr("Compare with another bundle"))
        self.drafts = tool_button("underline", self.tr("Underline what was drafted and accepted, or not"))
        self.export = tool_button("save", self.tr("Export this chat"))
        self.side = tool_button("settings", self.tr("Show or hide the settings"))
        for one in (self.recent, self.side, self.drafts):
            one.setCheckable(True)
            one.setChecked(True)
        self.drafts.hide()
        self.new.clicked.connect(lambda: self.requested.emit(NewChat()))
        self.compare.clicked.connect(lambda: self.requested.emit(CompareBundles()))
        self.export.setMenu(QMenu(self.export))
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        tools = (self.new, self.compare, self.drafts, self.export, self.side)
        hbox(self.recent, (self.heading, 1), *tools, spacing=G // 2, margins=(2 * G, G, 2 * G, G), parent=self)

    def set_empty(self, empty: bool) -> None:
        """Disables what an empty chat cannot do: export, and a new chat."""
        for one in (self.export, self.new):
            one.setEnabled(not empty)

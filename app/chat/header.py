"""The line over a chat: its title, and the buttons for new, earlier, compare, export and the side panel."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from app.chat.files import ChatFiles
from app.widgets import label
from app.widgets.theme import G, set_icon


class Header(QWidget):
    """Buttons that the page connects; two of them open menus that `files` fills."""

    def __init__(self, files: ChatFiles, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = label("", "heading")
        self.new = _tool("plus", self.tr("New chat (Ctrl+N)"))
        self.recent = _tool("clock", self.tr("Earlier chats"))
        self.compare = _tool("branch", self.tr("Compare with another bundle"))
        self.export = _tool("save", self.tr("Export this chat"))
        self.side = _tool("settings", self.tr("Show or hide the settings"))
        self.side.setCheckable(True)
        self.side.setChecked(True)
        for one, fill in ((self.recent, files.fill_recent), (self.export, files.fill_export)):
            menu = QMenu(one)
            menu.aboutToShow.connect(partial(fill, menu))
            one.setMenu(menu)
            one.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * G, G, 2 * G, G)
        row.setSpacing(G // 2)
        row.addWidget(self.heading, 1)
        for one in (self.new, self.recent, self.compare, self.export, self.side):
            row.addWidget(one)


def _tool(icon: str, tip: str) -> QToolButton:
    tool = QToolButton()
    set_icon(tool, icon)
    tool.setToolTip(tip)
    tool.setAccessibleName(tip)
    return tool

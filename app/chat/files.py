"""The chat page's menus about files: earlier chats, and exporting this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from app.chat.controller import ChatController
from app.state.chats import key_of
from app.widgets import Banner


class ChatFiles(QObject):
    """Fills the menus when they open. open_chat: shows an earlier chat by its key."""

    def __init__(
        self, controller: ChatController, banner: Banner, open_chat: Callable[[str], object], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._controller, self._banner, self._open_chat, self._page = controller, banner, open_chat, parent

    def fill_recent(self, menu: QMenu) -> None:
        """Earlier chats, the one that is open checked."""
        menu.clear()
        for saved in self._controller.store.recent():
            key = key_of(saved.path)
            action = menu.addAction(saved.title or self.tr("Untitled"))
            action.setCheckable(True)
            action.setChecked(key == self._controller.chat.key)
            action.triggered.connect(lambda _checked=False, key=key: self._open_chat(key))
        if menu.isEmpty():
            menu.addAction(self.tr("No earlier chats")).setEnabled(False)

    def fill_export(self, menu: QMenu) -> None:
        """Two kinds of file, and the clipboard."""
        menu.clear()
        menu.addAction(self.tr("Save as Markdown …"), lambda: self.ask("md"))
        menu.addAction(self.tr("Save as JSON, with all branches …"), lambda: self.ask("json"))
        menu.addAction(
            self.tr("Copy as Markdown"),
            lambda: QGuiApplication.clipboard().setText(self._controller.chat.to_markdown()),
        )

    def ask(self, ending: str) -> None:
        """Asks where to, and writes."""
        title = self.tr("Export this chat")
        name, _kind = QFileDialog.getSaveFileName(self._page, title, f"chat.{ending}", f"*.{ending}")
        if name:
            self.export(Path(name))

    def export(self, path: Path) -> None:
        """Writes the chat as Markdown or, for .json, as JSON with all branches."""
        chat = self._controller.chat
        try:
            path.write_text(chat.to_json() if path.suffix == ".json" else chat.to_markdown(), "utf-8")
        except OSError as error:
            self._banner.error(self.tr("The chat could not be exported."), str(error))

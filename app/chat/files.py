"""Files of the chat page: earlier chats, the one that comes back after a start, and exporting this one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from app.chat.controller import ChatController
from app.chat.header import Header
from app.state.chats import key_of
from app.widgets import Banner
from workflows.locks import HeldError


class ChatFiles(QObject):
    """Fills the header's menus when they open. banner: of the session; chat_banner: of the chat's file."""

    def __init__(self, controller: ChatController, banner: Banner, chat_banner: Banner, parent: QWidget) -> None:
        super().__init__(parent)
        self._controller, self._page = controller, parent
        self._banner, self._chat_banner = banner, chat_banner
        controller.unsaved.connect(self.tell_unsaved)

    def follow(self, header: Header) -> None:
        """Fills the menus of `header`."""
        for tool, fill in ((header.recent, self.fill_recent), (header.export, self.fill_export)):
            menu = tool.menu()
            menu.aboutToShow.connect(partial(fill, menu))

    def restore(self) -> None:
        """The chat that was open last; asked for first where the start before did not end well."""
        store = self._controller.store
        try:
            key = store.begin()
        except OSError as error:
            self.tell_unsaved(str(error))
            return
        if key and store.must_ask:
            self._chat_banner.show_message(
                "warning",
                self.tr("Joinery ended unexpectedly twice in a row, so the last chat was not opened by itself."),
                action=self.tr("Open the last chat"),
                on_action=lambda: self.open_chat(key),
            )
        elif key:
            self.open_chat(key)

    def open_chat(self, key: str) -> None:
        """Shows an earlier chat."""
        self._open(key, self._controller.open_chat)

    def _open(self, key: str, how: Callable[[str], None]) -> None:
        try:
            how(key)
        except HeldError as error:
            self._offer_copy(key, error.holder)
            return
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            self._chat_banner.show_message("warning", self.tr("The last chat could not be read."), details=str(error))
            return
        self._chat_banner.clear()
        self._banner.clear()

    def _offer_copy(self, key: str, holder: str) -> None:
        """Two windows do not write one chat."""
        self._chat_banner.show_message(
            "info",
            self.tr("The chat is already open in another window; a copy of it can go on here."),
            details=holder,
            action=self.tr("Open a copy"),
            on_action=lambda: self._open(key, self._controller.open_copy),
        )

    def tell_unsaved(self, reason: str) -> None:
        """What was not written, and why."""
        self._chat_banner.show_message("warning", self.tr("This chat could not be saved."), details=reason)

    def fill_recent(self, menu: QMenu) -> None:
        """Earlier chats, the one that is open checked."""
        menu.clear()
        for saved in self._controller.store.recent():
            key = key_of(saved.path)
            action = menu.addAction(saved.title or self.tr("Untitled"))
            action.setCheckable(True)
            action.setChecked(key == self._controller.chat.key)
            action.triggered.connect(lambda _checked=False, key=key: self.open_chat(key))
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

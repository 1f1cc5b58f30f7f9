"""The files of the chat page: saved chats, the chat that is restored at the start, and export."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from app.chat.controller import ChatController
from app.chat.intents import DeleteChat, OfFiles, OpenChat, RenameChat
from app.jobs.time_slices import run_at_once
from app.state.conversation_format import conversation_to_json, conversation_to_markdown
from app.widgets import Banner
from app.widgets.file_suffix import suggested_file, with_file_suffix
from workflows.common.locks import LockHeldError


class ChatFiles(QObject):
    """Opens, renames, deletes and exports chats. changed: the folder changed. chat_banner: for messages about files."""

    changed = Signal()

    def __init__(
        self, controller: ChatController, menu: QMenu, banner: Banner, chat_banner: Banner, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._controller, self._page = controller, parent
        self._banner, self._chat_banner = banner, chat_banner
        controller.unsaved.connect(self.report_unsaved)
        menu.aboutToShow.connect(partial(self.fill_export, menu))

    def restore(self) -> None:
        """Opens the last chat; asks first if the last starts crashed."""
        store = self._controller.store
        try:
            key = store.begin()
        except OSError as error:
            self.report_unsaved(str(error))
            return
        if key and store.crashed_repeatedly:
            self._chat_banner.show_message(
                "warning",
                self.tr("Joinery ended unexpectedly twice in a row, so the last chat was not opened automatically."),
                action=self.tr("Open the last chat"),
                on_action=lambda: self.open_chat(key),
            )
        elif key:
            self.open_chat(key)

    def open_chat(self, key: str, copy: bool = False) -> None:
        """Opens a saved chat, or a copy of it."""
        try:
            self._controller.open_chat(key, copy=copy)
        except LockHeldError as error:
            self._offer_copy(key, error.holder)
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            self._chat_banner.show_message("warning", self.tr("The last chat could not be read."), details=str(error))
        else:
            self._chat_banner.clear()
            self._banner.clear()

    def _offer_copy(self, key: str, holder: str) -> None:
        """Offers a copy, as two windows do not write one chat."""
        self._chat_banner.show_message(
            "info",
            self.tr("The chat is open in another window; you can continue a copy of it here."),
            details=holder,
            action=self.tr("Open a copy"),
            on_action=lambda: self.open_chat(key, copy=True),
        )

    def report_unsaved(self, reason: str) -> None:
        """Shows that a chat could not be saved, and why."""
        self._chat_banner.show_message("warning", self.tr("This chat could not be saved."), details=reason)

    def do(self, intent: OfFiles) -> None:
        """Opens, renames or deletes a saved chat."""
        match intent:
            case OpenChat(key):
                self.open_chat(key)
            case RenameChat(key, name):
                self._change(lambda: self._rename(key, name))
            case DeleteChat(key):
                self._delete(key)
        self.changed.emit()

    def _rename(self, key: str, name: str) -> None:
        """Raises LockHeldError, OSError or ValueError."""
        chat, store = self._controller.chat, self._controller.store
        if key == chat.key:
            chat.name = name
            store.commit(chat)
        else:
            store.retitle(key, name)

    def _delete(self, key: str) -> None:
        was_open = key == self._controller.chat.key
        title = next((one.title for one in run_at_once(self._controller.store.saved()) if one.key == key), "")
        if self._change(lambda: self._controller.delete(key)):
            self._chat_banner.show_message(
                "info",
                self.tr("The chat “{0}” was deleted.").format(title),
                action=self.tr("Undo"),
                on_action=lambda: self._restore(key, was_open),
            )

    def _restore(self, key: str, was_open: bool) -> None:
        if self._change(lambda: self._controller.store.restore(key)):
            self._chat_banner.clear()
            if was_open and not len(self._controller.chat):
                self.open_chat(key)
        self.changed.emit()

    def _change(self, change: Callable[[], object]) -> bool:
        """Runs a change and returns whether it succeeded; else the banner says why not."""
        try:
            change()
        except LockHeldError as error:
            text = self.tr("The chat is open in another window; only that window can change it.")
            self._chat_banner.show_message("info", text, details=error.holder)
        except (OSError, ValueError) as error:
            text = self.tr("The chat could not be changed.")
            self._chat_banner.show_message("warning", text, details=str(error))
        else:
            return True
        return False

    def fill_export(self, menu: QMenu) -> None:
        """Fills the menu: two file formats, and the clipboard."""
        menu.clear()
        menu.addAction(self.tr("Save as Markdown …"), lambda: self.choose_file("md"))
        menu.addAction(self.tr("Save as JSON, with all branches …"), lambda: self.choose_file("json"))
        menu.addAction(
            self.tr("Copy as Markdown"),
            lambda: QGuiApplication.clipboard().setText(conversation_to_markdown(self._controller.chat)),
        )

    def choose_file(self, suffix: str) -> None:
        """Asks for a path, and exports the chat."""
        title = self.tr("Export this chat")
        name, _kind = QFileDialog.getSaveFileName(self._page, title, suggested_file(f"chat.{suffix}"), f"*.{suffix}")
        if name:
            self.export(with_file_suffix(name, f".{suffix}", ".md", ".json", ".txt"))

    def export(self, path: Path) -> None:
        """Writes the chat as Markdown or, for .json, as JSON with all branches."""
        chat = self._controller.chat
        try:
            path.write_text(
                conversation_to_json(chat) if path.suffix.lower() == ".json" else conversation_to_markdown(chat),
                "utf-8",
            )
        except OSError as error:
            self._banner.error(self.tr("The chat could not be exported."), str(error))

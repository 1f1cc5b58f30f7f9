"""Saves the unsent prompt of each chat, so that it survives a killed window."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QObject, QTimer

from app.chat.composer import Composer
from app.chat.controller import ChatController
from app.state.conversation import Conversation
from app.state.unsent_prompts import UNSAVED_CHAT_KEY, UnsentPrompt, UnsentPrompts

KEEP_MS = 500


class PromptAutosave(QObject):
    """Follows composer and controller. When the chat changes, it saves the old one's prompt and shows the new one's."""

    def __init__(self, composer: Composer, controller: ChatController, drafts: UnsentPrompts, parent: QObject) -> None:
        super().__init__(parent)
        self._composer, self._controller, self._drafts = composer, controller, drafts
        self._key = UNSAVED_CHAT_KEY
        self._saved = UnsentPrompt()
        self._timer = QTimer(self, singleShot=True, interval=KEEP_MS)
        self._timer.timeout.connect(self.save)
        composer.edit.textChanged.connect(lambda: self._timer.isActive() or self._timer.start())
        controller.reset.connect(self._follow)
        controller.appended.connect(lambda _id: self._follow())

    def show(self) -> None:
        """Shows the unsent prompt of the chat that is open at the start."""
        self._key = _key_of(self._controller.chat)
        self._show()

    def save(self) -> None:
        """Saves the unsent prompt at once, if it changed."""
        self._timer.stop()
        draft = self._composer.unsent_prompt
        if draft == self._saved:
            return
        with suppress(OSError):  # a full disk is reported when the chat itself is saved
            self._drafts.write(self._key, draft)
            self._saved = draft

    def _follow(self) -> None:
        key = _key_of(self._controller.chat)
        if key == self._key:
            return
        became_saved = self._key == UNSAVED_CHAT_KEY and len(self._controller.chat) <= 1
        self.save()
        self._key = key
        if became_saved:  # its first prompt was sent: what is written now belongs to it
            self._saved = UnsentPrompt()
            self.save()
        else:
            self._show()

    def _show(self) -> None:
        self._saved = self._drafts.read(self._key)
        editing = self._saved.editing
        if editing is not None and editing not in self._controller.chat:
            self._saved = UnsentPrompt(self._saved.text)
        self._composer.show_unsent_prompt(self._saved)
        self._timer.stop()


def _key_of(chat: Conversation) -> str:
    return chat.key if len(chat) else UNSAVED_CHAT_KEY

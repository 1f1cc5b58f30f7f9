"""Keeps what is written in the composer with the chat that it was written for, also when the window is killed."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QObject, QTimer

from app.chat.composer import Composer
from app.chat.controller import ChatController
from app.state.conversation import Conversation
from app.state.unsent_prompts import UNSAVED_CHAT_KEY, UnsentPrompt, UnsentPrompts

KEEP_MS = 500


class PromptAutosave(QObject):
    """Follows composer and controller. A change of the chat keeps its draft first and shows the other chat's."""

    def __init__(self, composer: Composer, controller: ChatController, drafts: UnsentPrompts, parent: QObject) -> None:
        super().__init__(parent)
        self._composer, self._controller, self._drafts = composer, controller, drafts
        self._key = UNSAVED_CHAT_KEY
        self._kept = UnsentPrompt()
        self._timer = QTimer(self, singleShot=True, interval=KEEP_MS)
        self._timer.timeout.connect(self.keep)
        composer.edit.textChanged.connect(lambda: self._timer.isActive() or self._timer.start())
        controller.reset.connect(self._follow)
        controller.appended.connect(lambda _id: self._follow())

    def show(self) -> None:
        """The draft of the chat that is open at the start."""
        self._key = _key_of(self._controller.chat)
        self._show()

    def keep(self) -> None:
        """Writes the draft at once, where it changed."""
        self._timer.stop()
        draft = self._composer.draft
        if draft == self._kept:
            return
        with suppress(OSError):  # a full disk is told where the chat itself is saved
            self._drafts.write(self._key, draft)
            self._kept = draft

    def _follow(self) -> None:
        key = _key_of(self._controller.chat)
        if key == self._key:
            return
        became_saved = self._key == UNSAVED_CHAT_KEY and len(self._controller.chat) <= 1
        self.keep()
        self._key = key
        if became_saved:  # its first prompt was sent: what is written now belongs to it
            self._kept = UnsentPrompt()
            self.keep()
        else:
            self._show()

    def _show(self) -> None:
        self._kept = self._drafts.read(self._key)
        editing = self._kept.editing
        if editing is not None and editing not in self._controller.chat:
            self._kept = UnsentPrompt(self._kept.text)
        self._composer.show_draft(self._kept)
        self._timer.stop()


def _key_of(chat: Conversation) -> str:
    return chat.key if len(chat) else UNSAVED_CHAT_KEY

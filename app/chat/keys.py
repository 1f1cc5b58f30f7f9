"""What the keyboard and the window's Ctrl+K find on the chat page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction

from app.chat.intents import CompareBundles, CopyLast, EditPrompt, NewChat, Regenerate
from app.widgets.actions import add_action

if TYPE_CHECKING:
    from app.chat.page import ChatPage


def add_actions(page: ChatPage) -> list[QAction]:
    """Gives the page its actions; those that mean nothing while two bundles are compared."""
    tr, do = page.tr, partial(partial, page.do)

    def search() -> None:
        page.header.recent.setChecked(True)
        page.chats.query.setFocus()

    add_action(page, tr("Stop the reply"), lambda: page.views.composer.escape(), "Escape")
    add_action(page, tr("Compare the answers of two bundles"), do(CompareBundles()), "Ctrl+D")
    rows = (
        (tr("New chat"), "Ctrl+N", do(NewChat())),
        (tr("Answer again"), "Ctrl+R", do(Regenerate())),
        (tr("Copy the last reply"), "Ctrl+Shift+C", do(CopyLast())),
        (tr("Edit the last prompt"), "Ctrl+E", do(EditPrompt())),
        (tr("Write a prompt"), "Ctrl+L", page.composer.edit.setFocus),
        (tr("Search the chats"), "Ctrl+Shift+F", search),
        (tr("Save the chat as Markdown"), "", partial(page.files.ask, "md")),
        (tr("Save the chat as JSON"), "", partial(page.files.ask, "json")),
        (tr("Show or hide the list of chats"), "", page.header.recent.toggle),
        (tr("Show or hide the chat settings"), "", page.header.side.toggle),
        (tr("Underline accepted drafts, or not"), "", page.header.drafts.toggle),
    )
    return [add_action(page, text, act, keys) for text, keys, act in rows]

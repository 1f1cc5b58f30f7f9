"""A folder of chats: opened as a window opens it, shown, gone on with and saved."""

from __future__ import annotations

import random
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.chat.transcript import Transcript
from app.state.chat_store import ChatStore
from app.state.conversation import Conversation
from app.state.conversation_format import (
    conversation_to_dict,
    conversation_to_json,
    conversation_to_markdown,
    searched_text,
)
from tests.faults.mutants.edits import change_file
from tests.faults.mutants.lines import FindingError, RefusedError


def lay(root: Path) -> None:
    """Three prompts, one asked twice and one changed, with all that a reply may have."""
    store, chat = ChatStore(root / "chats"), Conversation("Be brief.", "c0ffee" * 5)
    store.begin()
    chat.bundle, chat.decoding = "/bundles/b", {"sampling": {"top_k": 3}, "chain": []}
    first = chat.ask("What is it?\n\n```python\nx\n```")
    for ended in ("eos", "length"):
        reply = chat.begin_reply(first.id)
        reply.content = '{"a": [1, 2]}'
        told = reply.reply
        assert told is not None
        told.ended, told.tokens, told.ttft_ms, told.decode_rate, told.provider = ended, 3, 12.5, 40.0, "CPU"
        told.notices, told.form, told.accept_rate, told.tokens_per_step = ["slid"], "json_schema", 0.5, 1.5
    chat.edit(first.id, "And now?")
    chat.begin_reply(chat.ask("More?").id)
    chat.changed_at = 1.75e9  # every lay is the same, and so is a mutant by its number
    store.commit(chat)
    store.close()


def change(root: Path, chances: random.Random) -> str:
    """The chat, or at times what a start reads first."""
    [chat] = (root / "chats").glob("*.chat.json")
    path = chat if chances.random() < 0.85 else root / "chats" / "session.json"
    data, told = change_file(path.read_bytes(), chances)
    path.write_bytes(data)
    return f"{path.suffixes[0]}: {told}"


def use(root: Path) -> list[str]:
    """A start: the list, the last chat, its text in every form, a prompt more and the end. OSError and ValueError are
    what a window tells; after them it goes on with a new chat.
    """
    QApplication.instance() or QApplication(["mutants", "-platform", "offscreen"])
    store = ChatStore(root / "chats")
    key, refusal = store.begin(), ""
    _listed(store)
    try:
        chat = store.load(key) if key else Conversation()
        store.copy(key) if key else None
    except (OSError, ValueError) as error:
        chat, refusal = Conversation(), f"not a conversation: {error}"
    before = conversation_to_dict(chat)
    _shown(chat)
    prompt = chat.ask("And after that?")
    for turn in chat.to_messages(prompt.id):
        assert isinstance(turn.content, str)
    chat.begin_reply(prompt.id).content = "That."
    store.commit(chat)
    again = store.copy(chat.key)
    if len(again) != len(before["messages"]) + 2:
        raise FindingError(f"{len(before['messages'])} messages and two more are {len(again)} when they are read again")
    store.close()
    if refusal:
        raise RefusedError(refusal)
    return []


def _listed(store: ChatStore) -> None:
    for query in ("", "what now"):
        try:
            listing = store.saved(query)
            while True:
                next(listing)
        except StopIteration as end:
            assert all(isinstance(one.title, str) for one in end.value)


def _shown(chat: Conversation) -> None:
    """Every branch, on a real page."""
    page = Transcript()
    for row in conversation_to_dict(chat)["messages"][:12]:
        for at in range(chat.siblings(row["id"])[1]):
            chat.select(row["id"], at)
            page.show_path(chat)
            QApplication.processEvents()
    conversation_to_markdown(chat), conversation_to_json(chat), searched_text(chat)
    page.grab()

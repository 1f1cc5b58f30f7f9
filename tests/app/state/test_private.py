"""What the window keeps for itself is for its owner alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from app.state.chat_store import ChatStore
from app.state.context import AppContext
from app.state.conversation import Conversation

pytestmark = pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")


def test_the_window_s_stores_are_private(home: Path, make_context: Callable[..., AppContext]) -> None:
    """Settings, recent bundles, chats, in a folder that an earlier version left open."""
    home.mkdir(mode=0o755, exist_ok=True)
    home.chmod(0o755)
    context = make_context()
    context.settings.set("page", "chat")
    context.recents.add(str(home))
    store, chat = ChatStore(context.home / "chats"), Conversation()
    store.begin()
    chat.begin_reply(chat.ask("Is it private?").id)
    store.commit(chat)
    modes = {str(path.relative_to(home)): stat.S_IMODE(path.stat().st_mode) for path in (home, *home.rglob("*"))}
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    assert "window.ini" in modes and any(name.endswith(".chat.json") for name in modes)
    store.close()

"""Many writers on one home: nothing of theirs is lost, and one chat is one window's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.chat.page import ChatPage
from app.window import MainWindow
from tests.app.conftest import make_bundle
from tests.faults.writers import at_once, lost

pytestmark = pytest.mark.slow
TIMES = 80
"""`python -m tests.faults` has each write a thousand times."""


def test_nothing_is_lost(tmp_path: Path, qapp: object) -> None:
    """Of settings, recent bundles, chats and runs, by four windows and two command lines; and no litter is left."""
    at_once(tmp_path / "shared", TIMES)
    assert lost(tmp_path / "shared", TIMES) == {"settings": 0, "recents": 0, "chats": 0, "history": 0}
    left = [path.name for path in (tmp_path / "shared").rglob("*") if path.name.startswith(".") or "lock" in path.name]
    assert left == []


def test_a_chat_that_is_open_in_another_window_is_reported(
    qtbot: Any, home: Path, make_window: Callable[..., MainWindow]
) -> None:
    """The second window overwrites nothing: it offers a copy, and goes on in that."""
    bundle = make_bundle(home / "bundle")
    pages = list[ChatPage]()
    for text in ("What is it?", "And in the copy?"):
        window = make_window()
        window.context.open_bundle(bundle)
        page = window.stack.page("chat")
        assert isinstance(page, ChatPage)
        pages.append(page)
        window.show_page("chat")
        qtbot.waitUntil(lambda window=window: window.context.session.state == "ready")
        if len(pages) == 2:
            assert "open in another window" in page.frame.chat_banner.message
            page.frame.chat_banner._on_action()
        page.send(text)
        qtbot.waitUntil(lambda page=page: not page.controller.running)
    first, second = (page.controller.chat for page in pages)
    assert first.key != second.key
    for page in pages:
        page.controller.store.commit(page.controller.chat)
    kept = [pages[0].controller.store.copy(one.key) for one in (first, second)]
    assert [[one.content for one in chat.path()] for chat in kept] == [
        ["What is it?", "56"],
        ["What is it?", "56", "And in the copy?", "56"],
    ]
    for page in pages:
        page.shut()

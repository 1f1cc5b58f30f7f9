"""Where the keyboard is after each step of a chat, and what is written there: it is never lost, and never elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.state.unsent_prompts import UnsentPrompt, UnsentPrompts
from app.window import MainWindow
from tests.app.conftest import make_bundle
from tests.app.test_chat_page import Make, ask, done, make

__all__ = ["make"]
Chat = Callable[..., ChatPage]
SLOW = {"reply": "word", "tokens": 3000, "delay": 0.002}


@pytest.fixture
def chat(make_window: Callable[..., MainWindow], qtbot: QtBot, tmp_path: Path) -> Iterator[Chat]:
    """The chat page of an active window, which alone has a focus, with a bundle that is open."""

    def build(**scenario: Any) -> ChatPage:
        window = make_window(**scenario)
        window.context.open_bundle(make_bundle(tmp_path / "demo"))
        window.context.navigate.emit("chat")
        page = window.findChild(ChatPage)
        assert page is not None
        qtbot.waitUntil(lambda: page.session.state == "ready")
        return page

    yield build


def focused(page: ChatPage) -> QWidget | None:
    return page.window().focusWidget()


def press(qtbot: QtBot, page: ChatPage) -> None:
    """The composer's button, as a mouse does it: the focus goes there."""
    page.composer.button.setFocus()
    qtbot.mouseClick(page.composer.button, Qt.MouseButton.LeftButton)


def test_after_send_stop_and_new_chat(chat: Chat, qtbot: QtBot) -> None:
    page = chat(**SLOW)
    edit = page.composer.edit
    edit.setPlainText("go")
    press(qtbot, page)
    assert focused(page) is edit
    qtbot.waitUntil(lambda: page.session.state == "generating")
    press(qtbot, page)
    done(qtbot, page)
    assert focused(page) is edit and not page.composer.button.isEnabled()
    page.header.new.setFocus()
    page.header.new.click()  # disabled by what it does
    assert focused(page) is edit


def test_after_the_end_and_a_failure(chat: Chat, qtbot: QtBot) -> None:
    """The tools of a message are disabled while a reply runs."""
    page = chat(errors={"generate": {"kind": "internal", "message": "It cannot run."}})
    page.composer.edit.setPlainText("go")
    page.composer.button.setFocus()
    page.composer.submit()
    done(qtbot, page)
    assert focused(page) is page.composer.edit
    again = page.transcript.views[-1].tool("regenerate")
    again.setFocus()
    assert focused(page) is again
    again.click()
    assert focused(page) is page.composer.edit
    done(qtbot, page)
    assert focused(page) is page.composer.edit


def test_while_another_provider_is_chosen_the_focus_stays(chat: Chat, qtbot: QtBot) -> None:
    """A widget that stays what it was keeps it."""
    page = chat()
    page.panel.cache.setFocus()
    page.panel.cache.setCurrentIndex(2)
    page.panel.cache.activated.emit(2)
    qtbot.waitUntil(lambda: page.context.ready is not None and page.context.ready.layout == "window")
    assert focused(page) is page.panel.cache


# -- drafts ----------------------------------------------------------------------------------------------------


def test_drafts_are_kept_per_chat(make: Make, qtbot: QtBot) -> None:
    page = make()
    ask(qtbot, page, "first")
    first = page.controller.chat.key
    page.composer.edit.setPlainText("of the first")
    page.header.new.click()
    assert page.composer.edit.toPlainText() == ""
    page.composer.edit.setPlainText("of the new")
    page.files.open_chat(first)
    assert page.composer.edit.toPlainText() == "of the first"
    page.header.new.click()
    assert page.composer.edit.toPlainText() == "of the new"
    page.composer.submit()
    done(qtbot, page)
    assert page.composer.edit.toPlainText() == ""
    page.header.new.click()
    assert page.composer.edit.toPlainText() == ""  # it was sent


def test_an_edit_comes_back_as_an_edit_after_a_restart(make: Make, qtbot: QtBot) -> None:
    page = make()
    ask(qtbot, page, "8*7=")
    page.transcript.views[0].tool("edit").click()
    page.composer.edit.setPlainText("9*7=")
    page.shut()
    second = make()
    assert second.composer.unsent_prompt == UnsentPrompt("9*7=", second.controller.chat.path()[0].id)
    second.composer.submit()
    done(qtbot, second)
    assert second.transcript.views[0].place.text() == "2/2"


def test_a_draft_is_on_the_disk_without_a_proper_end(make: Make, qtbot: QtBot) -> None:
    """Nobody closes the page here."""
    page = make()
    page.composer.edit.setPlainText("unsent \ud83d\ude00")
    path = page.context.home / "chats" / "new.draft.json"
    qtbot.waitUntil(path.exists)
    assert json.loads(path.read_text())["text"] == "unsent \U0001f600"


@pytest.mark.parametrize("content", [b"", b"[]", b'{"text": 5}', b"\xff\xfe", b'{"text": "a", "editing"'])
def test_a_damaged_draft_is_an_empty_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "abc.draft.json").write_bytes(content)
    assert UnsentPrompts(tmp_path).read("abc") == UnsentPrompt()
    with pytest.raises(ValueError, match="not a valid conversation key"):
        UnsentPrompts(tmp_path).read("../abc")

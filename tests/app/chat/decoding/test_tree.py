"""A reply that is JSON, as a tree."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.chat.decoding.tree import JsonReplyTree
from app.chat.message_view import MessageView
from app.state.conversation import ChatMessage, Conversation

REPLY = '{"name": "Ada", "tags": ["a", {"b": null}], "ok": true, "none": {}}'


@pytest.fixture
def tree(qtbot: QtBot) -> JsonReplyTree:
    found = JsonReplyTree()
    qtbot.addWidget(found)
    found.resize(500, 400)
    found.show()
    return found


def rows(tree: JsonReplyTree) -> list[str]:
    return [f"{item.text(0)}={item.text(1)}" for item in tree.tree._items(lambda item: item.isExpanded())]


def test_the_rows_are_the_values(tree: JsonReplyTree) -> None:
    assert tree.show_text(REPLY)
    assert rows(tree) == ['name="Ada"', "tags=2 items", "ok=true", "none=0 fields", '1="a"', "2=1 field", "b=null"]
    height = tree.tree.height()
    item = tree.tree.topLevelItem(1)
    assert item is not None
    item.setExpanded(False)
    assert len(rows(tree)) == 4 and tree.tree.height() < height


def test_a_long_reply_begins_folded(tree: JsonReplyTree) -> None:
    assert tree.show_text(json.dumps({"items": [{"n": n} for n in range(50)]}))
    assert len(rows(tree)) == 51


@pytest.mark.parametrize("text", ["", "Ada", '{"name": "A', "5", "{}", "[]", "[" * 100_000])
def test_what_is_no_tree(tree: JsonReplyTree, text: str) -> None:
    assert not tree.show_text(text)


def test_json_is_copied_whole_or_in_part(qtbot: QtBot, tree: JsonReplyTree) -> None:
    tree.show_text(REPLY)
    tree.copy.click()
    assert json.loads(QGuiApplication.clipboard().text()) == json.loads(REPLY)
    item = tree.tree.topLevelItem(1)
    assert item is not None
    tree.tree.setCurrentItem(item)
    tree.tree.copy_chosen()
    assert json.loads(QGuiApplication.clipboard().text()) == ["a", {"b": None}]


def replied(text: str, form: str, ended: str) -> ChatMessage:
    chat = Conversation()
    message = chat.begin_reply(chat.ask("Who?").id)
    message.content = text
    assert message.reply is not None
    message.reply.form, message.reply.ended = form, ended
    return message


@pytest.mark.parametrize(
    ("text", "form", "ended", "shown"),
    [
        (REPLY, "json_schema", "eos", True),
        (REPLY, "", "eos", False),
        (REPLY, "json_schema", "", False),  # it grows
        (REPLY[:20], "json_schema", "length", False),
    ],
)
def test_a_message_shows_it_in_place_of_its_text(qtbot: QtBot, text: str, form: str, ended: str, shown: bool) -> None:
    view = MessageView(replied(text, form, ended), (0, 1))
    qtbot.addWidget(view)
    assert (view.tree is not None, view.text.isHidden()) == (shown, shown)


def test_the_text_comes_back_and_goes(qtbot: QtBot) -> None:
    message = replied("", "json_schema", "")
    view = MessageView(message, (0, 1))
    qtbot.addWidget(view)
    view.show()
    message.content = REPLY
    assert message.reply is not None
    message.reply.ended = "eos"
    view.finish()
    assert view.tree is not None and view.text.isHidden()
    qtbot.mouseClick(view.tree.toggle, Qt.MouseButton.LeftButton)
    assert view.tree.tree.isHidden() and not view.text.isHidden()
    assert view.tree.toggle.text() == "Show as a tree"
    view.tree.toggle.click()
    assert view.text.isHidden() and not view.tree.tree.isHidden()

"""The list of chats: what it shows, search, names, deletion with undo, and which bundle answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from app.chat.intents import DeleteChat, NewChat, OpenChat, RenameChat
from app.chat.page import ChatPage
from app.jobs.time_slices import run_at_once
from app.state.chat_store import ChatStore
from app.state.conversation import Conversation
from app.state.conversation_format import conversation_from_dict, conversation_to_dict, conversation_to_json
from tests.app.test_chat_page import Make, ask, done, make, shown

__all__ = ["make"]


def titles(page: ChatPage) -> list[str]:
    page.chats._show(run_at_once(page.store.saved(page.chats.query.text())))
    return [one.title for one in page.chats.model.rows]


def two_chats(make: Make, qtbot: QtBot) -> ChatPage:
    """The second one is open."""
    page = make()
    ask(qtbot, page, "first question")
    page.do(NewChat())
    ask(qtbot, page, "second question")
    assert titles(page) == ["second question", "first question"]
    return page


def list_action(page: ChatPage, text: str) -> QAction:
    return next(one for one in page.chats.view.actions() if one.text() == text)


def test_a_row_names_title_time_and_bundle(make: Make, qtbot: QtBot) -> None:
    page = two_chats(make, qtbot)
    title, second = page.chats.model.index(1).data().split("\n")
    assert title == "first question" and second.endswith(" · demo · fp32 · static 4,096")
    assert page.chats.view.currentIndex().row() == 0  # the open one
    page.chats.view.clicked.emit(page.chats.model.index(1))
    assert shown(page) == ["first question", "56"]


def test_each_reply_shows_which_bundle_answered(make: Make, qtbot: QtBot) -> None:
    page = make()
    ask(qtbot, page, "one")
    page.context.open_bundle("/b/demo-int4")
    ask(qtbot, page, "two")
    replies = [page.transcript.views[at] for at in (1, 3)]
    bundles = [f"{name} · fp32 · static 4,096" for name in ("demo", "demo-int4")]
    assert [view.who.text() for view in replies] == [f"Model · {bundle}" for bundle in bundles]
    kept = conversation_from_dict(conversation_to_dict(page.controller.chat))
    assert [m.reply.bundle for m in kept.path() if m.reply] == bundles


def test_search_covers_the_messages(make: Make, qtbot: QtBot) -> None:
    page = make(replies={"demo": "the answer is fifty-six"})
    ask(qtbot, page, "8*7=")
    page.do(NewChat())
    page.context.open_bundle("/b/other")
    ask(qtbot, page, "hello")
    page.chats.query.setText("FIFTY answer")
    assert titles(page) == ["8*7="]
    qtbot.keyClick(page.chats.query, Qt.Key.Key_Return)  # opens the first that was found
    assert shown(page)[0] == "8*7="
    page.chats.query.setText("nowhere")
    assert titles(page) == [] and page.chats.none.text() == "No chat contains these words."


def test_names_are_given_and_taken(make: Make, qtbot: QtBot) -> None:
    """Of the open chat and of another; both outlive a restart."""
    page = two_chats(make, qtbot)
    for row, name in ((0, "Mine"), (1, "Yours")):
        assert page.chats.model.setData(page.chats.model.index(row), f" {name} ")
    assert titles(page) == ["Mine", "Yours"]
    assert page.header.heading.accessibleName() == "Mine"
    assert [one.title for one in run_at_once(ChatStore(page.store.folder).saved())] == ["Mine", "Yours"]
    page.do(RenameChat(page.controller.chat.key, ""))
    assert titles(page) == ["second question", "Yours"]


def test_deleted_chats_come_back(make: Make, qtbot: QtBot) -> None:
    """The open one too, and then it is open again; after the next start they are gone."""
    page = two_chats(make, qtbot)
    list_action(page, "Delete the chat").trigger()
    assert (titles(page), shown(page)) == (["first question"], [])
    assert page.chat_banner.message == "The chat “second question” was deleted."
    page.chat_banner._action.click()
    assert (titles(page), shown(page)) == (["second question", "first question"], ["second question", "56"])
    other = page.chats.model.rows[1].key
    page.do(DeleteChat(other))
    assert (titles(page), shown(page)) == (["second question"], ["second question", "56"])
    page.shut()
    ChatStore(page.store.folder).begin()
    assert not list(page.store.folder.glob("*.deleted.json"))


def test_what_another_window_has_open_stays(make: Make, qtbot: QtBot) -> None:
    first = two_chats(make, qtbot)
    second = make()
    for intent in (DeleteChat(first.controller.chat.key), RenameChat(first.controller.chat.key, "x")):
        second.do(intent)
        assert second.chat_banner.message == "The chat is open in another window; only that window can change it."
    assert titles(first) == ["second question", "first question"]


def test_a_chat_that_cannot_be_read_is_not_listed_nor_opened(make: Make, qtbot: QtBot) -> None:
    page = two_chats(make, qtbot)
    (path,) = (one.path for one in page.chats.model.rows if one.title == "first question")
    path.write_text("{")
    assert titles(page) == ["second question"]
    page.do(OpenChat(path.name.split(".")[0]))
    assert "could not be read" in page.chat_banner.message


@pytest.mark.parametrize("chats", [300])
def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chats: int) -> None:
    store = ChatStore(tmp_path)
    for at in range(chats):
        chat = Conversation()
        chat.begin_reply(chat.ask(f"question {at}").id)
        (tmp_path / f"{chat.key}.chat.json").write_text(conversation_to_json(chat))
    read: list[Path] = []
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: (read.append(path), real(path))[1])
    assert len(run_at_once(store.saved())) == chats == len(read)
    last = run_at_once(store.saved("question"))[0].path
    assert len(read) == chats
    last.write_text(last.read_text().replace("question", "quest"))
    assert len(run_at_once(store.saved("question"))) == chats - 1 and read[chats:] == [last]


def test_a_new_chat_counts_from_nothing(make: Make, qtbot: QtBot) -> None:
    """The old one's tokens and speed are no figures of the new one, and a chat that is opened shows none either."""
    page = two_chats(make, qtbot)
    assert page.context_bar.bar.share > 0 and "TTFT" in page.context_bar.speed.text()
    page.do(NewChat())
    assert (page.context_bar.bar.share, page.context_bar.speed.text()) == (0, "")
    page.send("third")
    done(qtbot, page)
    assert page.context_bar.bar.share > 0 and "TTFT" in page.context_bar.speed.text()

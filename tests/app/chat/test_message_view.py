"""One message: the line under a reply, its tools, notices, and how it grows."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.chat.intents import EditPrompt, Regenerate, SwitchVersion
from app.chat.message_view import MessageView, finish_text, reply_definitions, reply_summary
from app.state.conversation import ChatMessage, Reply


def view_of(qtbot: QtBot, message: ChatMessage, siblings: tuple[int, int] = (0, 1)) -> MessageView:
    view = MessageView(message, siblings)
    qtbot.addWidget(view)
    view.show()
    return view


def prompt(text: str = "Hi **there**") -> ChatMessage:
    return ChatMessage(3, None, "user", text)


def answer(text: str = "", **reply: Any) -> ChatMessage:
    return ChatMessage(4, 3, "assistant", text, reply=Reply(**reply))


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ({}, ""),
        ({"ended": "eos"}, "the model finished"),
        ({"ttft_ms": 21.54, "decode_rate": 99.94, "tokens": 1, "ended": "length"},
         "TTFT 21.5 ms · 99.9 tok/s · 1 token · stopped at max new tokens"),
        ({"ttft_ms": 912.4, "decode_rate": 212.4, "tokens": 948, "provider": "cpu", "ended": "cancelled"},
         "TTFT 912 ms · 212 tok/s · 948 tokens · on cpu · stopped by you"),
        ({"provider": "cpu", "ended": "refused", "error": "It is too long."}, "not sent"),
        ({"tokens": 2, "provider": "qnn", "ended": "failed", "error": "Lost."}, "2 tokens · on qnn · failed"),
        ({"ended": "failed"}, "failed"),
        ({"ended": "eos", "error": "of before"}, "the model finished"),
        ({"ttft_ms": 0.0, "ended": "stop"}, "TTFT 0.0 ms · stopped at a stop string"),
    ],
)  # fmt: skip
def test_the_line_under_a_reply(reply: dict[str, Any], line: str) -> None:
    assert reply_summary(Reply(**reply)) == line


def test_every_reason_has_words_and_an_unknown_one_is_reported_as_it_is() -> None:
    reasons = ("eos", "length", "stop", "capacity", "cancelled", "interrupted", "failed", "refused")
    assert all(len(finish_text(reason)) > 5 for reason in reasons[:-2])
    assert len({finish_text(reason) for reason in reasons}) == len(reasons)
    assert finish_text("moonphase") == "moonphase"


def test_a_prompt_is_shown_as_written_and_can_be_edited(qtbot: QtBot) -> None:
    view = view_of(qtbot, prompt())
    assert view.text.toPlainText() == "Hi **there**"
    assert view.who.text() == "You" and view.accessibleName() == "Message of: You"
    assert not view.status.isVisible()
    with qtbot.waitSignal(view.requested) as wanted:
        view.tool("edit").click()
    assert wanted.args == [EditPrompt(3)]
    with pytest.raises(KeyError):
        view.tool("regenerate")
    with pytest.raises(KeyError):
        view.tool("next")


def test_a_reply_shows_who_answered_and_can_be_requested_again(qtbot: QtBot) -> None:
    view = view_of(qtbot, answer("**56**", ended="eos", bundle="qwen3-demo"))
    assert view.who.text() == "Model · qwen3-demo"
    assert view.text.toPlainText().strip() == "56" and view.status.text() == "the model finished"
    with qtbot.waitSignal(view.requested) as wanted:
        view.tool("regenerate").click()
    assert wanted.args == [Regenerate(4)]
    view.tool("copy").click()
    assert QGuiApplication.clipboard().text() == "**56**"  # the source, not what is shown


@pytest.mark.parametrize(("index", "back", "on"), [(0, False, True), (1, True, True), (2, True, False)])
def test_versions_are_counted_and_walked(qtbot: QtBot, index: int, back: bool, on: bool) -> None:
    view = view_of(qtbot, answer("x", ended="eos"), (index, 3))
    assert view.place.text() == f"{index + 1}/3" and view.place.accessibleName() == f"Version {index + 1} of 3"
    told: list[object] = []
    view.requested.connect(told.append)
    for name, enabled in (("previous", back), ("next", on)):
        assert view.tool(name).isEnabled() == enabled
        view.tool(name).click()
    assert told == [SwitchVersion(4, -1)] * back + [SwitchVersion(4, 1)] * on


def test_nothing_branches_while_a_reply_runs(qtbot: QtBot) -> None:
    views = [view_of(qtbot, one, (0, 2)) for one in (prompt(), answer("x", ended="eos"))]
    for busy in (True, False):
        for view, name in zip(views, ("edit", "regenerate"), strict=True):
            view.set_busy(busy)
            assert view.tool(name).isEnabled() != busy
            assert view.tool("copy").isEnabled() and view.tool("next").isEnabled()


def test_a_growing_reply_is_shown_in_flushes_and_set_at_the_end(qtbot: QtBot) -> None:
    message = answer()
    view = view_of(qtbot, message)
    assert view.status.text() == "…" and view.text.isVisible()
    for piece in ("one ", "**two**"):
        message.content += piece
        view.grow(piece)
    assert view.text.toPlainText() == ""  # until the next flush
    view.flush()
    assert view.text.toPlainText() == "one **two**"
    view.grow(" lost")  # what did not reach the message is not shown in the end either
    assert message.reply is not None
    message.reply.ended = "eos"
    view.finish()
    view.flush()
    assert view.text.toPlainText().strip() == "one two" and view.status.text() == "the model finished"


def test_a_refused_reply_is_its_line_alone(qtbot: QtBot) -> None:
    view = view_of(qtbot, answer(ended="refused", error="Too long."))
    assert not view.text.isVisible() and view.status.text() == "not sent"
    assert view.status.toolTip() == view.status.accessibleDescription() == "Too long."


def test_each_notice_is_reported_once_and_never_as_html(qtbot: QtBot) -> None:
    message = answer("x", notices=["The window slid.", "<img src='file:///etc/passwd'>"])
    view = view_of(qtbot, message)
    assert message.reply is not None
    view.finish()
    message.reply.notices.append("It slid again.")
    view.finish()
    said = [one.text() for one in view.findChildren(QLabel) if one.text() in message.reply.notices]
    assert said == message.reply.notices


def test_the_figures_under_a_reply_say_what_they_are(qtbot: QtBot) -> None:
    assert reply_definitions(Reply(ended="failed")) == ""
    lines = reply_definitions(Reply(ttft_ms=5.0, decode_rate=9.0, ended="eos")).split("\n")
    assert [line.split(":")[0] for line in lines] == ["TTFT", "decode"]

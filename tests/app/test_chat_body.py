"""Replies in pieces on the screen: code, tables, thinking, tokens; streamed as well as whole."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextTable
from PySide6.QtWidgets import QAbstractScrollArea, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.chat.message_body import CodeBlock, MessageBody, ThinkingBlock
from app.chat.message_text import MessageText
from app.chat.segments import measure_thinking
from app.text.formatting import format_duration
from tests.app.test_chat_page import Make, ask, make
from workflows.wire.events import TokenEvent

__all__ = ["make"]
REPLY = (
    "<think>Let me see.</think>\n\n# Sums\n\nFirst **this**:\n\n```python\nx = 1\nprint(x)\n```\n\n"
    "Then \U0001f600 a table:\n\n"
    "| a | b |\n|---|--:|\n| one | 2 |\n| three | 4 |\n\nand *that* is all.\n\n- one\n- two\n"
)


def tokens_of(text: str, size: int = 3) -> list[TokenEvent]:
    """The text in tokens of a few letters each, ten milliseconds apart."""
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    return [
        TokenEvent(id=at, text=part, step=at, phase="decode", latency_ms=10.0, cache_used=1, cache_capacity=9)
        for at, part in enumerate(parts)
    ]


@pytest.fixture
def body(qtbot: QtBot) -> MessageBody:
    made = MessageBody()
    qtbot.addWidget(made)
    made.resize(500, 800)
    made.show()
    return made


def kinds(body: MessageBody) -> list[type[QWidget]]:
    return [type(part) for part in body.parts]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_streamed_and_whole_look_the_same(body: MessageBody, size: int) -> None:
    """However the reply is cut on its way; at the end it is set once as a whole."""
    body.begin("")
    for at in range(0, len(REPLY), size):
        body.grow(REPLY[at : at + size])
    assert kinds(body) == [ThinkingBlock, MessageText, CodeBlock, MessageText]
    code = body.parts[2]
    assert isinstance(code, CodeBlock)
    assert code.text.toPlainText() == "x = 1\nprint(x)" and code.language.text() == "python"
    body.set_reply(REPLY, (12, 1.5))
    assert kinds(body) == [ThinkingBlock, MessageText, CodeBlock, MessageText]
    assert "**" not in body.toPlainText() and "Sums\nFirst this:" in body.toPlainText()


def test_what_is_closed_is_not_laid_out_again(body: MessageBody) -> None:
    """The widgets before the tail stay, and are told nothing."""
    body.begin("Prose\n```\ncode\n```\ntail")
    before = list(body.parts)
    revisions = [before[0].document().revision(), before[1].text.document().revision()]  # type: ignore[union-attr]
    for _ in range(50):
        body.grow(" more")
    assert body.parts == before
    assert [before[0].document().revision(), before[1].text.document().revision()] == revisions  # type: ignore[union-attr]
    assert before[2].toPlainText().endswith("more more")  # type: ignore[union-attr]


def test_code_is_copied_as_it_is(body: MessageBody) -> None:
    body.set_reply("```\n  a\t<b> & **c**\n```")
    (code,) = body.parts
    assert isinstance(code, CodeBlock)
    code.copy.click()
    assert QGuiApplication.clipboard().text() == "  a\t<b> & **c**"
    assert code.copy.text() == "Copied"


def test_a_long_line_scrolls_inside_its_frame(body: MessageBody, qtbot: QtBot) -> None:
    body.set_reply("```\n" + "x" * 900 + "\n```")
    (code,) = body.parts
    assert isinstance(code, CodeBlock)
    qtbot.waitUntil(lambda: code.width() <= 500)
    assert code.text.horizontalScrollBar().maximum() > 0 and body.minimumSizeHint().width() <= 500


def test_thinking_is_folded_and_counted(body: MessageBody) -> None:
    body.begin("<think>Let me")
    (thought,) = body.parts
    assert isinstance(thought, ThinkingBlock)
    assert thought.fold.text() == "Thinking …" and thought.text.isHidden()
    body.set_reply(REPLY, measure_thinking(REPLY, 0, tokens_of(REPLY)))
    thought = body.parts[0]
    assert isinstance(thought, ThinkingBlock)
    assert thought.fold.text() == f"Thought for 9 tokens, {format_duration(0.09)}"
    thought.fold.click()
    assert not thought.text.isHidden() and thought.text.toPlainText() == "Let me see."
    body.set_reply("<think>Earlier.</think>Yes")
    assert body.parts[0].fold.text() == "Thoughts"  # type: ignore[union-attr]


@pytest.mark.parametrize(("begun", "expected"), [(0, (9, 0.09)), (10, (6, 0.06))])
def test_measure(begun: int, expected: tuple[int, float]) -> None:
    """What was given to the reply, a prefill, was not generated."""
    count, taken = measure_thinking(REPLY, begun, tokens_of(REPLY[begun:]))
    assert (count, round(taken, 6)) == expected
    assert measure_thinking("no thought", 0, tokens_of("no thought")) == (0, 0.0)


def test_a_table_has_a_head_and_lines(body: MessageBody) -> None:
    body.set_reply(REPLY)
    text = body.parts[-1]
    assert isinstance(text, MessageText)
    (table,) = (one for one in text.document().rootFrame().childFrames() if isinstance(one, QTextTable))
    assert (table.rows(), table.columns(), table.format().border()) == (3, 2, 1)
    head = table.cellAt(0, 0)
    assert head.firstCursorPosition().block().text() == "a" and head.format().background().color().alpha() > 0


def test_each_token_is_found_in_its_piece(body: MessageBody) -> None:
    """Past thinking, code and a letter of two halves; marking every token says nothing on stderr."""
    body.set_reply(REPLY)
    body.set_trace(tokens_of(REPLY))
    for part in body.parts:
        if isinstance(part, MessageText):
            assert part._map is not None
            for index in range(len(part._map.tokens)):
                part._mark(index)
    last = body.parts[-1]
    assert isinstance(last, MessageText) and last._map is not None
    at = len(last.document().toRawText().split("that")[0].encode("utf-16-le")) // 2
    found = last._map.token_at(at)
    first, end = last._map.span(found)
    assert first <= at < end and "t" in last._map.tokens[found].text


def test_a_marked_token_goes_with_its_text(body: MessageBody) -> None:
    """The mark of a long text means nothing in the short one that takes its place."""
    text = MessageText()
    body._add(text)
    text.set_markdown("a long text with many words")
    text.set_trace(tokens_of("a long text with many words"))
    text._mark(6)
    assert text.extraSelections()
    text.set_markdown("short")
    assert not text.extraSelections()


def test_thinking_is_kept_with_the_reply(make: Make, qtbot: QtBot) -> None:
    page = make(reply="<think> hm </think> Yes.")
    ask(qtbot, page, "x")
    reply = page.controller.chat.path()[1].reply
    assert reply is not None and reply.thought_tokens == 3 and reply.thought_s > 0
    fold = page.transcript.views[1].text.parts[0]
    assert isinstance(fold, ThinkingBlock) and fold.fold.text().startswith("Thought for 3 tokens, ")


def test_no_part_is_painted_as_a_styled_widget(body: MessageBody) -> None:
    """Qt keeps a kilobyte for each that ever was, long after the part is gone."""
    body.set_reply(REPLY)
    body.grab()
    areas = body.findChildren(QAbstractScrollArea)
    assert {type(area).__base__ for area in areas} >= {QPlainTextEdit} and len(areas) >= 4
    assert not [area for area in areas if area.viewport().testAttribute(Qt.WidgetAttribute.WA_StyledBackground)]

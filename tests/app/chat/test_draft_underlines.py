"""Dotted lines under accepted drafts: where they stand, that the text stays as it is, and who drafted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from app.chat.draft_underlines import COLOR, drafted_text, spans, underline
from app.chat.message_body import CodeBlock, MessageBody
from app.chat.message_text import MessageText, describe_token
from app.chat.message_view import MessageView
from app.chat.page import ChatPage
from app.chat.transcript import Transcript
from app.jobs.time_slices import run_at_once
from app.state.conversation import Conversation
from app.state.conversation_format import conversation_from_dict, conversation_to_dict
from app.widgets.theme import theme
from tests.app.test_chat_body import REPLY, tokens_of
from tests.app.test_chat_page import Make, ask, make
from workflows.wire.events import TokenEvent

__all__ = ["make"]
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window


def drafted(tokens: list[TokenEvent], which: Callable[[int], bool]) -> list[TokenEvent]:
    """The tokens, of which `which` were drafted, by their place."""
    return [replace(token, drafted=which(at)) for at, token in enumerate(tokens)]


def lined(document: QTextDocument) -> list[str]:
    """The texts that are underlined, in order; all of them with dots in the theme's colour."""
    found, block = list[str](), document.begin()
    while block.isValid():
        for one in block.layout().formats():
            assert one.format.underlineColor().name() == theme().color(COLOR).name()
            cursor = QTextCursor(document)
            cursor.setPosition(block.position() + one.start)
            cursor.setPosition(block.position() + one.start + one.length, QTextCursor.MoveMode.KeepAnchor)
            found.append(cursor.selectedText())
        block = block.next()
    return found


def of_body(body: MessageBody) -> list[list[str]]:
    return [lined((part if isinstance(part, MessageText) else part.text).document()) for part in body.parts]


@pytest.fixture
def body(qtbot: QtBot) -> MessageBody:
    made = MessageBody()
    qtbot.addWidget(made)
    made.resize(500, 800)
    made.show()
    return made


def test_neighbours_are_one_part() -> None:
    tokens = drafted(tokens_of("abcdef", 1), lambda at: at in (1, 2, 4))
    assert spans([0, 1, 1, 2, -1, 2, 3, 4], tokens) == [(1, 4), (5, 6), (7, 8)]
    assert spans([], tokens) == [] == spans([0, 3, -1], tokens)


def test_lines_stand_in_their_paragraphs(qtbot: QtBot) -> None:
    """A part that goes over the end of one is two; another call takes the place of the first."""
    document = QTextDocument("first\nsecond\n\nthird")
    document.documentLayout()
    run_at_once(underline(document, [(2, 9), (10, 16)]))
    assert lined(document) == ["rst", "sec", "nd", "th"]
    run_at_once(underline(document, [(0, 1)]))
    assert lined(document) == ["f"]
    run_at_once(underline(document, []))
    assert lined(document) == [] and document.toPlainText() == "first\nsecond\n\nthird"


def test_every_piece_has_its_own(body: MessageBody) -> None:
    """Thinking, prose with marks, code and a table, letters of two halves among them."""
    reply = REPLY.replace("x = 1", "x = '\U0001f600' # 1")
    words = {"see", "First", "**this**", "# 1", "table", "three", "that"}
    starts = sorted((reply.index(word), word) for word in words)
    tokens, at = list[TokenEvent](), 0
    for start, word in starts:
        tokens += [*tokens_of(reply[at:start], 1000), replace(tokens_of(word, 1000)[0], drafted=True)]
        at = start + len(word)
    tokens += tokens_of(reply[at:], 1000)
    assert "".join(token.text for token in tokens) == reply
    body.set_reply(reply)
    before = body.toPlainText()
    body.set_trace(tokens, "ngram")
    body.underline_drafts(True)
    assert of_body(body) == [["see"], ["First", "this"], ["# 1"], ["table", "three", "that"]]
    assert body.toPlainText() == before  # and what is copied
    code = body.parts[2]
    assert isinstance(code, CodeBlock) and "<u>" not in code.text.document().toHtml()
    body.underline_drafts(False)
    assert of_body(body) == [[]] * 4


def test_lines_go_with_their_text(body: MessageBody) -> None:
    text = MessageText()
    body._add(text)
    text.set_markdown("some words")
    text.set_trace(drafted(tokens_of("some words"), lambda at: True))
    text.underline_drafts(True)
    assert lined(text.document()) == ["some words"]
    text.set_markdown("others")
    assert lined(text.document()) == []
    text.set_trace(drafted(tokens_of("others"), lambda at: False))
    text.underline_drafts(True)
    assert lined(text.document()) == [] and not text.underlines.busy


def test_a_long_reply_gets_them_in_turns(body: MessageBody, qtbot: QtBot) -> None:
    """The page answers in between; all of them are there at the end."""
    reply = "\n\n".join(f"word{at} and more" for at in range(1500))
    body.set_reply(reply)
    body.set_trace(drafted(tokens_of(reply, 7), lambda at: at % 2 == 0))
    (text,) = body.parts
    assert isinstance(text, MessageText)
    body.underline_drafts(True)
    assert text.underlines.busy
    qtbot.waitUntil(lambda: not text.underlines.busy)
    letters = len(text.toPlainText().replace("\n", ""))
    assert sum(map(len, lined(text.document()))) == pytest.approx(letters / 2, rel=0.01)


def test_a_token_shows_who_drafted_it() -> None:
    token = replace(tokens_of("word", 4)[0], drafted=True)
    assert "drafted by n-gram look-up and accepted" in describe_token(token, "ngram")
    assert "drafted" not in describe_token(replace(token, drafted=False), "ngram")
    assert drafted_text("draft_model") == "drafted by the draft model and accepted"
    assert "&lt;b&gt;" in describe_token(token, "<b>")  # a plugin's own name


def page_with(make: Make, qtbot: QtBot) -> ChatPage:
    page = make(reply="one two three four five six", drafts=[[0, 1], [4, 3]])
    ask(qtbot, page, "x")
    return page


class Painted(QObject):
    """Counts how often a widget was told to paint."""

    times = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Qt's name."""
        self.times += event.type() == QEvent.Type.Paint
        return False


def legend_is_seen(view: MessageView) -> bool:
    return view.legend is not None and view.legend.isVisible()


def test_a_reply_with_drafts(make: Make, qtbot: QtBot) -> None:
    """Five and six are the model's own; a legend, and the figures in the line under it."""
    page = page_with(make, qtbot)
    view = page.transcript.views[1]
    assert of_body(view.text) == [["three four "]]
    assert view.legend is not None and view.legend.isVisible() and view.legend.text.text() == drafted_text("ngram")
    assert " · tokens per step: 1.67 · 50 % of drafts accepted · on cpu" in view.status.text()
    assert page.header.drafts.isVisible()
    (theme().set_mode("dark"), theme().set_mode("light"))
    assert of_body(view.text) == [["three four "]]


def test_another_theme_draws_the_legend_anew(make: Make, qtbot: QtBot) -> None:
    legend = page_with(make, qtbot).transcript.views[1].legend
    assert legend is not None
    sample = legend.layout().itemAt(0).widget()
    light, painted = sample.grab().toImage(), Painted()
    sample.installEventFilter(painted)
    theme().set_mode("dark")
    qtbot.waitUntil(lambda: painted.times > 0)
    assert sample.grab().toImage() != light
    theme().set_mode("light")


def test_another_theme_after_the_page_is_gone(qtbot: QtBot) -> None:
    """The theme lives longer than what it tells of its colours."""
    chat, transcript = Conversation(), Transcript()
    chat.begin_reply(chat.ask("x").id)
    transcript.show_path(chat)
    shiboken6.delete(transcript)
    theme().changed.emit()


def test_they_are_switched_off_and_stay_so(make: Make, qtbot: QtBot) -> None:
    page = page_with(make, qtbot)
    view = page.transcript.views[1]
    page.header.drafts.click()
    assert of_body(view.text) == [[]] and not legend_is_seen(view)
    ask(qtbot, page, "again")
    assert of_body(page.transcript.views[3].text) == [[]]
    assert page.context.settings.text("chat.drafts") == "hidden"
    next(one for one in page.actions() if one.text() == "Show or hide underlines of accepted drafts").trigger()
    assert of_body(page.transcript.views[3].text) == [["three four "]]


def test_a_saved_chat_keeps_the_figures(make: Make, qtbot: QtBot) -> None:
    """And not the tokens: what was saved before there were drafts is read as well."""
    page = page_with(make, qtbot)
    saved = conversation_to_dict(page.controller.chat)
    reply = conversation_from_dict(saved).path()[1].reply
    assert reply is not None and (reply.drafter, reply.accept_rate) == ("ngram", 0.5)
    for name in ("drafter", "accept_rate", "tokens_per_step"):
        del saved["messages"][1]["reply"][name]
    earlier = conversation_from_dict(saved).path()[1].reply
    assert earlier is not None and earlier.drafter == "" and earlier.tokens_per_step is None


def test_a_reply_without_drafts_has_nothing_of_it(make: Make, qtbot: QtBot) -> None:
    page = make(reply="one two")
    ask(qtbot, page, "x")
    view = page.transcript.views[1]
    assert of_body(view.text) == [[]] and not legend_is_seen(view) and not page.header.drafts.isVisible()
    assert "step" not in view.status.text()

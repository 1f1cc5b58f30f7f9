"""The page of a bundle that makes vectors, over the fake worker: compare, search, cancel, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.chat.tasks.embedding_view import EmbeddingView
from app.state.bundle_use import use_of
from app.state.embeddings import POOLINGS, TABLE_LINES
from app.state.text_task import MOST_CHARACTERS, MOST_LINES, lines_of
from workflows.wire.codec import read
from workflows.wire.requests import Embed

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
Make = Callable[..., ChatPage]


@pytest.fixture
def make(make_page: Callable[..., ChatPage], tmp_path: Path) -> Make:
    return lambda **scenario: make_page("vectors", asked=str(tmp_path / "asked"), **scenario)


def shown(page: ChatPage) -> EmbeddingView:
    view = page.views.currentWidget()
    assert isinstance(view, EmbeddingView)
    return view


def asked(tmp_path: Path) -> list[Embed]:
    return [read(Embed, json.loads(line)) for line in (tmp_path / "asked").read_text("utf-8").splitlines()]


def test_lines_are_compared_and_ranked(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    view = shown(make())
    assert view.heading.text() == "Compare texts with vectors · fp32" and not view.copy.isEnabled()
    view.texts.lines.setPlainText("one\n\n  three  \nfour")
    assert view.texts.count.text() == "3 lines"
    qtbot.keyClick(view.texts.lines, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert view.texts.stop.isVisible() and view.texts.working.isVisible()
    qtbot.waitUntil(lambda: not view.model.running)
    assert view.table.cells.lines == ("one", "three", "four") and view.table.cells.rowCount() == 3
    assert view.summary.text() == "mean pooling · vectors of 384 numbers · cosine similarity · on cpu"
    assert not view.ranking.isVisible() and view.copy.isEnabled() and not view.texts.stop.isVisible()
    view.table.setCurrentIndex(view.table.cells.index(0, 2))
    assert view.cell.text().endswith("· line 1: one · line 3: four")
    view.search.setText("four")
    qtbot.keyClick(view.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not view.model.running)
    rows = [[view.ranking.rows.index(row, column).data() for column in (0, 2)] for row in range(3)]
    assert rows == [["1", "four"], ["2", "three"], ["3", "one"]] and view.ranking.isVisible()
    first, second = asked(tmp_path)
    assert (first.bundle, first.texts, first.query, first.table) == ("/b/vectors", ("one", "three", "four"), "", True)
    assert second.query == "four" and second.pooling is None
    view.texts.lines.appendPlainText("five")
    assert view.texts.count.text() == "4 lines · changed since they were read"


def test_what_cannot_be_compared_is_one_sentence(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    view = shown(make())
    for text, why in (
        (" \n ", "There is no text"),
        ("one", "There is one line alone"),
        ("x\n" * (MOST_LINES + 1), "There are 2,001 lines, and at most 2,000 are read"),
    ):
        view.texts.lines.setPlainText(text)
        view.texts.start.click()
        assert why in view.texts.banner.message and not view.model.running
    QGuiApplication.clipboard().setText("x" * (MOST_CHARACTERS + 1))
    view.texts.lines.setPlainText("one")
    view.texts.lines.paste()
    assert "more than 200,000 characters" in view.texts.banner.message and view.texts.lines.toPlainText() == "one"
    assert not (tmp_path / "asked").exists()
    view.texts.lines.setPlainText("one")
    view.search.setText("two")
    view.rank.click()
    qtbot.waitUntil(lambda: view.ranking.isVisible())
    assert view.texts.banner.message == "" and view.table.cells.rowCount() == 0
    assert not asked(tmp_path)[0].table


def test_many_lines_have_no_table_but_are_ranked(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    view = shown(make())
    view.texts.lines.setPlainText("\n".join(map(str, range(TABLE_LINES + 1))))
    view.search.setText("7")
    view.texts.start.click()
    qtbot.waitUntil(lambda: view.ranking.isVisible())
    assert view.ranking.rows.rowCount() == TABLE_LINES + 1 and view.table.cells.rowCount() == 0
    assert "up to 200 lines" in view.note.text() and not asked(tmp_path)[0].table


def test_a_comparison_is_cancelled_and_the_last_one_stays(make: Make, qtbot: QtBot) -> None:
    page = make(pause=0.3)
    view = shown(page)
    view.texts.lines.setPlainText("one\ntwo")
    view.texts.start.click()
    qtbot.waitUntil(lambda: not view.model.running)
    view.texts.lines.setPlainText("one\ntwo\nthree")
    view.texts.start.click()
    (stop,) = (one for one in page.actions() if isinstance(one, QAction) and one.text() == "Stop the reply")
    stop.trigger()
    assert not view.model.running and not view.texts.stop.isVisible()
    qtbot.wait(600)
    assert view.table.cells.rowCount() == 2 and view.texts.banner.message == ""


def test_an_error_of_the_worker_is_shown_and_a_pooling_can_be_chosen(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    view = shown(make(no_pooling="The bundle does not state its pooling: choose it."))
    view.texts.lines.setPlainText("one\ntwo")
    view.texts.start.click()
    qtbot.waitUntil(lambda: view.texts.banner.message == "The bundle does not state its pooling: choose it.")
    view.pooling.setCurrentIndex(view.pooling.findData("cls"))
    view.texts.start.click()
    qtbot.waitUntil(lambda: view.table.cells.rowCount() == 2)
    assert view.texts.banner.message == "" and asked(tmp_path)[1].pooling == "cls" and "cls" in POOLINGS


def test_figures_go_with_their_bundle_and_a_bundle_that_chats_has_its_page(make: Make, qtbot: QtBot) -> None:
    page = make()
    view = shown(page)
    new, compare = (
        next(one for one in page.actions() if one.text() == text) for text in ("New chat", "Compare the lines")
    )
    assert compare.isEnabled() and not new.isEnabled() and page.opener.path == "" and page.session.state == "closed"
    view.texts.lines.setPlainText("one\ntwo")
    view.texts.start.click()
    qtbot.waitUntil(lambda: view.table.cells.rowCount() == 2)
    page.context.open_bundle("/b/others")
    assert view.table.cells.rowCount() == 0 and view.texts.lines.toPlainText() == "one\ntwo"
    assert "others" in view.heading.text() and not view.copy.isEnabled()
    page.context.open_bundle("/b/chat")
    assert page.views.currentWidget() is page.frame and new.isEnabled() and not compare.isEnabled()
    assert page.opener.path == "/b/chat"
    qtbot.waitUntil(lambda: page.context.ready is not None)
    page.show_compare()
    page.context.open_bundle("/b/vectors")
    assert page.views.currentWidget() is view


def test_lines_and_tasks() -> None:
    assert lines_of(" a \r\n\n\tb\n") == ("a", "b") and lines_of("") == ()
    assert use_of({"task": "feature-extraction"}) == "vectors" and use_of({"task": "fill-mask"}) == ""
    assert use_of({}) == "chat" and use_of(None) == ""

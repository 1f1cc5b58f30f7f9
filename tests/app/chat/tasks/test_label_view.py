"""The page of a bundle that gives labels, over the fake worker: labels, spans, scores for a query, and refusals."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.chat.tasks.label_view import LabelView

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
Make = Callable[..., ChatPage]


def shown(page: ChatPage) -> LabelView:
    view = page.views.currentWidget()
    assert isinstance(view, LabelView)
    return view


def rows(view: LabelView) -> list[list[str]]:
    return [*csv.reader(view.result.as_csv().splitlines())]


def test_texts_are_classified_copied_and_saved(
    make_page: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = make_page("moods")
    view = shown(page)
    assert view.heading.text() == "Classify texts with moods · fp32" and not view.query.isVisible()
    view.texts.lines.setPlainText("good, really\n\nbad")
    qtbot.keyClick(view.texts.lines, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert view.texts.stop.isVisible()
    qtbot.waitUntil(lambda: not view.model.running)
    wanted = [
        ["Text", "Label", "Probability", "Others"],
        ["good, really", "good", "0.6200", "bad 0.3800"],
        ["bad", "good", "0.5300", "bad 0.4700"],
    ]
    assert rows(view) == wanted and view.summary.text() == "8 tokens read · on cpu"
    view.result.copy()
    assert QGuiApplication.clipboard().text().splitlines()[2] == "bad\tgood\t0.5300\tbad 0.4700"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "t"), ""))
    view.result.choose_file()
    assert [*csv.reader((tmp_path / "t.csv").read_text("utf-8-sig").splitlines())] == wanted
    view.result.save(tmp_path / "t.csv" / "t.csv")  # below a file
    assert "cannot read or write" in view.texts.banner.message
    view.texts.lines.setPlainText("another")
    assert view.texts.count.text() == "1 line · changed since they were read"
    page.context.open_bundle("/b/names")
    assert (
        view.result.table is None and not view.result.copies.isEnabled() and view.texts.lines.toPlainText() == "another"
    )


def test_a_file_has_numbers_as_programs_read_them(make_page: Make, qtbot: QtBot) -> None:
    """Copied as they are shown, for a spreadsheet in the person's language."""
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
    try:
        view = shown(make_page("moods"))
        view.texts.lines.setPlainText("bad")
        view.texts.start.click()
        qtbot.waitUntil(lambda: bool(view.result.table))
        view.result.copy()
    finally:
        QLocale.setDefault(before)
    assert QGuiApplication.clipboard().text().splitlines()[1] == "bad\tgood\t0,5300\tbad 0,4700"
    assert rows(view)[1] == ["bad", "good", "0.5300", "bad 0.4700"]


def test_a_reranker_ranks_for_a_query(make_page: Make, qtbot: QtBot) -> None:
    view = shown(make_page("reranker"))
    assert view.heading.text() == "Rank texts with reranker · fp32" and view.query.isVisible()
    assert view.texts.start.text() == "Rank them" and view.result.hint.text() == "The texts appear here by their rank."
    qtbot.mouseClick(view.texts.examples, Qt.MouseButton.LeftButton)
    assert view.query.text() == "How long do eggs keep?"
    qtbot.keyClick(view.query, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not view.model.running)
    heading, first, *_, last = rows(view)
    assert heading == ["Rank", "Score", "Text"] and first[:2] == ["1", "0.7500"] and last[:2] == ["4", "0.0000"]
    assert view.summary.text().startswith("Scores for “How long do eggs keep?”")
    view.query.clear()
    view.texts.started.emit()
    qtbot.waitUntil(lambda: not view.model.running)
    assert rows(view)[0] == ["Text", "Label", "Value", "Others"]


def test_parts_of_texts_have_their_places(make_page: Make, qtbot: QtBot) -> None:
    view = shown(make_page("names", by_token=True))
    view.texts.examples.click()
    view.texts.started.emit()
    qtbot.waitUntil(lambda: not view.model.running)
    assert rows(view)[:2] == [
        ["Line", "Part", "Label", "Probability", "Characters"],
        ["1", "Marie", "PER", "0.9000", "0–5"],
    ]


def test_the_texts_come_back_at_the_next_start(make_page: Make) -> None:
    page = make_page("moods")
    shown(page).texts.lines.setPlainText("good\nbad")
    page.context.closing.emit()
    assert shown(make_page("names")).texts.lines.toPlainText() == "good\nbad"


def test_what_is_wrong_is_one_sentence_and_escape_cancels(make_page: Make, qtbot: QtBot) -> None:
    page = make_page("moods", no_labels="Text 1 is empty.")
    view = shown(page)
    view.texts.started.emit()
    assert view.texts.banner.message == "There is no text: paste one in each line."
    view.texts.lines.setPlainText("x")
    view.texts.started.emit()
    qtbot.waitUntil(lambda: view.texts.banner.message == "Text 1 is empty.")
    view.texts.started.emit()
    page.views.escape()
    assert not view.model.running and view.texts.lines.hasFocus()


def test_the_chat_comes_back_and_a_model_without_texts_has_its_own_words(make_page: Make) -> None:
    page = make_page("moods")
    page.context.open_bundle("/b/chat")
    assert page.views.currentWidget() is page.frame
    page.context.open_bundle("/b/masks")
    assert page.views.currentWidget() is page.frame
    assert page.frame.no_bundle.title.text() == "masks does not chat"

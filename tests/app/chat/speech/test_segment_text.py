"""Segments with times: links by mouse, choice by keys, the one that is heard is marked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from app.chat.speech.segment_text import SegmentText
from app.state.conversation import TranscriptSegment
from app.widgets.theme import theme

PARTS = [TranscriptSegment(0.0, 1.5, "one"), TranscriptSegment(1.5, 2.0, "two <b>"), TranscriptSegment(62.0, 63.0, "x")]


@pytest.fixture
def text(qtbot: QtBot) -> SegmentText:
    made = SegmentText()
    qtbot.addWidget(made)
    made.resize(400, 100)
    made.show_segments(PARTS[:1])
    made.show_segments(PARTS)
    made.show()
    return made


def point(text: SegmentText, line: int, column: int) -> QPoint:
    cursor = QTextCursor(text.document().findBlockByNumber(line))
    cursor.movePosition(QTextCursor.MoveOperation.Right, n=column)
    return text.cursorRect(cursor).center() + QPoint(2, 0)


def test_a_line_each_without_markup(text: SegmentText) -> None:
    assert text.toPlainText() == "0:00.0 – 0:01.5  one\n0:01.5 – 0:02.0  two <b>\n1:02.0 – 1:03.0  x"
    text.show_segments([PARTS[2]])  # another reply
    assert text.toPlainText() == "1:02.0 – 1:03.0  x"


def test_a_click_on_a_time_leads_to_its_place_and_one_on_a_word_does_not(text: SegmentText, qtbot: QtBot) -> None:
    chosen: list[int] = []
    text.chosen.connect(chosen.append)
    qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=point(text, 1, 3))
    assert chosen == [1] and text.current == 1
    qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=point(text, 2, 18))
    assert chosen == [1]


def test_keys_choose_a_segment(text: SegmentText, qtbot: QtBot) -> None:
    chosen: list[int] = []
    text.chosen.connect(chosen.append)
    qtbot.keyClick(text, Qt.Key.Key_Return)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Return):
        qtbot.keyClick(text, key)
    qtbot.keyClick(text, Qt.Key.Key_Space)
    assert chosen == [1, 1] and text.accessibleName() == "Segments of the transcript: 0:01.5: two <b>"


def test_the_segment_that_is_heard_is_marked(text: SegmentText) -> None:
    marks = []
    for seconds in (0.2, 1.5, 30.0):
        text.mark_at(seconds)
        marks.append((text.current, [one.cursor.selectedText()[:6] for one in text.extraSelections()]))
    assert marks == [(0, ["0:00.0"]), (1, ["0:01.5"]), (-1, [])]


def test_another_theme_has_its_own_links(text: SegmentText) -> None:
    text.mark(1)
    theme().set_mode("dark")
    first = QTextCursor(text.document().findBlockByNumber(0))
    first.movePosition(QTextCursor.MoveOperation.Right, n=2)
    assert first.charFormat().foreground().color() == theme().color("accent")
    assert text.toPlainText().count("\n") == 2 and text.current == 1 and text.extraSelections()

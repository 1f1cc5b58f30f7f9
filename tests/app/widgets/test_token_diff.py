"""Tokens of two texts: where they part, what is marked, and that nothing invisible hides it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QTextEdit

from app.widgets.theme import theme
from app.widgets.token_diff import insert_token_diff, read_only_text, visible_text

Underline = QTextCharFormat.UnderlineStyle


@pytest.fixture
def sheet(qtbot: Any) -> QTextEdit:
    made = read_only_text("Answers")
    qtbot.addWidget(made)
    return made


def marks(sheet: QTextEdit) -> list[tuple[str, Underline]]:
    """Stretches of one underline each."""
    found = list[tuple[str, Underline]]()
    cursor = sheet.textCursor()
    for at, char in enumerate(sheet.toPlainText()):
        cursor.setPosition(at + 1)
        style = cursor.charFormat().underlineStyle()
        if found and found[-1][1] == style:
            found[-1] = (found[-1][0] + char, style)
        else:
            found.append((char, style))
    return found


@pytest.mark.parametrize(
    ("piece", "text"),
    [(" Paris", " Paris"), ("\n", "⏎"), ("\t", "⇥"), ("\r\n", "␍⏎"), (" ", "·"), ("   ", "···"), ("", ""),
     (" \n", " ⏎")],
)  # fmt: skip
def test_what_cannot_be_seen_is_shown(piece: str, text: str) -> None:
    assert visible_text(piece) == text


@pytest.mark.parametrize(
    ("pieces", "equal", "marked"),
    [
        (["It", " is"], 2, [("It is", Underline.NoUnderline)]),
        (
            ["It", " is", " Paris", "."],
            2,
            [("It is", Underline.NoUnderline), (" Paris", Underline.WaveUnderline), (".", Underline.SingleUnderline)],
        ),
        (["A", "B"], 0, [("A", Underline.WaveUnderline), ("B", Underline.SingleUnderline)]),
        (["It", " "], 1, [("It", Underline.NoUnderline), ("·", Underline.WaveUnderline)]),
        (["It", ""], 1, [("It", Underline.NoUnderline), ("∎", Underline.WaveUnderline)]),
    ],
)
def test_the_first_that_differs_is_marked_apart_from_those_after_it(
    sheet: QTextEdit, pieces: list[str], equal: int, marked: list[tuple[str, Underline]]
) -> None:
    insert_token_diff(sheet.textCursor(), pieces, equal)
    assert marks(sheet) == marked


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_mark_can_be_read_in_either_theme(sheet: QTextEdit, mode: str) -> None:
    theme().set_mode(mode)
    insert_token_diff(sheet.textCursor(), ["A", "B"], 0)
    cursor = sheet.textCursor()
    cursor.setPosition(1)
    first = cursor.charFormat()
    assert first.background().color() == theme().color("changed")
    assert abs(first.foreground().color().lightness() - first.background().color().lightness()) > 80


def test_a_reader_is_left_with_tab_and_selected_with_the_keyboard(qtbot: Any, sheet: QTextEdit) -> None:
    sheet.setPlainText("What was said.")
    sheet.show()
    qtbot.keyClicks(sheet, "typed over")
    assert sheet.toPlainText() == "What was said." and sheet.accessibleName() == "Answers"
    qtbot.keyClick(sheet, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert sheet.textCursor().selectedText() == "What was said." and sheet.tabChangesFocus()

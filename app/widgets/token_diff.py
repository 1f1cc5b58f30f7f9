"""Tokens of two texts in one place: what is equal is plain, the first that differs is marked, and so are all after it.

The first differing token stands in a box of colour with a wave under it, the others are underlined.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from app.widgets.theme import theme

_SHOWN = {"\n": "⏎", "\t": "⇥", "\r": "␍"}


def plain_format(color: str = "text", bold: bool = False) -> QTextCharFormat:
    """Text in a colour of the theme."""
    made = QTextCharFormat()
    made.setForeground(theme().color(color))
    if bold:
        made.setFontWeight(600)
    return made


def first_difference_format() -> QTextCharFormat:
    """The first token that differs."""
    made = plain_format("window", bold=True)
    made.setBackground(theme().color("changed"))
    made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    return made


def later_difference_format() -> QTextCharFormat:
    """A token after that one."""
    made = plain_format("changed")
    made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
    return made


def visible_text(piece: str) -> str:
    """A token's text on one line; nothing visible is shown as a dot."""
    text = "".join(_SHOWN.get(char, char) for char in piece)
    return text if text.strip() or not text else text.replace(" ", "·")


def insert_token_diff(cursor: QTextCursor, pieces: Sequence[str], equal: int) -> None:
    """Writes the pieces where `cursor` is; those from `equal` on differ from the other text's."""
    cursor.insertText("".join(pieces[:equal]), plain_format())
    for index, piece in enumerate(pieces[equal:]):
        cursor.insertText(
            piece if index else visible_text(piece) or "∎",
            later_difference_format() if index else first_difference_format(),
        )


def read_only_text(name: str) -> QTextEdit:
    """A document to read, whose text can be selected by mouse and keyboard."""
    made = QTextEdit()
    made.setReadOnly(True)
    made.setAccessibleName(name)
    made.setTabChangesFocus(True)
    return made

"""Token by token comparison of two texts: equal tokens are plain, the first difference and those after it are marked.

The first different token has a coloured background and a wave underline; later ones are underlined.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from app.widgets.theme import theme

_SHOWN = {"\n": "⏎", "\t": "⇥", "\r": "␍"}


def plain_format(color: str = "text", bold: bool = False) -> QTextCharFormat:
    """The format of text in a theme colour."""
    made = QTextCharFormat()
    made.setForeground(theme().color(color))
    if bold:
        made.setFontWeight(600)
    return made


def first_difference_format() -> QTextCharFormat:
    """The format of the first different token."""
    made = plain_format("window", bold=True)
    made.setBackground(theme().color("changed"))
    made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    return made


def later_difference_format() -> QTextCharFormat:
    """The format of later tokens."""
    made = plain_format("changed")
    made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
    return made


def visible_text(piece: str) -> str:
    """A token's text on one line; an invisible one is shown as a dot."""
    text = "".join(_SHOWN.get(char, char) for char in piece)
    return text if text.strip() or not text else text.replace(" ", "·")


def insert_token_diff(cursor: QTextCursor, pieces: Sequence[str], equal: int) -> None:
    """Write the pieces at `cursor`; those from index `equal` on differ from the other text."""
    cursor.insertText("".join(pieces[:equal]), plain_format())
    for index, piece in enumerate(pieces[equal:]):
        cursor.insertText(
            piece if index else visible_text(piece) or "∎",
            later_difference_format() if index else first_difference_format(),
        )


def read_only_text(name: str) -> QTextEdit:
    """A read-only document whose text can be selected with mouse and keyboard."""
    made = QTextEdit()
    made.setReadOnly(True)
    made.setAccessibleName(name)
    made.setTabChangesFocus(True)
    return made

"""Estimates text sizes without a font: an upper bound over the usual fonts."""

from __future__ import annotations

import unicodedata

from workflows.common.errors import printable
from workflows.inspection.picture.drawing import TextStyle

SIZES: dict[TextStyle, int] = {"title": 14, "name": 12, "detail": 12}
"""Pixels. Titles stand in the window's font, in bold; names and details in that of fixed width."""
_CELL = {"title": 0.70, "name": 0.605, "detail": 0.605}  # of the size, a character
PILL_SIZE, _PILL_CELL = 12, 0.62


def text_width(text: str, style: TextStyle) -> float:
    """Returns an upper bound of a line's width, in pixels."""
    return cell_count(text) * SIZES[style] * _CELL[style]


def pill_width(text: str) -> float:
    """Returns the width of a pill around the text, in pixels."""
    return cell_count(text) * PILL_SIZE * _PILL_CELL + 16


def cell_count(text: str) -> int:
    """Returns the number of characters; a wide East Asian one counts twice."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def shorten(text: str, most: int) -> str:
    """Replaces unprintable characters, and cuts the middle out if the text has more than `most` cells."""
    clean = printable(text, 1000)
    if cell_count(clean) <= most:
        return clean
    head, tail = clean, clean
    while cell_count(head) > most // 2:
        head = head[:-1]
    while cell_count(tail) > most - most // 2 - 1:
        tail = tail[1:]
    return f"{head}…{tail}"

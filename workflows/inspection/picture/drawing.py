"""The drawing of a composite, for the SVG and for the window. Sizes are pixels at 100 %; y grows downwards.

An edge goes through its points in order: straight between two of one height, else as an S curve. The sizes of texts are
estimated without a font: an upper bound over the usual ones.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

from workflows.common.errors import printable

BoxKind = Literal["session", "state", "feed", "output"]
TextStyle = Literal["title", "name", "detail"]
Point = tuple[float, float]

LID_HEIGHT = 6.0
"""Half the height of the lid of a state, which is drawn as a drum."""

TINTS = {"source": "accent", "prefill": "prefill", "decode": "decode"}
"""The colours of runs, by the window's names; every other run is `muted`, and a run is always named in words too."""
SIZES: dict[TextStyle, int] = {"title": 14, "name": 12, "detail": 12}
"""Pixels. Titles stand in the window's font, in bold; names and details in that of fixed width."""
_CELL = {"title": 0.70, "name": 0.605, "detail": 0.605}  # of the size, a character
PILL_SIZE, _PILL_CELL = 12, 0.62


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text; y is the baseline's."""

    text: str
    style: TextStyle
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PhasePill:
    """The name of a run in a rounded outline."""

    run: str
    text: str
    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """A box. description: its full text. tint: the colour of its outline. runs: those for which it is highlighted."""

    key: str
    kind: BoxKind
    name: str
    tint: str
    description: str
    runs: tuple[str, ...]
    x: float
    y: float
    w: float
    h: float
    lines: tuple[TextLine, ...]
    pills: tuple[PhasePill, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """A line from a box to another further to the right. ahead, back: whether that end has an arrowhead."""

    source: str
    target: str
    tint: str
    description: str
    runs: tuple[str, ...]
    points: tuple[Point, ...]
    lines: tuple[TextLine, ...]
    ahead: bool
    back: bool


@dataclass(frozen=True, slots=True)
class CompositeDrawing:
    """A composite with a position for each of its parts."""

    name: str
    width: float
    height: float
    nodes: tuple[DrawnBox, ...]
    links: tuple[DrawnEdge, ...]


def arrowheads(link: DrawnEdge) -> list[tuple[Point, Point, Point]]:
    """Returns the triangles at the ends of an edge; the first corner is the tip."""
    (x, y), (before_x, _), (to_x, to_y) = link.points[0], link.points[-2], link.points[-1]
    triangles = []
    if link.ahead and before_x == to_x:
        triangles.append(((to_x, to_y), (to_x - 4, to_y - 8), (to_x + 4, to_y - 8)))
    elif link.ahead:
        triangles.append(((to_x, to_y), (to_x - 8, to_y - 4), (to_x - 8, to_y + 4)))
    if link.back:
        triangles.append(((x, y), (x + 8, y - 4), (x + 8, y + 4)))
    return triangles


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

"""The drawing of a composite, for the SVG and for the window. Sizes are pixels at 100 %; y grows downwards.

An edge goes through its points in order: straight between two of one height, else as an S curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BoxKind = Literal["session", "state", "feed", "output"]
TextStyle = Literal["title", "name", "detail"]
Point = tuple[float, float]

LID_HEIGHT = 6.0
"""Half the height of the lid of a state, which is drawn as a drum."""

TINTS = {"source": "accent", "prefill": "prefill", "decode": "decode"}
"""The colours of runs, by the window's names; every other run is `muted`, and a run is always named in words too."""


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
    found = []
    if link.ahead and before_x == to_x:
        found.append(((to_x, to_y), (to_x - 4, to_y - 8), (to_x + 4, to_y - 8)))
    elif link.ahead:
        found.append(((to_x, to_y), (to_x - 8, to_y - 4), (to_x - 8, to_y + 4)))
    if link.back:
        found.append(((x, y), (x + 8, y - 4), (x + 8, y + 4)))
    return found

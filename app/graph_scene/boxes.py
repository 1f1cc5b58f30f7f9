"""Boxes, lines and ports of a graph's picture, and the level that holds them; sizes in pixels at 100 %."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from app.graph_scene.column_wrap import Point
from app.graph_scene.indexed_graph import SlicedTask
from app.graph_scene.layered_layout import Ranking
from app.graph_scene.scope_tree import Scope

TITLE_H, LINE_H, PAD, HEAD = 28.0, 17.0, 16.0, 30.0
CHAR_W, BOLD_W, MIN_W, MAX_CHARS, MAX_PORTS = 6.8, 8.6, 96.0, 32, 3
CHUNK = 200
"""Boxes or lines that are released per slice."""
BoxKey = int | str
"""The index of a node, or the path of a scope."""


@dataclass(slots=True)
class Port:
    """One end of a connection without a line: a graph input or output, or another node. node: -1 for none."""

    text: str
    kind: str  # input, output, link
    inward: bool
    node: int = -1
    count: int = 1

    @property
    def line(self) -> str:
        """The text of the port on its box."""
        more = f" ×{self.count}" if self.count > 1 else ""
        return f"{'↘' if self.inward else '↗'} {shorten(self.text)}{more}"


@dataclass(slots=True, eq=False)
class GraphBox:
    """A node, a closed scope, or an open scope with its level inside."""

    key: BoxKey
    title: str
    detail: list[str]
    change: str
    kind: str
    ports: list[Port] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    w: float = 0.0
    h: float = 0.0
    inner: SceneLevel | None = None

    def lines(self) -> list[tuple[str, Port | None]]:
        """The lines below the title: details, and on each side at most MAX_PORTS ports."""
        shown: list[tuple[str, Port | None]] = [(text, None) for text in self.detail]
        for inward in (True, False) if self.ports else ():
            side = [p for p in self.ports if p.inward is inward]
            shown += [(p.line, p) for p in side[:MAX_PORTS]]
            if len(side) > MAX_PORTS:
                shown.append((f"{'↘' if inward else '↗'} +{len(side) - MAX_PORTS}", None))
        return shown

    def port_at(self, y: float) -> Port | None:
        """The port whose line is `y` below the upper edge; None elsewhere, and in an open box."""
        lines, place = self.lines(), int((y - TITLE_H) // LINE_H)
        return lines[place][1] if self.inner is None and 0 <= place < len(lines) else None


@dataclass(slots=True, eq=False)
class GraphLink:
    """A line from box to box. count: the values that it stands for. value: the first of them.

    wraps: whether it leads to another column. left, right: its extent.
    """

    source: BoxKey
    target: BoxKey
    change: str
    count: int
    value: int
    points: list[Point] = field(default_factory=list)
    wraps: bool = False
    left: float = 0.0
    right: float = 0.0

    def measure(self) -> None:
        """Sets the extent and whether the line wraps, from its points."""
        xs, ys = zip(*self.points, strict=True)
        self.left, self.right = min(xs), max(xs)
        self.wraps = any(one > other for one, other in pairwise(ys))


class SceneLevel:
    """The inside of one open scope; boxes and links are sorted by their upper ends for fast lookup."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.boxes: list[GraphBox] = []
        self.by_key: dict[BoxKey, GraphBox] = {}
        self.edges: list[tuple[int, int]] = []
        self.links: list[GraphLink] = []
        self.drawn: list[GraphLink] = []
        self.lines: set[tuple[BoxKey, BoxKey]] = set()
        self.ranking = Ranking([], [])
        self.width = self.height = 0.0
        self.stale = True
        self._sorted: list[GraphBox] = []
        self._tops: list[float] = []
        self._link_tops: list[float] = []
        self._direct: list[GraphLink] = []
        self._wrapping: list[GraphLink] = []
        self._tallest = self._longest = 0.0

    def index(self) -> SlicedTask:
        """Sorts boxes and links after they were placed."""
        ordered = sorted(self.boxes, key=lambda b: b.y)
        self._sorted = ordered
        self._tops = [b.y for b in ordered]
        self._tallest = max((b.h for b in ordered), default=0.0)
        yield
        self.drawn = sorted((k for k in self.links if k.points), key=lambda k: k.points[0][1])
        self.lines = {(k.source, k.target) for k in self.drawn}
        yield
        for place, link in enumerate(self.drawn):
            link.measure()
            if place % 2000 == 0:
                yield
        self._wrapping = [k for k in self.drawn if k.wraps]
        self._direct = [k for k in self.drawn if not k.wraps]
        self._link_tops = [k.points[0][1] for k in self._direct]
        self._longest = max((k.points[-1][1] - k.points[0][1] for k in self._direct), default=0.0)

    def release(self) -> SlicedTask:
        """Frees boxes and links in slices."""
        lines = (self.lines, self._link_tops, self.drawn, self._direct, self._wrapping, self.edges)
        for container in (self.by_key, self._tops, self._sorted, *lines):
            container.clear()
            yield
        for parts in (self.boxes, self.links):
            while parts:
                del parts[-CHUNK:]
                yield

    def boxes_in(self, top: float, bottom: float) -> Iterator[GraphBox]:
        """Those between two heights."""
        for place in range(bisect_left(self._tops, top - self._tallest), bisect_left(self._tops, bottom)):
            box = self._sorted[place]
            if box.y + box.h >= top:
                yield box

    def links_in(self, top: float, bottom: float) -> Iterator[GraphLink]:
        """Those between two heights, and those that lead to another column."""
        yield from self._wrapping
        for place in range(bisect_left(self._link_tops, top - self._longest), bisect_left(self._link_tops, bottom)):
            link = self._direct[place]
            if link.points[-1][1] >= top:
                yield link


def shorten(text: str, most: int = MAX_CHARS) -> str:
    """`text` with … in the middle where it has more than `most` characters."""
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[:half]}…{text[-(most - 1 - half) :]}"

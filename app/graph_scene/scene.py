"""All that is seen of a graph: levels in each other, laid out anew where a scope was opened or closed.

Outline + open scopes ──Scene.build──▶ Level of the root ─box─▶ Level of an open scope ─box─▶ …

Positions are local to a level: opening a scope lays out that level, and those above it, and no other.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

from app.graph_scene.boxes import HEAD, PAD, BoxKey, GraphBox, SceneLevel
from app.graph_scene.indexed_graph import IndexedGraph, SlicedTask
from app.graph_scene.layered_layout import GAP_X, GAP_Y, LayeredLayout, Ranking, arrange_boxes
from app.graph_scene.level_reader import LevelReader, set_box_size
from app.graph_scene.scope_tree import Scope, ScopeTree

GRID_W = 1200.0
"""About as wide as rows of boxes without a line get."""


class Scene:
    """All that is seen of a graph with `opened` scopes open."""

    def __init__(self, graph: IndexedGraph, outline: ScopeTree, opened: set[str]) -> None:
        self.graph, self.outline = graph, outline
        self.opened = {path for path in opened if path in outline.scopes} | {""}
        self.root = SceneLevel(outline.root)
        self._levels: dict[str, SceneLevel] = {}

    def build(self) -> SlicedTask:
        """Lays out what is not laid out yet."""
        self.root = yield from self._level(self.outline.root)

    def _level(self, scope: Scope) -> Generator[None, None, SceneLevel]:
        level = self._levels.get(scope.path)
        if level is None:
            level = self._levels[scope.path] = yield from LevelReader(self.graph, self.outline, scope).read()
        if not level.stale:
            return level
        for place, box in enumerate(level.boxes):
            inside = isinstance(box.key, str) and box.key in self.opened
            box.inner = (yield from self._level(self.outline.scopes[str(box.key)])) if inside else None
            set_box_size(box)
            if place % 200 == 0:
                yield
        yield from _place(level)
        level.stale = False
        return level

    def open(self, wanted: set[str]) -> None:
        """Other scopes are open; `build` has to follow."""
        wanted = {path for path in wanted if path in self.outline.scopes} | {""}
        for path in self.opened ^ wanted:
            for scope in self.outline.scopes[path].above:
                if scope.path in self._levels:
                    self._levels[scope.path].stale = True
        self.opened = wanted

    def take_apart(self) -> SlicedTask:
        """Lets go of what nobody looks at any more, bit by bit: thousands of boxes at once would take a while."""
        levels, self._levels, self.root = list(self._levels.values()), {}, SceneLevel(self.outline.root)
        for level in levels:
            yield from level.take_apart()

    # -- where things are ------------------------------------------------------------------------------------

    def shown(self, node: int) -> BoxKey:
        """The box that stands for a node: itself, or the outermost closed scope around it."""
        for scope in self.outline.of[node].line:
            if scope.path not in self.opened:
                return scope.path
        return node

    def shown_of(self, nodes: Iterable[int]) -> set[BoxKey]:
        """The boxes that stand for nodes; the way to each scope is walked once, however many of its nodes there are."""
        stands: dict[str, str | None] = {}
        found: set[BoxKey] = set()
        for node in nodes:
            scope = self.outline.of[node]
            if scope.path not in stands:
                stands[scope.path] = next((one.path for one in scope.line if one.path not in self.opened), None)
            closed = stands[scope.path]
            found.add(node if closed is None else closed)
        return found

    def within(self, part: tuple[float, float, float, float]) -> Iterator[tuple[GraphBox, float, float]]:
        """The boxes that reach into (left, top, right, bottom), each with its corner; an open box before its inside."""
        yield from self._within(self.root, 0.0, 0.0, part)

    def _within(
        self, level: SceneLevel, x: float, y: float, part: tuple[float, float, float, float]
    ) -> Iterator[tuple[GraphBox, float, float]]:
        left, top, right, bottom = part
        for box in level.boxes_in(top - y, bottom - y):
            if x + box.x <= right and x + box.x + box.w >= left:
                yield box, x + box.x, y + box.y
                if box.inner is not None:
                    yield from self._within(box.inner, x + box.x + PAD, y + box.y + HEAD, part)

    def exists(self, key: BoxKey) -> bool:
        """Whether `key` is a node or a scope of this graph."""
        return key in self.outline.scopes if isinstance(key, str) else 0 <= key < len(self.graph.nodes)

    def find(self, key: BoxKey) -> tuple[GraphBox, float, float] | None:
        """The box of a node or scope with its corner in the whole picture; None while it is inside a closed one."""
        around = self.outline.scopes[key].above if isinstance(key, str) else self.outline.of[key].line
        if not around:
            return None
        level, x, y = self.root, 0.0, 0.0
        for below in around[1:]:
            box = level.by_key[below.path]
            if box.inner is None:
                return None
            x, y, level = x + box.x + PAD, y + box.y + HEAD, box.inner
        box = level.by_key[key]
        return box, x + box.x, y + box.y

    def lined(self, source: BoxKey, target: BoxKey) -> bool:
        """Whether a line is drawn between two boxes."""
        around = self._around(source)
        level = self._levels.get(around.path)
        return around is self._around(target) and level is not None and (source, target) in level.lines

    def _around(self, key: BoxKey) -> Scope:
        return self.outline.scopes[key].above[-1] if isinstance(key, str) else self.outline.of[key]

    def at(self, x: float, y: float) -> tuple[GraphBox, float, float] | None:
        """The innermost box at a point, with its corner; None between the boxes."""
        level, left, top, found = self.root, 0.0, 0.0, None
        while True:
            hit = next((b for b in level.boxes_in(y - top, y - top) if b.x <= x - left <= b.x + b.w), None)
            if hit is None:
                return found
            found = (hit, left + hit.x, top + hit.y)
            if hit.inner is None:
                return found
            left, top, level = left + hit.x + PAD, top + hit.y + HEAD, hit.inner


def _place(level: SceneLevel) -> SlicedTask:
    """Ranks for what is connected, rows for what is not."""
    tied = {place for edge, drawn in zip(level.edges, level.ranking.drawn, strict=True) if drawn for place in edge}
    yield
    chosen = sorted(tied)
    loose = [place for place in range(len(level.boxes)) if place not in tied]
    number = {place: order for order, place in enumerate(chosen)}
    kept = [order for order, drawn in enumerate(level.ranking.drawn) if drawn]
    yield
    edges = [(number[level.edges[k][0]], number[level.edges[k][1]]) for k in kept]
    ranking = Ranking(_close(level.ranking.ranks[place] for place in chosen), [True] * len(edges))
    yield
    sizes = [(level.boxes[place].w, level.boxes[place].h) for place in chosen]
    layout: LayeredLayout = yield from arrange_boxes(sizes, edges, ranking)
    for place, x, y in zip(chosen, layout.xs, layout.ys, strict=True):
        level.boxes[place].x, level.boxes[place].y = x, y
    yield
    for link in level.links:
        link.points = []
    for k, route in zip(kept, layout.routes, strict=True):
        level.links[k].points = route or []
    yield
    level.width, level.height = _rows(level, loose, layout)
    yield from level.index()


def _close(ranks: Iterator[int] | Generator[int, None, None]) -> list[int]:
    """Ranks without empty ones between."""
    given = list(ranks)
    order = {value: place for place, value in enumerate(sorted(set(given)))}
    return [order[value] for value in given]


def _rows(level: SceneLevel, loose: list[int], layout: LayeredLayout) -> tuple[float, float]:
    """Boxes without a line, in rows under the others; the size of it all."""
    most = max(layout.width, min(GRID_W, sum(level.boxes[p].w + GAP_X for p in loose)))
    x, y, tall = 0.0, layout.height + (GAP_Y if layout.height and loose else 0), 0.0
    width = layout.width
    for place in loose:
        box = level.boxes[place]
        if x and x + box.w > most:
            x, y, tall = 0.0, y + tall + GAP_X, 0.0
        box.x, box.y = x, y
        x, tall = x + box.w + GAP_X, max(tall, box.h)
        width = max(width, box.x + box.w)
    return max(width, 1.0), y + tall

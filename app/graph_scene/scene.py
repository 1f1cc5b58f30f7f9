"""The scene of a graph: nested levels of boxes, laid out again where a scope was opened or closed.

ScopeTree + open scopes ──Scene.build──▶ SceneLevel of the root ─box─▶ SceneLevel of an open scope ─box─▶ …

Positions are local to a level: opening a scope lays out its level and the levels above it, and no other.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

from app.graph_scene.boxes import HEAD, PAD, BoxKey, GraphBox, SceneLevel
from app.graph_scene.column_wrap import GAP_X, GAP_Y
from app.graph_scene.indexed_graph import IndexedGraph, SlicedTask
from app.graph_scene.layered_layout import LayeredLayout, Ranking, arrange_boxes
from app.graph_scene.level_reader import LevelReader, set_box_size
from app.graph_scene.scope_tree import Scope, ScopeTree

GRID_W = 1200.0
"""The width at which a row of boxes without lines ends."""


class Scene:
    """The levels of a graph whose scopes in `opened` are open."""

    def __init__(self, graph: IndexedGraph, outline: ScopeTree, opened: set[str]) -> None:
        self.graph, self.outline = graph, outline
        self.opened = {path for path in opened if path in outline.scopes} | {""}
        self.root = SceneLevel(outline.root)
        self._levels: dict[str, SceneLevel] = {}

    def build(self) -> SlicedTask:
        """Lays out the levels that are new or stale."""
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

    def open(self, paths: set[str]) -> None:
        """Sets the open scopes; `build` must follow."""
        paths = {path for path in paths if path in self.outline.scopes} | {""}
        for path in self.opened ^ paths:
            for scope in self.outline.scopes[path].above:
                if scope.path in self._levels:
                    self._levels[scope.path].stale = True
        self.opened = paths

    def release(self) -> SlicedTask:
        """Frees all levels in slices: thousands of boxes at once would block the window."""
        levels, self._levels, self.root = list(self._levels.values()), {}, SceneLevel(self.outline.root)
        for level in levels:
            yield from level.release()

    # -- lookup ----------------------------------------------------------------------------------------------

    def visible_box(self, node: int) -> BoxKey:
        """The visible box of a node: its own, or that of the outermost closed scope around it."""
        for scope in self.outline.of[node].line:
            if scope.path not in self.opened:
                return scope.path
        return node

    def visible_boxes(self, nodes: Iterable[int]) -> set[BoxKey]:
        """The visible boxes of nodes; each scope is resolved once."""
        closed_scopes: dict[str, str | None] = {}
        keys: set[BoxKey] = set()
        for node in nodes:
            scope = self.outline.of[node]
            if scope.path not in closed_scopes:
                outermost = next((one.path for one in scope.line if one.path not in self.opened), None)
                closed_scopes[scope.path] = outermost
            closed = closed_scopes[scope.path]
            keys.add(node if closed is None else closed)
        return keys

    def neighbours(self, key: BoxKey) -> tuple[set[BoxKey], set[BoxKey]]:
        """The boxes that a box takes values from, and those that take values from it; none for the whole graph."""
        if key == "":
            return set(), set()
        inside = {key} if isinstance(key, int) else set(self.outline.all_nodes(self.outline.scopes[key]))
        sources, targets = self.graph.sources(inside), self.graph.targets(inside)
        return {self.visible_box(n) for n in sources} - {key}, {self.visible_box(n) for n in targets} - {key}

    def boxes_within(self, part: tuple[float, float, float, float]) -> Iterator[tuple[GraphBox, float, float]]:
        """The boxes that intersect (left, top, right, bottom), each with its corner; an open box before its inside."""
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
        """The box of a node or scope, and its corner in the picture; None inside a closed scope."""
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

    def has_line(self, source: BoxKey, target: BoxKey) -> bool:
        """Whether a line connects two boxes."""
        around = self._around(source)
        level = self._levels.get(around.path)
        return around is self._around(target) and level is not None and (source, target) in level.lines

    def _around(self, key: BoxKey) -> Scope:
        return self.outline.scopes[key].above[-1] if isinstance(key, str) else self.outline.of[key]

    def at(self, x: float, y: float) -> tuple[GraphBox, float, float] | None:
        """The innermost box at a point, and its corner; None between the boxes."""
        level, left, top, innermost = self.root, 0.0, 0.0, None
        while True:
            hit = next((b for b in level.boxes_in(y - top, y - top) if b.x <= x - left <= b.x + b.w), None)
            if hit is None:
                return innermost
            innermost = (hit, left + hit.x, top + hit.y)
            if hit.inner is None:
                return innermost
            left, top, level = left + hit.x + PAD, top + hit.y + HEAD, hit.inner


def _place(level: SceneLevel) -> SlicedTask:
    """Places connected boxes in ranks, and the others in rows below."""
    tied = {place for edge, drawn in zip(level.edges, level.ranking.drawn, strict=True) if drawn for place in edge}
    yield
    chosen = sorted(tied)
    loose = [place for place in range(len(level.boxes)) if place not in tied]
    number = {place: order for order, place in enumerate(chosen)}
    with_line = [order for order, drawn in enumerate(level.ranking.drawn) if drawn]
    yield
    edges = [(number[level.edges[k][0]], number[level.edges[k][1]]) for k in with_line]
    ranking = Ranking(_without_gaps(level.ranking.ranks[place] for place in chosen), [True] * len(edges))
    yield
    sizes = [(level.boxes[place].w, level.boxes[place].h) for place in chosen]
    layout: LayeredLayout = yield from arrange_boxes(sizes, edges, ranking)
    for place, x, y in zip(chosen, layout.xs, layout.ys, strict=True):
        level.boxes[place].x, level.boxes[place].y = x, y
    yield
    for link in level.links:
        link.points = []
    for k, route in zip(with_line, layout.routes, strict=True):
        level.links[k].points = route or []
    yield
    level.width, level.height = _rows(level, loose, layout)
    yield from level.index()


def _without_gaps(ranks: Iterator[int] | Generator[int, None, None]) -> list[int]:
    """Ranks renumbered without empty ranks."""
    values = list(ranks)
    order = {value: place for place, value in enumerate(sorted(set(values)))}
    return [order[value] for value in values]


def _rows(level: SceneLevel, loose: list[int], layout: LayeredLayout) -> tuple[float, float]:
    """Places boxes without lines in rows below the others; returns the size of the level."""
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

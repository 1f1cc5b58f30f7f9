"""What is drawn of one open scope: its boxes, the lines between them, and ports where a line would run far.

Outline + open scopes ──Scene.build──▶ Level of the root ─box─▶ Level of an open scope ─box─▶ …

Positions are local to a level: opening a scope lays out that level, and those above it, and no other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from app.graph.layout import GAP_X, GAP_Y, Layout, Point, Ranking, arrange, rank
from app.graph.model import CHANGES, MARKS, Graph, Node, Steps
from app.graph.outline import Outline, Scope

TITLE_H, LINE_H, PAD, HEAD = 28.0, 17.0, 16.0, 30.0
CHAR_W, BOLD_W, LEAST_W, MOST_CHARS, PORTS = 6.8, 8.6, 96.0, 30, 3
GRID_W = 1200.0
Key = int | str
"""A node's place, or the path of a scope."""


@dataclass(slots=True)
class Port:
    """One end of a connection that is not drawn: a graph input or output, or a node elsewhere."""

    text: str
    kind: str  # input, output, link
    inward: bool
    node: int = -1
    count: int = 1

    @property
    def line(self) -> str:
        """As it stands on its box."""
        more = f" ×{self.count}" if self.count > 1 else ""
        return f"{'↘' if self.inward else '↗'} {shorten(self.text)}{more}"


@dataclass(slots=True, eq=False)
class Box:
    """A node, a closed scope, or an open one with its level inside."""

    key: Key
    title: str
    detail: list[str]
    change: str
    kind: str
    ports: list[Port] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    w: float = 0.0
    h: float = 0.0
    inner: Level | None = None

    def lines(self) -> list[tuple[str, Port | None]]:
        """What stands under the title: texts, and ports of which only the first few are named."""
        shown: list[tuple[str, Port | None]] = [(text, None) for text in self.detail]
        for inward in (True, False):
            side = [p for p in self.ports if p.inward is inward]
            shown += [(p.line, p) for p in side[:PORTS]]
            if len(side) > PORTS:
                shown.append((f"{'↘' if inward else '↗'} +{len(side) - PORTS}", None))
        return shown


@dataclass(slots=True, eq=False)
class Link:
    """A line from box to box."""

    source: Key
    target: Key
    change: str
    count: int
    value: int
    points: list[Point] = field(default_factory=list)


class Level:
    """The inside of one open scope, boxes and links sorted by their upper ends so that a part is found quickly."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.boxes: list[Box] = []
        self.by_key: dict[Key, Box] = {}
        self.edges: list[tuple[int, int]] = []
        self.links: list[Link] = []
        self.drawn: list[Link] = []
        self.lines: set[tuple[Key, Key]] = set()
        self.ranking = Ranking([], [])
        self.width = self.height = 0.0
        self.stale = True
        self._sorted: list[Box] = []
        self._tops: list[float] = []
        self._link_tops: list[float] = []
        self._tallest = self._longest = 0.0

    def index(self) -> Steps:
        """After the boxes were placed."""
        ordered = sorted(self.boxes, key=lambda b: b.y)
        self._sorted = ordered
        self._tops = [b.y for b in ordered]
        self._tallest = max((b.h for b in ordered), default=0.0)
        yield
        self.drawn = sorted((k for k in self.links if k.points), key=lambda k: k.points[0][1])
        self.lines = {(k.source, k.target) for k in self.drawn}
        self._link_tops = [k.points[0][1] for k in self.drawn]
        self._longest = max((k.points[-1][1] - k.points[0][1] for k in self.drawn), default=0.0)

    def boxes_in(self, top: float, bottom: float) -> Iterator[Box]:
        """Those that reach between two heights."""
        for place in range(bisect_left(self._tops, top - self._tallest), bisect_left(self._tops, bottom)):
            box = self._sorted[place]
            if box.y + box.h >= top:
                yield box

    def links_in(self, top: float, bottom: float) -> Iterator[Link]:
        """Those that reach between two heights."""
        for place in range(bisect_left(self._link_tops, top - self._longest), bisect_left(self._link_tops, bottom)):
            link = self.drawn[place]
            if link.points[-1][1] >= top:
                yield link


def shorten(text: str, most: int = MOST_CHARS) -> str:
    """Cut in the middle."""
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[:half]}…{text[-(most - 1 - half) :]}"


def label_of(graph: Graph, scope: Scope, other: int) -> str:
    """What a node is called as seen from `scope`: the first scope on the way to it that differs, or its operator."""
    node = graph.nodes[other]
    here = scope.path.split("/") if scope.path else []
    there = node.scope.split("/") if node.scope else []
    for place, name in enumerate(there):
        if place >= len(here) or here[place] != name:
            return name
    return node.op


class _Reader:
    """Boxes, edges and ports of one level, from the graph."""

    def __init__(self, graph: Graph, outline: Outline, scope: Scope) -> None:
        self.graph, self.outline, self.scope = graph, outline, scope
        self.level = Level(scope)
        self.slot: dict[int, int] = {}
        self._found: dict[tuple[int, int], Link] = {}
        self._ports: dict[tuple[int, bool, str, str], Port] = {}

    def read(self) -> Generator[None, None, Level]:
        level, graph = self.level, self.graph
        parts: list[tuple[int, Scope | Node]] = [(s.first, s) for s in self.outline.children(self.scope)]
        parts += [(n, graph.nodes[n]) for n in self.scope.nodes]
        parts.sort(key=lambda part: part[0])
        for place, (_, part) in enumerate(parts):
            inside = self.outline.every_node(part) if isinstance(part, Scope) else (part.index,)
            self.slot.update(dict.fromkeys(inside, place))
            level.boxes.append(_scope_box(part) if isinstance(part, Scope) else _node_box(graph, part))
            if place % 300 == 0:
                yield
        for done, index in enumerate(self.slot):
            self._node(graph.nodes[index])
            if done % 200 == 0:
                yield
        level.by_key = {box.key: box for box in level.boxes}
        level.edges, level.links = list(self._found), list(self._found.values())
        level.ranking = yield from rank(len(level.boxes), level.edges)
        yield from self._far_ends()
        return level

    def _node(self, node: Node) -> None:
        graph, here = self.graph, self.slot[node.index]
        for v in node.inputs:
            if v < 0:
                continue
            maker = graph.producer[v]
            if maker < 0:
                if graph.values[v].kind == "input":
                    self._port(here, True, "input", graph.values[v].name, -1)
            elif maker not in self.slot:
                self._port(here, True, "link", label_of(graph, self.scope, maker), maker)
            elif self.slot[maker] != here:
                self._link(self.slot[maker], here, v, maker, node.index)
        for v in node.outputs:
            if v < 0:
                continue
            if graph.values[v].kind == "output":
                self._port(here, False, "output", graph.values[v].name, -1)
            for taker in graph.consumers[v]:
                if taker not in self.slot:
                    self._port(here, False, "link", label_of(graph, self.scope, taker), taker)

    def _link(self, a: int, b: int, v: int, maker: int, taker: int) -> None:
        nodes = self.graph.nodes
        ends = (nodes[maker].change, nodes[taker].change, self.graph.values[v].change)
        change = next((c for c in CHANGES[:2] if c in ends), "")
        link = self._found.get((a, b))
        if link is None:
            boxes = self.level.boxes
            self._found[a, b] = Link(boxes[a].key, boxes[b].key, change, 1, v)
        else:
            link.count += 1
            link.change = link.change if link.change == change else ""

    def _port(self, box: int, inward: bool, kind: str, text: str, node: int) -> None:
        key = (box, inward, kind, text)
        port = self._ports.get(key)
        if port is None:
            port = self._ports[key] = Port(text, kind, inward, node)
            self.level.boxes[box].ports.append(port)
        elif port.node != node:
            port.count += 1

    def _far_ends(self) -> Steps:
        """Both ends of each connection that is too long for a line."""
        boxes = self.level.boxes
        for place, ((a, b), drawn) in enumerate(zip(self.level.edges, self.level.ranking.drawn, strict=True)):
            if place % 500 == 0:
                yield
            if not drawn:
                self._port(b, True, "link", boxes[a].title, self._first(boxes[a]))
                self._port(a, False, "link", boxes[b].title, self._first(boxes[b]))

    def _first(self, box: Box) -> int:
        return box.key if isinstance(box.key, int) else self.outline.scopes[box.key].first


def _scope_box(scope: Scope) -> Box:
    touched = " ".join(f"{MARKS[c]}{scope.changes[c]}" for c in CHANGES if scope.changes[c])
    detail = [f"{scope.total:,} nodes" if scope.total != 1 else "1 node"]
    if touched:
        detail.append(touched)
    kinds = {c for c in CHANGES if scope.changes[c]}
    change = "" if not kinds else next(iter(kinds)) if len(kinds) == 1 else "changed"
    return Box(scope.path, scope.name or "(unnamed)", detail, change, "scope")


def _node_box(graph: Graph, node: Node) -> Box:
    weights = [graph.values[v] for v in node.inputs if v >= 0 and graph.values[v].kind == "initializer"]
    detail = []
    for value in weights[:2]:
        shape = "scalar" if value.shape == () else " × ".join(str(d) for d in value.shape or ("?",))
        detail.append(shorten(f"{value.name.rpartition('.')[2]} {shape}"))
    return Box(node.index, node.op, detail, node.change, kind_of(node.op))


_KINDS = {
    "matrix": ("matmul", "gemm", "conv", "einsum", "linear"),
    "attention": ("attention", "rotary"),
    "norm": ("norm",),
    "activation": ("relu", "gelu", "silu", "sigmoid", "tanh", "softmax", "erf", "swish"),
    "control": ("if", "loop", "scan"),
}


def kind_of(op: str) -> str:
    """The family of an operator, which tints its box; empty for the many that only move data."""
    small = op.casefold()
    if small in _KINDS["control"]:
        return "control"
    order = ("attention", "norm", "matrix", "activation")
    return next((kind for kind in order if any(word in small for word in _KINDS[kind])), "")


def _size(box: Box) -> None:
    if box.inner is not None:
        box.w = max(box.inner.width + 2 * PAD, LEAST_W + CHAR_W * len(box.title))
        box.h = box.inner.height + HEAD + PAD
        return
    lines = box.lines()
    title = len(shorten(box.title)) + (2 if box.kind == "scope" else 0) + (2 if box.change else 0)
    longest = max([title * BOLD_W, *(len(text) * CHAR_W for text, _ in lines)])
    box.w = max(LEAST_W, longest + 26)
    box.h = TITLE_H + LINE_H * len(lines) + (6 if lines else 0)


class Scene:
    """All that is seen of a graph with `opened` scopes open."""

    def __init__(self, graph: Graph, outline: Outline, opened: set[str]) -> None:
        self.graph, self.outline = graph, outline
        self.opened = {path for path in opened if path in outline.scopes} | {""}
        self.root = Level(outline.root)
        self._levels: dict[str, Level] = {}

    def build(self) -> Steps:
        """Lays out what is not laid out yet."""
        self.root = yield from self._level(self.outline.root)

    def _level(self, scope: Scope) -> Generator[None, None, Level]:
        level = self._levels.get(scope.path)
        if level is None:
            level = self._levels[scope.path] = yield from _Reader(self.graph, self.outline, scope).read()
        if not level.stale:
            return level
        for place, box in enumerate(level.boxes):
            inside = isinstance(box.key, str) and box.key in self.opened
            box.inner = (yield from self._level(self.outline.scopes[str(box.key)])) if inside else None
            _size(box)
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

    # -- where things are ------------------------------------------------------------------------------------

    def shown(self, node: int) -> Key:
        """The box that stands for a node: itself, or the outermost closed scope around it."""
        for scope in self.outline.of[node].line:
            if scope.path not in self.opened:
                return scope.path
        return node

    def exists(self, key: Key) -> bool:
        """Whether `key` is a node or a scope of this graph."""
        return key in self.outline.scopes if isinstance(key, str) else 0 <= key < len(self.graph.nodes)

    def find(self, key: Key) -> tuple[Box, float, float] | None:
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

    def lined(self, source: Key, target: Key) -> bool:
        """Whether a line is drawn between two boxes."""
        around = self._around(source)
        level = self._levels.get(around.path)
        return around is self._around(target) and level is not None and (source, target) in level.lines

    def _around(self, key: Key) -> Scope:
        return self.outline.scopes[key].above[-1] if isinstance(key, str) else self.outline.of[key]

    def at(self, x: float, y: float) -> tuple[Box, float, float] | None:
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


def _place(level: Level) -> Steps:
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
    layout: Layout = yield from arrange(sizes, edges, ranking)
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


def _rows(level: Level, loose: list[int], layout: Layout) -> tuple[float, float]:
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

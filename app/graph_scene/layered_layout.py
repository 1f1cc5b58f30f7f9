"""The layered layout of one level of a graph: up to 20,000 boxes of one ONNX graph, placed from top to bottom.

edges ──rank_boxes──▶ Ranking ──arrange_boxes, with sizes──▶ layers, bends in the ranks that an edge passes ──▶ Layout
A tall level is wrapped into columns (column_wrap.py).

Ranks by longest path, order by barycentre (Sugiyama et al., 1981), positions by isotonic regression. The work is done
in slices. An edge that spans many ranks, or goes back in a cycle of scopes, has no route: it is drawn as two ports.

workflows.inspection.picture.layout lays out the other picture of the window: the ten boxes of a composite, from left to
right, with states, labels and stacked boxes. It counts all crossings, which is too slow for a graph. The two share
their regression; grandalf, the layered layout of other programs in Python, is under GPL or EPL.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.graph_scene.column_wrap import GAP_X, Columns, Point, wrap_ranks
from app.graph_scene.indexed_graph import SlicedTask
from workflows.inspection.picture.columns import isotonic_positions

MAX_LINE_RANKS, HUB_CONSUMERS = 4, 4
"""Ranks that a line may span; consumers from which on a box (a mask, say) has lines to the next rank only."""
BEND = 12.0
"""Width of a passing edge, in pixels at 100 %."""
SWEEPS = 4


@dataclass(slots=True)
class LayeredLayout:
    """Top left corners, and for each edge its points from the source's lower to the target's upper side, or None."""

    xs: list[float]
    ys: list[float]
    routes: list[list[Point] | None]
    width: float
    height: float


@dataclass(slots=True)
class Ranking:
    """The rank of each box, and for each edge whether it is drawn as a line."""

    ranks: list[int]
    drawn: list[bool]


def rank_boxes(count: int, edges: Sequence[tuple[int, int]]) -> Generator[None, None, Ranking]:
    """Ranks in which edges point downwards; boxes are numbered in topological order if there is one."""
    forward = yield from _acyclic(count, edges)
    ranks = yield from _ranks(count, edges, forward)
    consumers = [0] * count
    for a, _ in edges:
        consumers[a] += 1
    drawn = []
    for (a, b), is_forward in zip(edges, forward, strict=True):
        longest = 1 if consumers[a] >= HUB_CONSUMERS else MAX_LINE_RANKS
        drawn.append(is_forward and ranks[b] - ranks[a] <= longest)
    return Ranking(ranks, drawn)


def arrange_boxes(
    sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]], ranking: Ranking
) -> Generator[None, None, LayeredLayout]:
    """Places boxes of (width, height) in their ranks."""
    work = _Layers(sizes, ranking.ranks)
    yield
    routed = yield from work.add_bends(edges, ranking.drawn)
    yield from work.sort()
    yield from work.place()
    return (yield from work.result(routed))


def _acyclic(count: int, edges: Sequence[tuple[int, int]]) -> Generator[None, None, list[bool]]:
    """For each edge whether it points forward; the others close a cycle, which is cut before its first box."""
    out: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for number, (a, b) in enumerate(edges):
        out[a].append(number)
        waiting[b] += 1
    yield
    ready = [i for i in range(count) if not waiting[i]]
    done = [False] * count
    forward = [False] * len(edges)
    remaining, lowest = count, 0
    while remaining:
        if not ready:
            while done[lowest]:
                lowest += 1
            ready = [lowest]
        box = heapq.heappop(ready)
        done[box] = True
        remaining -= 1
        for number in out[box]:
            target = edges[number][1]
            waiting[target] -= 1
            if not done[target]:
                forward[number] = True
                if not waiting[target]:
                    heapq.heappush(ready, target)
        if remaining % 500 == 0:
            yield
    return forward


def _ranks(count: int, edges: Sequence[tuple[int, int]], forward: Sequence[bool]) -> Generator[None, None, list[int]]:
    """The longest path to each box; a box without a source is one rank above its first consumer."""
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for (a, b), is_forward in zip(edges, forward, strict=True):
        if is_forward:
            above[b].append(a)
            below[a].append(b)
    yield
    ranks, missing = [0] * count, [len(a) for a in above]
    ready = [i for i in range(count) if not missing[i]]
    for place in ready:  # grows during the loop
        for target in below[place]:
            ranks[target] = max(ranks[target], ranks[place] + 1)
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
        if place % 500 == 0:
            yield
    for place in range(count):
        if not above[place] and below[place]:
            ranks[place] = min(ranks[target] for target in below[place]) - 1
    return ranks


class _Layers:
    """The boxes and the bends of passing edges in each rank."""

    def __init__(self, sizes: Sequence[tuple[float, float]], ranks: Sequence[int]) -> None:
        self.count = len(sizes)
        self.widths = [w for w, _ in sizes]
        self.heights = [h for _, h in sizes]
        self.rank_of = list(ranks)
        self.layers: list[list[int]] = [[] for _ in range(max(ranks, default=-1) + 1)]
        for place, rank in enumerate(ranks):
            self.layers[rank].append(place)
        self.above: list[list[int]] = [[] for _ in sizes]
        self.below: list[list[int]] = [[] for _ in sizes]
        self.centres: list[float] = []

    def add_bends(
        self, edges: Sequence[tuple[int, int]], drawn: Sequence[bool]
    ) -> Generator[None, None, list[list[int] | None]]:
        """Adds a bend in each rank that an edge passes; returns each edge's boxes and bends, or None."""
        routed: list[list[int] | None] = []
        for (a, b), is_drawn in zip(edges, drawn, strict=True):
            if not is_drawn:
                routed.append(None)
                continue
            span = self.rank_of[b] - self.rank_of[a]
            chain = [a, *(self._bend(self.rank_of[a] + step) for step in range(1, span)), b]
            for one, other in pairwise(chain):
                self.below[one].append(other)
                self.above[other].append(one)
            routed.append(chain)
            if len(routed) % 300 == 0:
                yield
        return routed

    def _bend(self, rank: int) -> int:
        place = len(self.widths)
        self.widths.append(BEND)
        self.heights.append(0.0)
        self.rank_of.append(rank)
        self.above.append([])
        self.below.append([])
        self.layers[rank].append(place)
        return place

    def sort(self) -> SlicedTask:
        """Orders each rank by the mean position of its neighbours, downwards and upwards in turn."""
        at = [0.0] * len(self.widths)
        for layer in self.layers:
            self._number(layer, at)
        yield
        for sweep in range(SWEEPS):
            down = sweep % 2 == 0
            near = self.above if down else self.below
            for turn, layer in enumerate(self.layers if down else reversed(self.layers)):
                if len(layer) > 1:
                    mean = {i: _mean(at, near[i], i) for i in layer}
                    layer.sort(key=mean.__getitem__)
                    self._number(layer, at)
                if turn % 200 == 0:
                    yield

    @staticmethod
    def _number(layer: Sequence[int], at: list[float]) -> None:
        """Assigns positions from 0 to 1, so that ranks of different lengths compare."""
        for place, box in enumerate(layer):
            at[box] = (place + 0.5) / len(layer)

    def place(self) -> SlicedTask:
        """Moves boxes to the mean of their neighbours as far as order and widths allow."""
        self.centres = [0.0] * len(self.widths)
        for turn, layer in enumerate(self.layers):
            self._settle(layer, [0.0] * len(layer))
            if turn % 200 == 0:
                yield
        for down in (True, False, True):
            near = self.above if down else self.below
            for turn, layer in enumerate(self.layers if down else reversed(self.layers)):
                self._settle(layer, [_mean(self.centres, near[i], i) for i in layer])
                if turn % 100 == 0:
                    yield

    def _settle(self, layer: Sequence[int], targets: Sequence[float]) -> None:
        """Moves the boxes of a rank as near to the target centers as order and widths allow."""
        if len(layer) == 1:
            self.centres[layer[0]] = targets[0]
            return
        offsets, reach = [], 0.0
        for place, box in enumerate(layer):
            if place:
                reach += (self.widths[layer[place - 1]] + self.widths[box]) / 2 + GAP_X
            offsets.append(reach)
        for box, center in zip(layer, isotonic_positions(targets, offsets), strict=True):
            self.centres[box] = center

    def result(self, routed: Sequence[list[int] | None]) -> Generator[None, None, LayeredLayout]:
        """The corners, from (0, 0), and the routes."""
        tall = [max((self.heights[i] for i in layer), default=0.0) for layer in self.layers]
        yield
        extents = self._extents()
        yield
        sources = [sum(bool(self.below[i]) for i in layer) for layer in self.layers]
        yield
        columns = wrap_ranks(tall, extents, sources)
        yield
        for rank, layer in enumerate(self.layers):
            for i in layer:
                self.centres[i] += columns.shifts[rank]
        yield
        xs = [self.centres[i] - self.widths[i] / 2 for i in range(self.count)]
        yield
        edges = []
        for i, rank in enumerate(self.rank_of):  # a bend is as tall as its rank
            height = self.heights[i] if i < self.count else tall[rank]
            top = columns.tops[rank] + (tall[rank] - height) / 2
            edges.append((top, top + height))
        yield
        lanes = self._lanes(columns)
        routes: list[list[Point] | None] = []
        for chain in routed:
            routes.append(None if chain is None else self._route(chain, edges, columns, lanes))
            if len(routes) % 300 == 0:
                yield
        yield
        return LayeredLayout(xs, [top for top, _ in edges[: self.count]], routes, columns.width, columns.height)

    def _extents(self) -> list[tuple[float, float]]:
        """The left and right end of each rank."""
        return [
            (
                min(self.centres[i] - self.widths[i] / 2 for i in layer),
                max(self.centres[i] + self.widths[i] / 2 for i in layer),
            )
            for layer in self.layers
        ]

    def _lanes(self, columns: Columns) -> dict[int, int]:
        """The lane of each box or bend with a line to the next column: the rightmost one has the innermost lane."""
        lanes: dict[int, int] = {}
        for rank in columns.gutters:
            sources = sorted((i for i in self.layers[rank] if self.below[i]), key=lambda i: -self.centres[i])
            lanes.update((box, lane) for lane, box in enumerate(sources))
        return lanes

    def _route(
        self, chain: Sequence[int], edges: Sequence[tuple[float, float]], columns: Columns, lanes: dict[int, int]
    ) -> list[Point]:
        points: list[Point] = []
        for one, other in pairwise(chain):
            start, end = self.centres[one], self.centres[other]
            points.append((start, edges[one][1]))
            if one in lanes:
                points += columns.gutters[self.rank_of[one]].path(lanes[one], start, end)
            points.append((end, edges[other][0]))
        return points


def _mean(values: Sequence[float], near: Sequence[int], own: int) -> float:
    """The mean of the values at `near`, which most often is one; the own value where there are none."""
    if len(near) == 1:
        return values[near[0]]
    return sum([values[j] for j in near]) / len(near) if near else values[own]

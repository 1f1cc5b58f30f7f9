"""A layered layout: ranks by longest path, order by barycentre, places by isotonic regression.

edges ──rank──▶ Ranking ──arrange, with sizes──▶ layers, bends where an edge passes a rank ──▶ order ──▶ Layout

An edge that spans many ranks, or goes back where scopes run in a circle, has no route: it is drawn as ports.
The pooling of adjacent violators is from Barlow et al., 1972; ranks and barycentres from Sugiyama et al., 1981.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.graph_scene.indexed_graph import SlicedTask

MAX_LINE_RANKS, HUB_CONSUMERS = 4, 4
"""Ranks that a line may span, and takers from which on a box (a mask, rotary positions) has lines to the next rank
only."""
GAP_X, GAP_Y, BEND = 24.0, 36.0, 12.0
"""Between two boxes of a rank, between two ranks, and the width that a passing edge takes; in pixels at 100 %."""
SWEEPS = 4
Point = tuple[float, float]


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
    """Ranks so that edges run downwards; boxes are numbered in topological order if there is one."""
    forward = yield from _acyclic(count, edges)
    ranks = yield from _ranks(count, edges, forward)
    takers = [0] * count
    for a, _ in edges:
        takers[a] += 1
    near = []
    for (a, b), kept in zip(edges, forward, strict=True):
        near.append(kept and ranks[b] - ranks[a] <= (1 if takers[a] >= HUB_CONSUMERS else MAX_LINE_RANKS))
    return Ranking(ranks, near)


def arrange_boxes(
    sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]], ranking: Ranking
) -> Generator[None, None, LayeredLayout]:
    """Places boxes of (width, height) in their ranks."""
    work = _Layers(sizes, ranking.ranks)
    yield
    routed = yield from work.thread(edges, ranking.drawn)
    yield from work.sort()
    yield from work.place()
    return (yield from work.result(routed))


def _acyclic(count: int, edges: Sequence[tuple[int, int]]) -> Generator[None, None, list[bool]]:
    """Which edges are kept so that no circle is left: where one remains, its first box goes first."""
    out: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for number, (a, b) in enumerate(edges):
        out[a].append(number)
        waiting[b] += 1
    yield
    ready = [i for i in range(count) if not waiting[i]]
    done = [False] * count
    forward = [False] * len(edges)
    left, lowest = count, 0
    while left:
        if not ready:
            while done[lowest]:
                lowest += 1
            ready = [lowest]
        box = heapq.heappop(ready)
        done[box] = True
        left -= 1
        for number in out[box]:
            target = edges[number][1]
            waiting[target] -= 1
            if not done[target]:
                forward[number] = True
                if not waiting[target]:
                    heapq.heappush(ready, target)
        if left % 500 == 0:
            yield
    return forward


def _ranks(count: int, edges: Sequence[tuple[int, int]], forward: Sequence[bool]) -> Generator[None, None, list[int]]:
    """The longest path to each box; one that nothing leads to stands right above its first consumer."""
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for (a, b), kept in zip(edges, forward, strict=True):
        if kept:
            above[b].append(a)
            below[a].append(b)
    yield
    ranks, missing = [0] * count, [len(a) for a in above]
    ready = [i for i in range(count) if not missing[i]]
    for place in ready:  # grows while it is walked
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
    """Boxes and the bends of passing edges, rank by rank."""

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

    def thread(
        self, edges: Sequence[tuple[int, int]], drawn: Sequence[bool]
    ) -> Generator[None, None, list[list[int] | None]]:
        """Ties what an edge passes; for each edge its boxes and bends, or None where it is not drawn."""
        routed: list[list[int] | None] = []
        for (a, b), kept in zip(edges, drawn, strict=True):
            if not kept:
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
        """Orders each rank by the mean place of its neighbours, downwards and upwards in turn."""
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
        """Places from 0 to 1, so that ranks of different lengths compare."""
        for place, box in enumerate(layer):
            at[box] = (place + 0.5) / len(layer)

    def place(self) -> SlicedTask:
        """Moves boxes to the mean of their neighbours as far as their order and their widths allow."""
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

    def _settle(self, layer: Sequence[int], wanted: Sequence[float]) -> None:
        """Least squares to the wanted centres without an overlap: isotonic regression of what is left of the gaps."""
        if len(layer) == 1:
            self.centres[layer[0]] = wanted[0]
            return
        offsets, reach = [], 0.0
        for place, box in enumerate(layer):
            if place:
                reach += (self.widths[layer[place - 1]] + self.widths[box]) / 2 + GAP_X
            offsets.append(reach)
        pools: list[list[float]] = []  # [mean, members]
        for centre, offset in zip(wanted, offsets, strict=True):
            pools.append([centre - offset, 1.0])
            while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
                mean, members = pools.pop()
                total = pools[-1][1] + members
                pools[-1][0] = (pools[-1][0] * pools[-1][1] + mean * members) / total
                pools[-1][1] = total
        place = 0
        for mean, members in pools:
            for _ in range(int(members)):
                self.centres[layer[place]] = mean + offsets[place]
                place += 1

    def result(self, routed: Sequence[list[int] | None]) -> Generator[None, None, LayeredLayout]:
        """Corners from 0, 0, and the routes."""
        left = min((self.centres[i] - self.widths[i] / 2 for i in range(len(self.widths))), default=0.0)
        tall = [max((self.heights[i] for i in layer), default=0.0) for layer in self.layers]
        tops, y = [], 0.0
        for height in tall:
            tops.append(y)
            y += height + GAP_Y
        yield
        boxes = range(self.count)
        xs = [self.centres[i] - self.widths[i] / 2 - left for i in boxes]
        yield
        ys = [tops[self.rank_of[i]] + (tall[self.rank_of[i]] - self.heights[i]) / 2 for i in boxes]
        yield
        routes: list[list[Point] | None] = []
        for chain in routed:
            routes.append(None if chain is None else self._route(chain, left, tops, tall, ys))
            if len(routes) % 300 == 0:
                yield
        yield
        right = max((self.centres[i] + self.widths[i] / 2 for i in range(len(self.widths))), default=0.0)
        return LayeredLayout(xs, ys, routes, right - left, max(y - GAP_Y, 0.0))

    def _route(
        self, chain: Sequence[int], left: float, tops: Sequence[float], tall: Sequence[float], ys: Sequence[float]
    ) -> list[Point]:
        first, *bends, last = chain
        points = [(self.centres[first] - left, ys[first] + self.heights[first])]
        for bend in bends:
            rank, x = self.rank_of[bend], self.centres[bend] - left
            points += [(x, tops[rank]), (x, tops[rank] + tall[rank])]
        return [*points, (self.centres[last] - left, ys[last])]


def _mean(values: Sequence[float], near: Sequence[int], own: int) -> float:
    """Of those at `near`, most often one; the own one where there are none."""
    if len(near) == 1:
        return values[near[0]]
    return sum([values[j] for j in near]) / len(near) if near else values[own]

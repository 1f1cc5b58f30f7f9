"""Wraps the ranks of a tall level into columns side by side, so that a layer of a model fits on a screen.

heights, extents and lines of the ranks ──wrap_ranks──▶ Columns: a place for each rank, a Gutter behind each column

    │ rank 0 │ ┌──▶ rank 3 │    A line to the next column goes below its own column, up the gutter, and down from above.
    │ rank 1 │ │  │ rank 4 │    Each source has a lane of its own; the lanes of a gutter do not cross each other there.
    │ rank 2 ├─┘  │ rank 5 │
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import ceil, sqrt
from typing import NamedTuple

GAP_X, GAP_Y, LANE = 24.0, 36.0, 10.0
"""Distance of two boxes of a rank, of two ranks, and of two lines in a gutter; in pixels at 100 %."""
MIN_COLUMN = 720.0
"""Height that a screen shows legibly; a level of that height is not wrapped."""
ASPECT = 1.4
"""Width of a wrapped level relative to its height, about."""
LINE_COST = 0.15
"""How far a break moves from its ideal height to cut one line less, in column heights."""
Point = tuple[float, float]


class Gutter(NamedTuple):
    """The lanes between two columns. low, high: the lower end of one column, the upper end of the next."""

    x: float
    low: float
    high: float
    lanes: int

    def path(self, lane: int, start: float, end: float) -> list[Point]:
        """The corners of a line from x `start` below one column to x `end` above the next. Lane 0 is the innermost."""
        x = self.x + lane * LANE
        low, high = self.low + (lane + 1) * LANE, self.high - (self.lanes - lane) * LANE
        return [(start, low), (x, low), (x, high), (end, high)]


@dataclass(slots=True)
class Columns:
    """The upper edge of each rank and its shift to the right; the gutter behind the last rank of each column."""

    tops: list[float] = field(default_factory=list)
    shifts: list[float] = field(default_factory=list)
    gutters: dict[int, Gutter] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


def wrap_ranks(tall: Sequence[float], extents: Sequence[tuple[float, float]], sources: Sequence[int]) -> Columns:
    """Places ranks of these heights and of these (left, right). sources: boxes of a rank with lines to the next one."""
    columns, first = Columns(), 0
    ends = _last_ranks(tall, extents, sources) if tall else []
    top = max((sources[end] + 1 for end in ends[:-1]), default=0) * LANE
    for end in ends:
        left, right = _reach(extents[first : end + 1])
        y = top
        for rank in range(first, end + 1):
            columns.tops.append(y)
            columns.shifts.append(columns.width - left)
            y += tall[rank] + GAP_Y
        bottom = y - GAP_Y
        columns.width += right - left
        if end != ends[-1]:
            columns.gutters[end] = Gutter(columns.width + GAP_X, bottom, top, sources[end])
            columns.width += 2 * GAP_X + sources[end] * LANE
            bottom += (sources[end] + 1) * LANE
        columns.height = max(columns.height, bottom)
        first = end + 1
    return columns


def _reach(extents: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The left and right end of all of them."""
    return min(left for left, _ in extents), max(right for _, right in extents)


def _last_ranks(tall: Sequence[float], extents: Sequence[tuple[float, float]], sources: Sequence[int]) -> list[int]:
    """The last rank of each column: near equal heights, where few lines are cut."""
    bottoms = list(accumulate(height + GAP_Y for height in tall))
    total = bottoms[-1]
    left, right = _reach(extents)
    width = right - left + 2 * GAP_X
    count = ceil(total / max(MIN_COLUMN, sqrt(total * width / ASPECT)))
    ends, height = [], total / count
    for column in range(1, count):
        near = range(*(bisect_left(bottoms, height * (column + side), 0, len(tall) - 1) for side in (-0.5, 0.5)))
        costs = {rank: abs(bottoms[rank] / height - column) + LINE_COST * sources[rank] for rank in near}
        if costs:
            ends.append(min(costs, key=costs.__getitem__))
    return [*ends, len(tall) - 1]

"""Layered layout: assigns items to columns, orders them, and sets their heights. Items of a column never overlap.

    edges ──column_ranks──▶ a column each
    chains of items ──order_columns──▶ few crossings ──assign_heights──▶ heights, lines almost straight

An item that only reserves space for a line has the width 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

SWEEPS = 8


@dataclass(eq=False)
class ColumnItem:
    """An item of a column. anchor: the height at which lines meet it, from its top. room: the width of its column."""

    column: int
    width: float
    height: float
    anchor: float
    x: float = 0.0
    y: float = 0.0
    room: float = 0.0
    left: list[ColumnItem] = field(default_factory=list)
    right: list[ColumnItem] = field(default_factory=list)

    @property
    def middle(self) -> float:
        """The height at which lines meet it."""
        return self.y + self.anchor


def column_ranks(names: Sequence[str], edges: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Returns the longest path to each name; a name without predecessors is placed right before its first successor."""
    pairs = list(dict.fromkeys(edges))
    ranks = dict.fromkeys(names, 0)
    for _ in names:
        for source, target in pairs:
            ranks[target] = max(ranks[target], ranks[source] + 1)
    led = {target for _, target in pairs}
    for name in names:
        following = [ranks[target] for source, target in pairs if source == name]
        if name not in led and following:
            ranks[name] = min(following) - 1
    return ranks


def link_neighbours(chain: Sequence[ColumnItem]) -> None:
    """Links items in neighbouring columns."""
    for one, other in pairwise(chain):
        one.right.append(other)
        other.left.append(one)


def order_columns(columns: list[list[ColumnItem]]) -> list[list[ColumnItem]]:
    """Returns the columns, sorted so that few lines cross."""
    best, least = columns, crossings(columns)
    for sweep in range(SWEEPS):
        columns = _sweep(columns, forward=sweep % 2 == 0)
        count = crossings(columns)
        if count < least:
            best, least = columns, count
    return best


def crossings(columns: Sequence[Sequence[ColumnItem]]) -> int:
    """Returns how many pairs of lines cross."""
    total = 0
    for one, other in pairwise(columns):
        place = {id(item): i for i, item in enumerate(other)}
        lines = [(i, place[id(end)]) for i, item in enumerate(one) for end in item.right]
        total += sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(lines) for c, d in lines[:i])
    return total


def _sweep(columns: Sequence[Sequence[ColumnItem]], forward: bool) -> list[list[ColumnItem]]:
    """Sorts each column by the mean position of the neighbours in the column before (barycentre heuristic)."""
    sorted_columns = [list(column) for column in columns]
    way = range(1, len(sorted_columns)) if forward else range(len(sorted_columns) - 2, -1, -1)
    for i in way:
        before = sorted_columns[i - 1] if forward else sorted_columns[i + 1]
        place = {id(item): j / max(len(before) - 1, 1) for j, item in enumerate(before)}
        own = {id(item): j / max(len(sorted_columns[i]) - 1, 1) for j, item in enumerate(sorted_columns[i])}
        means = {id(item): _mean([place[id(n)] for n in (item.left if forward else item.right)], own[id(item)])
                 for item in sorted_columns[i]}  # fmt: skip
        sorted_columns[i].sort(key=lambda item, means=means: means[id(item)])  # type: ignore[misc]
    return sorted_columns


def assign_heights(columns: Sequence[Sequence[ColumnItem]], gap: float) -> None:
    """Sets the y of every item as close to its neighbours as order and gaps allow; the smallest is 0."""
    for column in columns:
        _place_column(column, dict.fromkeys(map(id, column), 0.0), gap)
    for sweep in range(3 * SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            wanted = {id(item): _mean([n.middle for n in (*item.left, *item.right)], item.middle) for item in column}
            _place_column(column, wanted, gap)
    top = min((item.y for column in columns for item in column), default=0.0)
    for column in columns:
        for item in column:
            item.y = round(item.y - top, 1)


def isotonic_positions(targets: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """The positions nearest to `targets` by least squares that are at least as far apart as `offsets`.

    offsets: the least distance of each item from the first. Pool adjacent violators, Barlow et al., 1972.
    """
    pools: list[tuple[float, int]] = []  # (mean, number of items)
    for target, offset in zip(targets, offsets, strict=True):
        mean, count = target - offset, 1
        while pools and pools[-1][0] > mean:
            other, many = pools.pop()
            mean, count = (other * many + mean * count) / (many + count), many + count
        pools.append((mean, count))
    means = [mean for mean, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _place_column(column: Sequence[ColumnItem], wanted: Mapping[int, float], gap: float) -> None:
    """Places the items of a column as near to their target heights as order and gaps allow."""
    offset, offsets = 0.0, []
    for before, item in zip((None, *column), column, strict=False):
        offset += before.height - before.anchor + gap + item.anchor if before else 0.0
        offsets.append(offset)
    places = isotonic_positions([wanted[id(item)] for item in column], offsets)
    for item, place in zip(column, places, strict=True):
        item.y = place - item.anchor


def _mean(values: Sequence[float], other: float) -> float:
    return sum(values) / len(values) if values else other

"""Positions of labels beside their values, without overlap."""

from __future__ import annotations

from collections.abc import Sequence


def spread_labels(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Ascending values moved apart to at least `gap` within low … high, each as near to its own value as possible.

    Values with enough room stay; the others move in groups, by isotonic regression.
    """
    groups: list[tuple[float, int]] = []  # (mean of value - index * gap, group size)
    for index, value in enumerate(values):
        mean, count = value - index * gap, 1
        while groups and groups[-1][0] > mean:
            before, many = groups.pop()
            mean, count = (before * many + mean * count) / (many + count), many + count
        groups.append((mean, count))
    places = [mean for mean, count in groups for _ in range(count)]
    last = high - (len(values) - 1) * gap
    return [max(min(place, last), low) + index * gap for index, place in enumerate(places)]

"""Where labels stand beside what they name, without covering each other."""

from __future__ import annotations

from collections.abc import Sequence


def spread_labels(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Ascending values moved apart to at least `gap`, each as near to its own as can be, within low … high.

    Those that have room stay where they are; the others move in groups, as isotonic regression pools them.
    """
    groups: list[tuple[float, int]] = []  # (mean of value - index * gap, how many)
    for index, value in enumerate(values):
        mean, count = value - index * gap, 1
        while groups and groups[-1][0] > mean:
            before, many = groups.pop()
            mean, count = (before * many + mean * count) / (many + count), many + count
        groups.append((mean, count))
    places = [mean for mean, count in groups for _ in range(count)]
    last = high - (len(values) - 1) * gap
    return [max(min(place, last), low) + index * gap for index, place in enumerate(places)]

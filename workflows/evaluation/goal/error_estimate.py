"""Estimates what quantizing a unit to a level costs, and orders the mixes between the smallest one and fp32.

    error(unit, level) ≈ cost of the unit alone · cost of the level / cost of the probe level
    upgrades, the most error a byte first ──▶ path

The estimate orders the work only: the search measures every mix before it decides on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from workflows.evaluation.goal.precision_levels import FULL, LEVELS, PrecisionLevel
from workflows.evaluation.goal.search_units import Mix, SearchUnit

_SMALLEST = 1e-12  # an estimate's lower bound: what rounding alone gives


@dataclass(frozen=True)
class ErrorEstimate:
    """The estimated error (KL divergence, nats) and size (bytes) of each unit at each level.

    level_costs: the divergence of each level throughout. unit_costs: the divergence of each unit alone at `probe`.
    symmetric: whether blocks have no zero points.
    """

    units: Sequence[SearchUnit]
    level_costs: Mapping[PrecisionLevel, float]
    unit_costs: Sequence[float]
    probe: PrecisionLevel
    symmetric: bool

    def path(self) -> list[Mix]:
        """Mixes from the smallest to fp32 that differ by one unit's level, the upgrades with the largest gain first."""
        ladders = [self._ladder(place) for place in range(len(self.units))]
        steps = [
            (-self._gain(place, before, after), place, rung, after)
            for place, ladder in enumerate(ladders)
            for rung, (before, after) in enumerate(pairwise(ladder))
        ]
        mix = [ladder[0] for ladder in ladders]
        path = [tuple(mix)]
        for _, place, _, after in sorted(steps, key=lambda step: step[:3]):
            mix[place] = after
            path.append(tuple(mix))
        return path

    def downgrades(self, mix: Mix) -> list[tuple[float, int, PrecisionLevel]]:
        """(bytes saved for each unit of added error, unit, level) of each smaller level of each unit."""
        offers = list[tuple[float, int, PrecisionLevel]]()
        for place, current in enumerate(mix):
            for level in self.units[place].levels:
                saved = self._bytes(place, current) - self._bytes(place, level)
                if saved > 0:
                    added = max(self._error(place, level) - self._error(place, current), _SMALLEST)
                    offers.append((saved / added, place, level))
        return offers

    def _error(self, place: int, level: PrecisionLevel) -> float:
        if level == FULL:
            return 0.0
        share = max(self.level_costs[level], _SMALLEST) / max(self.level_costs[self.probe], _SMALLEST)
        return max(self.unit_costs[place], _SMALLEST) * share

    def _bytes(self, place: int, level: PrecisionLevel) -> int:
        return self.units[place].bytes_at(level, self.symmetric)

    def _ladder(self, place: int) -> list[PrecisionLevel]:
        """The levels of a unit, from the smallest to fp32, on the lower convex hull of error over bytes."""
        by_bytes = sorted(self.units[place].levels, key=lambda level: (self._bytes(place, level), LEVELS.index(level)))
        hull: list[PrecisionLevel] = []
        for level in by_bytes:
            while hull and (
                self._error(place, level) >= self._error(place, hull[-1])
                and self._bytes(place, level) <= self._bytes(place, hull[-1])
            ):
                hull.pop()
            if hull and self._error(place, level) >= self._error(place, hull[-1]):
                continue
            while len(hull) > 1 and self._gain(place, hull[-1], level) >= self._gain(place, hull[-2], hull[-1]):
                hull.pop()
            hull.append(level)
        return hull

    def _gain(self, place: int, before: PrecisionLevel, after: PrecisionLevel) -> float:
        """The error that each added byte removes."""
        added = self._bytes(place, after) - self._bytes(place, before)
        return (self._error(place, before) - self._error(place, after)) / max(1, added)

"""Searches for the smallest mix that meets a goal: a path from the smallest mix to fp32, and the first mix that holds.

    every level throughout ──▶ cost of a level          each unit alone at PROBE ──▶ cost of a unit
    costs ──ErrorEstimate──▶ path ──bisection, each step judged──▶ a mix that holds ──▶ units lowered while it does

    mixes that hold, the smallest first ──prompts that no mix was judged by──▶ the first that holds there too

    error(unit, level) ≈ cost of the unit alone · cost of the level / cost of the probe level

The estimate orders the work only: every mix is measured before it is decided on. The same inputs give the same points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from workflows.evaluation.goal.goal_prompts import GoalPrompts
from workflows.evaluation.goal.mix_judge import MixJudge
from workflows.evaluation.goal.search_units import FULL, LEVELS, PROBE, Mix, PrecisionLevel, SearchUnit, describe_mix
from workflows.evaluation.goal.trials import Trials
from workflows.wire.events import Event
from workflows.wire.goals import AT_LEAST, Goal
from workflows.wire.reports.goal import GoalReport, GoalUnit, TriedPoint

_SMALLEST = 1e-12  # an estimate's lower bound: what rounding alone gives
MAX_LOWERED = 8  # mixes that are tried to make the first one that holds smaller
MAX_LARGER = 8  # mixes of the path that are tried if no smaller one is confirmed


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


class GoalSearch:
    """One search over `trials`. levels: those of the target's provider, without fp32.

    confirms: whether the trials have the set "confirm", over which no mix is judged.
    """

    def __init__(
        self,
        trials: Trials,
        goal: Goal,
        levels: tuple[PrecisionLevel, ...],
        report: Callable[[Event], None] = lambda _: None,
        confirms: bool = False,
    ) -> None:
        self._trials, self._goal, self._levels = trials, goal, levels
        self._units = list(trials.units)
        self._probe = PROBE if PROBE in levels else levels[0]
        self._unit_costs: list[float] = []
        steps = max(1, len(self._units) * len(levels)).bit_length() + MAX_LOWERED  # of the bisection, and after it
        planned = 2 * len(levels) + len(self._units) + 3 * steps // 2  # half of the steps hold, and are judged twice
        self._judge = MixJudge(trials, goal, report, confirms=confirms, planned=planned)

    def run(self) -> Mix:
        """Returns the smallest mix that meets the goal. Raises RecipeError if none below fp32 does, and Cancelled."""
        self._trials.check_reference()
        estimate = self._measure_costs()
        path = estimate.path()
        self._lower(path[self._first_that_holds(path)], estimate)
        best = self._smallest_confirmed(path)
        if best is None:
            raise self._judge.refusal()
        return best

    def to_report(self, chosen: Mix, prompts: GoalPrompts) -> GoalReport:
        """Returns all judged mixes, the smallest first, and which of them was chosen."""
        judged = self._judge.judged
        mixes = sorted(judged, key=lambda mix: (self._trials.bytes_of(mix), describe_mix(self._units, mix)))
        points = [self._judge.point(mix) for mix in mixes]
        return GoalReport(
            metric=self._goal.metric,
            limit=self._goal.limit,
            judged=prompts.judged,
            ranked=prompts.ranked,
            positions=judged[chosen].positions,
            probed=str(self._probe),
            full=self._trials.bytes_of(self._full),
            units=[
                GoalUnit(unit.name, [*unit.products, *unit.tables], unit.parameters, alone)
                for unit, alone in zip(self._units, self._unit_costs, strict=True)
            ],
            points=points,
            chosen=mixes.index(chosen),
            front=pareto_front(points, self._goal),
        )

    @property
    def _full(self) -> Mix:
        return tuple(FULL for _ in self._units)

    def _measure_costs(self) -> ErrorEstimate:
        level_costs: dict[PrecisionLevel, float] = {}
        for level in self._levels:
            mix = tuple(unit.nearest(level) for unit in self._units)
            self._judge.judge(mix)
            level_costs[level] = self._judge.divergence(mix, f"{level} throughout")
        for place, unit in enumerate(self._units):
            mix = (*self._full[:place], self._probe, *self._full[place + 1 :])
            self._unit_costs.append(self._judge.divergence(mix, f"{unit.name} alone"))
        symmetric = self._trials.settings.symmetric
        return ErrorEstimate(self._units, level_costs, self._unit_costs, self._probe, symmetric)

    def _first_that_holds(self, path: list[Mix]) -> int:
        """Finds a mix that meets the goal while the one before it does not; the last is fp32, which always does."""
        low, high = 0, len(path) - 1
        while low < high:
            middle = (low + high) // 2
            if self._judge.meets_goal(path[middle]):
                high = middle
            else:
                low = middle + 1
        return high

    def _lower(self, mix: Mix, estimate: ErrorEstimate) -> None:
        """Lowers unit after unit while the goal is met, first the one that saves the most bytes for its error."""
        refused: set[tuple[int, PrecisionLevel]] = set()
        for _ in range(MAX_LOWERED):
            offers = [offer for offer in estimate.downgrades(mix) if offer[1:] not in refused]
            if not offers:
                return
            _, place, level = max(offers, key=lambda offer: (offer[0], -offer[1]))
            lowered = (*mix[:place], level, *mix[place + 1 :])
            if self._judge.meets_goal(lowered):
                mix = lowered
            else:
                refused.add((place, level))

    def _smallest_confirmed(self, path: list[Mix]) -> Mix | None:
        """Returns the smallest confirmed mix below fp32; a larger one of `path` if no judged one is confirmed."""
        size, judged = self._trials.bytes_of, self._judge.judged
        full = size(self._full)
        holding = [mix for mix in list(judged) if self._judge.meets_goal(mix) and size(mix) < full]
        holding.sort(key=lambda mix: (size(mix), judged[mix].kl or 0.0))
        for mix in holding:
            if self._judge.is_confirmed(mix):
                return mix
        smallest = size(holding[-1]) if holding else 0
        larger = [mix for mix in path if smallest < size(mix) < full]
        candidates = larger[:: max(1, -(-len(larger) // MAX_LARGER))]
        confirmed = (mix for mix in candidates if self._judge.meets_goal(mix) and self._judge.is_confirmed(mix))
        return next(confirmed, None)


def pareto_front(points: list[TriedPoint], goal: Goal) -> list[int]:
    """Returns the indices of the points that are better than every smaller one. points: the smallest first."""
    sign = 1 if goal.metric in AT_LEAST else -1
    front, best = list[int](), -float("inf")
    for place, point in enumerate(points):
        if point.figure is not None and sign * point.figure > best:
            best = sign * point.figure
            front.append(place)
    return front

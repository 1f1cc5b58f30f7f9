"""The search: what each level and each unit costs, a path from the smallest mix to fp32, and the first that holds.

    every level throughout ──▶ what a level costs, on average       each unit alone at PROBE ──▶ what a unit costs
    error of (unit, level) ≈ the unit's · the level's ──▶ upgrades, the most error a byte first ──▶ the path
    bisection along the path, each step judged ──▶ a mix that holds ──▶ units lowered one by one while it does

    those that hold, the smallest first ──prompts that no mix was judged by──▶ the first that holds there too

The estimate orders the work alone: what a mix keeps is always measured, and it has to hold less one standard error. The
smallest of many that are measured over few prompts is the luckiest otherwise. The same inputs give the same points.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

from workflows.common.errors import RecipeError
from workflows.evaluation.goal.goal_prompts import GoalPrompts
from workflows.evaluation.goal.precision_levels import FULL, LEVELS, PROBE, PrecisionLevel
from workflows.evaluation.goal.search_units import Mix, SearchUnit, describe_mix
from workflows.evaluation.goal.trials import TrialFigures, Trials
from workflows.wire.events import Event, LogEvent, ProgressEvent
from workflows.wire.goals import AT_LEAST, TITLES, Goal
from workflows.wire.reports.goal import GoalReport, GoalUnit, TriedPoint

STAGE = "goal"
MAX_LOWERED = 16  # mixes that are tried, at most, to make the one that was found smaller
MAX_LARGER = 8  # mixes that are tried, at most, where none that was found is confirmed
_LEAST = 1e-12  # of an estimate: what rounding alone gives


class GoalSearch:
    """One search over `trials`. levels: the ones that the target's provider has, fp32 left out.

    confirms: whether the trials have prompts that no mix is judged by, the set "confirm".
    """

    def __init__(
        self,
        trials: Trials,
        goal: Goal,
        levels: tuple[PrecisionLevel, ...],
        report: Callable[[Event], None] = lambda _: None,
        confirms: bool = False,
    ) -> None:
        self._trials, self._goal, self._report, self._confirms = trials, goal, report, confirms
        self._confirmed: dict[Mix, bool] = {}
        self._levels = levels
        self._judged: dict[Mix, TrialFigures] = {}
        self._costs: dict[PrecisionLevel, float] = {}
        self._alone: list[float] = []
        self._done, self._spent, self._fresh = 0, 0.0, 0
        steps = _steps(len(self.units) * len(levels)) + MAX_LOWERED
        self._total = 2 * len(levels) + len(self.units) + 3 * steps // 2  # half of them hold, and are judged twice

    @property
    def units(self) -> list[SearchUnit]:
        """What is decided on."""
        return list(self._trials.units)

    def run(self) -> Mix:
        """The smallest mix that holds. Raises RecipeError where none does that is smaller than fp32, and Cancelled."""
        self._trials.check_reference()
        for level in self._levels:
            mix = self._throughout(level)
            self._judge(mix)
            self._costs[level] = self._rank(mix, f"{level} throughout")
        self._alone = [self._rank(self._only(place), f"{unit.name} alone") for place, unit in enumerate(self.units)]
        path = self._path()
        self._lower(path[self._first_that_holds(path)])
        best = self._best(path)
        if best is None:
            raise self._refusal()
        return best

    # -- what levels and units cost ----------------------------------------------------------------------------

    def _throughout(self, level: PrecisionLevel) -> Mix:
        return tuple(unit.nearest(level) for unit in self.units)

    def _only(self, place: int) -> Mix:
        return tuple(self._probe if here == place else FULL for here in range(len(self.units)))

    @property
    def _probe(self) -> PrecisionLevel:
        return PROBE if PROBE in self._levels else self._levels[0]

    def _error(self, place: int, level: PrecisionLevel) -> float:
        """The divergence that a unit at a level brings, about."""
        if level == FULL:
            return 0.0
        share = max(self._costs[level], _LEAST) / max(self._costs[self._probe], _LEAST)
        return max(self._alone[place], _LEAST) * share

    def _bytes(self, place: int, level: PrecisionLevel) -> int:
        return self.units[place].bytes_at(level, self._trials.settings.symmetric)

    # -- the path ----------------------------------------------------------------------------------------------

    def _ladder(self, place: int) -> list[PrecisionLevel]:
        """The unit's levels from the smallest to fp32 whose error falls the steepest: the lower convex hull."""
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
        """The error that a byte more takes away."""
        more = self._bytes(place, after) - self._bytes(place, before)
        return (self._error(place, before) - self._error(place, after)) / max(1, more)

    def _path(self) -> list[Mix]:
        """Mixes from the smallest to fp32, a step of one unit apart, the most helpful steps first."""
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

    def _first_that_holds(self, path: list[Mix]) -> int:
        """The place of a mix that holds while the one before it does not; the last is fp32, and always holds."""
        low, high = 0, len(path) - 1
        while low < high:
            middle = (low + high) // 2
            if self._holds(path[middle]):
                high = middle
            else:
                low = middle + 1
        return high

    def _lower(self, mix: Mix) -> None:
        """Lowers unit by unit, what saves the most for its error first, while the goal holds."""
        refused: set[tuple[int, PrecisionLevel]] = set()
        for _ in range(MAX_LOWERED):
            offers = [one for place in range(len(mix)) for one in self._offers(mix, place) if one[1:] not in refused]
            if not offers:
                return
            _, place, level = max(offers, key=lambda offer: (offer[0], -offer[1]))
            lowered = (*mix[:place], level, *mix[place + 1 :])
            if self._holds(lowered):
                mix = lowered
            else:
                refused.add((place, level))

    def _offers(self, mix: Mix, place: int) -> list[tuple[float, int, PrecisionLevel]]:
        """(bytes saved for the error that it brings, unit, level) of each smaller level."""
        now, found = mix[place], list[tuple[float, int, PrecisionLevel]]()
        for level in self.units[place].levels:
            saved = self._bytes(place, now) - self._bytes(place, level)
            if saved > 0:
                more = max(self._error(place, level) - self._error(place, now), _LEAST)
                found.append((saved / more, place, level))
        return found

    # -- measuring ---------------------------------------------------------------------------------------------

    def _holds(self, mix: Mix) -> bool:
        """Over the prompts that judge, and over those that rank too: what fits one set by chance is not taken."""
        if all(level == FULL for level in mix):
            return True
        if not self._goal.met_by(self._judge(mix).at_worst(self._goal.metric)):
            return False
        if self._goal.metric == "task":  # which is asked of one set
            return True
        self._tell(f"{describe_mix(self.units, mix)}, over the other prompts")
        return self._goal.met_by(self._timed(mix, "rank").at_worst(self._goal.metric))

    def _judge(self, mix: Mix) -> TrialFigures:
        if mix not in self._judged:
            known = self._trials.known(mix, "judge")
            self._tell(describe_mix(self.units, mix))
            found = self._judged[mix] = self._timed(mix, "judge")
            said = self._said(found)
            again = ", as an earlier build found" if known else ""
            size = self._trials.bytes_of(mix) / 2**20
            self._report(LogEvent(message=f"Tried {describe_mix(self.units, mix)}: {size:,.2f} MiB, {said}{again}."))
        return self._judged[mix]

    def _rank(self, mix: Mix, what: str) -> float:
        """The divergence over the prompts that rank; where it is no number, more than any."""
        self._tell(what)
        kl = self._timed(mix, "rank").kl
        return 1e3 if kl is None else kl

    def _timed(self, mix: Mix, of: str) -> TrialFigures:
        began, known = time.monotonic(), self._trials.known(mix, of)
        found = self._trials.measure(mix, of)
        self._done += 1
        if not known:
            self._spent, self._fresh = self._spent + time.monotonic() - began, self._fresh + 1
        return found

    def _tell(self, what: str) -> None:
        total = max(self._total, self._done + 1)
        left = (total - self._done) * self._spent / self._fresh if self._fresh else 0.0
        about = f", about {left:,.0f} s left" if left else ""
        message = f"{what}{about}"
        self._report(ProgressEvent(stage=STAGE, message=message, done=self._done, total=total, unit="mixes"))

    def _said(self, found: TrialFigures) -> str:
        figure, worst = found.of(self._goal.metric), found.at_worst(self._goal.metric)
        if figure is None or worst is None:
            return f"{TITLES[self._goal.metric]} none"
        margin = "" if worst == figure else f" (at worst {worst:.6g} over other prompts)"
        return f"{TITLES[self._goal.metric]} {figure:.6g}{margin}"

    # -- the end -----------------------------------------------------------------------------------------------

    def _best(self, path: list[Mix]) -> Mix | None:
        """The smallest mix that holds and is confirmed, less than fp32; one of `path` where none that was found is."""
        holding = [mix for mix in self._judged if self._holds(mix) and self._saves(mix)]
        holding.sort(key=lambda mix: (self._trials.bytes_of(mix), self._judged[mix].kl or 0.0))
        for mix in holding:
            if self._is_confirmed(mix):
                return mix
        least = self._trials.bytes_of(holding[-1]) if holding else 0
        larger = [mix for mix in path if self._saves(mix) and self._trials.bytes_of(mix) > least]
        some = larger[:: max(1, -(-len(larger) // MAX_LARGER))]
        return next((mix for mix in some if self._holds(mix) and self._is_confirmed(mix)), None)

    def _saves(self, mix: Mix) -> bool:
        return self._trials.bytes_of(mix) < self._trials.bytes_of(tuple(FULL for _ in self.units))

    def _is_confirmed(self, mix: Mix) -> bool:
        """Whether it holds over prompts that had no part in its being found."""
        if not self._confirms:
            return True
        if mix not in self._confirmed:
            self._tell(f"{describe_mix(self.units, mix)}, to confirm it")
            found = self._timed(mix, "confirm")
            self._confirmed[mix] = self._goal.met_by(found.at_worst(self._goal.metric))
            said = "Confirmed" if self._confirmed[mix] else "Not confirmed"
            self._report(
                LogEvent(message=f"{said}: {describe_mix(self.units, mix)} has {self._said(found)} over the rest.")
            )
        return self._confirmed[mix]

    def _refusal(self) -> RecipeError:
        sign = 1 if self._goal.metric in AT_LEAST else -1
        figures = {mix: found.at_worst(self._goal.metric) for mix, found in self._judged.items()}
        known = {mix: sign * figure for mix, figure in figures.items() if figure is not None}
        if not known:
            return RecipeError(f"No mix that is smaller than fp32 gives logits that are numbers, as {self._goal} asks.")
        best = max(known, key=lambda mix: known[mix])
        return RecipeError(
            f"No mix that is smaller than fp32 keeps {self._goal}: {self._said(self._judged[best])} was the best, "
            f"with {describe_mix(self.units, best)}; choose another limit, give more "
            f"--prompts, or build with --precision "
            "fp32."
        )

    def to_report(self, chosen: Mix, sets: GoalPrompts) -> GoalReport:
        """All that was judged, the smallest first, and what was chosen."""
        mixes = sorted(self._judged, key=lambda mix: (self._trials.bytes_of(mix), describe_mix(self.units, mix)))
        points = [self._point(mix) for mix in mixes]
        return GoalReport(
            metric=self._goal.metric,
            limit=self._goal.limit,
            judged=sets.judged,
            ranked=sets.ranked,
            positions=self._judged[chosen].positions,
            probed=str(self._probe),
            full=self._trials.bytes_of(tuple(FULL for _ in self.units)),
            units=[
                GoalUnit(unit.name, [*unit.products, *unit.tables], unit.parameters, alone)
                for unit, alone in zip(self.units, self._alone, strict=True)
            ],
            points=points,
            chosen=mixes.index(chosen),
            front=pareto_front(points, self._goal),
        )

    def _point(self, mix: Mix) -> TriedPoint:
        found = self._judged[mix]
        figure = found.of(self._goal.metric)
        return TriedPoint(
            what=describe_mix(self.units, mix),
            bytes=self._trials.bytes_of(mix),
            figure=figure,
            top1=found.top1,
            kl=found.kl,
            met=self._holds(mix),
            levels=list(map(str, mix)),
            seconds=found.seconds,
            at_worst=found.at_worst(self._goal.metric),
            confirmed=self._confirmed.get(mix),
        )


def pareto_front(points: list[TriedPoint], goal: Goal) -> list[int]:
    """The places of the points that no smaller one is as good as; points: the smallest first."""
    sign = 1 if goal.metric in AT_LEAST else -1
    front, best = list[int](), -float("inf")
    for place, point in enumerate(points):
        if point.figure is not None and sign * point.figure > best:
            best = sign * point.figure
            front.append(place)
    return front


def _steps(count: int) -> int:
    """Of a bisection over so many."""
    return max(1, count).bit_length()

"""Accuracy against speed: a point per bundle, provider and draft, and the points that no other beats in both.

runs ──scatter──▶ the median of the runs with a speed, joined with that of the runs with an accuracy of the same digest
                  ──pareto_front──▶ ParetoPoint.on_front;  runs without one of the two are listed in left_out
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from workflows.measure.run_measures import Better, Measure, MeasureSpread, bundle_name, drafts_of, measure_value
from workflows.wire.reports.runs import RunRecord


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """A bundle on a provider. x: its speed, y: its accuracy, in the measures' units; speed, accuracy: the last runs."""

    x: MeasureSpread
    y: MeasureSpread
    speed: RunRecord
    accuracy: RunRecord
    on_front: bool = False

    @property
    def name(self) -> str:
        """The bundle's name, precision, provider and drafts."""
        run = self.speed
        return " · ".join(filter(None, (bundle_name(run), run.precision, run.provider, drafts_of(run))))


@dataclass(frozen=True, slots=True)
class ParetoScatter:
    """left_out: the last run of each bundle and provider without a speed, or an accuracy, and the missing key."""

    points: list[ParetoPoint]
    left_out: list[tuple[RunRecord, str]]


def scatter(runs: Iterable[RunRecord], speed: Measure, accuracy: Measure) -> ParetoScatter:
    """The points of the runs, given in any order."""
    fast, right = defaultdict[tuple[str, str, str], list[RunRecord]](list), defaultdict[str, list[RunRecord]](list)
    for run in sorted(runs, key=lambda one: one.time):
        if measure_value(run, speed) is not None:
            fast[run.digest, run.provider, drafts_of(run)].append(run)
        if measure_value(run, accuracy) is not None:
            right[run.digest].append(run)
    points, left_out = list[ParetoPoint](), list[tuple[RunRecord, str]]()
    for (digest, _, _), timed in fast.items():
        evaluated = right.get(digest, [])
        x, y = _spread(timed, speed), _spread(evaluated, accuracy)
        if x is None or y is None:
            left_out.append((timed[-1], accuracy.key))
        else:
            points.append(ParetoPoint(x, y, timed[-1], evaluated[-1]))
    with_speed = {digest for digest, _, _ in fast}
    left_out += [(evaluated[-1], speed.key) for digest, evaluated in right.items() if digest not in with_speed]
    marks = pareto_front([(one.x.median, one.y.median) for one in points], speed.better, accuracy.better)
    return ParetoScatter([replace(point, on_front=on) for point, on in zip(points, marks, strict=True)], left_out)


def _spread(runs: Iterable[RunRecord], measure: Measure) -> MeasureSpread | None:
    return MeasureSpread.of([value for run in runs if (value := measure_value(run, measure)) is not None])


def pareto_front(points: Sequence[tuple[float, float]], better_x: Better, better_y: Better) -> list[bool]:
    """Whether each point is on the Pareto front: no other is as good in both and better in one. Equal points share."""
    x_sign, y_sign = (1 if better == "higher" else -1 for better in (better_x, better_y))
    signed = [(x * x_sign, y * y_sign) for x, y in points]
    tops = dict[float, float]()  # the best y of each x
    for x, y in signed:
        tops[x] = max(y, tops.get(x, y))
    winners, highest = set[tuple[float, float]](), -float("inf")
    for x in sorted(tops, reverse=True):
        if tops[x] > highest:
            highest = tops[x]
            winners.add((x, highest))
    return [one in winners for one in signed]

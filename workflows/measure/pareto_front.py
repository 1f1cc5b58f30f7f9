"""Accuracy against speed: a point per bundle, provider and draft, and the points that no other beats in both.

runs ──scatter──▶ the last run with a speed, joined with the last run with an accuracy of the same digest
                  ──pareto_front──▶ ParetoPoint.on_front;  runs without one of the two are listed in left_out
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workflows.measure.run_measures import Better, Measure, bundle_name, drafts_of, measure_value
from workflows.wire.reports.runs import RunRecord


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """A bundle on a provider. x: its speed, y: its accuracy, in the measures' units, from the two runs."""

    x: float
    y: float
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
    fast, right = dict[tuple[str, str, str], RunRecord](), dict[str, RunRecord]()
    for run in sorted(runs, key=lambda one: one.time):
        if measure_value(run, speed) is not None:
            fast[run.digest, run.provider, drafts_of(run)] = run
        if measure_value(run, accuracy) is not None:
            right[run.digest] = run
    points, left_out = list[ParetoPoint](), list[tuple[RunRecord, str]]()
    for (digest, _, _), run in fast.items():
        evaluated, x = right.get(digest), measure_value(run, speed)
        y = None if evaluated is None else measure_value(evaluated, accuracy)
        if evaluated is None or x is None or y is None:
            left_out.append((run, accuracy.key))
        else:
            points.append(ParetoPoint(x, y, run, evaluated))
    timed = {digest for digest, _, _ in fast}
    left_out += [(run, speed.key) for digest, run in right.items() if digest not in timed]
    marks = pareto_front([(one.x, one.y) for one in points], speed.better, accuracy.better)
    return ParetoScatter(
        [ParetoPoint(p.x, p.y, p.speed, p.accuracy, on) for p, on in zip(points, marks, strict=True)], left_out
    )


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

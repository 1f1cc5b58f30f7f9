"""Accuracy against speed: a point a bundle, provider and draft, and which of them no other beats in both.

runs ──scatter──▶ the last run that says the speed, joined with the last that says the accuracy of the same digest
                  ──front──▶ Point.on_front;  what lacks one of the two is left out, and said
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workflows.measure.figures import Better, Measure, bundle_name, drafts_of, value
from workflows.wire.reports.runs import Run


@dataclass(frozen=True, slots=True)
class Point:
    """A bundle on a provider. x: its speed, y: its accuracy, in the measures' units; the runs that said so."""

    x: float
    y: float
    speed: Run
    accuracy: Run
    on_front: bool = False

    @property
    def name(self) -> str:
        """The bundle's name, precision, provider and drafts."""
        run = self.speed
        return " · ".join(filter(None, (bundle_name(run), run.precision, run.provider, drafts_of(run))))


@dataclass(frozen=True, slots=True)
class Scatter:
    """left_out: the last run of each bundle and provider that has no speed, or no accuracy, and the key it lacks."""

    points: list[Point]
    left_out: list[tuple[Run, str]]


def scatter(runs: Iterable[Run], speed: Measure, accuracy: Measure) -> Scatter:
    """The points of these runs, which may come in any order."""
    fast, right = dict[tuple[str, str, str], Run](), dict[str, Run]()
    for run in sorted(runs, key=lambda one: one.time):
        if value(run, speed) is not None:
            fast[run.digest, run.provider, drafts_of(run)] = run
        if value(run, accuracy) is not None:
            right[run.digest] = run
    found, left_out = list[Point](), list[tuple[Run, str]]()
    for (digest, _, _), run in fast.items():
        said, x = right.get(digest), value(run, speed)
        y = None if said is None else value(said, accuracy)
        if said is None or x is None or y is None:
            left_out.append((run, accuracy.key))
        else:
            found.append(Point(x, y, run, said))
    timed = {digest for digest, _, _ in fast}
    left_out += [(run, speed.key) for digest, run in right.items() if digest not in timed]
    marks = front([(one.x, one.y) for one in found], speed.better, accuracy.better)
    return Scatter([Point(p.x, p.y, p.speed, p.accuracy, on) for p, on in zip(found, marks, strict=True)], left_out)


def front(points: Sequence[tuple[float, float]], better_x: Better, better_y: Better) -> list[bool]:
    """Which points are on the Pareto front: no other is as good in both and better in one. Equal points share it."""
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

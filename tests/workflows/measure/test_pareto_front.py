"""Accuracy against speed, and the Pareto front."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workflows.measure.run_reports import run
from workflows.measure.pareto_front import pareto_front, scatter
from workflows.measure.run_measures import MEASURES, MeasureSpread

DECODE, TOP1 = MEASURES["decode"], MEASURES["top1"]


@pytest.mark.parametrize(
    ("points", "marks"),
    [
        ([], []),
        ([(1, 1)], [True]),
        ([(1, 3), (2, 2), (3, 1)], [True, True, True]),
        ([(1, 3), (2, 3), (3, 1), (2, 1)], [False, True, True, False]),  # as good in one, better in the other
        ([(2, 2), (2, 2), (1, 1)], [True, True, False]),
        ([(2, 1), (2, 2)], [False, True]),
    ],
)
def test_the_front_by_hand(points: list[tuple[float, float]], marks: list[bool]) -> None:
    assert pareto_front(points, "higher", "higher") == marks


def test_lower_may_be_better() -> None:
    assert pareto_front([(1, 0.5), (2, 0.1), (3, 0.2)], "lower", "lower") == [True, True, False]
    assert pareto_front([(1, 0.5), (2, 0.1), (3, 0.2)], "higher", "lower") == [False, True, True]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12))
def test_the_front_is_what_nothing_dominates(points: list[tuple[float, float]]) -> None:
    """As the definition has it, pair by pair."""

    def beaten(one: tuple[float, float]) -> bool:
        return any(a <= one[0] and b >= one[1] and (a, b) != one for a, b in points)

    assert pareto_front(points, "lower", "higher") == [not beaten(one) for one in points]


def test_the_median_of_each_is_joined_over_the_digest() -> None:
    """Whatever order they come in: a bundle that was moved has its figures still; the newest run is its run."""
    runs = [
        run("e2", "eval", minute=5, bundle="/elsewhere", top1_agreement=0.9),
        run("s1", minute=1, decode_tokens_per_s=10.0),
        run("s2", minute=3, decode_tokens_per_s=20.0),
        run("s0", minute=0, decode_tokens_per_s=90.0),
        run("q1", minute=2, provider="qnn", decode_tokens_per_s=40.0),
        run("e1", "eval", minute=4, top1_agreement=0.5),
    ]
    joined = scatter(runs, DECODE, TOP1)
    evaluated = MeasureSpread(0.7, 0.5, 0.9, 2)
    assert [(one.speed.id, one.accuracy.id, one.x, one.y, one.on_front) for one in joined.points] == [
        ("s2", "e2", MeasureSpread(20.0, 10.0, 90.0, 3), evaluated, False),
        ("q1", "e2", MeasureSpread(40.0, 40.0, 40.0, 1), evaluated, True),
    ]
    assert joined.points[1].name == "demo-int4 · int4 · qnn" and joined.left_out == []


def test_drafts_have_a_point_of_their_own() -> None:
    """A newer run with drafts is not how fast the bundle is without."""
    runs = [
        run("plain", minute=1, decode_tokens_per_s=10.0),
        run("drafted", minute=2, decode_tokens_per_s=20.0, drafts="ngram"),
        run("e", "eval", minute=3, top1_agreement=0.9),
    ]
    named = {one.name: one.x.median for one in scatter(runs, DECODE, TOP1).points}
    assert named == {"demo-int4 · int4 · cpu": 10.0, "demo-int4 · int4 · cpu · ngram": 20.0}


def test_what_lacks_a_figure_is_left_out_and_reported() -> None:
    """Not a number is a lack, too."""
    runs = [
        run("a", digest="d1", decode_tokens_per_s=10.0),
        run("b", digest="d2", decode_tokens_per_s=math.nan),
        run("c", "eval", digest="d2", top1_agreement=0.7),
        run("d", "eval", digest="d1", top1_agreement=None),
    ]
    found = scatter(runs, DECODE, TOP1)
    assert found.points == [] and [(one.id, key) for one, key in found.left_out] == [("a", "top1"), ("c", "decode")]


def test_size_is_a_speed_of_builds() -> None:
    """It comes from the build, the accuracy from the evaluation of what it made."""
    runs = [run("a", "build", bytes=100), run("b", "eval", top1_agreement=0.7)]
    (point,) = scatter(runs, MEASURES["size"], TOP1).points
    assert (point.x.median, point.y.median, point.on_front) == (100, 0.7, True)

"""The measures that all kinds of runs share."""

from __future__ import annotations

import math

import pytest

from tests.workflows.measure.run_reports import run
from workflows.measure.run_measures import (
    MEASURES,
    MeasureSpread,
    best_indices,
    drafts_of,
    is_equal_work,
    measure_value,
    run_label,
)


def test_each_kind_of_run_says_its_own_figures() -> None:
    """In one unit: a build says its memory in MiB, a measurement in bytes."""
    memory = MEASURES["memory"]
    assert measure_value(run("a", "build", peak_mib=2.0), memory) == 2 * 2**20
    assert measure_value(run("b", "bench", peak_rss_bytes=7), memory) == 7
    assert measure_value(run("c", "eval", kl_mean=0.25), MEASURES["kl"]) == 0.25
    assert measure_value(run("d", "eval", task=0), MEASURES["task"]) == 0


def test_what_a_generation_holds_at_its_end_is_no_peak() -> None:
    held = run("e", "generate", rss_bytes=5)
    assert (measure_value(held, MEASURES["memory"]), measure_value(held, MEASURES["resident"])) == (None, 5)


def test_a_measure_is_of_one_thing() -> None:
    """No figure is told under two names, and none but peaks under that of a peak."""
    told = [name for one in MEASURES.values() for name in one.figures]
    assert sorted(set(told)) == sorted(told)
    assert all("peak" in name for name in MEASURES["memory"].figures)


def test_drafts_are_a_part_of_whose_a_run_is() -> None:
    plain, drafted = run("a"), run("b", drafts="ngram", accept_rate=0.5, tokens_per_step=2.5, speedup=1.8)
    assert (drafts_of(plain), drafts_of(drafted)) == ("", "ngram")
    assert (run_label(plain), run_label(drafted)) == (
        "demo-int4 · int4 · cpu · a",
        "demo-int4 · int4 · cpu · ngram · b",
    )
    assert [measure_value(drafted, MEASURES[key]) for key in ("accept", "per_step", "speedup")] == [0.5, 2.5, 1.8]


@pytest.mark.parametrize("said", [None, "fast", math.nan, math.inf])
def test_what_is_no_finite_number_is_not_reported(said: float | str | None) -> None:
    assert measure_value(run("a", p50_ms=said), MEASURES["p50"]) is None


def test_shares_are_percents_on_an_axis_and_bytes_mebibytes() -> None:
    shown = {key: (MEASURES[key].on_axis(0.5 * 2**20), MEASURES[key].axis_unit) for key in ("top1", "size", "p50")}
    assert shown == {"top1": (50 * 2**20, "%"), "size": (0.5, "MiB"), "p50": (0.5 * 2**20, "ms")}


@pytest.mark.parametrize(
    ("values", "better", "there"),
    [
        ([1.0, 3.0, None, 3.0], "higher", {1, 3}),
        ([1.0, 3.0], "lower", {0}),
        ([2.0, 2.0], "lower", set()),
        ([None, 2.0], "higher", set()),
        ([], "higher", set()),
    ],
)
def test_the_best_is_marked_where_some_differ(values: list[float | None], better: str, there: set[int]) -> None:
    assert best_indices(values, better) == there  # type: ignore[arg-type]


def test_a_spread_is_the_median_between_the_lowest_and_the_highest() -> None:
    assert MeasureSpread.of([246.0, 1874.0]) == MeasureSpread(1060.0, 246.0, 1874.0, 2)
    assert MeasureSpread.of([3.0, 1.0, 2.0]) == MeasureSpread(2.0, 1.0, 3.0, 3) and MeasureSpread.of([]) is None


@pytest.mark.parametrize(
    ("changes", "equal"),
    [
        ({}, True),
        ({"prompt_tokens": 64}, False),
        ({"new_tokens": 16}, False),
        ({"kind": "generate"}, False),
        ({"decode_tokens_per_s": None, "prompt_tokens": 64}, True),  # it has no value to compare
    ],
)
def test_only_equal_work_is_compared_for_the_best(changes: dict[str, object], equal: bool) -> None:
    usual: dict[str, object] = {"decode_tokens_per_s": 9.0, "prompt_tokens": 128, "new_tokens": 64}
    runs = [run("a", **usual), run("b", **{**usual, **changes})]  # type: ignore[arg-type]
    assert is_equal_work(runs, MEASURES["decode"]) is equal


def test_evaluations_are_equal_work_against_one_reference() -> None:
    runs = [run(str(n), "eval", against=of, positions=9, kl_mean=0.1) for n, of in enumerate(("x", "x", "y"))]
    assert is_equal_work(runs[:2], MEASURES["kl"]) and not is_equal_work(runs, MEASURES["kl"])

"""The search over units whose errors are known: what it finds is small, holds, and is the same every time."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from workflows.common.errors import RecipeError
from workflows.evaluation.goal.goal_prompts import GoalPrompts
from workflows.evaluation.goal.search import GoalSearch
from workflows.evaluation.goal.search_units import FULL, LEVELS, Mix, PrecisionLevel, SearchUnit, describe_mix
from workflows.evaluation.goal.trials import TrialFigures
from workflows.recipe import QuantizeSettings
from workflows.wire.events import Event, LogEvent, ProgressEvent
from workflows.wire.goals import Goal

SENSITIVE = (1.0, 50.0, 2.0, 0.1)  # each unit's share in the error
OF_LEVEL = {"int4": 1e-3, "int8-dynamic": 4e-6, "int8": 2e-6, "fp16": 1e-9, "fp32": 0.0}
SETS = GoalPrompts(((1,),), ((2,),), "four of these", "two of those")


class Known:
    """Trials whose divergence is the sum over units; top-1 falls with it. Notes what was measured."""

    settings = QuantizeSettings()

    def __init__(self, worse: Callable[[str], float] = lambda of: 1.0) -> None:
        self.units = [SearchUnit([(256, 128)], [f"n{place}"]) for place in range(len(SENSITIVE))]
        self.tried: list[tuple[Mix, str]] = []
        self._worse = worse

    def check_reference(self) -> None: ...

    def is_measured(self, mix: Mix, of: str) -> bool:
        return (mix, of) in self.tried

    def bytes_of(self, mix: Mix) -> int:
        return 1000 + sum(unit.bytes_at(level, False) for unit, level in zip(self.units, mix, strict=True))

    def measure(self, mix: Mix, of: str) -> TrialFigures:
        self.tried.append((mix, of))
        size = {16: 0.5, 32: 1.0, 64: 1.7, 128: 3.0}
        errors = (
            share * OF_LEVEL[level.kind] * (size[level.block] if level.in_blocks else 1.0)
            for share, level in zip(SENSITIVE, mix, strict=True)
        )
        kl = sum(errors) * self._worse(of)
        return TrialFigures(640, max(0.0, 1 - 3 * kl), kl)


def search(
    goal: Goal, trials: Known | None = None, levels: tuple[PrecisionLevel, ...] = LEVELS[:-1]
) -> tuple[Mix, GoalSearch]:
    made = GoalSearch(trials or Known(), goal, levels)
    return made.run(), made


@pytest.mark.parametrize("limit", [0.04, 0.01, 1e-3, 1e-5, 1e-7])
def test_the_mix_holds_and_is_smaller_than_any_method_throughout_that_does(limit: float) -> None:
    trials = Known()
    found, _ = search(Goal("kl", limit), trials)
    assert trials.measure(found, "judge").kl <= limit
    throughout = [tuple([level] * 4) for level in LEVELS]
    holding = [trials.bytes_of(mix) for mix in throughout if trials.measure(mix, "judge").kl <= limit]
    assert trials.bytes_of(found) <= min(holding)


def test_the_sensitive_unit_alone_gets_more_bits() -> None:
    found, _ = search(Goal("kl", 0.012))
    assert [level.kind.partition("-")[0] for level in found] == ["int4", "int8", "int4", "int4"]


def test_the_best_of_all_mixes_is_nearly_reached() -> None:
    trials = Known()
    found, _ = search(Goal("top1", 0.99), trials)
    levels = [LEVELS[0], LEVELS[2], LEVELS[4], LEVELS[7], FULL]
    every = [(a, b, c, d) for a in levels for b in levels for c in levels for d in levels]
    best = min(trials.bytes_of(mix) for mix in every if (trials.measure(mix, "judge").at_worst("top1") or 0) >= 0.99)
    assert trials.bytes_of(found) <= 1.02 * best


def test_the_same_search_gives_the_same_points() -> None:
    one, other = Known(), Known()
    assert search(Goal("kl", 1e-3), one)[0] == search(Goal("kl", 1e-3), other)[0] and one.tried == other.tried


def test_a_mix_that_holds_by_chance_over_one_set_is_not_taken() -> None:
    trials = Known(lambda of: 4.0 if of == "rank" else 1.0)
    found, _ = search(Goal("kl", 0.01), trials)
    assert trials.measure(found, "rank").kl <= 0.01


def test_what_is_not_confirmed_gives_way_to_the_next_larger() -> None:
    """Three times the error over the prompts that were kept back: the found mix holds there too, and is told of."""
    trials, plain = Known(lambda of: 3.0 if of == "confirm" else 1.0), Known()
    made = GoalSearch(trials, Goal("kl", 1e-3), LEVELS[:-1], confirms=True)
    found, smaller = made.run(), search(Goal("kl", 1e-3), plain)[0]
    assert trials.measure(found, "confirm").kl <= 1e-3 < trials.measure(smaller, "confirm").kl
    assert trials.bytes_of(found) > trials.bytes_of(smaller)
    points = made.to_report(found, SETS).points
    asked = [point for point in points if point.confirmed is not None]
    assert [point.confirmed for point in asked] == [False] * (len(asked) - 1) + [True]


def test_every_second_prompt_is_kept_back_where_there_are_enough() -> None:
    ids = tuple((place,) for place in range(9))
    parted = GoalPrompts(ids, (), "nine", "").with_confirmation()
    assert (parted.judge, parted.confirm) == (ids[::2], ids[1::2])
    few = GoalPrompts(ids[:7], (), "seven", "")
    assert few.with_confirmation() is few


def test_the_luckiest_over_few_prompts_is_not_taken() -> None:
    trials = Known()
    found, _ = search(Goal("top1", 0.99), trials)
    figures = trials.measure(found, "judge")
    assert figures.top1 - (figures.top1 * (1 - figures.top1) / 640) ** 0.5 >= 0.989
    assert not Goal("top1", 0.99).met_by(TrialFigures(640, 0.991, 0.0).at_worst("top1"))
    assert Goal("top1", 0.99).met_by(TrialFigures(20_000, 0.991, 0.0).at_worst("top1"))
    assert TrialFigures(8, 1.0, 0.0).at_worst("top1") == 1.0  # no miss at all
    assert TrialFigures(8, 1.0, 0.01, kl_error=0.002).at_worst("kl") == pytest.approx(0.012)
    assert (
        TrialFigures(8, 0.0, None).at_worst("kl") is None
        and TrialFigures(8, 0.5, 0.1, task=0.9).at_worst("task") == 0.9
    )


def test_a_goal_out_of_reach_is_refused_with_the_best() -> None:
    levels = tuple(level for level in LEVELS if level.kind in ("int4",))
    trials = Known()
    trials.units[0].levels = trials.units[1].levels = trials.units[2].levels = trials.units[3].levels = (*levels, FULL)
    trials.measure = lambda mix, of: TrialFigures(1000, 0.982 if mix[0] == levels[-1] else 0.5, 0.1)  # type: ignore[method-assign]
    with pytest.raises(RecipeError, match=re.escape("keeps top-1 ≥ 0.99: top-1 0.982 (at worst 0.977")):
        search(Goal("top1", 0.99), trials, levels)


def test_the_report_has_every_judged_point_and_the_front() -> None:
    found, made = search(Goal("kl", 1e-3))
    report = made.to_report(found, SETS)
    assert report.points[report.chosen].levels == [str(level) for level in found]
    assert [point.bytes for point in report.points] == sorted(point.bytes for point in report.points)
    figures = [report.points[place].figure for place in report.front]
    assert figures == sorted(figures, reverse=True) and report.chosen in report.front
    assert all(point.met == (point.kl <= 1e-3) for point in report.points)
    assert [unit.alone for unit in report.units] == pytest.approx([1e-3 * share for share in SENSITIVE])


def test_points_and_an_estimate_are_reported() -> None:
    heard: list[Event] = []
    trials = Known()
    GoalSearch(trials, Goal("kl", 1e-3), LEVELS[:-1], heard.append).run()
    said = [event.message for event in heard if isinstance(event, LogEvent)]
    assert said[0] == "Tried int4/128 throughout: 0.07 MiB, KL 0.1593."
    progress = [event for event in heard if isinstance(event, ProgressEvent)]
    assert all(event.stage == "goal" and event.done < event.total for event in progress)
    assert [event.done for event in progress] == sorted(event.done for event in progress)


def test_a_mix_has_a_name() -> None:
    units = Known().units
    assert describe_mix(units, (FULL,) * 4) == "fp32 throughout"
    assert describe_mix(units, (FULL, LEVELS[0], LEVELS[0], LEVELS[5])) == "2 in int4/128, 1 in int8/128, 1 in fp32"

"""Goals: what holds them, and what no goal is."""

from __future__ import annotations

import math

import pytest

from workflows.common.errors import RecipeError
from workflows.wire.goals import Goal, TaskFile, parse_goal


def test_a_goal_is_read_and_written() -> None:
    assert parse_goal("top1=0.99") == Goal("top1", 0.99) and str(parse_goal("top1=0.99")) == "top-1 ≥ 0.99"
    assert str(parse_goal("kl=1e-3")) == "KL ≤ 0.001"
    assert str(parse_goal("perplexity=1.02")) == "perplexity ratio ≤ 1.02"
    assert parse_goal("task=0.95", TaskFile("t.jsonl"), "p.txt") == Goal("task", 0.95, TaskFile("t.jsonl"), "p.txt")


@pytest.mark.parametrize("text", ["top1", "top-1=0.9", "kl=", "kl=small", "=1", ""])
def test_another_text_is_told_the_metrics(text: str) -> None:
    with pytest.raises(RecipeError, match=r"METRIC=VALUE with one of top1, kl, perplexity, task, as top1=0\.99"):
        parse_goal(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("top1=99", "a share above 0 and up to 1"),
        ("top1=0", "a share above 0"),
        ("kl=0", "a number above 0"),
        ("kl=nan", "a number above 0"),
        ("task=0.9", "needs a task: give --task-file"),
    ],
)
def test_a_limit_that_makes_no_sense(text: str, said: str) -> None:
    with pytest.raises(RecipeError, match=said):
        parse_goal(text)


def test_shares_hold_from_above_and_distances_from_below() -> None:
    assert Goal("top1", 0.99).met_by(0.99) and not Goal("top1", 0.99).met_by(0.989)
    assert Goal("kl", 0.01).met_by(0.01) and not Goal("kl", 0.01).met_by(0.011)
    assert not Goal("kl", 0.01).met_by(None) and not Goal("kl", 0.01).met_by(math.nan)

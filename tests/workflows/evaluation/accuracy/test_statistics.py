"""The formulas, against values that were worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from workflows.evaluation.accuracy.statistics import (
    Agreement,
    NextToken,
    RunningMean,
    cosines,
    log_softmax,
    perplexity,
    wilson_lower_bound,
)


def odds(*shares: float, shift: float = 0) -> NextToken:
    return NextToken((np.log(np.asarray(shares, np.float64)) + shift).astype(np.float32))


def at(*logits: float) -> NextToken:
    return NextToken(np.asarray(logits, np.float32))


def test_divergence_is_that_of_the_reference_to_the_candidate() -> None:
    found = Agreement()
    found.add(odds(0.5, 0.25, 0.25), odds(0.25, 0.5, 0.25))
    assert found.kl.mean == pytest.approx(0.5 * math.log(2) - 0.25 * math.log(2), abs=1e-6)
    assert (found.top1.mean, found.top5.mean, found.positions) == (0, 1, 1)
    assert found.difference.largest == pytest.approx(math.log(2), abs=1e-6)
    found.add(odds(0.5, 0.25, 0.25), odds(0.5, 0.25, 0.25, shift=3))  # a constant changes no probability
    assert found.kl.mean == pytest.approx(0.125 * math.log(2), abs=1e-6)
    assert (found.top1.mean, found.difference.largest) == (0.5, pytest.approx(3))


def test_five_of_ten_overlap_by_what_they_share() -> None:
    found = Agreement()
    found.add(at(*range(10)), at(*np.roll(np.arange(10), -2)))
    assert found.top5.mean == 3 / 5  # 5…9 against 3…7


def test_logits_that_are_no_numbers_disagree() -> None:
    found = Agreement()
    found.add(odds(0.5, 0.5), at(np.nan, 0))
    found.add(odds(0.5, 0.5), at(np.inf, 0))
    assert (found.positions, found.not_finite, found.top1.mean, found.kl.mean) == (2, 2, 0, None)


def test_tokens_that_both_rule_out_differ_by_nothing() -> None:
    found = Agreement()
    found.add(at(1, 2, -np.inf), at(1, 2, -np.inf))
    assert (found.kl.mean, found.difference.largest) == (0, 0)


def test_perplexity_of_even_odds() -> None:
    surprises = RunningMean()
    for token in range(4):
        surprises.add(at(*[0.0] * 8).surprise(token))
    assert perplexity(surprises) == pytest.approx(8)
    assert perplexity(RunningMean()) is None
    surprises.add(at(*[np.nan] * 8).surprise(0))
    assert perplexity(surprises) is None


def test_log_softmax_of_large_logits() -> None:
    assert np.exp(log_softmax(np.asarray([1e4, 1e4], np.float32))).tolist() == [0.5, 0.5]


def test_cosines_of_rows() -> None:
    one = np.asarray([[1, 0], [0, 0], [0, 0], [3, 4]], np.float32)
    other = np.asarray([[0, 2], [0, 0], [1, 0], [6, 8]], np.float32)
    assert cosines(one, other).tolist() == pytest.approx([0, 1, 0, 1])


def test_a_mean_has_a_standard_error() -> None:
    values = np.array([1.0, 4.0, 4.0, 7.5])
    found = RunningMean()
    assert found.error is None
    found.add(values[:1])
    assert found.error is None
    found.add(values[1:])
    assert found.error == pytest.approx(values.std(ddof=1) / 2)


def test_a_share_has_a_lower_end() -> None:
    assert wilson_lower_bound(1.0, 99) == pytest.approx(0.99)  # as many positions as a goal of 0.99 takes at the least
    assert wilson_lower_bound(0.5, 10_000) == pytest.approx(0.495, abs=1e-5)
    assert wilson_lower_bound(0.0, 10) == pytest.approx(0.0)

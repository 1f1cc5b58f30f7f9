"""Acceptance rules, by their distributions; and how long drafts are, by what runs cost."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workflows.generate.options import GenerateOptions
from workflows.generate.processors import compile_processors, sample_index, softmax
from workflows.generate.speculative.acceptance import exact_match, rejection_sampling, typical_acceptance
from workflows.generate.speculative.draft import EMPTY_DRAFT, Draft
from workflows.generate.speculative.draft_length import DraftLengthTuner
from workflows.generate.speculative.near_ties import NearTies

DRAWS = 20_000
CHI_SQUARE = {5: 20.5, 6: 22.5, 7: 24.3, 8: 26.1, 9: 27.9, 10: 29.6, 11: 31.3}  # 99.9 % by degrees of freedom


def fits(counts: NDArray[np.int64], wanted: NDArray[np.float32]) -> bool:
    """Pearson's test of counts against probabilities; what cannot come must not have come."""
    possible = wanted > 0
    expected = wanted[possible] * counts.sum()
    statistic = float((((counts[possible] - expected) ** 2) / expected).sum())
    return not counts[~possible].any() and statistic < CHI_SQUARE[int(possible.sum()) - 1]


@pytest.mark.parametrize("kind", ["other", "itself", "looked up"])
def test_rejection_leaves_the_distribution_as_it_is(kind: str) -> None:
    """After a chain with temperature, top-k and top-p, with drafts from another model, from itself, from nothing."""
    random = np.random.default_rng(7)
    chain = compile_processors(GenerateOptions(temperature=0.8, top_k=10, top_p=0.97))
    assert chain is not None
    target, other = (random.normal(0, 1.5, 12).astype(np.float32) for _ in range(2))
    scores = chain([], target.copy())
    given = softmax(scores) if kind == "itself" else softmax(chain([], other.copy()))
    rule, drafts = rejection_sampling(np.random.default_rng(1)), np.random.default_rng(2)
    counts = np.zeros(12, np.int64)
    agreed = 0
    for _ in range(DRAWS):
        token = sample_index(given, drafts)
        draft = Draft((token,), None if kind == "looked up" else given[None])
        taken = rule(draft, 0, scores)
        counts[taken] += 1
        agreed += taken == token
    assert fits(counts, softmax(scores))
    if kind == "itself":
        assert agreed == DRAWS
    if kind == "other":  # the overlap of the two, equation 3.5 of Leviathan et al.
        assert agreed / DRAWS == pytest.approx(float(np.minimum(given, softmax(scores)).sum()), abs=0.01)


def test_behind_the_draft_a_token_is_drawn() -> None:
    scores = np.log(np.array([0.1, 0.2, 0.3, 0.15, 0.15, 0.1], np.float32))
    rule, counts = rejection_sampling(np.random.default_rng(3)), np.zeros(6, np.int64)
    for _ in range(DRAWS):
        counts[rule(EMPTY_DRAFT, 0, scores)] += 1
    assert fits(counts, softmax(scores))


def test_typical_takes_what_is_likely_enough() -> None:
    """ε = 0.09: of a flat distribution any token over √ε · e^-H, of a sharp one those over ε alone."""
    rule = typical_acceptance(0.09, lambda scores: int(np.argmax(scores)))
    sharp = np.log(np.array([0.9, 0.08, 0.02], np.float32))
    assert [rule(Draft((token,)), 0, sharp) for token in range(3)] == [0, 0, 0]
    flat = np.zeros(100, np.float32)
    assert rule(Draft((42,)), 0, flat) == 42  # 0.01 is over 0.3 · 0.01
    assert exact_match(lambda scores: int(np.argmax(scores)))(Draft((1,)), 0, sharp) == 0


def paced(right: float, costs: dict[int, float], steps: int = 400) -> list[int]:
    """The lengths that are drafted where each token is right with probability `right`."""
    random, pace, lengths = np.random.default_rng(0), DraftLengthTuner(8), list[int]()
    for _ in range(steps):
        count = pace.length(100)
        accepted = next((i for i in range(count) if random.random() >= right), count)
        pace.note(count, accepted, costs.get(count, costs[0] * (1 + 0.05 * count)), accepted + 1)
        lengths.append(count)
    return lengths


def test_drafts_are_as_long_as_they_pay() -> None:
    """Long ones where nearly all are right, none where none is; none where looking at several costs as many runs."""
    assert np.mean(paced(0.98, {0: 1.0})[50:]) > 6
    nothing = paced(0.0, {0: 1.0})
    assert np.mean([count > 0 for count in nothing[50:]]) < 0.05 and max(nothing[50:]) <= 2
    dear = paced(0.5, {count: 1.0 + count for count in range(9)})
    assert np.mean([count > 0 for count in dear[50:]]) < 0.1


def test_a_pace_finds_its_way_back() -> None:
    """Text that repeats after long text that does not."""
    pace = DraftLengthTuner(8)
    for _ in range(500):
        pace.note(count := pace.length(100), 0, 1 + 0.05 * count, 1)
    later = []
    for _ in range(400):
        count = pace.length(100)
        pace.note(count, count, 1 + 0.05 * count, count + 1)
        later.append(count)
    assert np.mean(later[-100:]) > 6
    assert pace.length(3) <= 3 and pace.length(0) == 0


def test_a_tie_is_what_rounding_was_seen_to_be() -> None:
    ties, scores = NearTies(), np.array([10.0, 9.9, 0.0], np.float32)
    assert ties.is_near(np.array([1.0, -np.inf], np.float32))  # the first of all
    for _ in range(3):
        ties.note(scores, scores * np.float32(1 + 1e-6))
    assert not ties.is_near(scores) and ties.is_near(np.array([10.0, 10.0, 0.0], np.float32))
    ties.note(scores, scores * np.float32(1.01))
    assert ties.is_near(scores) and ties.comparable
    assert not ties.is_near(np.array([1.0, -np.inf], np.float32))
    ties.note(scores, scores * np.float32(1.04))
    assert not ties.comparable


def test_what_a_draft_model_costs_is_known_to_the_next_text() -> None:
    """One that does not pay rests on through short texts; look-ups are hoped for anew in each."""
    tried = {True: 0, False: 0}
    for anew in tried:
        pace = DraftLengthTuner(4)
        for _ in range(40):
            pace.begin(anew)
            for _ in range(10):
                count = pace.length(9)
                tried[anew] += count > 0
                pace.note(count, 0, 1.2 if count else 1.0, judged=1)
    assert tried[False] < 30 and tried[True] >= 40


def test_trials_take_a_small_share_of_the_time() -> None:
    """However dear they are: with runs of their own, and with tokens that are fed again behind them."""
    for dear, again in ((30.0, 0.0), (1.1, 20.0)):
        pace, plain, lost = DraftLengthTuner(4), 0, 0.0
        for _ in range(6000):
            count = pace.length(9)
            plain += count == 0
            lost += (dear + again - 1.0) * (count > 0)
            pace.note(count, 0, dear if count else 1.0, judged=1, again=again * (count > 0))
        assert 0 < lost < 0.05 * plain

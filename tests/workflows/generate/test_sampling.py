"""Sampling against the plain way, which sorts all tokens: the same kept ones, ties included, and the same draws."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from workflows.common.errors import LogitsError
from workflows.generate.logits import check_choice
from workflows.generate.options import GenerateOptions
from workflows.generate.processors import Logits, compile_choice, compile_processors, largest_indices, softmax

SIZES = (1, 2, 3, 17, 499, 5000, 40_000)


def rows() -> Iterator[Logits]:
    """Logits with and without ties, some removed; of vocabularies of all sizes."""
    for seed, size in enumerate(SIZES * 3):
        generator = np.random.default_rng(seed)
        row = generator.normal(0, (0.3, 2, 6)[seed % 3], size)
        for step in (0, 0.25, 2):  # rounded to few values: ties everywhere
            tied = row if not step else np.round(row / step) * step
            yield tied.astype(np.float32)
            yield np.where(generator.random(size) < 0.4, -np.inf, tied).astype(np.float32)
            yield np.where(np.arange(size) % 64 < 63, -np.inf, tied).astype(np.float32)


def finite_rows() -> list[Logits]:
    """Those that leave something to choose."""
    return [row for row in rows() if np.isfinite(row.max())]


def plain_top_k(row: Logits, count: int) -> Logits:
    threshold = np.sort(row)[-min(count, len(row))]
    return np.where(row < threshold, -np.inf, row).astype(np.float32)


def plain_top_p(row: Logits, mass: float) -> Logits:
    order = np.argsort(row, kind="stable")[::-1]
    weights = np.exp(row[order] - row.max()).astype(np.float64)
    above = np.cumsum(weights) - weights
    kept = (above < mass * weights.sum()) & (weights > 0)
    kept[0] = True
    found = np.full_like(row, -np.inf)
    found[order[kept]] = row[order[kept]]
    return found


def plain_min_p(row: Logits, share: float) -> Logits:
    return np.where(np.exp(row - row.max()) < np.float32(share), -np.inf, row).astype(np.float32)


@pytest.mark.parametrize("count", [1, 2, 40, 1000])
@pytest.mark.parametrize("mass", [0.3, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("share", [0.0, 0.05, 1.0])
def test_the_kept_tokens_are_those_of_a_sort_of_all(count: int, mass: float, share: float) -> None:
    """Top-k, top-p and min-p, one after another and each alone."""
    together = compile_processors(GenerateOptions(temperature=1, top_k=count, top_p=mass, min_p=share))
    nucleus = compile_processors(GenerateOptions(temperature=1, top_p=mass))
    fewest = compile_processors(GenerateOptions(temperature=1, top_k=count))
    assert together and nucleus and fewest
    for row in finite_rows():
        np.testing.assert_array_equal(fewest([], row.copy()), plain_top_k(row, count))
        np.testing.assert_array_equal(nucleus([], row.copy()), plain_top_p(row, mass))
        expected = plain_min_p(plain_top_p(plain_top_k(row, count), mass), share)
        np.testing.assert_array_equal(together([], row.copy()), expected)


def test_equal_tokens_at_the_edge_of_the_nucleus_are_taken_from_the_end() -> None:
    """Four of a quarter each and a mass of a half: two of them, as the stable sort of transformers has it."""
    process = compile_processors(GenerateOptions(temperature=1, top_p=0.5))
    assert process is not None
    row = np.array([1, -np.inf, 1, 1, 1], np.float32)
    assert np.isfinite(process([], row)).tolist() == [False, False, False, True, True]


@pytest.mark.parametrize("count", [1, 3, 16, 400, 5000])
def test_the_largest_come_with_their_ties(count: int) -> None:
    """By place, ascending; of all rows, removed ones among them."""
    for row in rows():
        threshold = np.sort(row)[-min(count, len(row))]
        found = largest_indices(row, min(count, len(row)))
        np.testing.assert_array_equal(found, np.flatnonzero(row >= threshold))


@pytest.mark.parametrize("options", [{"top_k": 5}, {"top_p": 0.5}, {"min_p": 0.1}, {"top_k": 50, "top_p": 0.9}])
@pytest.mark.parametrize("size", [4, 70, 3000])
def test_logits_that_are_no_numbers_are_refused_behind_every_step(options: dict[str, float], size: int) -> None:
    """What is left of a row with a NaN, and of one with nothing in it, is not chosen from."""
    process = compile_processors(GenerateOptions(**{"temperature": 0.7, **options}))
    assert process is not None
    broken = np.random.default_rng(size).normal(0, 2, size).astype(np.float32)
    broken[size // 2] = np.nan
    for row in (broken, np.full(size, -np.inf, np.float32)):
        with pytest.raises(LogitsError, match="mask every token"):
            check_choice(process([], row), 0)


def test_draws_are_those_of_the_running_sum_of_all() -> None:
    """With one random number a token: whoever gave a seed gets the tokens that it gave before."""
    choose, generator = compile_choice(GenerateOptions(temperature=1, seed=3)), np.random.default_rng(3)
    for row in finite_rows() * 3:
        sums = np.cumsum(softmax(row), dtype=np.float64)
        assert choose(row) == np.searchsorted(sums, generator.random() * sums[-1], side="right")


def test_what_was_removed_is_never_drawn() -> None:
    """However the sums round: the draw is one of the few that are left, in large vocabularies, too."""
    choose = compile_choice(GenerateOptions(temperature=1, seed=0))
    row = np.full(60_000, -np.inf, np.float32)
    row[::7] = 0
    assert all(choose(row) % 7 == 0 for _ in range(2000))

"""Blocks of integers: the same for any number of threads and any way a matrix lies, and rounding that is as it says."""

from __future__ import annotations

import numpy as np
import psutil
import pytest

from workflows.quantize.block_quantization import dequantize_rows, quantize_rows
from workflows.quantize.calibration.moments import MomentSum, shrink_moments
from workflows.quantize.error_compensation import ErrorFeedback, error_feedback
from workflows.quantize.grids import BlockFormat, find_grid

RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


def feedback_of(inputs: np.ndarray) -> ErrorFeedback:
    """Without the doubt of few rows."""
    return error_feedback(inputs.T @ inputs)


@pytest.mark.parametrize("moments", [False, True])
@pytest.mark.parametrize("how", [BlockFormat(4, 32, True), BlockFormat(4, 128, False), BlockFormat(8, 64, False)])
def test_threads_and_the_way_it_lies_change_nothing(
    how: BlockFormat, moments: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = normal(1300, 300)
    seen = feedback_of(normal(500, 300)) if moments else None
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(psutil, "cpu_count", lambda logical, threads=threads: threads)
        found += [quantize_rows(rows, how, seen), quantize_rows(np.asfortranarray(rows), how, seen)]
    for other in found[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(found[0], other, strict=True))
    first = quantize_rows(rows[:512], how)
    whole = quantize_rows(rows, how)
    assert all(np.array_equal(part, other[:512]) for part, other in zip(first, whole, strict=True))


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_search_loses_less_than_the_nearest_in_every_block(symmetric: bool) -> None:
    rows = normal(200, 256)
    lost = {}
    for rounding in ("nearest", "search"):
        how = BlockFormat(4, 64, symmetric, rounding)  # type: ignore[arg-type]
        off = dequantize_rows(*quantize_rows(rows, how), 256, how) - rows
        lost[rounding] = (off.reshape(200, 4, 64) ** 2).sum(-1)
    assert (lost["search"] <= lost["nearest"] * 1.0001).all()
    assert lost["search"].sum() < 0.93 * lost["nearest"].sum()


def test_numbers_too_small_for_a_scale_are_zeros() -> None:
    how = BlockFormat(4, 32, True)
    rows = np.full((3, 64), 1e-40, np.float32)
    rows[1] = 0
    assert not dequantize_rows(*quantize_rows(rows, how), 64, how).any()


def test_inputs_that_have_nothing_in_common_compensate_nothing() -> None:
    rows, how = normal(40, 300), BlockFormat(4, 64, True, "nearest")
    alone = ErrorFeedback(np.zeros((300, 300), np.float32), np.full(300, 3, np.float32))
    assert all(
        np.array_equal(one, two)
        for one, two in zip(quantize_rows(rows, how, alone), quantize_rows(rows, how), strict=True)
    )


def test_the_grid_of_a_block_minimizes_what_its_errors_cost() -> None:
    """A weight of which nothing depends has no say in the scale."""
    tile, how = normal(1, 32, 50), BlockFormat(4, 32, False)
    tile[0, 5] *= 10
    cheap = np.ones(32, np.float32)
    cheap[5] = 1e-3
    cost = []
    for losses in (None, cheap):
        grid = find_grid(tile, how, losses)
        off = (np.clip(np.rint(tile / grid.scale), -grid.zero, 15 - grid.zero) * grid.scale - tile)[0]
        cost.append(float((cheap[:, None] * off**2).sum()))
    assert cost[1] < 0.75 * cost[0]


@pytest.mark.parametrize(("inner", "block"), [(96, 32), (100, 64), (300, 128), (256, 16)])
def test_products_with_inputs_like_those_that_were_seen_lose_less(inner: int, block: int) -> None:
    inputs = normal(2000, 12) @ normal(12, inner) + 0.3 * normal(2000, inner)
    rows, how = normal(64, inner), BlockFormat(4, block, True, "compensated")
    lost = []
    for seen in (None, feedback_of(inputs[:1000])):
        off = dequantize_rows(*quantize_rows(rows, how, seen), inner, how) - rows
        lost.append(float(((inputs[1000:] @ off.T) ** 2).mean()))
    assert lost[1] < 0.5 * lost[0]


def naive(rows: np.ndarray, square: np.ndarray, how: BlockFormat) -> np.ndarray:
    """[N,K] dequantized: the method weight by weight, in float64, the rest solved for anew after each."""
    left, made = rows.astype(np.float64), np.empty(rows.shape)
    inner = rows.shape[1]
    damped = square.astype(np.float64) + 0.01 * np.trace(square) / inner * np.eye(inner)
    losses = np.array([1 / np.linalg.inv(damped[k:, k:])[0, 0] for k in range(inner)])
    for start in range(0, inner, how.size):
        block = slice(start, start + how.size)
        tile = np.ascontiguousarray(left[:, block].T[None], np.float32)
        grid = find_grid(tile, how, losses[block].astype(np.float32)).scale[0, 0].astype(np.float64)
        for index in range(start, start + how.size):
            made[:, index] = np.clip(np.rint(left[:, index] / grid), -8, 7) * grid
            error = left[:, index] - made[:, index]
            left[:, index] = made[:, index]
            rest = slice(index + 1, None)
            left[:, rest] += np.outer(error, np.linalg.solve(damped[rest, rest], damped[rest, index]))
    return made


@pytest.mark.parametrize("inner", [64, 320])
def test_the_rest_makes_up_for_an_error_as_least_squares_would(inner: int) -> None:
    """Across blocks, and across the groups that learn of errors together."""
    inputs, how = normal(6 * inner, inner) @ normal(inner, inner), BlockFormat(4, 32, True, "compensated")
    rows = normal(16, inner)
    found = dequantize_rows(*quantize_rows(rows, how, feedback_of(inputs)), inner, how)
    expected = naive(rows, inputs.T @ inputs, how)
    assert (np.abs(found - expected) < 1e-4).mean() > 0.98  # but for ties that rounding decides


@pytest.mark.parametrize(("rows", "related", "most"), [(300, False, 1.02), (100, True, 0.6), (1000, True, 0.5)])
def test_few_rows_are_not_believed_more_than_they_show(rows: int, related: bool, most: float) -> None:
    """On inputs that were not seen: relations that are chance cost nothing, those that are real are made use of."""
    inputs = normal(rows + 4000, 300)
    if related:
        inputs = normal(rows + 4000, 12) @ normal(12, 300) + 0.3 * inputs
    seen, fresh = inputs[:rows], inputs[rows:]
    weights, how = normal(64, 300), BlockFormat(4, 64, False)

    def error(feedback: ErrorFeedback | None) -> float:
        found = dequantize_rows(*quantize_rows(weights, how, feedback), 300, how)
        return float(np.square(fresh @ (found - weights).T).mean())

    moments = MomentSum()
    for part in np.array_split(seen, 3):
        moments.add(part[None])
    believed = moments.feedback()
    assert error(believed) <= most * error(None)
    if not related:
        assert error(believed) < 0.95 * error(feedback_of(seen))  # which took chance for more


def test_what_shrinks_is_what_two_inputs_have_in_common() -> None:
    inputs = normal(40, 300)
    sums = inputs.T @ inputs
    found = shrink_moments(sums.copy(), 40)
    np.testing.assert_array_equal(np.diag(found), np.diag(sums))
    assert np.abs(found - np.diag(np.diag(found))).max() < 0.2 * np.abs(sums - np.diag(np.diag(sums))).max()
    assert not shrink_moments(np.zeros((8, 8), np.float32), 1).any()  # inputs that are always zero

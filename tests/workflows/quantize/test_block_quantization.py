"""Blocks of integers: the same for any number of threads and any way a matrix lies, and rounding that is as it says."""

from __future__ import annotations

import numpy as np
import psutil
import pytest

from workflows.quantize.block_quantization import dequantize_rows, quantize_rows
from workflows.quantize.error_compensation import GROUP, second_moments, shrink_moments
from workflows.quantize.grids import BlockFormat

RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("moments", [False, True])
@pytest.mark.parametrize("how", [BlockFormat(4, 32, True), BlockFormat(4, 128, False), BlockFormat(8, 64, False)])
def test_threads_and_the_way_it_lies_change_nothing(
    how: BlockFormat, moments: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = normal(1300, 300)
    seen = second_moments(normal(500, 300)) if moments else None
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(psutil, "cpu_count", lambda logical, threads=threads: threads)
        found += [quantize_rows(rows, how, seen), quantize_rows(np.asfortranarray(rows), how, seen)]
    for other in found[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(found[0], other, strict=True))
    first = quantize_rows(rows[:512], how, seen)
    assert all(np.array_equal(part, whole[:512]) for part, whole in zip(first, found[0], strict=True))


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
    rows, how = normal(40, 300), BlockFormat(4, 64, True, "compensated")
    alone = np.zeros((2, GROUP, GROUP), np.float32)
    alone[:, range(GROUP), range(GROUP)] = 3
    plain = quantize_rows(rows, BlockFormat(4, 64, True))
    assert all(np.array_equal(one, two) for one, two in zip(quantize_rows(rows, how, alone), plain, strict=True))


@pytest.mark.parametrize(("inner", "block"), [(96, 32), (100, 64), (300, 128), (256, 16)])
def test_products_with_inputs_like_those_that_were_seen_lose_less(inner: int, block: int) -> None:
    inputs = normal(2000, 12) @ normal(12, inner) + 0.3 * normal(2000, inner)
    rows, how = normal(64, inner), BlockFormat(4, block, True, "compensated")
    lost = []
    for seen in (None, second_moments(inputs[:1000])):
        off = dequantize_rows(*quantize_rows(rows, how, seen), inner, how) - rows
        lost.append(float(((inputs[1000:] @ off.T) ** 2).mean()))
    assert lost[1] < 0.5 * lost[0]


def naive(rows: np.ndarray, square: np.ndarray, how: BlockFormat) -> np.ndarray:
    """[N,K] dequantized: the method weight by weight, in float64, the rest solved for anew after each."""
    left, made = rows.astype(np.float64), np.empty(rows.shape)
    damped = square.astype(np.float64) + 0.05 * np.trace(square) / len(square) * np.eye(len(square))
    for start in range(0, rows.shape[1], how.size):
        grid = quantize_rows(left[:, start : start + how.size].astype(np.float32), how)[1][:, 0].astype(np.float64)
        for index in range(start, start + how.size):
            made[:, index] = np.clip(np.rint(left[:, index] / grid), -8, 7) * grid
            error = left[:, index] - made[:, index]
            left[:, index] = made[:, index]
            rest = slice(index + 1, None)
            left[:, rest] += np.outer(error, np.linalg.solve(damped[rest, rest], damped[rest, index]))
    return made


def test_the_rest_makes_up_for_an_error_as_least_squares_would() -> None:
    rows, inputs, how = normal(16, 64), normal(300, 64) @ normal(64, 64), BlockFormat(4, 32, True, "compensated")
    found = dequantize_rows(*quantize_rows(rows, how, second_moments(inputs)), 64, how)
    expected = naive(rows, inputs.T @ inputs, how)
    assert (np.abs(found - expected) < 1e-4).mean() > 0.99  # but for ties that rounding decides


@pytest.mark.parametrize(("rows", "related", "most"), [(300, False, 1.02), (100, True, 0.6), (1000, True, 0.5)])
def test_few_rows_are_not_believed_more_than_they_show(rows: int, related: bool, most: float) -> None:
    """On inputs that were not seen: relations that are chance cost nothing, those that are real are made use of."""
    inputs = normal(rows + 4000, GROUP + 44)
    if related:
        inputs = normal(rows + 4000, 12) @ normal(12, GROUP + 44) + 0.3 * inputs
    seen, fresh = inputs[:rows], inputs[rows:]
    weights, how = normal(64, GROUP + 44), BlockFormat(4, 64, False)

    def error(moments: np.ndarray | None) -> float:
        found = dequantize_rows(*quantize_rows(weights, how, moments), GROUP + 44, how)
        return float(np.square(fresh @ (found - weights).T).mean())

    believed = shrink_moments(second_moments(seen), rows, GROUP + 44)
    assert error(believed) <= most * error(None)
    if not related:
        assert error(believed) < 0.95 * error(second_moments(seen))  # which took chance for more


def test_what_shrinks_is_what_two_inputs_have_in_common() -> None:
    sums = second_moments(normal(40, 300))
    found = shrink_moments(sums, 40, 300)
    assert found.shape == sums.shape and not found[1, 44:].any()
    for before, after in zip(sums, found, strict=True):
        np.testing.assert_array_equal(np.diag(after), np.diag(before))
    assert np.abs(found[0] - np.diag(np.diag(found[0]))).max() < 0.2 * np.abs(sums[0] - np.diag(np.diag(sums[0]))).max()
    assert np.array_equal(
        shrink_moments(np.zeros_like(sums), 1, 300), np.zeros_like(sums)
    )  # inputs that are always zero

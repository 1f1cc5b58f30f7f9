"""What is rounding, and what is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from workflows.evaluation.divergence.tolerance import Gap, largest_gap, tolerance


def test_the_largest_difference_and_value() -> None:
    assert largest_gap(np.float32([1, -4, 2]), np.float32([1, -4.5, 2.25])) == Gap(0.5, 4.0)
    assert largest_gap(np.float32([]), np.float32([])) == Gap(0.0, 0.0)


def test_what_masks_are_filled_with_is_alike() -> None:
    lowest, half = np.finfo(np.float32).min, np.finfo(np.float16).min
    assert largest_gap(np.float32([lowest, 1]), np.float32([half, 1])) == Gap(0.0, 1.0)
    assert largest_gap(np.float32([lowest, 1]), np.float32([-np.inf, 1])) == Gap(0.0, 1.0)
    assert largest_gap(np.float32([lowest, 1]), np.float32([0, 1])).difference > 1e38


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_on_one_side_alone(odd: float) -> None:
    assert largest_gap(np.float32([1, 2]), np.float32([1, odd])) == Gap(math.inf, 1.0)
    assert largest_gap(np.float32([odd, 2]), np.float32([1, 2])) == Gap(math.inf, 2.0)
    assert largest_gap(np.float32([odd, 2]), np.float32([odd, 2])) == Gap(0.0, 2.0)


def test_relative_to_nothing() -> None:
    assert Gap(0.0, 0.0).relative == 0.0
    assert Gap(1e-9, 0.0).relative == math.inf


def test_the_coarser_type_counts() -> None:
    assert tolerance(("float32", "float32"), same_operator=True) == 8 * 2.0**-24
    assert tolerance(("float32", "float32"), same_operator=False) == 256 * 2.0**-24
    assert tolerance(("float32", "float16"), same_operator=False) == 32 * 2.0**-11
    assert tolerance(("float32", "float32"), True, same_provider=False) == 32 * 2.0**-11
    assert tolerance(("float64", "float32"), same_operator=False) == 256 * 2.0**-24


@pytest.mark.parametrize("size", [16, 256, 4096])
def test_the_order_of_a_sum_is_rounding(size: int) -> None:
    """The same product, added up in two orders."""
    chances = np.random.default_rng(size)
    x, w = (chances.standard_normal(shape).astype(np.float32) for shape in ((8, size), (size, 64)))
    order = chances.permutation(size)
    gap = largest_gap(x @ w, x[:, order] @ w[order])
    assert 0 < gap.relative < tolerance(("float32", "float32"), same_operator=False)

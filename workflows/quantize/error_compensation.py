"""Rounds weights with error compensation: the error of each weight is added to the weights of its row not yet rounded.

    second moments of the inputs ──inverse, Cholesky──▶ the share of an error that each later weight takes
    tile [group, rows] ──weight by weight──▶ integers, grids           (GPTQ: Frantar et al. 2022, arXiv:2210.17323)

Errors are compensated within a group of inputs, so that time and memory grow linearly with the weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workflows.quantize.grids import BlockFormat, BlockGrid, Floats, find_grid, quantize_to_grid

GROUP = 256
Sums = NDArray[np.float32]  # [groups, GROUP, GROUP]; what the last group lacks is zero
_DAMPING = 0.05  # of the mean moment, for inputs that calibration saw little of
_LAZY = 32  # weights after which the rest of the group learns of their errors, in one product


def second_moments(inputs: NDArray[np.float32]) -> Sums:
    """Returns the sums of xᵀx over all rows of inputs [.., K]."""
    rows = inputs.reshape(-1, inputs.shape[-1])
    return np.stack([_square(rows[:, start : start + GROUP]) for start in range(0, rows.shape[1], GROUP)])


def _square(rows: NDArray[np.float32]) -> Sums:
    size = rows.shape[1]
    square = np.zeros((GROUP, GROUP), np.float32)
    square[:size, :size] = rows.T @ rows
    return square


def shrink_moments(sums: Sums, rows: int, width: int) -> Sums:
    """Shrinks the correlations in the sums over so many rows of `width` inputs.

    Few rows have correlations by chance, and compensating for those is worse than rounding each weight by itself.
    The diagonal stays; the correlations shrink by the coefficient of
    Chen, Wiesel, Eldar, Hero: Shrinkage Algorithms for MMSE Covariance Estimation, 2010, equation 23.
    """
    found = np.zeros_like(sums)
    for group, start in enumerate(range(0, width, GROUP)):
        used = slice(min(GROUP, width - start))
        square = sums[group, used, used].astype(np.float64)
        own = np.sqrt(np.diag(square))
        alike = square / np.maximum(np.outer(own, own), np.finfo(np.float64).tiny)
        size, norm = len(own), float(np.sum(alike * alike))
        spare = (rows + 1 - 2 / size) * (norm - size)
        share = min(1.0, ((1 - 2 / size) * norm + size * size) / spare) if spare > 0 else 1.0
        found[group, used, used] = square * (1 - share)
        found[group, used, used][np.diag_indices(size)] = np.diag(square)
    return found


def error_shares(moments: Floats, used: int) -> Floats:
    """Returns [used, used], upper: how the error of weight i spreads to later ones. moments: of one group."""
    square = moments[:used, :used].astype(np.float64)
    mean = float(np.trace(square)) / used or 1.0
    square[np.diag_indices(used)] += _DAMPING * mean
    return np.linalg.cholesky(np.linalg.inv(square)).T.astype(np.float32)


def round_group(tile: Floats, shares: Floats, how: BlockFormat) -> tuple[NDArray[np.uint8], BlockGrid]:
    """Returns the integers of the tile's shape, [blocks, block, rows], and the grids; changes the tile's weights."""
    weights, integers = tile.reshape(-1, tile.shape[2]), np.empty(tile.shape, np.uint8)
    scales, zeros = (np.empty((len(tile), 1, tile.shape[2]), np.float32) for _ in range(2))
    for block, start in enumerate(range(0, len(weights), how.size)):
        grid = find_grid(tile[block : block + 1], how)
        scales[block], zeros[block] = grid.scale[0], grid.zero[0]
        for first in range(0, how.size, step := min(_LAZY, how.size)):
            some = slice(start + first, start + first + step)
            integers[block, first : first + step] = _round_sequentially(weights, some, shares, grid, how)
    return integers, BlockGrid(scales, zeros)


def _round_sequentially(weights: Floats, some: slice, shares: Floats, grid: BlockGrid, how: BlockFormat) -> Floats:
    """Rounds `some` weights one after another; all later ones compensate for the errors."""
    part, own, scale, zero = weights[some], shares[some, some], grid.scale[0, 0], grid.zero[0, 0]
    errors, integers = np.zeros_like(part), np.empty_like(part)
    for index in range(len(own)):
        steps = quantize_to_grid(part[index], BlockGrid(scale, zero), how, integers[index])
        np.subtract(part[index], steps * scale, out=errors[index])
        errors[index] /= own[index, index]
        part[index + 1 : len(own)] -= own[index, index + 1 :, None] * errors[index]
    integers[len(own) :] = 0  # with which a block is filled up
    # by einsum: a library's product has threads of its own, which would wait for the cores that ours are on
    weights[some.stop : len(shares)] -= np.einsum("ij,in->jn", shares[some, some.stop :], errors[: len(own)])
    integers += zero
    return integers

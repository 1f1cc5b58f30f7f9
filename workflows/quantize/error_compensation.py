"""Rounds weights with error compensation: later weights of a row take on the errors of those before.

    second moments of the inputs H = (I + U) D (I + U)ᵀ, U strictly upper     (a Cholesky factorization from the end)
    weight by weight of each row:  qₖ = round(wₖ + Σᵢ (wᵢ - qᵢ) Uᵢₖ), over i < k     Dₖ · (error of round)² is its loss

This is GPTQ (Frantar et al. 2022, arXiv:2210.17323) in the form that Chee et al. 2023 (arXiv:2307.13304, theorem 6)
proved to be equal; it needs no inverse. A block's grid is searched where the block's weights would be without their own
rounding, with Dₖ as the weights of squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workflows.quantize.grids import BlockFormat, BlockGrid, Floats, find_grid, quantize_to_grid

_DAMPING = 0.01  # of the mean moment, for inputs that calibration saw little of
_MOST_DAMPING = 1.0
_GROUP = 128  # weights after which all later ones learn of their errors, in one product


@dataclass(frozen=True)
class ErrorFeedback:
    """shares [K,K]: U, how much of the error of weight i the weight k takes. losses [K]: D."""

    shares: Floats
    losses: Floats

    def padded(self, inner: int) -> ErrorFeedback:
        """Returns the feedback of `inner` weights a row, the last ones of which are to have no effect."""
        more = inner - len(self.losses)
        if not more:
            return self
        shares: Floats = np.pad(self.shares, (0, more))
        losses: Floats = np.concatenate([self.losses, np.ones(more, np.float32)])
        return ErrorFeedback(shares, losses)


def error_feedback(moments: Floats) -> ErrorFeedback:
    """Factorizes second moments [K,K], damped by as little as makes them positive definite.

    They are damped in place, for of the 14,336 inputs of a layer of 8B a copy has 0.8 GB.
    """
    mean, damping = float(np.trace(moments)) / len(moments) or 1.0, _DAMPING
    places, diagonal = np.diag_indices(len(moments)), np.diag(moments).copy()
    while True:
        moments[places] = diagonal + np.float32(damping * mean)
        try:
            upper = np.linalg.cholesky(moments[::-1, ::-1])[::-1, ::-1]
            break
        except np.linalg.LinAlgError:  # of float32's rounding, or of moments that are not finite
            if damping >= _MOST_DAMPING:
                raise
            damping *= 10
    own: Floats = np.diag(upper).astype(np.float32)
    upper /= own
    upper[places] = 0
    shares: Floats = np.ascontiguousarray(upper, np.float32)
    return ErrorFeedback(shares, np.square(own))


def round_compensated(tile: Floats, feedback: ErrorFeedback, how: BlockFormat) -> tuple[NDArray[np.uint8], BlockGrid]:
    """Returns the integers of a tile of whole rows, [blocks, block, rows], and the grids.

    The tile has their errors afterwards. feedback: of all its weights, padded ones included.
    """
    weights, integers = tile.reshape(-1, tile.shape[2]), np.empty(tile.shape, np.uint8)
    scales, zeros = (np.empty((len(tile), 1, tile.shape[2]), np.float32) for _ in range(2))
    step = max(_GROUP, how.size)
    for start in range(0, len(weights), step):
        group = slice(start, min(start + step, len(weights)))
        taken = feedback.shares[:start, group].T @ weights[:start]  # [group, rows]
        for first in range(start, group.stop, how.size):
            some, block = slice(first, first + how.size), first // how.size
            own = taken[first - start : first - start + how.size]
            own += feedback.shares[start:first, some].T @ weights[start:first]
            grid = _find_grid(weights[some], own, feedback, some, how)
            scales[block], zeros[block] = grid.scale[0], grid.zero[0]
            integers[block] = _round_block(weights[some], own, feedback.shares[some, some], grid, how)
    return integers, BlockGrid(scales, zeros)


def _find_grid(weights: Floats, taken: Floats, feedback: ErrorFeedback, some: slice, how: BlockFormat) -> BlockGrid:
    """Finds the grid of a block for the values that its weights would have if they were not rounded themselves.

    A weight that is not rounded has the error -(what it takes), which the weights after it take their share of.
    """
    inside = feedback.shares[some, some] + np.eye(len(weights), dtype=np.float32)
    expected = weights + np.linalg.solve(inside.T, taken)
    return find_grid(expected[None], how, feedback.losses[some])


def _round_block(weights: Floats, taken: Floats, shares: Floats, grid: BlockGrid, how: BlockFormat) -> Floats:
    """Rounds the weights of a block one after another, and leaves their errors in their place."""
    scale, zero = grid.scale[0, 0], grid.zero[0, 0]
    integers, one = np.empty_like(weights), BlockGrid(scale, zero)
    for index in range(len(weights)):
        steps = quantize_to_grid(weights[index] + taken[index], one, how, integers[index])
        weights[index] -= steps * scale
        if index + 1 < len(weights):
            taken[index + 1 :] += shares[index, index + 1 :, None] * weights[index]
    integers += zero
    return integers

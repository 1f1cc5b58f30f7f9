"""The quantization grid of each block: a scale and a zero point.

    tile [blocks, block, rows] ──several ranges──▶ the grid with the least error ──round_tile──▶ integers

A tile is a transposed part of a weight that fits into the processor's cache, with the rows along the last axis for
vectorized arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workflows.recipe.schema import BLOCK_SIZES, Rounding

Floats = NDArray[np.float32]
# Ranges of a block that are tried, as shares of its own; 255 steps need none but that.
_SHARES = (1.0, 1.05, 0.95, 0.88)
_MORE_SHARES = (*_SHARES, 0.8, 0.72)  # where the errors of some weights count more than those of others
_LEAST = np.finfo(np.float32).tiny  # of a scale: below it there is no inverse
_BLOCK = "bkn,bkn->bn"


@dataclass(frozen=True)
class BlockFormat:
    """How to quantize: bits (4 or 8), weights a block, whether zero is the middle of every block, and the rounding."""

    bits: int
    size: int
    symmetric: bool
    rounding: Rounding = "search"

    @property
    def levels(self) -> int:
        """The highest integer."""
        return (1 << self.bits) - 1

    @property
    def middle(self) -> int:
        """The integer of zero without zero points."""
        return 1 << (self.bits - 1)

    def fitted(self, inner: int) -> BlockFormat:
        """Returns the format with the largest block size up to this one that divides `inner`, else this one."""
        sizes = [size for size in BLOCK_SIZES if size <= self.size and inner % size == 0]
        return replace(self, size=max(sizes, default=self.size))

    def shapes(self, outer: int, inner: int) -> tuple[tuple[int, ...], ...]:
        """Returns the shapes of q, scales and zero points of a matrix [outer, inner]."""
        blocks = -(-inner // self.size)
        return ((outer, blocks, self.size * self.bits // 8), (outer, blocks), (outer, -(-blocks * self.bits // 8)))


@dataclass(frozen=True)
class BlockGrid:
    """scale, zero: [blocks, 1, rows] float32; a weight is about (integer - zero) · scale."""

    scale: Floats
    zero: Floats


def find_grid(tile: Floats, how: BlockFormat, losses: Floats | None = None) -> BlockGrid:
    """Finds the grid of each block: from its range, or from the candidate range with the least error.

    losses: [block], by what the squares of errors are multiplied, c. With d = q - zero point, Σc(w - s·d)² is least at
    s = Σcwd/Σcd², and is then Σcw² - (Σcwd)²/Σcd².
    """
    low = np.minimum(tile.min(1, keepdims=True), 0)
    high = np.maximum(tile.max(1, keepdims=True), 0)
    best = _of_range(low, high, how)
    if how.rounding == "nearest" or how.bits == 8:
        return best
    most, steps = np.full_like(low, -1), np.empty_like(tile)
    weighed = tile if losses is None else tile * (factors := (losses / losses.mean())[:, None])
    for share in map(np.float32, _SHARES if losses is None else _MORE_SHARES):
        tried = _of_range(low * share, high * share, how)
        quantize_to_grid(tile, tried, how, steps)
        along = np.einsum(_BLOCK, weighed, steps)[:, None]
        squares = np.einsum(_BLOCK, steps, steps if losses is None else steps * factors)[:, None]
        scale = along / np.maximum(squares, np.float32(1e-6))
        kept = along * scale
        better = (kept > most) & (np.abs(scale) >= _LEAST)
        np.copyto(most, kept, where=better)
        np.copyto(best.scale, scale, where=better)
        np.copyto(best.zero, tried.zero, where=better)
    return best


def round_tile(tile: Floats, how: BlockFormat) -> tuple[NDArray[np.uint8], BlockGrid]:
    """Returns the integers, 0…levels, of the tile's shape, each weight rounded by itself, and the grids."""
    grid = find_grid(tile, how)
    steps = quantize_to_grid(tile, grid, how, np.empty_like(tile))
    steps += grid.zero
    return steps.astype(np.uint8), grid


def _of_range(low: Floats, high: Floats, how: BlockFormat) -> BlockGrid:
    if how.symmetric:  # the larger end lies on the lowest integer, which has no opposite
        scale = np.where(-low > high, low, high) * np.float32(-1 / how.middle)
    else:
        scale = (high - low) / np.float32(how.levels)
    scale[np.abs(scale) < _LEAST] = 1
    if how.symmetric:
        return BlockGrid(scale, np.full_like(scale, how.middle))
    zero = np.rint(-low / scale)
    return BlockGrid(scale, np.clip(zero, 0, how.levels, out=zero))


def quantize_to_grid(tile: Floats, grid: BlockGrid, how: BlockFormat, out: Floats) -> Floats:
    """Writes each weight in scales from zero, rounded and clipped to the grid, to `out`."""
    np.multiply(tile, 1 / grid.scale, out=out)
    np.rint(out, out=out)
    if how.symmetric:  # of two numbers clip takes a fifth of the time of maximum and minimum, of arrays three times it
        return np.clip(out, np.float32(-how.middle), np.float32(how.levels - how.middle), out=out)
    np.maximum(out, -grid.zero, out=out)
    np.minimum(out, np.float32(how.levels) - grid.zero, out=out)
    return out

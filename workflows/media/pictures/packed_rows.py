"""LLaVA-NeXT and OneVision: which rows of the tiles' features stand for a picture, and in which order.

tiles [1 + rows · columns, side²] ──▶ the whole's rows, then line by line what the tiles show of the picture
without its padding, and behind each line the row of a line's end

Liu et al., LLaVA-NeXT (2024); Li et al., LLaVA-OneVision (2024), 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from workflows.media.pictures.interpolation import bilinear_taps
from workflows.media.pictures.processor import PictureLayout

LINE_END = 0  # the place of the row that ends a line; the tiles' rows follow it
_SCALED_FROM = 1.1  # of the edge that OneVision allows
Packed = tuple[NDArray[np.int64], NDArray[np.float64]]


def packed_rows(layouts: Sequence[PictureLayout], side: int, most: int | None) -> Packed:
    """The places [rows, taps] and weights [rows, taps] whose sums are the feature rows of these pictures.

    side: rows along a tile. most: tiles whose rows a picture may have, above which it is scaled down; None for any.
    """
    packed, first = [], 0
    for layout in layouts:
        places, weights = _picture(layout, side, most)
        packed.append((np.where(places == LINE_END, LINE_END, places + first), weights))
        first += side * side * (1 + layout.rows * layout.columns)
    taps = max((places.shape[1] for places, _ in packed), default=1)
    wide = [[np.pad(one, ((0, 0), (0, taps - one.shape[1]))) for one in pair] for pair in packed]
    if not wide:
        return np.zeros((0, 1), np.int64), np.zeros((0, 1))
    return np.concatenate([places for places, _ in wide]), np.concatenate([weights for _, weights in wide])


def _picture(layout: PictureLayout, side: int, most: int | None) -> Packed:
    whole = 1 + np.arange(side * side)[:, None]
    if not layout.rows:
        places = np.concatenate([whole, [[LINE_END]]])
        return places, np.ones(places.shape)
    row, column = np.indices((layout.rows * side, layout.columns * side))
    tile = 1 + row // side * layout.columns + column // side
    shown = _without_padding(1 + (tile * side + row % side) * side + column % side, layout)
    places, weights = _scaled(shown, side, most)
    taps = places.shape[-1]
    end = np.full((len(places), 1, taps), LINE_END)
    lines = np.concatenate([places, end], axis=1).reshape(-1, taps)
    once = np.pad(np.ones((len(places), 1, 1)), ((0, 0), (0, 0), (0, taps - 1)))
    of_lines = np.concatenate([weights, once], axis=1).reshape(-1, taps)
    more = ((0, 0), (0, taps - 1))
    return (
        np.concatenate([np.pad(whole, more), lines]),
        np.concatenate([np.pad(np.ones(whole.shape), more), of_lines]),
    )


def _without_padding(grid: NDArray[np.int64], layout: PictureLayout) -> NDArray[np.int64]:
    """The part of the grid of all tiles that shows the picture, which is in its middle."""
    height, width = grid.shape
    if layout.width / layout.height > width / height:
        padding = (height - int(round(layout.height * (width / layout.width), 7))) // 2
        return grid[padding : height - padding]
    padding = (width - int(round(layout.width * (height / layout.height), 7))) // 2
    return grid[:, padding : width - padding]


def _scaled(grid: NDArray[np.int64], side: int, most: int | None) -> Packed:
    """[height, width, taps]: a tap each, or the four of bilinear scaling where there are far more than `most` tiles."""
    height, width = grid.shape
    ratio = sqrt(height * width / (most * side * side)) if most else 0
    if ratio <= _SCALED_FROM:
        return grid[..., None], np.ones((height, width, 1))
    rows, of_rows = bilinear_taps(height, int(height // ratio))
    columns, of_columns = bilinear_taps(width, int(width // ratio))
    places = grid[rows[:, None, :, None], columns[None, :, None, :]]
    weights = of_rows[:, None, :, None] * of_columns[None, :, None, :]
    return places.reshape(*places.shape[:2], 4), weights.reshape(*places.shape[:2], 4)

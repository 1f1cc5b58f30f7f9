"""The times of a transcript's tokens: a path through the attention that they pay to the rows of a sound.

rows [heads · T] of each token ──normalized over tokens, smoothed, averaged──▶ [S,T] ──warped──▶ a time per token

As transformers computes them (generation_whisper.py, `_extract_token_timestamps`): dynamic time warping, Giorgino 2009.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SMOOTHED = 7  # columns of the median, the default of transformers' median_filter_width
Weights = NDArray[np.float32]


class AlignmentRows:
    """A HiddenStateListener that keeps the rows [heads · T] of a window's tokens by their positions."""

    def __init__(self) -> None:
        self._rows: dict[int, Weights] = {}

    def on_hidden_states(self, start: int, rows: Weights) -> None:
        """See HiddenStateListener."""
        self._rows |= {start + i: row.copy() for i, row in enumerate(rows)}

    def weights(self, first: int, count: int, columns: int) -> Weights:
        """[heads,count,columns] of the tokens from position `first` on."""
        rows = np.stack([self._rows[first + i] for i in range(count)])
        return rows.reshape(count, -1, columns).transpose(1, 0, 2)


def token_times(weights: Weights, precision: float) -> list[float]:
    """The second at which each token begins to be heard. weights: [heads,S,T]. precision: seconds of a column."""
    with np.errstate(invalid="ignore", divide="ignore"):  # one token has no deviation
        normal = (weights - weights.mean(axis=1, keepdims=True)) / weights.std(axis=1, keepdims=True)
    tokens, columns = warped_path(-_smoothed(normal).mean(axis=0).astype(np.float64))
    begins = np.diff(tokens, prepend=tokens[0] - 1).astype(bool)
    return [float(column * precision) for column in columns[begins]]


def _smoothed(weights: Weights) -> Weights:
    """The median of SMOOTHED columns around each."""
    around = SMOOTHED // 2
    if weights.shape[-1] <= around:
        return weights
    padded = np.pad(weights, ((0, 0), (0, 0), (around, around)), mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, SMOOTHED, axis=-1)
    return np.sort(windows, axis=-1)[..., around]


def warped_path(costs: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows and columns of the cheapest path through [S,T] from its first to its last field, by steps of one.

    Fields of one diagonal depend on the two diagonals before it alone, so each is computed at once.
    """
    rows, columns = costs.shape
    total = np.full((rows + 1, columns + 1), np.inf, np.float32)
    step = np.zeros((rows + 1, columns + 1), np.int8)  # 0 along both, 1 along the rows, 2 along the columns
    total[0, 0], step[0, :], step[:, 0] = 0, 2, 1
    for diagonal in range(2, rows + columns + 1):
        i = np.arange(max(1, diagonal - columns), min(rows, diagonal - 1) + 1)
        j = diagonal - i
        both, down, along = total[i - 1, j - 1], total[i - 1, j], total[i, j - 1]
        kind = np.where((both < down) & (both < along), 0, np.where((down < both) & (down < along), 1, 2))
        total[i, j] = costs[i - 1, j - 1] + np.choose(kind, [both, down, along])
        step[i, j] = kind
    path, i_, j_ = [], rows, columns
    while i_ > 0 or j_ > 0:
        path.append((i_ - 1, j_ - 1))
        kind_ = step[i_, j_]
        i_, j_ = i_ - (kind_ != 2), j_ - (kind_ != 1)
    found = np.array(path[::-1], np.int64)
    return found[:, 0], found[:, 1]

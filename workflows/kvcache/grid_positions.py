"""Positions of three numbers: time, height and width of what a token stands for.

    text  the same number three times, one more for each token
    a picture of t × h × w places   its places' own coordinates, after the text; the text goes on after the largest

Wang et al., Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any Resolution (2024), 2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import PromptError
from workflows.kvcache.layouts import Positions


class GridPositions:
    """The positions of a prompt with pictures, and of the tokens after it.

    token: in whose places the pictures are. grids: [pictures, 3] int, in patches. rows: how many features they have in
    all; where they are fewer than the patches, squares of patches were merged. Raises PromptError where the prompt has
    not the places of its pictures, each in one piece.
    """

    def __init__(self, prompt: Sequence[int], token: int, grids: NDArray[np.int64], rows: int) -> None:
        patches = int(grids.prod(axis=1).sum())
        side = isqrt(patches // rows) if rows else 1
        if rows and side * side * rows != patches:
            raise PromptError(f"Pictures of {patches:,} patches cannot have {rows:,} features: check the grids.")
        self._prompt = np.empty((3, len(prompt)), np.int64)
        ids, left, self._next, i = np.asarray(prompt), [grid // (1, side, side) for grid in grids], 0, 0
        while i < len(ids):
            if ids[i] != token:
                self._prompt[:, i] = self._next
                self._next, i = self._next + 1, i + 1
                continue
            grid = left.pop(0) if left else np.zeros(3, np.int64)
            count = int(grid.prod())
            if not count or (ids[i : i + count] != token).any() or i + count > len(ids):
                raise PromptError("The prompt's places for pictures are not those of the grids: one piece a picture.")
            self._prompt[:, i : i + count] = np.indices(tuple(grid)).reshape(3, -1) + self._next
            self._next, i = self._next + int(grid.max()), i + count
        if left:
            raise PromptError(f"The prompt has no place for {len(left)} of its pictures.")

    def __call__(self, positions: Positions) -> NDArray[np.int64]:
        """[n] plain positions → [3, n]."""
        known = self._prompt.shape[1]
        found = np.broadcast_to(positions - known + self._next, (3, len(positions))).copy()
        inside = positions < known
        found[:, inside] = self._prompt[:, positions[inside]]
        return found

"""Position ids of three numbers per token: time, height and width (M-RoPE).

    text                            the same number three times, increasing by one per token
    a picture of t × h × w tokens   their coordinates, offset by the text before; text continues after the largest

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
    """A PositionMap for a prompt with pictures, and for the tokens after it.

    token: the placeholder token of pictures. grids: [pictures, 3] int, in patches. rows: the number of feature rows;
    where it is smaller than the number of patches, squares of patches were merged. Raises PromptError where the
    prompt's placeholders do not match the grids, one contiguous run per picture.
    """

    def __init__(self, prompt: Sequence[int], token: int, grids: NDArray[np.int64], rows: int) -> None:
        patches = int(grids.prod(axis=1).sum())
        side = isqrt(patches // rows) if rows else 1
        if rows and side * side * rows != patches:
            raise PromptError(f"Pictures of {patches:,} patches cannot have {rows:,} feature rows: check the grids.")
        self._prompt = np.empty((3, len(prompt)), np.int64)
        ids, remaining, self._next, i = np.asarray(prompt), [grid // (1, side, side) for grid in grids], 0, 0
        while i < len(ids):
            if ids[i] != token:
                self._prompt[:, i] = self._next
                self._next, i = self._next + 1, i + 1
                continue
            grid = remaining.pop(0) if remaining else np.zeros(3, np.int64)
            count = int(grid.prod())
            if not count or (ids[i : i + count] != token).any() or i + count > len(ids):
                raise PromptError(
                    "The prompt's picture placeholders do not match the grids: each picture needs one contiguous run."
                )
            self._prompt[:, i : i + count] = np.indices(tuple(grid)).reshape(3, -1) + self._next
            self._next, i = self._next + int(grid.max()), i + count
        if remaining:
            raise PromptError(f"The prompt has no placeholders for {len(remaining)} of its pictures.")

    def __call__(self, positions: Positions) -> NDArray[np.int64]:
        """[n] positions in the sequence → [3, n] position ids."""
        length = self._prompt.shape[1]
        ids = np.broadcast_to(positions - length + self._next, (3, len(positions))).copy()
        inside = positions < length
        ids[:, inside] = self._prompt[:, positions[inside]]
        return ids

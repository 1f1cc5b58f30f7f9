"""Runs of a prompt's tokens that attend to each other in both directions.

0 0 █ █ █ 0 █ █   the places of each picture (Gemma 3), which also attend to what is before them; in Gemma 4 only in
                  layers with a window
█ █ █ █ █ █ █ █   a whole prompt with pictures (PaliGemma)

A block is never divided between two runs, since its first tokens attend to its last ones' keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Mutual = Literal["pictures", "windows", "prompt"]
"""Which tokens are a block: of pictures, in all layers or in those with a window; or all of the prompt."""


class TokenBlocks:
    """The blocks of a prompt. ids: all its tokens. token: the placeholder whose runs are the blocks of pictures.

    mutual: which tokens are one; no window limits the attention within a whole prompt.
    """

    def __init__(self, ids: Sequence[int], token: int, mutual: Mutual = "pictures") -> None:
        self.is_whole, self.in_windows = mutual == "prompt", mutual == "windows"
        placed = np.ones(len(ids), np.bool_) if self.is_whole else np.asarray(ids) == token
        first = placed & ~np.concatenate(([False], placed[:-1])) if len(placed) else placed
        self._blocks = np.where(placed, first.cumsum(), 0)  # 0 outside of blocks

    def undivided(self, start: int, wanted: int) -> int:
        """How many tokens a run from position `start` takes instead of `wanted`, so that no block is divided."""
        end, blocks = start + wanted, self._blocks
        if not 0 < end < len(blocks) or not blocks[end] or blocks[end] != blocks[end - 1]:
            return wanted
        places = np.flatnonzero(blocks == blocks[end])
        return int(places[0] - start if places[0] > start else places[-1] + 1 - start)

    def ahead(self, positions: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """[n, n]: which later one of these tokens each attends to, or which one at all beyond any window; None where
        none attends to any.
        """
        own = np.zeros(len(positions), np.int64)
        inside = positions < len(self._blocks)
        own[inside] = self._blocks[positions[inside]]
        if not own.any():
            return None
        later = self.is_whole | (positions[None] > positions[:, None])
        return np.asarray((own[:, None] == own) & (own > 0) & later, np.bool_)

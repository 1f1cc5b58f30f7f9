"""Runs of a prompt's tokens that attend to each other in both directions, as the places of one picture in Gemma 3 do.

0 0 █ █ █ 0 █ █   a block is never divided between two runs, since its first tokens attend to its last ones' keys
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workflows.kvcache.layouts import Positions


class TokenBlocks:
    """The blocks of a prompt. ids: all its tokens. token: the placeholder whose runs are the blocks."""

    def __init__(self, ids: Sequence[int], token: int) -> None:
        placed = np.asarray(ids) == token
        first = placed & ~np.concatenate(([False], placed[:-1])) if len(placed) else placed
        self._blocks = np.where(placed, first.cumsum(), 0)  # 0 outside of blocks

    def undivided(self, start: int, wanted: int) -> int:
        """How many tokens a run from position `start` takes instead of `wanted`, so that no block is divided."""
        end, blocks = start + wanted, self._blocks
        if not 0 < end < len(blocks) or not blocks[end] or blocks[end] != blocks[end - 1]:
            return wanted
        places = np.flatnonzero(blocks == blocks[end])
        return int(places[0] - start if places[0] > start else places[-1] + 1 - start)

    def ahead(self, positions: Positions) -> NDArray[np.bool_] | None:
        """[n, n]: which later one of these tokens each attends to; None where none attends to any."""
        own = np.zeros(len(positions), np.int64)
        inside = positions < len(self._blocks)
        own[inside] = self._blocks[positions[inside]]
        if not own.any():
            return None
        later = positions[None] > positions[:, None]
        return np.asarray((own[:, None] == own) & (own > 0) & later, np.bool_)

"""Branching tokens of one run: each follows its parent instead of the token in the column before it.

parents   -1  0  1  0  3      -1: the cache's last token
depths     0  1  2  1  2      its position is the cache's length and this
kin        one row per token: its ancestors and itself, the only new keys that it attends to
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import GraphError
from workflows.common.tensors import TensorSpec
from workflows.kvcache.cache_inputs import POSITIONS
from workflows.kvcache.geometry import StateFacts
from workflows.kvcache.layouts import Positions


@dataclass(frozen=True, slots=True)
class TokenTree:
    """How the tokens of a run follow one another. parents, kin: None for a chain. reach: the depth."""

    parents: tuple[int, ...] | None
    depths: Positions
    kin: NDArray[np.bool_] | None
    reach: int


def token_tree(parents: Sequence[int] | None, tokens: int) -> TokenTree:
    """The tree of `tokens` tokens; a chain for None. Raises GraphError unless each has a parent, before it."""
    if parents is None:
        return TokenTree(None, np.arange(tokens), None, tokens)
    depths, kin = np.zeros(tokens, np.int64), np.eye(tokens, dtype=np.bool_)
    for place, parent in enumerate(parents):
        if len(parents) != tokens or not -1 <= parent < place:
            raise GraphError(f"The parents {[*parents]} form no tree of {tokens} tokens: each must precede its child.")
        if parent >= 0:
            depths[place] = depths[parent] + 1
            kin[place] |= kin[parent]
    return TokenTree(tuple(parents), depths, kin, int(depths.max()) + 1)


def checked_path(parents: Sequence[int] | None, path: Sequence[int] | None) -> Positions | None:
    """`path` as [n] int64 where the tokens have `parents`; None for a chain.

    Raises GraphError where the tokens at `path` do not follow one another from a root on.
    """
    if parents is None and path is None:
        return None
    before = -1
    for place in path or ():
        if parents is None or not 0 <= place < len(parents) or parents[place] != before:
            raise GraphError(f"The tokens {[*(path or ())]} form no path: each must be a child of the one before.")
        before = place
    if path is None:
        raise GraphError("Branching tokens cannot be committed as a whole: give the path to the last one.")
    return np.array(path, np.int64)


def can_branch(facts: StateFacts, inputs: Mapping[str, TensorSpec], masks: Collection[str]) -> bool:
    """Whether a graph takes each token's position and mask row as inputs, and the host writes its rows.

    False where the graph uses slots as positions, or counts slots from either end.
    """
    by_slot = facts.left_aligned or facts.counts or (facts.right_aligned and facts.joins != "slide")
    takes = POSITIONS in inputs and all(mask in inputs and len(inputs[mask].shape) == 4 for mask in masks)
    return facts.writer == "host" and takes and not by_slot

"""Tokens of one run that branch: each follows its parent, and not the token in the column before it.

parents   -1  0  1  0  3      -1: the cache's last token
depths     0  1  2  1  2      its position is the cache's length and this
kin        a row a token: its ancestors and itself, the only new keys that it sees
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
    """How the tokens of a run follow one another. parents, kin: None of a chain. reach: how deep it is."""

    parents: tuple[int, ...] | None
    depths: Positions
    kin: NDArray[np.bool_] | None
    reach: int


def token_tree(parents: Sequence[int] | None, tokens: int) -> TokenTree:
    """The tree of so many tokens; a chain where they have no `parents`.

    Raises GraphError where there is not a parent a token, or one stands behind its child.
    """
    if parents is None:
        return TokenTree(None, np.arange(tokens), None, tokens)
    depths, kin = np.zeros(tokens, np.int64), np.eye(tokens, dtype=np.bool_)
    for place, parent in enumerate(parents):
        if len(parents) != tokens or not -1 <= parent < place:
            raise GraphError(f"The parents {[*parents]} make no tree of {tokens} tokens: each stands before its child.")
        if parent >= 0:
            depths[place] = depths[parent] + 1
            kin[place] |= kin[parent]
    return TokenTree(tuple(parents), depths, kin, int(depths.max()) + 1)


def checked_path(parents: Sequence[int] | None, path: Sequence[int] | None) -> Positions | None:
    """`path` as [n] int64, where the tokens have `parents`; None for tokens that are one chain.

    Raises GraphError where those at `path` do not follow one another from a first one on.
    """
    if parents is None and path is None:
        return None
    before = -1
    for place in path or ():
        if parents is None or not 0 <= place < len(parents) or parents[place] != before:
            raise GraphError(f"The tokens {[*(path or ())]} are no path: each must be a child of the one before.")
        before = place
    if path is None:
        raise GraphError("Tokens that branch are not committed as a whole: tell the path to the last one.")
    return np.array(path, np.int64)


def can_branch(facts: StateFacts, drivers: Mapping[str, TensorSpec], masks: Collection[str]) -> bool:
    """Whether a graph can be told of each token where it stands and what it sees, and the host writes its rows.

    Not where it takes slots for positions, or counts them from either end.
    """
    by_slot = facts.left_aligned or facts.counts or (facts.right_aligned and facts.joins != "slide")
    told = POSITIONS in drivers and all(mask in drivers and len(drivers[mask].shape) == 4 for mask in masks)
    return facts.writer == "host" and told and not by_slot

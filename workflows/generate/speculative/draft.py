"""Drafts, and the protocol of what proposes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Probabilities = NDArray[np.float32]


@dataclass(frozen=True)
class Draft:
    """Proposed next tokens, in their order.

    probabilities: [len(tokens), V], from which each token was sampled; None for a proposer that does not sample.
    parents: for a draft that branches, the index of each token's parent, -1 for the last token of the text; a parent
    precedes its children, and the best child comes first. None for a chain.
    """

    tokens: tuple[int, ...] = ()
    probabilities: Probabilities | None = None
    parents: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def depths(self) -> list[int]:
        """The depth of each token, 1 for those that follow the text."""
        if self.parents is None:
            return [*range(1, len(self) + 1)]
        depths: list[int] = []
        for parent in self.parents:
            depths.append(depths[parent] + 1 if parent >= 0 else 1)
        return depths

    @property
    def depth(self) -> int:
        """The largest depth; 0 for an empty draft."""
        return max(self.depths, default=0)

    def children(self, place: int) -> list[int]:
        """The indices of the children of the token at `place`; -1 is the last token of the text."""
        parents = self.parents if self.parents is not None else range(-1, len(self) - 1)
        return [child for child, parent in enumerate(parents) if parent == place]

    def chain(self) -> Draft:
        """The path of the best child at each step, as a chain."""
        if self.parents is None:
            return self
        path, ahead = list[int](), self.children(-1)
        while ahead:
            path.append(ahead[0])
            ahead = self.children(ahead[0])
        return Draft(tuple(self.tokens[place] for place in path))

    def fitted(self, depth: int, room: int) -> Draft:
        """A draft that branches, cut to `depth` and to its first `room` tokens; its chain where `room` is 0."""
        if self.parents is None:
            return self
        if not room:
            return Draft(self.chain().tokens[:depth])
        kept = [place for place, own in enumerate(self.depths) if own <= depth][:room]
        at = {place: new for new, place in enumerate(kept)} | {-1: -1}
        tokens, parents = (tuple(one[place] for place in kept) for one in (self.tokens, self.parents))
        return Draft(tokens, parents=tuple(at[parent] for parent in parents))


EMPTY_DRAFT = Draft()


class Proposer(Protocol):
    """A source of drafts."""

    @property
    def name(self) -> str:
        """Its name in events: ngram, draft_model …"""
        ...

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        """At most `count` tokens that may follow `ids`, the prompt and the text so far; or EMPTY_DRAFT.

        Raises DraftError where it can no longer draft, and Cancelled after `stop`.
        """
        ...


@dataclass
class SpeculativeStep:
    """The last run: `by` whom its tokens were drafted, and how many were `drafted`."""

    by: str
    drafted: int = 0

"""What a strategy is made of: who proposes tokens, and how many of them the model looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Probabilities = NDArray[np.float32]


@dataclass(frozen=True)
class Draft:
    """Tokens that may come next, the nearest first.

    probabilities: [len(tokens), V], from which each was drawn; None of a proposer that draws from nothing. parents: of
    a draft that branches, for each token the place of the one that it follows, -1 for the last token there is, so that
    a parent stands before its children and of these the best first; None of a chain.
    """

    tokens: tuple[int, ...] = ()
    probabilities: Probabilities | None = None
    parents: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def depths(self) -> list[int]:
        """The tokens from the first to each, itself included."""
        if self.parents is None:
            return [*range(1, len(self) + 1)]
        found: list[int] = []
        for parent in self.parents:
            found.append(found[parent] + 1 if parent >= 0 else 1)
        return found

    @property
    def depth(self) -> int:
        """How many tokens follow one another at most."""
        return max(self.depths, default=0)

    def children(self, place: int) -> list[int]:
        """The places of the tokens that may follow that at `place`; -1 is the last token there is."""
        parents = self.parents if self.parents is not None else range(-1, len(self) - 1)
        return [child for child, parent in enumerate(parents) if parent == place]

    def chain(self) -> Draft:
        """The path to the best of the best … alone."""
        if self.parents is None:
            return self
        path, ahead = list[int](), self.children(-1)
        while ahead:
            path.append(ahead[0])
            ahead = self.children(ahead[0])
        return Draft(tuple(self.tokens[place] for place in path))

    def fitted(self, depth: int, room: int) -> Draft:
        """Of a draft that branches what is no deeper, and of that the first `room` tokens; a chain where it is 0."""
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
    """Who drafts tokens."""

    @property
    def name(self) -> str:
        """What events call it: ngram, draft_model …"""
        ...

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        """What may follow `ids`, the prompt and what was generated so far: at most `count` tokens, or NOTHING.

        Raises DraftError where it can draft no more, and Cancelled after `stop`.
        """
        ...


@dataclass
class SpeculativeStep:
    """Who drafts, and how many `drafted` tokens the last run of the model looked at."""

    by: str
    drafted: int = 0

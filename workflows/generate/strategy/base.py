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

    probabilities: [len(tokens), V], from which each was drawn; None of a proposer that draws from nothing.
    """

    tokens: tuple[int, ...] = ()
    probabilities: Probabilities | None = None

    def __len__(self) -> int:
        return len(self.tokens)


NOTHING = Draft()


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
class Speculation:
    """Who drafts, and how many `drafted` tokens the last run of the model looked at."""

    by: str
    drafted: int = 0

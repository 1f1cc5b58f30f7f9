"""What a strategy is made of: who proposes tokens, and the count of what came of it."""

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

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        """What may follow `ids`, the prompt and what was generated so far: at most `count` tokens, or NOTHING.

        Raises DraftError where it can draft no more, and Cancelled after `stop`.
        """
        ...


@dataclass
class Speculation:
    """What came of drafts: `drafted` tokens that the model looked at, `accepted` ones among them, in `steps` runs."""

    drafted: int = 0
    accepted: int = 0
    steps: int = 0

    def note(self, drafted: int, accepted: int) -> None:
        """One run of the model."""
        self.drafted += drafted
        self.accepted += accepted
        self.steps += 1

"""Runs of several tokens round otherwise than those of one: scores that are too close together to be told apart."""

from __future__ import annotations

import numpy as np

from workflows.generate.logits import Logits

_ENOUGH = 3  # places that were looked at twice, before what they show is believed
_CAUTION = 8.0
_LEAST, _MOST = 1e-5, 0.05
_FLIPS = 0.03
"""Of the largest score. Measured between runs of 1 and of 2 to 16 tokens: 2e-6 in fp32, 1e-3 in fp16, and 1.5e-2 where
activations are quantized: their rounding flips at few places, so that what others show is no word on the next."""


class Ties:
    """Tells ties; what a place that is looked at twice differs by says what a tie is, in runs of as many tokens.

    For kernels differ by them: one of 8 bits is as exact in runs of 2 and 4 as in single ones, and 1.4e-2 off in runs
    of 3. integers: whether something may be computed with these.
    """

    def __init__(self, integers: bool = False) -> None:
        self._least = _FLIPS if integers else _LEAST
        self._seen: dict[int, list[float]] = {}

    def share(self, tokens: int) -> float:
        """How close two scores may come, as a share of the larger, before they are a tie in a run of so many tokens."""
        seen = self._seen.get(tokens, [])
        return _MOST if len(seen) < _ENOUGH else min(max(_CAUTION * max(seen), self._least), _MOST)

    @property
    def told_apart(self) -> bool:
        """Whether runs of several tokens are near enough to those of one to be held against them."""
        return all(difference < _FLIPS for seen in self._seen.values() for difference in seen)

    def is_near(self, scores: Logits, tokens: int) -> bool:
        """Whether another token might have the largest of `scores` [V], of a run of `tokens`, in a run of its own.

        So it is taken to be at the first place of all, for how far the two are from each other is not known yet.
        """
        if not self._seen:
            return True
        best = int(np.argmax(scores))
        second = max(scores[:best].max(initial=-np.inf), scores[best + 1 :].max(initial=-np.inf))
        return bool(np.isfinite(second) and scores[best] - second < self.share(tokens) * _size(scores[best], second))

    def note(self, scores: Logits, alone: Logits, tokens: int) -> None:
        """The scores [V] of one place, in a run of `tokens` and in one of its own."""
        finite = np.isfinite(scores) & np.isfinite(alone)
        difference = float(np.abs(scores[finite] - alone[finite]).max(initial=0.0))
        size = float(np.abs(alone[finite]).max(initial=0.0))
        self._seen.setdefault(tokens, []).append(difference / max(size, 1e-30))


def _size(*scores: np.float32) -> float:
    return max(abs(float(score)) for score in scores)

"""Runs of several tokens round otherwise than those of one: scores that are too close together to be told apart."""

from __future__ import annotations

import numpy as np

from workflows.generate.logits import Logits

_LEARNED_AFTER = 3  # places that were looked at twice, before what they show is believed
_SAFETY_FACTOR = 8.0
_LEAST, _MOST = 1e-5, 0.05
_RUNS_DIFFER = 0.03  # two scores that are off by as much each may change places beyond the widest margin
"""Of the largest score. Measured between runs of 1 and of 2 to 16 tokens: 2e-6 in fp32 and 1e-3 in fp16, everywhere
alike; 2.4e-2 where activations are quantized, at one place of ten, where their rounding flips, and nothing
between; more where a run's tokens share one grid."""


class NearTies:
    """Tells ties; what a place that is looked at twice differs by says what a tie is.

    integers: whether something may be computed with these, where most places say nothing of the next one.
    """

    def __init__(self, integers: bool = False) -> None:
        self._integers, self._seen, self._largest = integers, 0, 0.0

    @property
    def share(self) -> float:
        """How close two scores may come, as a share of the larger, before they are a tie."""
        return (
            _MOST
            if self._integers or self._seen < _LEARNED_AFTER
            else min(max(_SAFETY_FACTOR * self._largest, _LEAST), _MOST)
        )

    @property
    def told_apart(self) -> bool:
        """Whether runs of several tokens are near enough to those of one to be held against them."""
        return self._largest < _RUNS_DIFFER

    def is_near(self, scores: Logits) -> bool:
        """Whether another token might have the largest of `scores` [V] in a run of its own.

        So it is taken to be at the first place of all, for how far the two are from each other is not known yet.
        """
        if not self._seen:
            return True
        best = int(np.argmax(scores))
        second = max(scores[:best].max(initial=-np.inf), scores[best + 1 :].max(initial=-np.inf))
        return bool(np.isfinite(second) and scores[best] - second < self.share * _size(scores[best], second))

    def note(self, scores: Logits, alone: Logits) -> None:
        """The scores [V] of one place, in a run of several tokens and in one of its own."""
        finite = np.isfinite(scores) & np.isfinite(alone)
        difference = float(np.abs(scores[finite] - alone[finite]).max(initial=0.0))
        size = float(np.abs(alone[finite]).max(initial=0.0))
        self._seen += 1
        self._largest = max(self._largest, difference / max(size, 1e-30))


def _size(*scores: np.float32) -> float:
    return max(abs(float(score)) for score in scores)

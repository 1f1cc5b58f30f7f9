"""Detects near ties: runs of several tokens round differently from single runs, so that close logits may swap."""

from __future__ import annotations

import numpy as np

from workflows.generate.logits import Logits

_LEARNED_AFTER = 3  # comparisons before the measured difference is used
_SAFETY_FACTOR = 8.0
_LEAST, _MOST = 1e-5, 0.05
_RUNS_DIFFER = 0.03  # two logits that are each off by so much may swap beyond the widest margin
"""As shares of the largest logit. Measured between runs of 1 and of 2 to 16 tokens: 2e-6 in fp32 and 1e-3 in fp16, at
all places; 2.4e-2 with quantized activations, at one place of ten, where their rounding flips, and 0 elsewhere;
more where a run's tokens share one quantization grid."""


class NearTies:
    """Decides which logits are near ties, by the differences measured where a place was computed twice.

    integers: whether the graphs compute with integers, where most places say nothing about the next one.
    """

    def __init__(self, integers: bool = False) -> None:
        self._integers, self._seen, self._largest = integers, 0, 0.0

    @property
    def share(self) -> float:
        """The difference, as a share of the larger logit, below which two logits are a near tie."""
        if self._integers or self._seen < _LEARNED_AFTER:
            return _MOST
        return min(max(_SAFETY_FACTOR * self._largest, _LEAST), _MOST)

    @property
    def comparable(self) -> bool:
        """Whether runs of several tokens are close enough to single runs to compare their logits."""
        return self._largest < _RUNS_DIFFER

    def is_near(self, scores: Logits) -> bool:
        """Whether another token might have the largest of `scores` [V] in a single run.

        True at the first place of all, before any difference was measured.
        """
        if not self._seen:
            return True
        best = int(np.argmax(scores))
        second = max(scores[:best].max(initial=-np.inf), scores[best + 1 :].max(initial=-np.inf))
        size = max(abs(float(scores[best])), abs(float(second)))
        return bool(np.isfinite(second) and scores[best] - second < self.share * size)

    def note(self, scores: Logits, alone: Logits) -> None:
        """Records the logits [V] of one place in a run of several tokens and `alone` in a single run."""
        finite = np.isfinite(scores) & np.isfinite(alone)
        difference = float(np.abs(scores[finite] - alone[finite]).max(initial=0.0))
        size = float(np.abs(alone[finite]).max(initial=0.0))
        self._seen += 1
        self._largest = max(self._largest, difference / max(size, 1e-30))

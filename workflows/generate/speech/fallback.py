"""When a window of sound is transcribed again at a higher temperature, or left out as silence.

tokens of a window ──compression_ratio, TokenLogprobs──▶ WindowQuality ──FallbackRule──▶ accept, try again, skip

Radford et al. 2022, 4.5, as transformers' generate has it (generation_whisper.py, `_need_fallback`).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workflows.generate.processors import Logits, log_softmax

SAMPLED_FROM = 50  # tokens: transformers' default of top_k, which it leaves in place for higher temperatures


@dataclass(frozen=True)
class WindowQuality:
    """compression_ratio: of the tokens. logprob: their mean. no_speech: the probability that nobody speaks."""

    compression_ratio: float
    logprob: float
    no_speech: float


@dataclass(frozen=True)
class FallbackRule:
    """temperatures: tried in their order; 0 is greedy. compression_ratio: above it a transcript repeats itself.

    logprob: below it a transcript is improbable; with a probability of silence above no_speech, the window is skipped.
    """

    temperatures: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    compression_ratio: float = 1.35
    logprob: float = -1.0
    no_speech: float = 0.6

    def skips(self, quality: WindowQuality) -> bool:
        """Whether nobody speaks in the window."""
        return quality.logprob < self.logprob and quality.no_speech > self.no_speech

    def rejects(self, quality: WindowQuality) -> bool:
        """Whether the window is to be transcribed at the next temperature."""
        poor = quality.compression_ratio > self.compression_ratio or quality.logprob < self.logprob
        return poor and not self.skips(quality)


class TokenLogprobs:
    """The mean log-probability of the tokens of a window, under the processed logits without the temperature.

    most: how many of the likeliest tokens a token is drawn from; None for all.
    """

    def __init__(self, most: int | None) -> None:
        self._most, self._sum = most, 0.0
        self._scores: Logits | None = None

    def process(self, ids: Sequence[int], logits: Logits) -> Logits:
        """Notes the logits [V] after `ids`, whose last token was chosen by those before; returns them unchanged."""
        if self._scores is not None:
            self._sum += self._logprob(ids[-1])
        self._scores = logits.copy()
        return logits

    def mean(self, tokens: Sequence[int]) -> float:
        """Over all tokens of the window, the end token included."""
        return (self._sum + self._logprob(tokens[-1])) / len(tokens)

    def _logprob(self, token: int) -> float:
        assert self._scores is not None  # a token was chosen by them
        scores = self._scores
        if self._most is not None and self._most < len(scores):
            least = np.partition(scores, -self._most)[-self._most]
            scores = np.where(scores < least, -np.inf, scores).astype(np.float32)
        return float(log_softmax(scores)[token])


def compression_ratio(tokens: Sequence[int], vocabulary: int) -> float:
    """The bytes of the tokens over those of their compressed form. vocabulary: of the model."""
    width = int(math.log2(vocabulary) / 8) + 1
    data = b"".join(token.to_bytes(width, "little") for token in tokens)
    return len(data) / len(zlib.compress(data))

"""The rule of time stamps in a transcript: they come in pairs, never go back, and win over text together.

Rules and order are those of Whisper (Radford et al. 2022), as in transformers' WhisperTimeStampLogitsProcessor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workflows.generate.processors import MASKED, Logits, Processor, log_softmax


@dataclass(frozen=True)
class TimestampRule:
    """first: the token of time 0; all tokens from it on are times. end: the end token. latest: the largest index that a
    transcript may begin with; None for any.
    """

    first: int
    end: int
    latest: int | None = None


def timestamp_processor(rule: TimestampRule, begin: int) -> Processor:
    """Masks the tokens that the rule forbids. begin: the length of the prefix."""
    first = rule.first

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        logits[first - 1] = MASKED  # the token that says there are no times
        said = ids[begin:]
        if said and said[-1] >= first:
            if len(said) < 2 or said[-2] >= first:
                logits[first:] = MASKED
            else:
                logits[: rule.end] = MASKED
        times = [token for token in said if token >= first]
        if times:
            closes = said[-1] >= first and len(said) > 1 and said[-2] < first
            logits[first : times[-1] + (0 if closes else 1)] = MASKED
        if not said:
            logits[:first] = MASKED
            if rule.latest is not None:
                logits[first + rule.latest + 1 :] = MASKED
        _prefer_times(logits, first)
        return logits

    return process


def _prefer_times(logits: Logits, first: int) -> None:
    """Masks all text where the times together are more probable than the likeliest token of text."""
    if not np.isfinite(logits[first:]).any():
        return
    scores = log_softmax(logits)
    best = scores[first:].max()
    together = best + np.log(np.exp(scores[first:] - best).sum())
    if together > scores[:first].max():
        logits[:first] = MASKED

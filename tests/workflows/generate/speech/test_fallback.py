"""What a window of sound is judged by, and what follows from it."""

from __future__ import annotations

import numpy as np
import pytest

from workflows.generate.speech.fallback import FallbackRule, TokenLogprobs, WindowQuality, compression_ratio


def test_repeated_tokens_compress() -> None:
    """As transformers counts: two bytes a token of 51,866, one of 211."""
    import torch
    from transformers import WhisperForConditionalGeneration

    drawn = np.random.default_rng(0).integers(0, 211, 60).tolist()
    for tokens, vocabulary in (([7, 8] * 30, 51_866), (drawn, 51_866), (drawn, 211), ([5], 256)):
        expected = WhisperForConditionalGeneration._retrieve_compression_ratio(torch.tensor(tokens), vocabulary)
        assert compression_ratio(tokens, vocabulary) == expected
    assert compression_ratio([7, 8] * 30, 51_866) > 2 > compression_ratio(drawn, 51_866)


def test_the_mean_is_of_all_tokens_and_of_the_likeliest_alone() -> None:
    chances = np.random.default_rng(1)
    rows, tokens = chances.normal(size=(3, 9)).astype(np.float32), [2, 5, 7]
    for most in (None, 4, 20):
        noted = TokenLogprobs(most)
        ids, expected = [3], 0.0
        for row, token in zip(rows, tokens, strict=True):
            assert noted.process(ids, row) is row
            ids = [*ids, token]
            kept = row if most is None or most > 9 else np.sort(row)[-most:]
            expected += float(row[token]) - float(np.log(np.exp(kept).sum()))
        likely = (
            most is None
            or most > 9
            or all(token in np.argsort(r)[-most:] for r, token in zip(rows, tokens, strict=True))
        )
        assert noted.mean(tokens) == (pytest.approx(expected / 3, rel=1e-5) if likely else -np.inf)


@pytest.mark.parametrize(("quality", "rejected", "skipped"), [
    (WindowQuality(1.0, -0.5, 0.9), False, False),
    (WindowQuality(1.4, -0.5, 0.9), True, False),
    (WindowQuality(1.0, -1.5, 0.5), True, False),
    (WindowQuality(1.0, -1.5, 0.7), False, True),
    (WindowQuality(2.0, -1.5, 0.7), False, True),
])  # fmt: skip
def test_a_rule(quality: WindowQuality, rejected: bool, skipped: bool) -> None:
    rule = FallbackRule()
    assert (rule.rejects(quality), rule.skips(quality)) == (rejected, skipped)

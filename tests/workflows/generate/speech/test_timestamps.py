"""The rule of time stamps masks what transformers' processor masks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from workflows.generate.speech.timestamps import TimestampRule, timestamp_processor

VOCABULARY, NONE, END = 60, 39, 2
FIRST = NONE + 1
PREFIX = [3, 4, 8]
SAID = {
    "nothing": [],
    "a time": [FIRST + 1],
    "a time and text": [FIRST + 1, 20],
    "a pair": [FIRST + 1, 20, FIRST + 5],
    "two pairs": [FIRST, 20, FIRST + 5, FIRST + 5],
    "text again": [FIRST, 20, FIRST + 5, FIRST + 5, 21],
    "text alone": [20, 21],
}


def reference(ids: list[int], logits: np.ndarray[Any, Any], latest: int | None) -> np.ndarray[Any, Any]:
    import torch
    from transformers.generation.logits_process import WhisperTimeStampLogitsProcessor

    config = SimpleNamespace(no_timestamps_token_id=NONE, eos_token_id=END, bos_token_id=1,
                             max_initial_timestamp_index=latest)  # fmt: skip
    processor = WhisperTimeStampLogitsProcessor(config, begin_index=len(PREFIX))
    found: np.ndarray[Any, Any] = processor(torch.tensor([ids]), torch.from_numpy(logits[None]))[0].numpy()
    return found


@pytest.mark.parametrize("latest", [None, 4])
@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_what_is_masked_is_what_transformers_masks(said: list[int], latest: int | None) -> None:
    """Flat logits, where times win together, and steep ones, where text wins; single times beside text as well."""
    process = timestamp_processor(TimestampRule(FIRST, END, latest), len(PREFIX))
    for seed in range(20):
        logits = np.random.default_rng(seed).normal(0, (0.1, 3, 8)[seed % 3], VOCABULARY).astype(np.float32)
        wanted = reference([*PREFIX, *said], logits, latest)
        found = process([*PREFIX, *said], logits.copy())
        np.testing.assert_array_equal(found, wanted)
        assert np.isfinite(found).any()

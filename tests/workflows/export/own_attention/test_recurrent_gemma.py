"""RecurrentGemma gives its own logits in steps: the RG-LRU's state and the convolution's columns are in the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.export.own_attention.through_cache import check_steps, load


@pytest.mark.parametrize("width", [64, 40])
def test_logits_in_steps_are_the_models_own(width: int, tmp_path: Path) -> None:
    """The first token is scaled in another way than those after it; the attention layer has a window."""
    config = {"block_types": ["recurrent", "attention"], "attention_window_size": 24, "lru_width": width}
    recurrent, attending = check_steps(load("recurrent_gemma", tmp_path, **config), tmp_path)
    assert {state.name: state.shape for state in recurrent.states} == {
        "conv": (1, width, 3),
        "recurrent": (1, width, 1, 1),
    }
    assert (attending.window, attending.states) == (24, ())

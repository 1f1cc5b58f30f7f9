"""The window of a layer is read from the rule of the mask that its model asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers.masking_utils import (
    and_masks,
    bidirectional_mask_function,
    causal_mask_function,
    chunked_causal_mask_function,
    or_masks,
    sliding_window_bidirectional_mask_function,
    sliding_window_causal_mask_function,
)

from tests.workflows.families.models import save_decoder
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.export.attention import is_part_of, window_of
from workflows.export.decoder import causal_layers
from workflows.export.equivalence import check_causal
from workflows.export.load import load_model
from workflows.recipe import resolve_recipe

_EXPERTS = {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 48}


@pytest.mark.parametrize("window", [1, 2, 24, 4096, 131_072])
def test_a_window_is_inferred_from_its_rule(window: int) -> None:
    """As transformers' own rules have it, however large."""
    assert window_of(sliding_window_causal_mask_function(window)) == window
    both = and_masks(sliding_window_causal_mask_function(window), sliding_window_causal_mask_function(window + 7))
    assert window_of(both) == window


def test_a_causal_rule_has_no_window() -> None:
    """Alone, or where another adds nothing to it."""
    assert window_of(causal_mask_function) is None
    assert window_of(or_masks(causal_mask_function, sliding_window_causal_mask_function(9))) is None


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (bidirectional_mask_function, "attend to later tokens"),
        (sliding_window_bidirectional_mask_function(8), "attend to later tokens"),
        (chunked_causal_mask_function(16, torch.zeros(1, dtype=torch.long)), "neither causal nor a sliding window"),
        (sliding_window_causal_mask_function(0), "attends to no token, not even itself"),
        (lambda b, h, q, k: (k <= q) & ((q - k < 8) | (k < 4)), "neither causal nor a sliding window"),
    ],
)
def test_another_rule_is_refused(rule: Callable[..., torch.Tensor], why: str) -> None:
    """Bidirectional, in chunks, of nothing, or with a prefix that all see."""
    with pytest.raises(RecipeError, match=why):
        window_of(rule)


def test_a_view_is_part_of_what_it_was_cut_from() -> None:
    """And not of another mask with the same values."""
    whole = torch.ones(1, 1, 4, 4)
    assert is_part_of(whole, whole) and is_part_of(whole[..., :3], whole)
    assert not is_part_of(whole.clone(), whole)


@pytest.mark.parametrize(
    ("model_type", "config", "windows"),
    [
        ("phimoe", {**_EXPERTS, "sliding_window": 24}, [24, 24]),
        (
            "qwen2_moe",
            {**_EXPERTS, "shared_expert_intermediate_size": 48, "sliding_window": 24, "use_sliding_window": True,
             "max_window_layers": 1},
            [24, None],
        ),
        ("mistral", {"sliding_window": 24}, [24, 24]),
        ("qwen2", {"sliding_window": 24, "use_sliding_window": False}, [None, None]),
        ("gemma2", {"sliding_window": 24}, [24, None]),
    ],
)  # fmt: skip
def test_a_window_that_lives_in_the_mask_alone(
    model_type: str, config: dict[str, Any], windows: list[int | None], tmp_path: Path
) -> None:
    """Each layer's is seen, and the logits through a cache are the model's own past it."""
    checkpoint = open_checkpoint(str(save_decoder(model_type, tmp_path / "checkpoint", **config)))
    model = load_model(checkpoint, "text-generation")
    layers = causal_layers(model)
    assert [layer.window for layer in layers] == windows
    reference = check_causal(model, layers, resolve_recipe(checkpoint, {"capacity": 256}))
    assert len(reference.ids) >= 80 and reference.rows[-1] == len(reference.ids) - 1

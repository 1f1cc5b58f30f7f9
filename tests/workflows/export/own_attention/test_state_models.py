"""Models whose attention is code of its own and keeps state of fixed size: their own logits in steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.export.own_attention.through_cache import check_steps, load
from workflows.common.errors import RecipeError
from workflows.export.decoder import causal_layers

_EXPERTS = {"num_local_experts": 4, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 48}
MODELS: dict[str, tuple[dict[str, Any], list[list[str]]]] = {
    "minimax": (
        {**_EXPERTS, "head_dim": 18, "block_size": 16, "layer_types": ["linear_attention", "full_attention"]},
        [["recurrent"], []],
    ),
    "zaya": (
        {**_EXPERTS, "num_experts_per_tok": 1, "router_hidden_size": 16, "head_dim": 16, "attention_bias": False},
        [["conv", "recurrent"]] * 2,
    ),
    "inkling_text": (
        {**_EXPERTS, "head_dim": 16, "swa_head_dim": 16, "d_rel": 8, "rel_extent": 30, "sliding_window_size": 24,
         "n_routed_experts": 4, "swa_num_attention_heads": 4, "swa_num_key_value_heads": 2},
        [["conv", "conv1", "conv2", "conv3"]] * 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("model_type", MODELS)
def test_logits_in_steps_are_the_models_own(model_type: str, tmp_path: Path) -> None:
    config, states = MODELS[model_type]
    layers = check_steps(load(model_type, tmp_path, **config), tmp_path)
    assert [sorted(state.name for state in layer.states) for layer in layers] == states


def test_a_value_before_the_first_token_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="values have a bias before the first token"):
        causal_layers(load("zaya", tmp_path, **MODELS["zaya"][0] | {"attention_bias": True}))

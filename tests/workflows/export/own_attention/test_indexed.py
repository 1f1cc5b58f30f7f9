"""Models that select keys by an index attend to all of them up to the number that it selects, and hold no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.export.own_attention.through_cache import ENDS, check_steps, load
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.recipe import family_for, resolve_recipe
from workflows.recipe.compatibility import index_notice

_SIZES: dict[str, Any] = {
    "num_key_value_heads": 4, "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8,
    "v_head_dim": 16, "head_dim": 8, "n_routed_experts": 4, "n_group": 1, "topk_group": 1, "num_experts_per_tok": 2,
    "moe_intermediate_size": 48, "first_k_dense_replace": 1, "n_shared_experts": 1, "index_head_dim": 16,
    "index_n_heads": 4,
}  # fmt: skip


@pytest.mark.parametrize("model_type", ["deepseek_v32", "glm_moe_dsa"])
def test_all_keys_are_those_that_an_index_selects(model_type: str, tmp_path: Path) -> None:
    """The second layer of GLM takes the selection of the first."""
    shared = {"indexer_types": ["full", "shared"]} if model_type == "glm_moe_dsa" else {}
    model = load(model_type, tmp_path, **_SIZES, **shared, index_topk=ENDS[-1])
    layers = check_steps(model, tmp_path)
    assert len(layers) == 2 and all(layer.attends and not layer.states for layer in layers)


def test_beyond_it_the_model_is_another(tmp_path: Path) -> None:
    """So that the limit is needed."""
    model = load("deepseek_v32", tmp_path, **_SIZES, index_topk=ENDS[-1] // 2)
    with pytest.raises(AssertionError, match="logits are off by"):
        check_steps(model, tmp_path)


def test_the_capacity_is_limited_and_that_is_reported(tmp_path: Path) -> None:
    load("deepseek_v32", tmp_path, **_SIZES, index_topk=96)
    checkpoint = open_checkpoint(str(tmp_path))
    assert resolve_recipe(checkpoint, {}).capacity == 96
    with pytest.raises(RecipeError, match=r"beyond the 96 tokens .* \(index_topk in config\.json\).* --capacity 96"):
        resolve_recipe(checkpoint, {"capacity": 97})
    geometry = family_for("deepseek_v32").geometry(checkpoint.config)
    assert "holds 96 tokens at most" in index_notice(geometry) and index_notice(None) == ""
    published = {name: value for name, value in checkpoint.config.items() if name != "layer_types"}
    assert family_for("deepseek_v32").geometry(published).indexed

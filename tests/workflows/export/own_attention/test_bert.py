"""BERT's relatives with own attention give their own logits through a cache; BigBird's limits the length of a text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.export.own_attention.through_cache import check_steps, load
from workflows.recipe import family_for


@pytest.mark.parametrize(
    ("model_type", "config"),
    [
        ("big_bird", {"attention_type": "original_full"}),
        ("megatron-bert", {}),
        ("rembert", {"input_embedding_size": 32, "output_embedding_size": 48}),
        ("roformer", {"embedding_size": 64}),
        ("roformer", {"embedding_size": 32, "rotary_value": True}),
    ],
)
def test_logits_in_steps_are_the_models_own(model_type: str, config: dict[str, Any], tmp_path: Path) -> None:
    """RoFormer rotates queries and keys, and with `rotary_value` its values as well."""
    check_steps(load(model_type, tmp_path, is_decoder=True, **config), tmp_path)


def test_block_sparse_attention_begins_beyond_its_blocks() -> None:
    """BigBird's default reads later tokens in texts of more than 704 tokens, so a recipe allows no more."""
    config = {"model_type": "big_bird", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
              "vocab_size": 50, "max_position_embeddings": 4096}  # fmt: skip
    family = family_for("big_bird", "text-generation")
    assert family.geometry(config).max_positions == 704
    assert family.geometry(config | {"block_size": 16, "num_random_blocks": 2}).max_positions == 144
    assert family.geometry(config | {"attention_type": "original_full"}).max_positions == 4096

"""Bytes of weights as a bundle holds them: blocks, tables in 16 bits, and what is converted to float32."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from workflows.checkpoint import Checkpoint, TensorInfo
from workflows.recipe.stored_forms import stored_bytes

EMBEDDING = "model.embed_tokens.weight"


def checkpoint(config: dict[str, Any], **dtypes: str) -> Checkpoint:
    """A table, a head and a layer of 64 × 32 numbers each; `dtypes` by table, head, layer."""
    names = {"table": EMBEDDING, "head": "lm_head.weight", "layer": "model.layers.0.mlp.up_proj.weight"}
    tensors = {names[which]: TensorInfo(dtype, (64, 32), "m", 0) for which, dtype in dtypes.items()}
    return cast(Checkpoint, SimpleNamespace(config=config, tensors=tensors))


@pytest.mark.parametrize(
    ("config", "dtypes", "size"),
    [
        ({"tie_word_embeddings": False}, {"table": "bfloat16", "head": "bfloat16"}, 2048 * (2 + 4)),
        ({"tie_word_embeddings": True}, {"table": "bfloat16"}, 2048 * 4),  # a head multiplies by it, in float32
        ({}, {"table": "float16"}, 2048 * 4),
        ({"tie_word_embeddings": False}, {"table": "float32", "head": "float16"}, 2048 * 8),
        ({"tie_word_embeddings": False}, {"table": "Q8_0", "layer": "bfloat16"}, 2048 * (1 + 2 / 32 + 4)),
    ],
)
def test_a_table_in_16_bits_stays_so_where_no_head_is_tied_to_it(
    config: dict[str, Any], dtypes: dict[str, str], size: int
) -> None:
    assert stored_bytes(checkpoint(config, **dtypes)) == size

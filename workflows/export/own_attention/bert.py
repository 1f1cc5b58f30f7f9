"""BERT's relatives whose layers have `query`, `key` and `value`: BigBird, Megatron-BERT, RemBERT, RoFormer."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from workflows.export.own_attention.routing import Layer, attend, route, split_heads


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention."""
    body = model.base_model
    if hasattr(body, "set_attention_type"):
        body.set_attention_type("original_full")  # as BigBird does in texts of the lengths that a recipe allows
    for layer in body.encoder.layer:
        route(layer.attention.self, "forward", _attention)


def _attention(
    layer: Layer,
    hidden_states: torch.Tensor,
    attention_mask: torch.Tensor,
    sinusoidal_pos: torch.Tensor | None = None,
    *positional: Any,
    past_key_values: Any = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """sinusoidal_pos: RoFormer's rotary positions, [1,1,S,D]; positional: others' arguments of an encoder."""
    rows = [split_heads(one(hidden_states), layer.num_attention_heads) for one in (layer.query, layer.key, layer.value)]
    if sinusoidal_pos is not None:
        rotated = rows if layer.rotary_value else rows[:2]
        rows[: len(rotated)] = layer.apply_rotary_position_embeddings(sinusoidal_pos, *rotated)
    key, value = past_key_values.update(rows[1], rows[2], layer.layer_idx)
    return attend(layer, rows[0], key, value, attention_mask), None

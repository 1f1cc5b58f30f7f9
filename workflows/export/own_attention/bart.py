"""BART's relatives whose layers have `q_proj`, `k_proj` and `v_proj`, as causal LMs: MVP, TrOCR, XGLM."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from workflows.export.attention import current_adapter
from workflows.export.own_attention.routing import Layer, attend, route, split_heads


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention."""
    body = model.get_decoder()
    for layer in body.layers:
        route(layer.self_attn, "forward", _attention)
    table = body.embed_positions
    if hasattr(table, "get_embedding"):  # computed, and computed again where a text is longer
        if table.weights.is_meta:  # TrOCR's is no buffer, so loading leaves it without values
            table.weights = table.get_embedding(*table.weights.shape, table.padding_idx)
        route(table, "forward", _positions)


def _attention(
    layer: Layer,
    hidden_states: torch.Tensor,
    attention_mask: torch.Tensor,
    past_key_values: Any,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    projections = (layer.q_proj, layer.k_proj, layer.v_proj)
    query, key, value = (split_heads(one(hidden_states), layer.num_heads) for one in projections)
    key, value = past_key_values.update(key, value, layer.layer_idx)
    return layer.out_proj(attend(layer, query, key, value, attention_mask, scaling=layer.scaling)), None


def _positions(table: Layer, first: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    """[1,S,E]: sines and cosines. first: [1,S], ids or positions."""
    start = table.offset if hasattr(table, "num_positions") else table.padding_idx + 1
    positions = torch.arange(first.shape[1]) + current_adapter().get_seq_length() + start
    return table.weights[positions][None]

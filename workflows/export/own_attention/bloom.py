"""BLOOM: fused queries, keys and values; the attention adds the residual; ALiBi."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from workflows.export.own_attention.alibi import alibi_bias, bloom_slopes
from workflows.export.own_attention.routing import Layer, attend, route


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention."""
    route(model.transformer, "build_alibi_tensor", lambda *_, **__: None)  # each layer computes its own
    for block in model.transformer.h:
        route(block.self_attention, "forward", _attention)


def _attention(
    layer: Layer,
    hidden: torch.Tensor,
    residual: torch.Tensor,
    attention_mask: torch.Tensor,
    layer_past: Any,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    query, key, value = layer._reshape(layer.query_key_value(hidden))
    key, value = layer_past.update(key, value, layer.layer_idx)
    bias = alibi_bias(bloom_slopes(layer.num_heads), hidden.shape[1])
    output = attend(layer, query, key, value, attention_mask, scaling=layer.inv_norm_factor, position_bias=bias)
    return layer.dense(output) + residual, None

"""MPT: fused queries, keys and values, which may be clipped; a scale of its own; ALiBi with other slopes than BLOOM."""

from __future__ import annotations

import math
from typing import Any

import torch
from transformers import PreTrainedModel

from workflows.export.own_attention.alibi import alibi_bias
from workflows.export.own_attention.routing import Layer, attend, route, split_heads


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention."""
    for block in model.transformer.blocks:
        route(block.attn, "forward", _attention)


def mpt_slopes(heads: int, largest: int = 8) -> torch.Tensor:
    """[H]: of the next power of two of heads, every second one first. largest: the exponent of the flattest slope."""
    whole = 2 ** math.ceil(math.log2(heads))
    slopes = [2 ** (-largest * (i + 1) / whole) for i in range(whole)]
    return torch.tensor(slopes if whole == heads else (slopes[1::2] + slopes[::2])[:heads])


def _attention(
    layer: Layer,
    hidden: torch.Tensor,
    position_bias: torch.Tensor,
    past_key_values: Any,
    attention_mask: torch.Tensor,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """position_bias is that of a fixed length, and not used."""
    fused = layer.Wqkv(hidden)
    if layer.clip_qkv:
        fused = fused.clamp(min=-layer.clip_qkv, max=layer.clip_qkv)
    query, key, value = (split_heads(rows, layer.n_heads) for rows in fused.chunk(3, dim=2))
    key, value = past_key_values.update(key, value, layer.layer_idx)
    bias = alibi_bias(mpt_slopes(layer.n_heads), hidden.shape[1])
    output = attend(layer, query, key, value, attention_mask, scaling=layer.softmax_scale, position_bias=bias)
    return layer.out_proj(output), None

"""OpenAI GPT: transformers has no cache for it, and a causal mask in each layer."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from workflows.export.attention import current_adapter
from workflows.export.own_attention.routing import Layer, attend, route, split_heads


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention."""
    for index, block in enumerate(model.transformer.h):
        block.attn.layer_idx = index
        route(block.attn, "forward", _attention)


def _attention(layer: Layer, x: torch.Tensor, attention_mask: torch.Tensor | None = None, **_: Any) -> list[Any]:
    query, key, value = (split_heads(rows, layer.n_head) for rows in layer.c_attn(x).split(layer.split_size, dim=2))
    key, value = current_adapter().update(key, value, layer.layer_idx)
    return [layer.c_proj(attend(layer, query, key, value, attention_mask, own_mask=True))]

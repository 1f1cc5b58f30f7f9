"""Falcon: fused queries, keys and values of one key's head for some or all queries; rotary positions or ALiBi."""

from __future__ import annotations

import math
from typing import Any

import torch
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.masking_utils import create_causal_mask
from transformers.modeling_outputs import BaseModelOutputWithPast

from workflows.export.own_attention.alibi import alibi_positions, bloom_slopes
from workflows.export.own_attention.routing import Layer, attend, route


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention."""
    if uses_alibi(model.config):
        route(model.transformer, "forward", _body)
    for block in model.transformer.h:
        route(block.self_attention, "forward", _attention)
        for module in block.modules():
            if isinstance(module, torch.nn.Linear):
                route(module, "forward", _linear)


def uses_alibi(config: PreTrainedConfig) -> bool:
    """Whether it is a Falcon with ALiBi, which the eager code of transformers 5.23 adds twice, unlike its SDPA code.

    SDPA is what transformers loads by default, and computes what the model was trained with.
    """
    return config.model_type == "falcon" and bool(config.alibi)


def _linear(layer: torch.nn.Linear, rows: torch.Tensor) -> torch.Tensor:
    """[…,N]: the model multiplies by a transposed weight, for which torch would copy a stand-in to its full size."""
    return torch.nn.functional.linear(rows, layer.weight, layer.bias)


def _body(
    body: Layer,
    input_ids: torch.Tensor | None = None,
    past_key_values: Any = None,
    attention_mask: torch.Tensor | None = None,
    inputs_embeds: torch.Tensor | None = None,
    **_: Any,
) -> BaseModelOutputWithPast:
    """The layers of a model with ALiBi, without the mask with which transformers merges the bias."""
    hidden = body.word_embeddings(input_ids) if inputs_embeds is None else inputs_embeds
    mask = create_causal_mask(body.config, hidden, attention_mask, past_key_values)
    for block in body.h:
        hidden, _weights = block(hidden, alibi=None, attention_mask=mask, layer_past=past_key_values)
    return BaseModelOutputWithPast(last_hidden_state=body.ln_f(hidden))


def _bias(config: PreTrainedConfig, sequence: int) -> torch.Tensor:
    """[1,H,S,T]: scaled like the scores. The model rounds slopes, positions and their products to bfloat16."""
    slopes = bloom_slopes(config.num_attention_heads).bfloat16().float()[None, :, None, None]
    rounded = (positions.bfloat16().float() for positions in alibi_positions(sequence))
    queries, keys = ((slopes * positions).bfloat16().float() for positions in rounded)
    return (keys - queries) / math.sqrt(config.hidden_size // config.num_attention_heads)


def _attention(
    layer: Layer,
    hidden: torch.Tensor,
    attention_mask: torch.Tensor,
    layer_past: Any,
    position_embeddings: tuple[torch.Tensor, torch.Tensor] | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    query, key, value = _split(layer, layer.query_key_value(hidden))
    bias = _bias(layer.config, hidden.shape[1]) if uses_alibi(layer.config) else None
    if position_embeddings is not None:
        from transformers.models.falcon.modeling_falcon import apply_rotary_pos_emb

        query, key = apply_rotary_pos_emb(query, key, *position_embeddings)
    key, value = layer_past.update(key, value, layer.layer_idx)
    output = attend(layer, query, key, value, attention_mask, scaling=layer.inv_norm_factor, position_bias=bias)
    return layer.dense(output), None


def _split(layer: Layer, fused: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """[B,S,Hk·(G+2)·D] → queries [B,Hk·G,S,D], keys and values [B,Hk,S,D]: a key's head follows its G queries'."""
    grouped = layer.new_decoder_architecture or layer.multi_query
    heads = layer.num_kv_heads if grouped else layer.num_heads
    parts = fused.unflatten(2, (heads, -1, layer.head_dim))  # [B,S,Hk,G+2,D]
    query = parts[..., :-2, :].flatten(2, 3)
    return query.transpose(1, 2), parts[..., -2, :].transpose(1, 2), parts[..., -1, :].transpose(1, 2)

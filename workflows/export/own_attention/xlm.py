"""XLM: masks from the lengths of texts, which a causal model needs for padding alone."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from workflows.common.errors import RecipeError
from workflows.export.attention import LATER_TOKENS, current_adapter
from workflows.export.own_attention.routing import Layer, attend, route, split_heads


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention. Raises RecipeError for a model that is not causal, as most are."""
    if not model.config.causal:
        raise RecipeError(LATER_TOKENS)
    model.config.pad_token_id = model.config.pad_index
    route(model.transformer, "forward", _body)
    for index, layer in enumerate(model.transformer.attentions):
        layer.layer_idx = index
        route(layer, "forward", _attention)


def _body(body: Layer, input_ids: torch.Tensor, position_ids: torch.Tensor, **_: Any) -> BaseModelOutput:
    hidden = body.layer_norm_emb(body.embeddings(input_ids) + body.position_embeddings(position_ids))
    layers = zip(body.attentions, body.layer_norm1, body.ffns, body.layer_norm2, strict=True)
    for attention, first_norm, feed_forward, second_norm in layers:
        hidden = first_norm(hidden + attention(hidden)[0])
        hidden = second_norm(hidden + feed_forward(hidden))
    return BaseModelOutput(last_hidden_state=hidden)


def _attention(layer: Layer, hidden: torch.Tensor) -> tuple[torch.Tensor]:
    query, key, value = (split_heads(one(hidden), layer.n_heads) for one in (layer.q_lin, layer.k_lin, layer.v_lin))
    key, value = current_adapter().update(key, value, layer.layer_idx)
    return (layer.out_lin(attend(layer, query, key, value, None, own_mask=True)),)

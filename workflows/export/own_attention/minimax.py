"""MiniMax: lightning attention (Qin et al. 2024), a linear attention whose heads forget at fixed rates."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from workflows.export.own_attention.routing import Layer, route
from workflows.export.recurrence import RecurrentStates, linear_attention


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention. The decoder takes its own class of caches alone, except where none is to be returned."""
    own = model.model.forward
    route(model.model, "forward", lambda _, *args, **named: own(*args, **{**named, "use_cache": False}))
    for layer in model.modules():
        if hasattr(layer, "slope_rate"):
            route(layer, "forward", _attend)


def _attend(
    layer: Layer, hidden_states: torch.Tensor, past_key_values: RecurrentStates, **_: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """[B,S,E], and the state [B,H,D,D]."""
    batch, length, _size = hidden_states.shape
    heads, size = layer.num_attention_heads, layer.head_dim
    rows = layer.act_fn(layer.qkv_proj(hidden_states)).reshape(batch, length, heads, 3 * size)
    query, key, value = rows.split(size, dim=3)
    past_key_values.get_recurrent_state(layer.layer_idx)
    past = past_key_values.take_state((1, heads, size, size))
    decay = -layer.slope_rate.reshape(1, 1, heads).expand(batch, length, heads)
    output, state = linear_attention(query, key, value, past, decay)
    past_key_values.update_recurrent_state(state, layer.layer_idx)
    gated = torch.sigmoid(layer.output_gate(hidden_states)) * layer.norm(output.flatten(2))
    return layer.out_proj(gated), state

"""RecurrentGemma: the RG-LRU (De et al. 2024), a recurrence of single numbers behind a convolution; the rest attends.

Its state in transformers is an attribute of the layer, which a graph cannot hold.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from workflows.export.attention import current_states
from workflows.export.own_attention.routing import Layer, route
from workflows.export.recurrence import causal_conv, linear_attention


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention."""
    for index, layer in enumerate(model.model.layers):
        block = layer.temporal_block
        if hasattr(block, "rg_lru"):
            block.layer_idx = block.rg_lru.layer_idx = index
            route(block, "forward", _block)
            route(block.rg_lru, "_rnn_scan", _scan)


def _block(
    block: Layer, hidden: torch.Tensor, position_ids: torch.Tensor, *_: Any, **__: Any
) -> tuple[torch.Tensor, None]:
    states, convolution = current_states(), block.conv_1d
    assert states is not None  # as it is routed
    new = block.linear_x(hidden).transpose(1, 2)
    columns = states.update_conv_state(new, block.layer_idx, conv_kernel_size=block.conv1d_width)
    rows = causal_conv(states, columns, convolution.weight[:, 0], convolution.bias).transpose(1, 2)
    states.get_recurrent_state(block.layer_idx)
    return block.linear_out(block.rg_lru(rows, position_ids) * block.act_fn(block.linear_y(hidden))), None


def _scan(
    lru: Layer, hidden_states: torch.Tensor, recurrent_gate: torch.Tensor, **__: Any
) -> tuple[torch.Tensor, None]:
    """[B,S,C]: h ← gate · h + x, each channel a head of size 1. Before the first token the state is zero."""
    states = current_states()
    assert states is not None
    values, one = hidden_states[..., None], torch.ones_like(hidden_states)[..., None]
    past = states.take_state((1, values.shape[2], 1, 1))
    output, state = linear_attention(one, one, values, past, torch.log(recurrent_gate))
    states.update_recurrent_state(state, lru.layer_idx)
    return output[..., 0], None

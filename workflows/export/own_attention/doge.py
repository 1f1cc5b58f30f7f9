"""Doge's dynamic mask, which adds a number to each key's scores, computed from its value.

Beyond `keep_window_size` keys a token attends to those with the largest numbers alone; recipe/family.py limits the
positions to that many.
"""

from __future__ import annotations

import torch
from transformers import PreTrainedModel

from workflows.export.own_attention.routing import route


def adapt(model: PreTrainedModel) -> None:
    """Gives the numbers without a mask while a cache adapter is in use, which adds them to its own."""
    for module in model.modules():
        if hasattr(module, "prepare_dynamic_mask"):
            module.mask_is_bias = True
            route(module, "prepare_dynamic_mask", _numbers)


def _numbers(
    module: torch.nn.Module, hidden_states: torch.Tensor, dt_states: torch.Tensor, **_: object
) -> torch.Tensor:
    """[B,Hk,S,T] of [B,Hk,T]."""
    return dt_states[:, :, None].expand(-1, -1, hidden_states.shape[1], -1)

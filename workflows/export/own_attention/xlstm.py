"""xLSTM: the mLSTM (Beck et al. 2024), a linear attention whose gates decay the state and weigh what is added to it.

The paper divides numerator, normalizer and gates by the largest gate so far, which cancels: with gates that config.json
caps, none of them is too large for float32.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from workflows.common.errors import RecipeError
from workflows.export.attention import current_states
from workflows.export.own_attention.routing import Layer, route
from workflows.export.recurrence import linear_attention

_LARGEST_CAP = 40.0  # e⁴⁰ is far from float32's limit, e⁸⁸


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention. Raises RecipeError for too large a cap; the body takes its own class of caches, or none."""
    if not 0 < model.config.gate_soft_cap <= _LARGEST_CAP:
        raise RecipeError(
            f"This model's input gates are not capped at {_LARGEST_CAP:.0f} or less (gate_soft_cap in config.json), so "
            "that its state may be too large for float32: it cannot be built."
        )
    own, none = model.backbone.forward, {"cache_params": None, "use_cache": False}
    route(model.backbone, "forward", lambda _, *args, **named: own(*args, **{**named, **none}))
    for index, block in enumerate(model.backbone.blocks):
        backend = block.mlstm_layer.mlstm_backend
        backend.layer_idx = index
        route(backend, "forward", _mlstm)


def _mlstm(
    backend: Layer,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    igate: torch.Tensor,
    fgate: torch.Tensor,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """[B,H,S,Dv]; a column of ones beside the values sums the normalizer."""
    states = current_states()
    assert states is not None  # as it is routed
    query, key, value = (rows.transpose(1, 2) for rows in (query, key, value))  # [B,S,H,D]
    gates, decay = igate.transpose(1, 2)[..., None], torch.nn.functional.logsigmoid(fgate).transpose(1, 2)
    value = torch.cat([value, torch.ones_like(value[..., :1])], dim=3)
    states.get_recurrent_state(backend.layer_idx)
    past = states.take_state((1, key.shape[2], key.shape[3], value.shape[3]))
    output, state = linear_attention(query * key.shape[3] ** -0.5, key * torch.exp(gates), value, past, decay)
    states.update_recurrent_state(state, backend.layer_idx)
    output = output[..., :-1] / output[..., -1:].abs().clamp(min=1.0)
    return output.transpose(1, 2), None

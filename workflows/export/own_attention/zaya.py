"""ZAYA: queries and keys pass a convolution, and half of a value comes of the token before; both are kept as state."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from workflows.common.errors import RecipeError
from workflows.export.own_attention.routing import Layer, route
from workflows.export.recurrence import RecurrentStates


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention. Raises RecipeError where the first token's state would not be zero."""
    for module in model.modules():
        if hasattr(module, "v_proj_delayed"):
            if module.v_proj_delayed.bias is not None:
                raise RecipeError("This model's values have a bias before the first token, so it cannot be built.")
            _route_projection(module)


class _StatesOfZaya:
    """What the projection asks of its cache: the columns and the row before the step, which it extends itself."""

    def __init__(self, adapter: RecurrentStates, module: Layer) -> None:
        self._adapter, self._module = adapter, module

    def get_conv_state(self, layer: int, state_idx: int = 0) -> torch.Tensor:
        channels = self._module.q_proj.out_features + self._module.k_proj.out_features
        return self._adapter.past_state((layer, "conv"), (1, channels, self._module.conv_kernel_size))

    def get_recurrent_state(self, layer: int, state_idx: int = 0) -> torch.Tensor:
        return self._adapter.past_state((layer, "recurrent"), (1, self._module.v_proj_delayed.out_features))

    def update_conv_state(self, columns: torch.Tensor, layer: int) -> None:
        self._adapter.new_states[layer, "conv"] = columns

    def update_recurrent_state(self, row: torch.Tensor, layer: int) -> None:
        self._adapter.new_states[layer, "recurrent"] = row


def _route_projection(module: Layer) -> None:
    own = module.forward

    def project(_: Layer, hidden: torch.Tensor, cache: RecurrentStates, *more: Any) -> Any:
        return own(hidden, _StatesOfZaya(cache, module), *more)

    route(module, "forward", project)

"""Inkling: a learned bias by distance, for which the model asks its cache for the positions of the keys."""

from __future__ import annotations

import torch
from transformers import PreTrainedModel

from workflows.export.attention import current_adapter
from workflows.export.own_attention.routing import Layer, route


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention."""
    for module in model.modules():
        if hasattr(module, "rel_logits_proj"):
            _route_bias(module.rel_logits_proj)


def _route_bias(projection: Layer) -> None:
    own = projection.forward

    def bias(_: Layer, relative: torch.Tensor, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        """[B,H,S,T] for the positions that the adapter's keys have."""
        positions: torch.Tensor = own(relative, queries, current_adapter().key_positions(queries.shape[0]))
        return positions

    route(projection, "forward", bias)

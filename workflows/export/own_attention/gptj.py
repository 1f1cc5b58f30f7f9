"""GPT-J, CodeGen, GPT-Neo and GPT-NeoX Japanese: a method `_attn` computes attention, after the cache was updated."""

from __future__ import annotations

import torch
from transformers import PreTrainedModel

from workflows.export.attention import attend_with_adapter
from workflows.export.own_attention.routing import Layer, route


def adapt(model: PreTrainedModel) -> None:
    """See adapt_attention. The layers share one table of rotary positions, of which each has a copy."""
    layers = [layer for layer in model.modules() if hasattr(layer, "_attn")]
    for index, layer in enumerate(layers):
        layer.layer_idx = index  # GPT-Neo has another name for it
        if hasattr(layer, "embed_positions"):
            layer.embed_positions = layers[0].embed_positions
        route(layer, "_attn", _attn)


def _attn(
    layer: Layer, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attention_mask: torch.Tensor
) -> tuple[torch.Tensor, None]:
    """[B,H,S,D]. GPT-Neo's local layers apply a window by a table of their own."""
    local = getattr(layer, "attention_type", "") == "local"
    window = {"sliding_window": layer.config.window_size, "own_mask": True} if local else {}
    output, _ = attend_with_adapter(layer, query, key, value, attention_mask, scaling=_scale(layer), **window)
    return output.transpose(1, 2), None


def _scale(layer: Layer) -> float:
    """GPT-Neo does not scale its scores."""
    divisors = (getattr(layer, name, None) for name in ("scale_attn", "norm_factor"))
    return 1.0 / next((float(divisor) for divisor in divisors if divisor is not None), 1.0)

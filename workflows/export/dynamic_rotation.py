"""Fixes rotary angles that transformers chooses by the length of the text.

dynamic (NTK)   up to max_position_embeddings they are those of the model's base; a bundle holds no more tokens
longrope        short factors up to original_max_position_embeddings, long ones in every position of a longer text

A key in the cache cannot be rotated again, so a bundle has the angles of one range: of the lengths up to its capacity.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import torch
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

_DYNAMIC, _DIVIDED, _FIXED = "dynamic", "longrope", "default"


def fix_dynamic_rotations(model: torch.nn.Module) -> None:
    """Makes rotary modules keep the angles that they were created with, which no longer follow the length."""
    for module, kind, rule in _rules(model):
        if rule == _DYNAMIC:
            _fix(module, kind)


def choose_rotations(model: torch.nn.Module, capacity: int) -> None:
    """Fixes `longrope` at the angles of a text of `capacity` tokens."""
    for module, kind, rule in _rules(model):
        if rule != _DIVIDED:
            continue
        if "long_mscale" in module.config.rope_parameters:
            _fix_scale(module, capacity)
            continue
        angles, module.attention_scaling = ROPE_INIT_FUNCTIONS[rule](
            module.config, torch.device("cpu"), seq_len=capacity, layer_type=kind
        )
        setattr(module, f"{kind}_inv_freq" if kind else "inv_freq", angles)
        _fix(module, kind)


def _fix_scale(module: torch.nn.Module, capacity: int) -> None:
    """Of PhiMoE, which computes short angles for every length, and scales them by the length of the text."""
    rope, (angles, _) = module.config.rope_parameters, module.rope_init_fn(module.config)
    scale = rope["long_mscale" if capacity > rope["original_max_position_embeddings"] else "short_mscale"]
    module.config = copy.copy(module.config)
    module.config.rope_parameters = {**rope, "rope_type": _FIXED}
    module.rope_init_fn = lambda _: (angles, scale)
    _fix(module, None)


def _rules(model: torch.nn.Module) -> Iterator[tuple[torch.nn.Module, str | None, str]]:
    """(module, type of layer, rule) of every rotary module; the type is None where all layers have one rule."""
    for module in model.modules():
        rule = getattr(module, "rope_type", None)
        if isinstance(rule, dict):
            yield from ((module, kind, one) for kind, one in list(rule.items()))
        elif rule is not None:
            yield module, None, rule


def _fix(module: torch.nn.Module, kind: str | None) -> None:
    module.rope_type = _FIXED if kind is None else {**module.rope_type, kind: _FIXED}

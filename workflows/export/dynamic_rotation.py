"""Fixes rotary angles that transformers computes anew for texts beyond the model's own length (`dynamic` NTK).

Up to max_position_embeddings they are those of the model's base; a bundle's capacity is limited to as many tokens. The
branch that compares the length with it depends on data, and cannot be traced.
"""

from __future__ import annotations

import torch

_RULE, _FIXED = "dynamic", "default"


def fix_dynamic_rotations(model: torch.nn.Module) -> None:
    """Makes rotary modules keep the angles that they were created with, which no longer follow the length."""
    for module in model.modules():
        rule = getattr(module, "rope_type", None)
        if rule == _RULE:
            module.rope_type = _FIXED
        elif isinstance(rule, dict):  # by the type of layer
            module.rope_type = {kind: _FIXED if one == _RULE else one for kind, one in rule.items()}

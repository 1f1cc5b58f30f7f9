"""Replaces methods of single modules while a cache adapter is in use, and passes their attention to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from workflows.export.attention import attend_with_adapter, is_using_adapter

Layer = Any  # a module of transformers, whose attributes differ by family


def route(module: Layer, method: str, replacement: Callable[..., Any]) -> None:
    """Calls `replacement(module, …)` for the module's method while a cache adapter is in use.

    Only this instance changes; without an adapter its own code runs.
    """
    own = getattr(module, method)

    def routed(*args: Any, **named: Any) -> Any:
        return replacement(module, *args, **named) if is_using_adapter() else own(*args, **named)

    setattr(module, method, routed)


def attend(
    layer: Layer, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, **terms: Any
) -> torch.Tensor:
    """[B,S,Hq·D]: attention over what the cache's `update` returned. terms: as of attend_with_adapter."""
    output, _ = attend_with_adapter(layer, query, key, value, mask, **terms)
    return output.flatten(2)


def split_heads(rows: torch.Tensor, heads: int) -> torch.Tensor:
    """[B,S,H·D] → [B,H,S,D]."""
    return rows.unflatten(2, (heads, -1)).transpose(1, 2)

"""The decoder component: a causal LM whose KV cache is inputs and outputs.

    input_ids [1,S] · position_ids [1,S] · attention_mask [1,1,S,C+S] · past [1,H,C,D] per layer and role
        ──▶ logits [1,S,V] · present [1,H,S,D]: the new tokens' rows alone

Keys are past ++ new, so slot order does not matter to the graph: the mask says what each query sees, and the
positions are already baked into the keys.
"""

from __future__ import annotations

from typing import Any

import torch

from workflows.kvcache.geometry import StatePatterns
from workflows.recipe.families.base import Geometry

PATTERNS = StatePatterns()
SEQUENCE, CAPACITY, TOTAL = "sequence", "capacity", "total"


class PastAsInputs:
    """What the model's attention calls a cache: gives past ++ new, and remembers the new rows.

    Duck-typed rather than derived from transformers' classes, whose signatures change between versions.
    """

    is_compileable = False

    def __init__(self, keys: tuple[torch.Tensor, ...], values: tuple[torch.Tensor, ...]) -> None:
        self.past = list(zip(keys, values, strict=True))
        self.fresh: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def update(
        self, key: torch.Tensor, value: torch.Tensor, layer: int, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """key, value [1,H,S,D] of the new tokens → [1,H,C+S,D] each."""
        self.fresh[layer] = key, value
        past_key, past_value = self.past[layer]
        return torch.cat([past_key, key], dim=2), torch.cat([past_value, value], dim=2)

    def get_seq_length(self, layer: int = 0) -> int:
        """The slots of past, C."""
        return int(self.past[layer][0].shape[2])


class DecoderWithPast(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """A causal LM, its cache taken apart into tensors."""

    def __init__(self, model: Any, layers: int) -> None:
        super().__init__()
        self.model = model
        self.layers = layers

    def forward(
        self,
        input_ids: torch.Tensor,
        position_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        *past: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        """past is key, value of layer 0, key, value of layer 1 …; the outputs follow the same order."""
        cache = PastAsInputs(past[0::2], past[1::2])
        output = self.model(
            input_ids=input_ids,
            position_ids=position_ids,
            attention_mask=attention_mask,
            past_key_values=cache,
            use_cache=True,
        )
        fresh = [tensor for layer in range(self.layers) for tensor in cache.fresh[layer]]
        return output.logits, *fresh


def example_inputs(geometry: Geometry, sequence: int = 3, capacity: int = 5) -> tuple[torch.Tensor, ...]:
    """Inputs to trace with; the sizes are unequal so that no axis is taken for another."""
    row = (1, geometry.kv_heads, capacity, geometry.head_dim)
    return (
        torch.zeros(1, sequence, dtype=torch.long),
        torch.arange(capacity, capacity + sequence)[None],
        torch.zeros(1, 1, sequence, capacity + sequence),
        *(torch.zeros(row) for _ in range(2 * geometry.layers)),
    )


def axes(geometry: Geometry) -> tuple[Any, ...]:
    """The symbolic axes of the inputs, in the order of `example_inputs`."""
    past = tuple({2: CAPACITY} for _ in range(2 * geometry.layers))
    return {1: SEQUENCE}, {1: SEQUENCE}, {2: SEQUENCE, 3: TOTAL}, past


def names(geometry: Geometry) -> tuple[list[str], list[str]]:
    """(input names, output names)."""
    layers = range(geometry.layers)
    past = [pattern % i for i in layers for pattern in (PATTERNS.past_key, PATTERNS.past_value)]
    present = [pattern % i for i in layers for pattern in (PATTERNS.present_key, PATTERNS.present_value)]
    return ["input_ids", "position_ids", "attention_mask", *past], ["logits", *present]

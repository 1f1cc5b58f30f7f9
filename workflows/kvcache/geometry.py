"""The cache's geometry, read from the graphs' own inputs and outputs, never from a config."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from workflows.errors import GraphError
from workflows.tensors import TensorSpec, item_bytes

Role = Literal["key", "value"]
SLOT_AXIS = 2  # of past and present, [B, kv_heads, slots, head_dim]


@dataclass(frozen=True, slots=True)
class StatePatterns:
    """The names of past and present tensors; `%d` stands for the layer."""

    past_key: str = "past_key_values.%d.key"
    past_value: str = "past_key_values.%d.value"
    present_key: str = "present.%d.key"
    present_value: str = "present.%d.value"

    def pairs(self) -> tuple[tuple[Role, str, str], ...]:
        """(role, past pattern, present pattern)."""
        return ("key", self.past_key, self.present_key), ("value", self.past_value, self.present_value)


@dataclass(frozen=True, slots=True)
class StateTensor:
    """One past/present pair of one layer.

    `shape` is that of past, [1, kv_heads, capacity, head_dim], where the capacity may be symbolic.
    `writer` is `host` where present holds the new tokens' rows alone, which the cache then commits.
    """

    past: str
    present: str
    layer: int
    role: Role
    shape: tuple[int | str, ...]
    dtype: str
    writer: Literal["graph", "host"]

    @property
    def capacity(self) -> int | None:
        """The fixed number of slots, or None where the graph takes any."""
        axis = self.shape[SLOT_AXIS]
        return axis if isinstance(axis, int) else None

    @property
    def row(self) -> tuple[int, int]:
        """(kv_heads, head_dim): what one slot of one layer holds."""
        heads, width = self.shape[1], self.shape[3]
        assert isinstance(heads, int) and isinstance(width, int)  # find_state checked it
        return heads, width

    @property
    def bytes_per_slot(self) -> int:
        """Bytes that one token takes in this tensor."""
        heads, width = self.row
        return heads * width * item_bytes(self.dtype)


def find_state(
    inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], patterns: StatePatterns
) -> tuple[StateTensor, ...]:
    """The past/present pairs of a graph, by layer and role; empty for a graph that has none.

    Raises GraphError for a malformed layer number, a gap, a missing half, a shape that is not
    [1, kv_heads, slots, head_dim], or a present that disagrees with its past.
    """
    found: list[StateTensor] = []
    for role, past_pattern, present_pattern in patterns.pairs():
        past, present = _by_layer(inputs, past_pattern), _by_layer(outputs, present_pattern)
        for layer in sorted(past.keys() ^ present.keys()):
            lacking = present_pattern if layer in past else past_pattern
            raise GraphError(f"The graph lacks {lacking % layer}, the other half of layer {layer}'s {role} cache.")
        found += [_state(role, layer, past[layer], present[layer]) for layer in sorted(past)]
    layers = {(tensor.layer, tensor.role) for tensor in found}
    for layer in range(len(found) // 2):
        for role in ("key", "value"):
            if (layer, role) not in layers:
                raise GraphError(f"The graph's cache has no {role} for layer {layer}, though it has later layers.")
    return tuple(sorted(found, key=lambda tensor: (tensor.layer, tensor.role)))


def _by_layer(specs: Iterable[TensorSpec], pattern: str) -> dict[int, TensorSpec]:
    head, tail = pattern.split("%d")
    found: dict[int, TensorSpec] = {}
    for spec in specs:
        if not (spec.name.startswith(head) and spec.name.endswith(tail)):
            continue
        number = spec.name[len(head) : len(spec.name) - len(tail)]
        if not re.fullmatch(r"0|[1-9][0-9]{0,5}", number):
            raise GraphError(f"{spec.name} is named like a cache tensor, but {number!r} is no layer number.")
        if int(number) in found:
            raise GraphError(f"Layer {number} has two tensors named {spec.name}.")
        found[int(number)] = spec
    return found


def _state(role: Role, layer: int, past: TensorSpec, present: TensorSpec) -> StateTensor:
    if len(past.shape) != 4 or len(present.shape) != 4:
        raise GraphError(f"{past.name} should be [1, kv_heads, slots, head_dim] and is {list(past.shape)}.")
    batch, heads, slots, width = past.shape
    if batch != 1 or not isinstance(heads, int) or not isinstance(width, int):
        raise GraphError(f"{past.name} is {list(past.shape)}: batch must be 1, and heads and head size fixed.")
    if (present.shape[1], present.shape[3], present.dtype) != (heads, width, past.dtype):
        raise GraphError(f"{present.name} is {list(present.shape)} {present.dtype}, which does not fit {past.name}.")
    writer: Literal["graph", "host"] = "graph" if present.shape[SLOT_AXIS] == slots else "host"
    return StateTensor(past.name, present.name, layer, role, past.shape, past.dtype, writer)

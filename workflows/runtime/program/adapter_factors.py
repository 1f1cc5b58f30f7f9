"""Which inputs of a graph are factors of an adapter: lora_A.<module> [K, rank], lora_B.<module> [rank, N]."""

from __future__ import annotations

from workflows.common.tensor_names import ADAPTER_LEFT, ADAPTER_RIGHT
from workflows.common.tensors import TensorSpec


def is_factor(spec: TensorSpec) -> bool:
    """Whether the input is a factor, by its name and its one axis of any size."""
    return rank_axis(spec) is not None


def rank_axis(spec: TensorSpec) -> int | None:
    """The axis whose size is the adapter's rank; None for an input that is no factor."""
    if len(spec.shape) != 2 or not spec.is_floating:
        return None
    for axis, pattern in ((1, ADAPTER_RIGHT), (0, ADAPTER_LEFT)):
        if spec.name.startswith(pattern.format("")):
            fits = isinstance(spec.shape[axis], str) and isinstance(spec.shape[1 - axis], int)
            return axis if fits else None
    return None


def partner_of(name: str) -> str:
    """The name of A for that of B, and of B for that of A."""
    right, left = ADAPTER_RIGHT.format(""), ADAPTER_LEFT.format("")
    return left + name.removeprefix(right) if name.startswith(right) else right + name.removeprefix(left)

"""State of fixed size beside the keys and values: of recurrences and convolutions.

    past_conv.0 [1, channels, width] ──graph──▶ present_conv.0 ──commit──▶ past_conv.0

A step replaces it, so that the cache can only be reset, not rewound, and padding would enter it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workflows.common.errors import GraphError
from workflows.common.tensors import Array, TensorSpec

# input name → name of the output that is its next value
_NAME_CHANGES = (("past_key_values", "present"), ("past", "present"), ("rnn_states_prev", "rnn_states"))


@dataclass(frozen=True, slots=True)
class CarriedTensor:
    """An input and the output that is its next value; both have `shape`, with a batch of 1."""

    past: str
    present: str
    shape: tuple[int, ...]
    dtype: str


def find_carried(
    inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], declared: Mapping[str, str], known: Iterable[str]
) -> tuple[CarriedTensor, ...]:
    """The carried pairs of a graph: those `declared` by the file, input → output, and those recognized by name.

    known: inputs with another meaning. Raises GraphError for a pair whose shapes are not one fixed shape.
    """
    known, results = set(known), {spec.name: spec for spec in outputs}
    pairs = []
    for spec in inputs:
        after = declared.get(spec.name) or next((name for name in _next_names(spec.name) if name in results), None)
        if after is None or (spec.name in known and spec.name not in declared):
            continue
        if after not in results:
            raise GraphError(f"The graph has no output {after}, which is declared as the next value of {spec.name}.")
        if spec.name in declared or not any(isinstance(axis, str) for axis in spec.shape[1:]):
            pairs.append(_carried_tensor(spec, results[after]))
    return tuple(pairs)


class CarriedState:
    """The values of all carried tensors: the graph reads `past`, by input, and writes `fresh`, by output."""

    def __init__(self, tensors: Sequence[CarriedTensor]) -> None:
        self.tensors = {tensor.past: tensor for tensor in tensors}
        self.past = {name: _zeros(tensor) for name, tensor in self.tensors.items()}
        self.fresh = {tensor.present: _zeros(tensor) for tensor in tensors}

    def __bool__(self) -> bool:
        return bool(self.tensors)

    @property
    def bytes(self) -> int:
        """Bytes of the values."""
        return sum(array.nbytes for array in self.past.values())

    def commit(self) -> None:
        """Copies what the graph wrote to `past`, for the next step."""
        for name, tensor in self.tensors.items():
            self.past[name][...] = self.fresh[tensor.present]

    def reset(self) -> None:
        """Writes zeros, the state before the first step."""
        for array in self.past.values():
            array[...] = 0

    def restore(self, values: Mapping[str, Array]) -> None:
        """Copies saved values, by input, back; the caller has checked shapes and types."""
        for name, array in self.past.items():
            array[...] = values[name]


def _next_names(name: str) -> list[str]:
    return [name.replace(old, new) for old, new in _NAME_CHANGES if old in name]


def _carried_tensor(past: TensorSpec, present: TensorSpec) -> CarriedTensor:
    shape = tuple(1 if i == 0 and isinstance(axis, str) else axis for i, axis in enumerate(past.shape))
    fixed = tuple(axis for axis in shape if isinstance(axis, int))
    after = tuple(1 if i == 0 and isinstance(axis, str) else axis for i, axis in enumerate(present.shape))
    if len(fixed) != len(shape) or after != shape or past.dtype != present.dtype or fixed[:1] not in ((1,), ()):
        raise GraphError(
            f"{past.name} {list(past.shape)} {past.dtype} is carried on in {present.name} {list(present.shape)} "
            f"{present.dtype}: both must have one fixed shape and type, with a batch of 1."
        )
    return CarriedTensor(past.name, present.name, fixed, past.dtype)


def _zeros(tensor: CarriedTensor) -> Array:
    return np.zeros(tensor.shape, TensorSpec("", (), tensor.dtype).numpy_dtype)

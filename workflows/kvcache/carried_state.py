"""State of fixed size beside the keys and values: of recurrences and convolutions.

    past_conv.0 [1, channels, width] ──graph──▶ present_conv.0 ──commit──▶ past_conv.0

A step replaces it, and padding would enter it. Snapshots of earlier states are the lengths that the cache can be
rewound to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workflows.common.errors import GraphError
from workflows.common.tensors import Array, TensorSpec

# input name → name of the output that is its next value
_NAME_CHANGES = (("past_key_values", "present"), ("past", "present"), ("rnn_states_prev", "rnn_states"))

SNAPSHOT_TOKENS = 64  # between two snapshots
_FEWEST, _MOST, _SNAPSHOT_BYTES = 2, 16, 256 << 20  # snapshots, and bytes of all of them


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
    """The values of all carried tensors: the graph reads `past`, by input, and writes `fresh`, by output.

    turn: 0 or 1; each commit changes it and exchanges the two memories, so that no state is copied.
    """

    def __init__(self, tensors: Sequence[CarriedTensor]) -> None:
        self.tensors = {tensor.past: tensor for tensor in tensors}
        self.past = {name: _zeros(tensor) for name, tensor in self.tensors.items()}
        self.fresh = {tensor.present: _zeros(tensor) for tensor in tensors}
        self.turn = 0
        self.snapshots: dict[int, dict[str, Array]] = {}  # tokens of the sequence → the state after them, ascending

    def __bool__(self) -> bool:
        return bool(self.tensors)

    @property
    def bytes(self) -> int:
        """Bytes of the values and of their snapshots."""
        return self._size * (1 + len(self.snapshots))

    @property
    def _size(self) -> int:
        return sum(array.nbytes for array in self.past.values())

    def commit(self, length: int) -> None:
        """Makes what the graph wrote the `past` of the next step; the sequence then has `length` tokens."""
        if not self.tensors:
            return
        for name, tensor in self.tensors.items():
            self.past[name], self.fresh[tensor.present] = self.fresh[tensor.present], self.past[name]
        self.turn = 1 - self.turn
        if length - max(self.snapshots, default=0) >= SNAPSHOT_TOKENS:
            self.snapshots[length] = {name: array.copy() for name, array in self.past.items()}
            if len(self.snapshots) > max(_FEWEST, min(_MOST, _SNAPSHOT_BYTES // max(self._size, 1))):
                del self.snapshots[_least_useful(length, list(self.snapshots))]

    def rewind(self, length: int) -> None:
        """Goes back to the state after `length` tokens: of a snapshot, or zeros before the first token."""
        for name, array in self.past.items():
            array[...] = self.snapshots[length][name] if length else 0
        self.snapshots = {at: state for at, state in self.snapshots.items() if at <= length}

    def restore(self, values: Mapping[str, Array]) -> None:
        """Copies saved values, by input, back; the caller has checked shapes and types."""
        for name, array in self.past.items():
            array[...] = values[name]


def _least_useful(end: int, lengths: Sequence[int]) -> int:
    """The snapshot without which the gap that is left is smallest for its distance from the `end`; never the newest.

    Old ones so become sparse: a text is mostly continued near its end.
    """
    gaps = zip((0, *lengths), lengths, lengths[1:], strict=False)
    return min(gaps, key=lambda gap: (gap[2] - gap[0]) / (end - gap[1]))[1]


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

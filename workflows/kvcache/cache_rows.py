"""Several sequences whose keys and values lie one after another, so that a step binds the first n of them at once.

    one tensor [rows, H, slots, D] ─┬─ [i:i+1] ──▶ KVCache of row i: reads its prompt alone, is rewound, saved, shown
                                    └─ [:n] ─────▶ a step of one token in each of some rows below n

    plan({row: token}) ─▶ RowStep (ids, positions, lengths)     the other rows below n take part as idle ones
    commit(step)       ─▶ the rows that were fed have one token more

What an idle row writes lies in the slot after its last one, which its next token overwrites; every row has a slot more
than its capacity for that. Rows know nothing of each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workflows.common.memory import lazy_zeros
from workflows.common.tensor_names import SEQLENS, TOTAL_LENGTH
from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache.buffers import StackedBuffers, group_by_row
from workflows.kvcache.cache import KVCache
from workflows.kvcache.cache_inputs import IDS, POSITIONS
from workflows.kvcache.geometry import StateFacts, StateTensor
from workflows.kvcache.layouts import Layout
from workflows.kvcache.step_planner import Step

_ROW_INPUTS = (IDS, POSITIONS, SEQLENS, TOTAL_LENGTH)  # of which each row has its own, but for the last


@dataclass(frozen=True)
class RowStep:
    """The inputs of a step of the first `count` rows: ids and positions [count, 1], seqlens_k [count], and the longest
    row's length. steps: of the rows that are fed.
    """

    inputs: dict[str, Array]
    steps: dict[int, Step]
    count: int


class CacheRows:
    """`count` sequences of up to `capacity` tokens each, for graphs of which rows_refusal says nothing.

    Memory is taken when it is first written. Raises GraphError where the state tensors contradict one another.
    """

    def __init__(
        self,
        state: Sequence[StateTensor],
        layout: Layout,
        capacity: int,
        count: int,
        facts: StateFacts,
        inputs: Mapping[str, TensorSpec],
    ) -> None:
        self._inputs, slots = dict(inputs), capacity + 1
        fixed = [replace(one, shape=_with_slots(one, slots)) for one in state]
        self._memory = [(tensors, _zeros(tensors, count, slots)) for tensors in group_by_row(fixed)]
        self._locations = {
            one.past: memory[place] for tensors, memory in self._memory for place, one in enumerate(tensors)
        }
        self.rows = tuple(
            KVCache(fixed, layout, capacity, facts, inputs, stacks=self._stacks(row, slots)) for row in range(count)
        )

    def _stacks(self, row: int, slots: int) -> list[StackedBuffers]:
        return [StackedBuffers(tensors, memory[:, row : row + 1], slots) for tensors, memory in self._memory]

    def past(self, name: str, count: int) -> Array:
        """The memory [count, H, slots, D] of the first rows of a past input."""
        past: Array = self._locations[name][:count]
        return past

    def shapes(self, count: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the inputs of a step of `count` rows, by name."""
        own = {IDS: (count, 1), POSITIONS: (count, 1), SEQLENS: (count,)}
        return {name: own.get(name, (1,) * len(spec.shape)) for name, spec in self._inputs.items()}

    def plan(self, tokens: Mapping[int, int]) -> RowStep:
        """The step that feeds `tokens`, by row. Raises CapacityError for a row without room, and writes nothing."""
        count = max(tokens) + 1
        steps = {row: self.rows[row].plan([token]) for row, token in tokens.items()}
        lengths = np.array([one.length for one in self.rows[:count]])
        inputs = {name: np.zeros(shape, self._inputs[name].numpy_dtype) for name, shape in self.shapes(count).items()}
        for name, array in inputs.items():
            if name == TOTAL_LENGTH:
                array[...] = lengths.max() + 1
                continue
            if name == SEQLENS:
                array[...] = lengths  # an idle row writes behind its last token
            for row, step in steps.items():
                array[row] = step.inputs[name][0]
        return RowStep(inputs, steps, count)

    def commit(self, step: RowStep) -> None:
        """Makes the new tokens part of their rows."""
        for row, own in step.steps.items():
            self.rows[row].commit(own)


def rows_refusal(state: Sequence[StateTensor], layout: Layout, facts: StateFacts, inputs: Mapping[str, TensorSpec],
                 carries: bool) -> str:  # fmt: skip
    """Why a graph cannot continue several texts in a step; empty where it can.

    carries: whether state of fixed size goes with the cache.
    """
    if layout.writer != "gqa":
        return f"the {layout.name} cache takes one mask for all columns of a run: build with --cache gqa --set batch=N"
    if carries:
        return "it keeps state of fixed size, which every run of a row replaces"
    if facts.mutual or facts.left_aligned:
        return "what its tokens attend to depends on more than the number of tokens before them"
    if other := next((name for name in inputs if name not in _ROW_INPUTS), None):
        return f"its graphs take {other}, which is the same for all rows"
    if any(isinstance(one.shape[0], int) for one in state):
        return "its graphs take one text: build with --set batch=N"
    return ""


def _with_slots(tensor: StateTensor, slots: int) -> tuple[int | str, ...]:
    return tuple(slots if axis == tensor.slot_axis else size for axis, size in enumerate(tensor.shape))


def _zeros(tensors: Sequence[StateTensor], count: int, slots: int) -> Array:
    """[T, count, H, slots, D]."""
    _, *row = tensors[0].sized(slots)
    shape, dtype = (len(tensors), count, *row), TensorSpec("", (), tensors[0].dtype).numpy_dtype
    try:
        return lazy_zeros(shape, dtype)
    except OSError:  # a limit of the process may count unused address space
        return np.zeros(shape, dtype)

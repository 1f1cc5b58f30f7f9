"""One slot→position table per group of like layers, from which everything else derives.

    plan(ids, width) ─▶ Step (ids, positions, masks)   nothing is written
    the graph runs with past bound to `past(...)` and present to `fresh(...)`
    commit(step)      ─▶ the new rows go to their slots, the table and the length advance

A step that is never committed (cancelled, failed) leaves no trace. Batch is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.errors import GraphError, RewindError
from workflows.kvcache.geometry import StateTensor
from workflows.kvcache.layouts import Layout, Positions
from workflows.tensors import TensorSpec

EMPTY = -1  # a slot that holds no token
_BUCKET = 64  # slots; a growing buffer is a multiple of this


@dataclass
class Group:
    """Layers that share one table. `window` is how many positions back a token sees itself included; None means all."""

    name: str
    layers: tuple[int, ...]
    window: int | None
    table: Positions = field(default_factory=lambda: np.empty(0, np.int64))  # [allocated], EMPTY or a position


@dataclass(frozen=True)
class Step:
    """The inputs of one run: N columns, of which the first `tokens` are real and the rest padding.

    ids, positions: [1, N] int64, positions absolute. masks: group name → [1, 1, N, allocated + N], 0 where the
    query of a row sees the key of a column and the type's lowest finite value elsewhere; columns are the
    cache's slots, then the new tokens. slots: [tokens] int64, where the rows go on commit.
    """

    ids: NDArray[np.int64]
    positions: NDArray[np.int64]
    masks: dict[str, NDArray[Any]]
    slots: Positions
    tokens: int

    @property
    def width(self) -> int:
        """N, the columns that the graph computes."""
        return int(self.ids.shape[1])


@dataclass(frozen=True)
class GroupView:
    """What the window draws of a group; `runs` are [first slot, first position, count] of filled slots."""

    name: str
    layout: str
    layers: list[int]
    capacity: int
    allocated: int
    window: int | None
    shape: list[int | str]
    dtype: str
    bytes: int
    writer: str
    length: int
    evicted: int
    runs: list[list[int]]


@dataclass
class _Store:
    """The buffers of all state tensors with one row shape and type, stacked so that a commit is one assignment.

    slots: [T, 1, H, allocated, D]; a tensor's own buffer is the contiguous slots[t].
    """

    tensors: list[StateTensor]
    slots: NDArray[Any]
    fresh: dict[int, NDArray[Any]] = field(default_factory=dict)  # width → [T, 1, H, width, D]

    def commit(self, step: Step, keep: slice) -> None:
        slots, rows = step.slots[keep], self.fresh[step.width][:, :, :, keep]
        first, count = int(slots[0]), len(slots)
        if slots[-1] - first == count - 1:  # neighbours, as nearly always: a slice copies faster than an index
            self.slots[:, :, :, first : first + count] = rows
        else:
            self.slots[:, :, :, slots] = rows

    def grow(self, allocated: int) -> None:
        tensors, batch, heads, before, width = self.slots.shape
        larger = np.zeros((tensors, batch, heads, allocated, width), self.slots.dtype)
        larger[:, :, :, :before] = self.slots
        self.slots = larger


class KVCache:
    """The keys and values of one sequence, and the one table that says which token is where.

    state: the graph's past/present pairs. capacity: slots at most. Where the graph's slot axis is symbolic the
    buffers start small and grow with the sequence, so that short ones cost little; `generation` counts these
    changes, after which buffers must be bound again.
    """

    def __init__(
        self, state: Sequence[StateTensor], layout: Layout, capacity: int, mask_dtype: str = "float32"
    ) -> None:
        fixed = {tensor.capacity for tensor in state}
        if not state or len(fixed) != 1:
            raise GraphError("A KV cache needs past and present tensors that agree on their number of slots.")
        if any(tensor.writer == "graph" for tensor in state):
            raise GraphError(f"{state[0].present} is written in place by the graph, which no layout here drives.")
        slots = fixed.pop()
        if slots is not None and capacity > slots:
            raise GraphError(f"The graph has {slots:,} slots, so a capacity of {capacity:,} cannot be had from it.")
        self.layout, self.capacity, self.length, self.generation = layout, capacity, 0, 0
        layers = tuple(sorted({tensor.layer for tensor in state}))
        self.groups = [Group("all", layers, capacity if layout.evicts else None)]
        self.allocated = slots if slots is not None else min(capacity, _BUCKET)
        self._growing = slots is None
        self._mask_dtype = np.dtype(mask_dtype)
        self._floor = np.finfo(self._mask_dtype).min
        self._stores = _stack(state, self.allocated)
        self._where = {tensor.past: (store, i) for store in self._stores for i, tensor in enumerate(store.tensors)}
        self._present = {tensor.present: tensor.past for tensor in state}
        for group in self.groups:
            group.table = np.full(self.allocated, EMPTY, np.int64)

    # -- a step ------------------------------------------------------------------------------------------------

    def plan(self, ids: Sequence[int], width: int | None = None) -> Step:
        """The step that feeds `ids` next, padded on the right to `width` columns.

        Writes no KV; may grow the buffers. Raises CapacityError where the layout has no slot left.
        """
        tokens, columns = len(ids), width or len(ids)
        positions = np.arange(self.length, self.length + tokens, dtype=np.int64)
        slots = self.layout.place(positions, self.capacity)
        self._reserve(int(slots.max()) + 1)
        padded_ids = np.zeros((1, columns), np.int64)
        padded_ids[0, :tokens] = ids
        padded_positions = np.zeros((1, columns), np.int64)
        padded_positions[0, :tokens] = positions
        masks = {group.name: self._mask(group, positions, columns) for group in self.groups}
        return Step(padded_ids, padded_positions, masks, slots, tokens)

    def commit(self, step: Step) -> None:
        """Puts the new rows of `step` where its slots say, and advances. The only call that adds to the length."""
        keep = slice(max(0, step.tokens - self.capacity), step.tokens)  # a chunk longer than the ring keeps its end
        for store in self._stores:
            store.commit(step, keep)
        for group in self.groups:
            group.table[step.slots[keep]] = step.positions[0, keep]
        self.length += step.tokens

    def past(self, name: str) -> NDArray[Any]:
        """The buffer [1, H, allocated, D] of the past input `name`: the cache's own memory, never a copy."""
        store, index = self._where[name]
        past: NDArray[Any] = store.slots[index]
        return past

    def fresh(self, name: str, width: int) -> NDArray[Any]:
        """The buffer [1, H, width, D] into which the graph writes the present output `name`."""
        store, index = self._where[self._present[name]]
        if width not in store.fresh:
            tensors, batch, heads, _, size = store.slots.shape
            store.fresh[width] = np.zeros((tensors, batch, heads, width, size), store.slots.dtype)
        fresh: NDArray[Any] = store.fresh[width][index]
        return fresh

    @property
    def names(self) -> tuple[str, ...]:
        """The past inputs that this cache feeds."""
        return tuple(self._where)

    @property
    def fresh_names(self) -> tuple[str, ...]:
        """The present outputs that this cache takes."""
        return tuple(self._present)

    # -- going back --------------------------------------------------------------------------------------------

    @property
    def evicted(self) -> int:
        """How many of the oldest tokens no longer have a slot."""
        return max(self.length - int(np.count_nonzero(self.groups[0].table != EMPTY)), 0)

    def rewindable(self) -> tuple[range, ...]:
        """The lengths that can be gone back to, as half-open ranges; 0 always can.

        A length L is legal where every position that the next token sees, (L - window, L), still has its slot.
        """
        lowest = 0
        if self.evicted:
            lowest = max(self.evicted + group.window - 1 for group in self.groups if group.window)
        if lowest <= 1:
            return (range(0, self.length + 1),)
        return range(0, 1), range(min(lowest, self.length), self.length + 1)

    def rewind(self, length: int) -> None:
        """Forgets every token from `length` on, moving no byte. Raises RewindError that names the legal lengths."""
        legal = self.rewindable()
        if not any(length in lengths for lengths in legal):
            named = " and ".join(f"{r[0]}" if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in legal)
            raise RewindError(f"The cache cannot go back to {length:,} tokens: it can go to {named}.", legal)
        for group in self.groups:
            group.table[group.table >= length] = EMPTY
            if length == 0:
                group.table[:] = EMPTY
        self.length = length

    def reset(self) -> None:
        """Forgets everything."""
        self.rewind(0)

    # -- a picture ---------------------------------------------------------------------------------------------

    @property
    def bytes(self) -> int:
        """Bytes that the buffers take now."""
        return sum(store.slots.nbytes for store in self._stores)

    def view(self) -> tuple[GroupView, ...]:
        """The groups as the window draws them."""
        first = self._stores[0].tensors[0]
        return tuple(
            GroupView(
                name=group.name,
                layout=self.layout.name,
                layers=list(group.layers),
                capacity=self.capacity,
                allocated=self.allocated,
                window=group.window,
                shape=[1, first.row[0], self.allocated, first.row[1]],
                dtype=first.dtype,
                bytes=self.bytes,
                writer=first.writer,
                length=self.length,
                evicted=self.evicted,
                runs=_runs(group.table),
            )
            for group in self.groups
        )

    # -- inside ------------------------------------------------------------------------------------------------

    def _mask(self, group: Group, positions: Positions, columns: int) -> NDArray[Any]:
        """[1, 1, N, allocated + N]; a padding row sees itself alone, for a row that sees nothing would be NaN."""
        tokens, allocated = len(positions), self.allocated
        mask = np.full((1, 1, columns, allocated + columns), self._floor, self._mask_dtype)
        past, fresh = mask[0, 0, :tokens, :allocated], mask[0, 0, :, allocated:]
        cached, query = group.table, positions[:, None]
        seen = cached != EMPTY
        if group.window is not None:
            seen = seen & (query - cached < group.window)
        np.copyto(past, 0, where=seen)
        np.fill_diagonal(fresh, 0)
        if tokens > 1:
            back = query - positions  # [tokens, tokens]: how far before the query's own position
            np.copyto(fresh[:tokens, :tokens], 0, where=(back >= 0) & (back < (group.window or tokens)))
        return mask

    def _reserve(self, slots: int) -> None:
        if slots <= self.allocated or not self._growing:
            return
        wanted = slots + slots // 4  # a quarter more than needed: growing costs O(1) a token over a sequence
        self.allocated = min(self.capacity, -(-wanted // _BUCKET) * _BUCKET)
        for store in self._stores:
            store.grow(self.allocated)
        for group in self.groups:
            table = np.full(self.allocated, EMPTY, np.int64)
            table[: len(group.table)] = group.table
            group.table = table
        self.generation += 1


def _stack(state: Sequence[StateTensor], allocated: int) -> list[_Store]:
    by_row: dict[tuple[int, int, str], list[StateTensor]] = {}
    for tensor in state:
        by_row.setdefault((*tensor.row, tensor.dtype), []).append(tensor)
    return [
        _Store(tensors, np.zeros((len(tensors), 1, heads, allocated, width), TensorSpec("", (), dtype).numpy_dtype))
        for (heads, width, dtype), tensors in by_row.items()
    ]


def _runs(table: Positions) -> list[list[int]]:
    slots = np.flatnonzero(table != EMPTY)
    if not len(slots):
        return []
    breaks = np.flatnonzero((np.diff(slots) != 1) | (np.diff(table[slots]) != 1)) + 1
    return [[int(run[0]), int(table[run[0]]), len(run)] for run in np.split(slots, breaks)]

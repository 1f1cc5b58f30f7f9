"""One slot→position table per group of like layers, from which everything else derives.

    plan(ids, width) ─▶ Step (ids, positions, masks, lengths)   nothing is written
    the graph runs with past bound to `past(...)` and present to `fresh(...)`
    commit(step)      ─▶ the new rows are in their slots, the table and the length advance

A step that is never committed (cancelled, failed) leaves no trace that a later one could see: rows that a graph
wrote in place lie beyond the length, and are written again before they are read. Batch is 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.errors import GraphError, RewindError
from workflows.kvcache.geometry import MASK, GroupFacts, StateTensor
from workflows.kvcache.layouts import Layout, Positions
from workflows.tensors import TensorSpec

EMPTY = -1  # a slot that holds no token
_BUCKET = 64  # slots; a growing buffer is a multiple of this

IDS, POSITIONS = "input_ids", "position_ids"
DRIVERS = (IDS, POSITIONS, "seqlens_k", "total_sequence_length", "write_indices", "nonpad_kv_seqlen")


@dataclass
class Group:
    """Layers that share one table. `window` is how many positions back a token sees itself included; None means all."""

    name: str
    mask: str
    layers: tuple[int, ...]
    window: int | None
    table: Positions = field(default_factory=lambda: np.empty(0, np.int64))  # [allocated], EMPTY or a position


@dataclass(frozen=True)
class Step:
    """The inputs of one run: N columns, of which the first `tokens` are real and the rest padding.

    inputs, by name:
        input_ids, position_ids       [1, N] int64, positions absolute
        a mask a group                [1, 1, N, allocated + N] where the host writes the rows, [1, 1, N, allocated]
                                      where the graph does: 0 where the query of a row sees the key of a column, the
                                      type's lowest finite value elsewhere
        seqlens_k, total_sequence_length, write_indices, nonpad_kv_seqlen   lengths, as the operators want them
    slots: [tokens] int64, where the rows go.
    """

    inputs: dict[str, NDArray[Any]]
    slots: Positions
    start: int
    tokens: int
    width: int


@dataclass(frozen=True)
class GroupView:
    """What the window draws of a group.

    runs: [first slot, first position, count] of filled slots. rewindable: [first, last] of each range of lengths that
    can be gone back to.
    """

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
    rewindable: list[list[int]] = field(default_factory=list)


@dataclass
class _Store:
    """The buffers of all state tensors with one row shape and type, stacked so that a commit is one assignment.

    slots: [T, 1, H, allocated, D] or [T, 1, allocated, H·D]; a tensor's own buffer is the contiguous slots[t].
    """

    tensors: list[StateTensor]
    slots: NDArray[Any]
    fresh: dict[int, NDArray[Any]] = field(default_factory=dict)  # width → the same with that many slots

    def rows(self, buffer: NDArray[Any], index: slice | Positions) -> tuple[Any, ...]:
        """The index that takes `index` along the slot axis."""
        return (*(slice(None),) * (buffer.ndim - 2), index)

    def commit(self, step: Step, keep: slice) -> None:
        fresh, slots = self.fresh[step.width], step.slots[keep]
        first, count = int(slots[0]), len(slots)
        neighbours = slots[-1] - first == count - 1  # nearly always: a slice copies faster than an index
        target = slice(first, first + count) if neighbours else slots
        self.slots[self.rows(self.slots, target)] = fresh[self.rows(fresh, keep)]

    def sized(self, slots: int) -> NDArray[Any]:
        """A new buffer of zeros: a masked slot must be finite, or 0 times it would be NaN."""
        return np.zeros((len(self.tensors), *self.tensors[0].sized(slots)), self.slots.dtype)

    def grow(self, allocated: int) -> None:
        larger = self.sized(allocated)
        larger[self.rows(larger, slice(0, self.slots.shape[-2]))] = self.slots
        self.slots = larger


class KVCache:
    """The keys and values of one sequence, and the one table that says which token is where.

    state: the graph's past/present pairs. groups: layers by mask; one for all where None. drivers: the other inputs
    that the graph takes of a cache, by name. capacity: slots at most. Where the graph's slot axis is symbolic the
    buffers start small and grow with the sequence, so that short ones cost little; `generation` counts these
    changes, after which buffers must be bound again.

    Raises GraphError where the state does not hold together.
    """

    def __init__(
        self,
        state: Sequence[StateTensor],
        layout: Layout,
        capacity: int,
        groups: Sequence[GroupFacts] = (),
        drivers: Mapping[str, TensorSpec] | None = None,
    ) -> None:
        fixed = {tensor.capacity for tensor in state}
        if not state or len(fixed) != 1:
            raise GraphError("A KV cache needs past and present tensors that agree on their number of slots.")
        slots = fixed.pop()
        if slots is not None and capacity > slots:
            raise GraphError(f"The graph has {slots:,} slots, so a capacity of {capacity:,} cannot be had from it.")
        self.layout, self.capacity, self.length, self.generation = layout, capacity, 0, 0
        self.allocated = slots if slots is not None else min(capacity, _BUCKET)
        self._growing = slots is None
        layers = tuple(sorted({tensor.layer for tensor in state}))
        self.groups = [self._group(facts) for facts in groups or [GroupFacts("all", MASK, layers, None)]]
        self._drivers = dict(drivers if drivers is not None else _default_drivers(self.groups))
        self._in_place = layout.writer != "host"
        self._stores = _stack(state, self.allocated)
        self._where = {tensor.past: (store, i) for store in self._stores for i, tensor in enumerate(store.tensors)}
        self._present = {tensor.present: tensor.past for tensor in state}

    # -- a step ------------------------------------------------------------------------------------------------

    def plan(self, ids: Sequence[int], width: int | None = None) -> Step:
        """The step that feeds `ids` next, padded on the right to `width` columns.

        Writes no KV; may grow the buffers. Raises CapacityError where the layout has no slot left, and GraphError
        for padding where the graph writes in place, for it would write the padding too.
        """
        tokens, columns = len(ids), width or len(ids)
        if self._in_place and columns != tokens:
            raise GraphError("A graph that writes its cache in place takes no padding: feed whole chunks or one token.")
        positions = np.arange(self.length, self.length + tokens, dtype=np.int64)
        slots = self.layout.place(positions, self.capacity)
        self._reserve(int(slots.max()) + 1)
        inputs = {name: self._driver(spec, ids, positions, columns) for name, spec in self._drivers.items()}
        return Step(inputs, slots, self.length, tokens, columns)

    def commit(self, step: Step) -> None:
        """Makes the new rows of `step` part of the sequence. The only call that adds to the length."""
        keep = slice(max(0, step.tokens - self.capacity), step.tokens)  # a chunk longer than the ring keeps its end
        if not self._in_place:
            for store in self._stores:
                store.commit(step, keep)
        for group in self.groups:
            group.table[step.slots[keep]] = np.arange(step.start, step.start + step.tokens)[keep]
        self.length += step.tokens

    def past(self, name: str) -> NDArray[Any]:
        """The buffer of the past input `name`: the cache's own memory, never a copy."""
        store, index = self._where[name]
        past: NDArray[Any] = store.slots[index]
        return past

    def fresh(self, name: str, width: int) -> NDArray[Any]:
        """The buffer into which the graph writes the present output `name`: past's own where it writes in place."""
        store, index = self._where[self._present[name]]
        if self._in_place:
            return self.past(self._present[name])
        if width not in store.fresh:
            store.fresh[width] = store.sized(width)
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

    @property
    def driver_names(self) -> tuple[str, ...]:
        """The other inputs that each step feeds."""
        return tuple(self._drivers)

    def shapes(self, width: int) -> dict[str, tuple[int, ...]]:
        """The shapes of every input that this cache feeds, for a step of `width` columns."""
        columns = self.allocated + (0 if self._in_place else width)
        drivers = {
            spec.name: (1, width) if spec.name in (IDS, POSITIONS) else (1,) * len(spec.shape)
            for spec in self._drivers.values()
        }
        masks = {group.mask: (1, 1, width, columns) for group in self.groups if group.mask in self._drivers}
        return drivers | masks | {name: self.past(name).shape for name in self.names}

    # -- going back --------------------------------------------------------------------------------------------

    @property
    def evicted(self) -> int:
        """How many of the oldest tokens no longer have a slot."""
        if not self.layout.evicts:
            return 0
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

    # -- saved and loaded --------------------------------------------------------------------------------------

    @property
    def tensors(self) -> dict[str, StateTensor]:
        """The state tensors by the name of their past input."""
        return {name: store.tensors[i] for name, (store, i) in self._where.items()}

    def rows(self) -> tuple[Positions, dict[str, NDArray[Any]]]:
        """The positions that have a slot, [n] ascending, and by past input the rows of these slots, in that order."""
        table = self.groups[0].table
        slots = np.flatnonzero(table != EMPTY)
        slots = slots[np.argsort(table[slots])]
        rows = {name: np.take(self.past(name), slots, axis=t.slot_axis) for name, t in self.tensors.items()}
        return table[slots], rows

    def restore(self, length: int, positions: Positions, rows: Mapping[str, NDArray[Any]]) -> None:
        """Makes the cache hold `length` tokens, of which those at `positions` have the given rows.

        Raises CapacityError where they do not fit; the cache is then as it was.
        """
        slots = self.layout.place(positions, self.capacity)
        self.reset()
        self._reserve(int(slots.max(initial=-1)) + 1)
        for name, tensor in self.tensors.items():
            index: tuple[Any, ...] = (*(slice(None),) * tensor.slot_axis, slots)
            self.past(name)[index] = rows[name]
        for group in self.groups:
            group.table[slots] = positions
        self.length = length

    # -- a picture ---------------------------------------------------------------------------------------------

    @property
    def bytes(self) -> int:
        """Bytes that the buffers take now."""
        return sum(store.slots.nbytes for store in self._stores)

    def view(self) -> tuple[GroupView, ...]:
        """The groups as the window draws them."""
        return tuple(self._view(group) for group in self.groups)

    # -- inside ------------------------------------------------------------------------------------------------

    def _group(self, facts: GroupFacts) -> Group:
        """A ring's capacity is a window for every layer that sees further."""
        limits = [size for size in (facts.window, self.capacity if self.layout.evicts else None) if size is not None]
        table = np.full(self.allocated, EMPTY, np.int64)
        return Group(facts.name, facts.mask, facts.layers, min(limits, default=None), table)

    def _view(self, group: Group) -> GroupView:
        tensors = [tensor for store in self._stores for tensor in store.tensors if tensor.layer in group.layers]
        return GroupView(
            name=group.name,
            layout=self.layout.name,
            layers=list(group.layers),
            capacity=self.capacity,
            allocated=self.allocated,
            window=group.window,
            shape=list(tensors[0].sized(self.allocated)),
            dtype=tensors[0].dtype,
            bytes=sum(tensor.bytes_per_slot for tensor in tensors) * self.allocated,
            writer=tensors[0].writer,
            length=self.length,
            evicted=self.evicted,
            runs=_runs(group.table),
            rewindable=[[lengths[0], lengths[-1]] for lengths in self.rewindable()],
        )

    def _driver(self, spec: TensorSpec, ids: Sequence[int], positions: Positions, columns: int) -> NDArray[Any]:
        tokens, dtype = len(ids), spec.numpy_dtype
        if spec.name in (IDS, POSITIONS):
            row = np.zeros((1, columns), dtype)
            row[0, :tokens] = ids if spec.name == IDS else positions
            return row
        after = self.length + tokens
        lengths = {
            "seqlens_k": after - 1,
            "total_sequence_length": after,
            "write_indices": self.length,
            "nonpad_kv_seqlen": after,
        }
        if spec.name in lengths:
            return np.full((1,) * len(spec.shape), lengths[spec.name], dtype)
        group = next(group for group in self.groups if group.mask == spec.name)
        return self._mask(group, positions, columns, spec)

    def _mask(self, group: Group, positions: Positions, columns: int, spec: TensorSpec) -> NDArray[Any]:
        """See Step; a padding row sees itself alone, for a row that sees nothing would be NaN."""
        tokens, allocated, query = len(positions), self.allocated, positions[:, None]
        width = allocated + (0 if self._in_place else columns)
        mask = np.full((1, 1, columns, width), spec.lowest, spec.numpy_dtype)
        table = group.table
        if self._in_place:  # the step's own rows are in their slots when attention reads them
            table = table.copy()
            table[positions] = positions
        seen = (table != EMPTY) & (table <= query) if self._in_place else table != EMPTY
        if group.window is not None:
            seen = seen & (query - table < group.window)
        np.copyto(mask[0, 0, :tokens, :allocated], 0, where=seen)
        if self._in_place:
            return mask
        fresh = mask[0, 0, :, allocated:]
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


def _default_drivers(groups: Sequence[Group]) -> dict[str, TensorSpec]:
    named = {IDS: "int64", POSITIONS: "int64"} | {group.mask: "float32" for group in groups}
    return {name: TensorSpec(name, (), dtype) for name, dtype in named.items()}


def _stack(state: Sequence[StateTensor], allocated: int) -> list[_Store]:
    by_row: dict[tuple[tuple[int, ...], str], list[StateTensor]] = {}
    for tensor in state:
        by_row.setdefault((tensor.sized(1), tensor.dtype), []).append(tensor)
    return [
        _Store(tensors, np.zeros((len(tensors), *tensors[0].sized(allocated)), TensorSpec("", (), dtype).numpy_dtype))
        for (_, dtype), tensors in by_row.items()
    ]


def _runs(table: Positions) -> list[list[int]]:
    slots = np.flatnonzero(table != EMPTY)
    if not len(slots):
        return []
    breaks = np.flatnonzero((np.diff(slots) != 1) | (np.diff(table[slots]) != 1)) + 1
    return [[int(run[0]), int(table[run[0]]), len(run)] for run in np.split(slots, breaks)]

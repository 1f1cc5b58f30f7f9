"""The memory of the cache: one stacked buffer per row shape, with commit, slide and growth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from workflows.common.errors import GraphError
from workflows.common.memory import free_bytes, lazy_zeros
from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache.carried_state import CarriedState, CarriedTensor
from workflows.kvcache.geometry import PresentContent, StateTensor, Writer
from workflows.kvcache.layouts import Layout, Positions

_MOST = 0.75  # of the reserved slots: on large pages the others take memory, too
_BUCKET = 64  # slots; a growing buffer is a multiple of this


@dataclass
class StackedBuffers:
    """The buffers of all state tensors with one row shape and type, stacked so that a commit is one assignment.

    slots: [T, 1, H, S, D] or [T, 1, S, H·D]; a tensor's own buffer is the contiguous slots[t]. S is `allocated`, or
    `reserved` where address space was reserved: slots beyond `allocated` are empty and take no memory. large: whether
    the buffer lies on large pages.
    """

    tensors: list[StateTensor]
    slots: Array
    allocated: int
    reserved: int = 0
    large: bool = False
    _fresh: dict[int, Array] = field(default_factory=dict)  # slots → a buffer with that many

    def fresh(self, slots: int) -> Array:
        """The buffer for present outputs of `slots` slots; each run overwrites it."""
        if slots not in self._fresh:
            self._fresh[slots] = self.sized(slots)
        return self._fresh[slots]

    def commit(self, rows: Array, target: Positions) -> None:
        """Copies `rows`, shaped as slots but [.., n, ..], into the slots `target` [n]."""
        first, count = int(target[0]), len(target)
        if target[-1] - first == count - 1:  # the usual case: a slice copies faster than an index
            self.slots[..., first : first + count, :] = rows
        else:
            self.slots[..., target, :] = rows

    def slide(self, by: int) -> None:
        """Moves every row `by` slots to the left (negative: to the right); rows that fall off are lost."""
        *_, slots, size = self.slots.shape
        for block in self.slots.reshape(-1, slots * size):  # a head's rows are contiguous
            shift_entries(block, by * size)

    def wipe(self) -> None:
        """Writes zeros to all allocated slots."""
        for buffer in (self.slots[..., : self.allocated, :], *self._fresh.values()):
            buffer[...] = 0

    def sized(self, slots: int) -> Array:
        """A new buffer of zeros; masked slots must be finite, for 0 × NaN is NaN."""
        return np.zeros(self._shape(slots), self.slots.dtype)

    def resize(self, slots: int, keep: int, at_end: bool) -> bool:
        """Changes the number of slots and keeps the first `keep` rows, or the last ones where rows are `at_end`.

        Returns whether the buffer moved; within the reserved slots it grows in place.
        """
        stays = self.allocated <= slots <= self.reserved
        self.allocated = slots
        if stays:
            return False
        self.large = False
        other = self._new_buffer()
        if keep:
            side = slice(-keep, None) if at_end else slice(keep)
            other[..., side, :] = self.slots[..., side, :]
        self.slots = other
        self._fresh.clear()
        return True

    def reserve(self, slots: int) -> None:
        """Reserves address space for `slots` slots, where the system grants it; the buffer must be empty."""
        self.reserved = slots
        self.slots = self._new_buffer()

    def expect(self, slots: int) -> bool:
        """Moves the empty buffer to large pages where most reserved slots will be used; returns whether it moved."""
        if self.large or not self.reserved or slots < _MOST * self.reserved:
            return False
        self.large = True
        self.slots = self._new_buffer()
        return True

    def _new_buffer(self) -> Array:
        """A buffer of all reserved slots, or of the allocated ones where none are reserved."""
        if self.allocated <= self.reserved:
            try:
                return lazy_zeros(self._shape(self.reserved), self.slots.dtype, self.large)
            except OSError:  # a limit of the process may count unused address space
                self.reserved = 0
        return self.sized(self.allocated)

    @property
    def bytes(self) -> int:
        """Bytes of the allocated slots."""
        return sum(tensor.bytes_per_slot for tensor in self.tensors) * self.allocated

    def _shape(self, slots: int) -> tuple[int, ...]:
        return len(self.tensors), *self.tensors[0].sized(slots)


class RowHolder(Protocol):
    """Memory of a provider that may hold newer rows than the cache's own buffers; DeviceMemory is one."""

    def to_host(self) -> None:
        """Copies newer rows into the cache's buffers, which are the newest from here on."""
        ...


class CacheBuffers:
    """The memory of one cache: stacked key and value buffers, and the `carried` state of fixed size.

    Where the graph's slot axis is symbolic the buffers start small and grow with the sequence. `generation` counts the
    changes of their addresses, after which a binding must bind them again. in_place: the graph itself writes rows.
    stacks: memory of the state's fixed number of slots that others own; None for its own.

    Raises GraphError where the state tensors disagree on their slots, or have fewer than `capacity`.
    """

    def __init__(
        self,
        state: Sequence[StateTensor],
        layout: Layout,
        capacity: int,
        counts: bool,
        carried: Sequence[CarriedTensor],
        stacks: Sequence[StackedBuffers] | None = None,
    ) -> None:
        fixed = {tensor.capacity for tensor in state}
        if len(fixed) > 1 or not (state or carried):
            raise GraphError("A KV cache needs past and present tensors that agree on their number of slots.")
        slots = fixed.pop() if fixed else 0
        if state and slots is not None and capacity > slots:
            raise GraphError(f"The graph has {slots:,} slots, which is less than the capacity of {capacity:,}.")
        self.in_place, self.generation = layout.writer != "host", 0
        self.present: PresentContent = state[0].gives if state else "rows"
        self.allocated = slots if slots is not None else 0 if counts else min(capacity, _BUCKET)
        self.carried = CarriedState(carried)
        self.stacks = stack_buffers(state, self.allocated) if stacks is None else list(stacks)
        self._capacity, self._layout, self._grows = capacity, layout, slots is None
        self._holder: RowHolder | None = None
        self._locations = {one.past: (stack, i) for stack in self.stacks for i, one in enumerate(stack.tensors)}
        self._past_names = {tensor.present: tensor.past for tensor in state}
        self.tensors = {name: stack.tensors[i] for name, (stack, i) in self._locations.items()}

    @property
    def bytes(self) -> int:
        """Bytes that the allocated slots and the carried state take."""
        return sum(stack.bytes for stack in self.stacks) + self.carried.bytes

    def attach(self, holder: RowHolder) -> None:
        """Has `holder` copy its newer rows back before this memory is read, moved or resized."""
        self._holder = holder

    def sync(self) -> None:
        """Makes these buffers hold the newest rows."""
        if self._holder is not None:
            self._holder.to_host()

    # -- address space -----------------------------------------------------------------------------------------

    def reserve(self) -> None:
        """Reserves address space for the whole capacity, so that growing moves nothing.

        Only for graphs that are fed the number of valid slots: other graphs attend to every slot of the buffer. Does
        nothing where the free memory would not hold it; the buffers then grow by copying. Reserved slots take memory
        when they are first written.
        """
        if not self._grows or self._layout.writer != "gqa":
            return
        slots = self._capacity
        if slots * bytes_per_slot(tuple(self.tensors.values()), self._layout.writer) > free_bytes():
            return
        for stack in self.stacks:
            stack.reserve(slots)
        self.generation += any(stack.reserved for stack in self.stacks)

    def expect(self, tokens: int, table: SlotSpace) -> None:
        """Prepares empty buffers for a prompt: steps at thousands of tokens take a fifth less time on large pages."""
        if not table.length:
            moved = [stack.expect(tokens) for stack in self.stacks]
            self.generation += any(moved)

    def fit(self, slots: int, table: SlotSpace) -> None:
        """Grows, or shrinks, to hold `slots` slots.

        Graphs attend to every allocated slot, so that the buffers shrink once they have twice what a sequence needs.
        """
        if not self._grows:
            return
        wanted = slots + slots // 4  # a quarter more than needed: growing costs O(1) a token over a sequence
        bucket = min(self._capacity, max(1, -(-wanted // _BUCKET)) * _BUCKET)
        if slots > self.allocated or 2 * bucket <= self.allocated:
            self.resize(bucket, table)

    def resize(self, slots: int, table: SlotSpace) -> None:
        """Gives buffers and `table` exactly `slots` slots; rows that hold tokens stay, at the end where rows slide."""
        self.sync()
        at_end = self._layout.slides
        keep = min(slots, table.used_span(at_end))
        moved = [stack.resize(slots, keep, at_end) for stack in self.stacks]
        table.resize(slots, keep, at_end)
        self.allocated, self.generation = slots, self.generation + any(moved)

    def slide(self, by: int, table: SlotSpace) -> None:
        """Moves rows and `table` by `by` slots to the left, or to the right where it is negative."""
        for stack in self.stacks:
            stack.slide(by)
        table.slide(by)

    def wipe(self) -> None:
        """Writes zeros: NaN in a free slot would pass through the mask."""
        self.sync()
        for stack in self.stacks:
            stack.wipe()

    # -- arrays ------------------------------------------------------------------------------------------------

    def past(self, name: str) -> Array:
        """The buffer of the past input `name`, whatever rows it holds; for who binds it."""
        if name in self.carried.past:
            return self.carried.past[name]
        stack, index = self._locations[name]
        past: Array = stack.slots[index]
        return past

    def fresh(self, present: str, width: int) -> Array:
        """The buffer for the output `present` of a step of `width` columns; past's own where the graph writes it."""
        if present in self.carried.fresh:
            return self.carried.fresh[present]
        if self.in_place:
            return self.past(self._past_names[present])
        stack, index = self._locations[self._past_names[present]]
        fresh: Array = stack.fresh(self.fresh_slots(width))[index]
        return fresh

    def fresh_slots(self, width: int) -> int:
        """The slots of a present output for a step of `width` columns."""
        return {"rows": width, "buffer": self.allocated, "joined": self.allocated + width}[self.present]

    def new_rows(self, width: int, offset: int, keep: slice | Positions, start: int | None) -> list[Array]:
        """For each stack, the rows of present of a step's tokens at `keep`; empty where the graph writes in place.

        width: the step's columns, of which the first token has number `offset`. start: the slot of the step's first row
        where present is a whole buffer with the rows in their slots; None where they are the last ones.
        """
        slots = self.fresh_slots(width)
        first = offset + (start if start is not None and self.present == "buffer" else slots - width)
        chosen = slice(first + keep.start, first + keep.stop) if isinstance(keep, slice) else first + keep
        return [] if self.in_place else [stack.fresh(slots)[..., chosen, :] for stack in self.stacks]

    def commit(self, rows: Sequence[Array], slots: Positions) -> None:
        """Puts each stack's `rows` into `slots` [n]."""
        if not self.in_place:
            for stack, new in zip(self.stacks, rows, strict=True):
                stack.commit(new, slots)


class SlotSpace(Protocol):
    """The tables that are moved and resized with the rows; SlotTable is one. length: tokens of the sequence."""

    length: int

    def used_span(self, at_end: bool) -> int: ...
    def resize(self, slots: int, keep: int, at_end: bool) -> None: ...
    def slide(self, by: int) -> None: ...


def bytes_per_slot(state: Sequence[StateTensor], writer: Writer) -> int:
    """Bytes of memory that each token takes at the end of a full cache.

    Where the host writes the rows and a graph gives whole buffers, the present outputs take as much as the past.
    """
    copies = 2 if state and writer == "host" and state[0].gives != "rows" else 1
    return copies * sum(tensor.bytes_per_slot for tensor in state)


def stack_buffers(state: Sequence[StateTensor], allocated: int) -> list[StackedBuffers]:
    """Buffers of `allocated` empty slots, one for each row shape and type."""
    stacks = []
    for tensors in group_by_row(state):
        dtype = TensorSpec("", (), tensors[0].dtype).numpy_dtype
        zeros = np.zeros((len(tensors), *tensors[0].sized(allocated)), dtype)
        stacks.append(StackedBuffers(tensors, zeros, allocated))
    return stacks


def group_by_row(state: Sequence[StateTensor]) -> list[list[StateTensor]]:
    """The tensors of each row shape and type."""
    by_row: dict[tuple[tuple[int, ...], str], list[StateTensor]] = {}
    for tensor in state:
        by_row.setdefault((tensor.sized(1), tensor.dtype), []).append(tensor)
    return list(by_row.values())


def shift_entries(entries: Array, by: int) -> None:
    """Moves the entries of a one-dimensional array `by` places to the front; entries that fall off are lost.

    numpy moves overlapping ranges of one axis without a copy, ten times as fast as along the axis of slots.
    """
    if 0 < by < len(entries):
        entries[:-by] = entries[by:]
    elif 0 < -by < len(entries):
        entries[-by:] = entries[:by]

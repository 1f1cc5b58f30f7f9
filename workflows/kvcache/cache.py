"""One slot→position table per group of like layers, from which everything else derives.

    plan(ids, width) ─▶ Step (ids, positions, masks, lengths)   nothing is written
    the graph runs with past bound to `past(...)` and present to `fresh(...)`
    commit(step)      ─▶ the new rows are in their slots, the table and the length advance

A step that is never committed (cancelled, failed) leaves no trace that a later one could see: rows that a graph
wrote in place lie beyond the length, and are written again before they are read. Batch is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import CapacityError, GraphError
from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache.buffers import CacheBuffers
from workflows.kvcache.cache_inputs import EMPTY, StepTokens, shape_of
from workflows.kvcache.carried_state import CarriedState, CarriedTensor
from workflows.kvcache.geometry import StateFacts, StateTensor
from workflows.kvcache.layouts import Layout, Positions
from workflows.kvcache.rewinds import check_rewind, rewindable_lengths
from workflows.kvcache.step import CacheGroup, Step, default_cache_inputs, default_facts
from workflows.kvcache.token_tree import can_branch, checked_path, token_tree
from workflows.kvcache.views import group_view
from workflows.wire.events import GroupView

_BUCKET = 64  # slots; a growing buffer is a multiple of this


class KVCache:
    """The keys and values of one sequence, and the one table that says which token is where.

    state: the graph's past/present pairs. facts: what else is known of the graph; None for one that appends, with one
    mask for all layers. drivers: the other inputs that the graph takes of a cache, by name. capacity: slots at most.
    pad_left: padding comes before the tokens of a step, for graphs that give the last column's logits alone. carried:
    state of one size that goes with it. `told` gives what stands for positions where they are not plain numbers;
    `lend` is called before rows are read or changed, by who has newer ones elsewhere. `branches`: whether the tokens of
    a run may be a tree, see tree.py; `in_place`: whether the graphs themselves write into the buffers.
    Where the graph's slot axis is symbolic the buffers start small and grow with the sequence, so that short ones
    cost little; `generation` counts these changes, after which buffers must be bound again.

    Raises GraphError where the state does not hold together.
    """

    def __init__(
        self,
        state: Sequence[StateTensor],
        layout: Layout,
        capacity: int,
        facts: StateFacts | None = None,
        drivers: Mapping[str, TensorSpec] | None = None,
        *,
        pad_left: bool = False,
        carried: Sequence[CarriedTensor] = (),
    ) -> None:
        fixed = {tensor.capacity for tensor in state}
        if not state or len(fixed) != 1:
            raise GraphError("A KV cache needs past and present tensors that agree on their number of slots.")
        slots = fixed.pop()
        if slots is not None and capacity > slots:
            raise GraphError(f"The graph has {slots:,} slots, so a capacity of {capacity:,} cannot be had from it.")
        self.layout, self.capacity, self.length, self.generation = layout, capacity, 0, 0
        self.carried = CarriedState(carried)
        self.told: Callable[[Positions], NDArray[np.int64]] | None = None
        self.lend: Callable[[], None] = lambda: None
        facts = facts or default_facts(state, layout)
        self.positions = facts.positions
        self._joins, self._counts, self._pad_left = facts.joins, facts.counts, pad_left
        self.allocated = slots if slots is not None else 0 if facts.counts else min(capacity, _BUCKET)
        self._growing = slots is None
        self._ring = capacity - layout.sinks if layout.evicts else None
        empty = np.full(self.allocated, EMPTY, np.int64)
        self.groups = [CacheGroup.of(group, self._ring, layout.sinks, empty.copy()) for group in facts.groups]
        self._drivers = dict(drivers if drivers is not None else default_cache_inputs(self.groups))
        self._windows = {group.mask: group for group in self.groups}
        self.in_place = layout.writer != "host"
        self.branches = can_branch(facts, self._drivers, self._windows)
        self._gives = state[0].gives
        self._memory = CacheBuffers(state, self.allocated)
        self._stores = self._memory.stores
        self.tensors: Mapping[str, StateTensor] = self._memory.tensors
        self.names = tuple(self.tensors)  # of the past inputs that it feeds

    def reserve(self) -> None:
        """Has growing move nothing, where graphs are told how many slots are taken: others attend to all there are."""
        if self._growing and self.layout.writer == "gqa" and self._memory.reserve(self.capacity):
            self.generation += 1

    def expect(self, tokens: int) -> None:
        """Before a prompt of so many: a step at thousands of tokens takes a fifth less over large pages."""
        self.generation += not self.length and self._memory.expect(tokens)

    # -- a step ------------------------------------------------------------------------------------------------

    def takes(self, start: int, wanted: int, width: int | None) -> int:
        """How many of `wanted` tokens one run can take that begins at position `start`, in `width` columns.

        width: None where the graph takes any. Beyond one token there can be reasons to take none: a graph that writes
        in place, or leaves room for its columns, must have slots for the padding too, which later tokens take; and one
        whose mask is one row for all queries cannot slide a window between them.
        """
        if self.carried and width is not None and wanted < width:
            return 0  # padding would be carried on
        if self.layout.sinks and self._ring is not None:
            wanted = min(wanted, self._ring)
        if self._joins == "append" and not (self.layout.evicts and self._one_row):
            return wanted
        room = self.capacity - start
        if width is None or self._joins == "append":
            return max(0, min(wanted, room))
        astray = self._joins == "place" and self._pad_left and wanted < width  # the padding would take the slots
        return wanted if max(width, wanted) <= room and not astray else 0

    @property
    def has_room(self) -> bool:
        """Whether one more token can be fed: a slot is left or the oldest goes, and the model knows its position."""
        known = self.positions is None or self.length < self.positions
        return known and (self.layout.evicts or self.length < self.capacity)

    def plan(self, ids: Sequence[int], width: int | None = None, parents: Sequence[int] | None = None) -> Step:
        """The step that feeds `ids` next, in `width` columns; as a tree where they have `parents`, see tree.py.

        Writes no KV; may grow the buffers. Raises CapacityError where the layout has no slot left or the model no
        position, and GraphError for a step that the graph cannot take rightly, see `takes`.
        """
        tokens, columns = len(ids), width or len(ids)
        if parents is not None and not self.branches:
            raise GraphError(f"The tokens of a run cannot branch in this {self.layout.name} cache: feed a chain.")
        tree = token_tree(parents, tokens)
        if self.positions is not None and self.length + tree.reach > self.positions:
            raise CapacityError(f"The model knows {self.positions:,} positions, and all of them are taken: start anew.")
        order = np.arange(self.length, self.length + tokens, dtype=np.int64)
        slots = self.layout.slots(order[: tree.reach], self.capacity)
        if (columns > 1 or self.in_place) and self.takes(self.length, tokens, columns) < tokens:
            raise GraphError(self._why_not(tokens, columns))
        if not self._counts:
            self._reserve(slots if self._joins == "append" else self.length + columns)
        placed = self.layout.place(order, self.capacity, self.allocated)
        positions = self.length + tree.depths
        real = slice(columns - tokens, columns) if self._pad_left else slice(0, tokens)
        told = None if self.told is None else self.told(positions)
        feed = StepTokens(ids, positions, placed, columns, real, self._joins, self.in_place, told, tree.kin)
        inputs = {name: self._input(feed, spec) for name, spec in self._drivers.items()}
        return Step(inputs, placed, self.length, tokens, columns, real, tree.parents)

    def commit(self, step: Step, path: Sequence[int] | None = None) -> None:
        """Makes the new rows of `step` part of the sequence: of one that branches, those of the tokens at `path` alone.

        The only call that adds to the length. Raises GraphError for a path that does not go from parent to child.
        """
        along = checked_path(step.parents, path)
        count = step.tokens if along is None else len(along)
        if not count:
            return
        keep = slice(max(0, count - self.capacity), count)  # a chunk longer than the ring keeps its end
        positions = np.arange(step.start, step.start + count)[keep]
        slots = step.slots[keep] if along is None else self.layout.place(positions, self.capacity, self.allocated)
        fresh = self._new_rows(step, keep if along is None else along[keep])
        if self._counts:
            self._resize(self.length + count)
        if self.layout.slides:
            self._slide(count)
        if not self.in_place:
            for store, rows in zip(self._stores, fresh, strict=True):
                store.commit(rows, slots)
        for group in self.groups:
            group.table[slots] = positions
        self.carried.commit()
        self.length += count

    def past(self, name: str) -> Array:
        """The buffer of the past input `name` with its newest rows: the cache's own memory, never a copy."""
        self.lend()
        return self.buffer(name)

    def buffer(self, name: str) -> Array:
        """The same for who binds it, whatever is in it."""
        if name in self.carried.past:
            return self.carried.past[name]
        return self._memory.past(name)

    def fresh(self, name: str, width: int) -> Array:
        """The buffer into which the graph writes the present output `name`: past's own where it writes in place."""
        if name in self.carried.fresh:
            return self.carried.fresh[name]
        return self._memory.paired(name) if self.in_place else self._memory.fresh(name, self._fresh_slots(width))

    def shapes(self, width: int) -> dict[str, tuple[int, ...]]:
        """The shapes of every input that this cache feeds, for a step of `width` columns."""
        keys = self.allocated + (width if self._joins == "append" else 0)
        shapes = {name: shape_of(spec, width, keys) for name, spec in self._drivers.items()}
        return shapes | {name: self.buffer(name).shape for name in self.names}

    # -- going back --------------------------------------------------------------------------------------------

    @property
    def evicted(self) -> int:
        """How many of the oldest tokens no longer have a slot."""
        if not self.layout.evicts:
            return 0
        return max(self.length - int(np.count_nonzero(self.groups[0].table != EMPTY)), 0)

    def rewindable(self) -> tuple[range, ...]:
        """The lengths that can be gone back to, as half-open ranges; 0 always can. See rewinds.py."""
        return rewindable_lengths(self)

    def rewind(self, length: int) -> None:
        """Forgets every token from `length` on. Raises RewindError that names the legal lengths.

        Moves no byte but where the layout slides.
        """
        check_rewind(self, length)
        if self.layout.slides and length:
            self._slide(length - self.length)
        for group in self.groups:
            group.forget(length)
        if length == 0:
            self.carried.reset()
        self.length = length
        if self._counts:
            self._resize(length)

    def reset(self, wiped: bool = False) -> None:
        """Forgets everything. wiped: the bytes, too, for NaN in a slot shows through the mask."""
        self.rewind(0)
        if wiped:
            self.lend()  # else what is elsewhere would be the newest still
            for store in self._stores:
                store.wipe()

    # -- saved and loaded --------------------------------------------------------------------------------------

    def rows(self) -> tuple[Positions, dict[str, Array]]:
        """The positions that have a slot, [n] ascending, and by past input the rows of these slots, in that order."""
        table = self.groups[0].table
        slots = np.flatnonzero(table != EMPTY)
        slots = slots[np.argsort(table[slots])]
        rows = {name: np.take(self.past(name), slots, axis=t.slot_axis) for name, t in self.tensors.items()}
        return table[slots], rows

    def restore(self, length: int, positions: Positions, rows: Mapping[str, Array]) -> None:
        """Makes the cache hold `length` tokens, of which those at `positions` have the given rows.

        Raises CapacityError where they do not fit; the cache is then as it was.
        """
        wanted = self.layout.slots(positions, self.capacity)
        self.reset()
        self._fill(length, wanted, positions, rows)

    def newest(self) -> dict[str, Array]:
        """By past input, a copy of the last token's row [..., 1, width]."""
        slots = self.layout.place(np.array([self.length - 1]), self.capacity, self.allocated)
        return {name: self.past(name)[..., slots, :].copy() for name in self.names}

    def append(self, rows: Sequence[Mapping[str, Array]]) -> None:
        """Makes tokens part of the sequence whose rows are known, each as `newest` gave them at the same position.

        Raises CapacityError where they do not fit.
        """
        positions = np.arange(self.length, self.length + len(rows), dtype=np.int64)
        joined = {name: np.concatenate([one[name] for one in rows], axis=-2) for name in self.names}
        wanted = self.layout.slots(positions, self.capacity)
        self._fill(self.length + len(rows), wanted, positions, joined)

    def _fill(self, length: int, wanted: int, positions: Positions, rows: Mapping[str, Array]) -> None:
        if self._counts:
            self._resize(length)
        else:
            self._reserve(wanted)
        if self.layout.slides:
            self._slide(length - self.length)
        slots = self.layout.place(positions, self.capacity, self.allocated)
        for name in self.names:
            self.past(name)[..., slots, :] = rows[name]
        for group in self.groups:
            group.table[slots] = positions
        self.length = length

    # -- a picture ---------------------------------------------------------------------------------------------

    @property
    def bytes(self) -> int:
        """Bytes that the buffers take now."""
        return self._memory.bytes + self.carried.bytes

    def view(self) -> tuple[GroupView, ...]:
        """The groups as the window draws them."""
        return tuple(group_view(self, group) for group in self.groups)

    # -- inside ------------------------------------------------------------------------------------------------

    @property
    def _one_row(self) -> bool:
        """Whether a mask is one row for all queries."""
        return any(len(self._drivers[mask].shape) == 2 for mask in self._windows if mask in self._drivers)

    def _input(self, feed: StepTokens, spec: TensorSpec) -> Array:
        group = self._windows.get(spec.name)
        return feed.driver(spec) if group is None else feed.mask(spec, group.table, group)

    def _why_not(self, tokens: int, columns: int) -> str:
        return (
            f"{tokens:,} tokens in {columns:,} columns do not fit the cache of {self.capacity:,} after "
            f"{self.length:,}: feed one token a step."
        )

    def _fresh_slots(self, width: int) -> int:
        """The slots of a present output for a step of `width` columns."""
        return {"rows": width, "buffer": self.allocated, "joined": self.allocated + width}[self._gives]

    def _new_rows(self, step: Step, keep: slice | Positions) -> list[Array]:
        """By store, the rows of present that hold those of the step's tokens that `keep` names."""
        slots = self._fresh_slots(step.width)
        first = step.start if self._gives == "buffer" and self._joins == "place" else slots - step.width
        first += step.real.start
        chosen = slice(first + keep.start, first + keep.stop) if isinstance(keep, slice) else first + keep
        return [] if self.in_place else [store.fresh(slots)[..., chosen, :] for store in self._stores]

    def _slide(self, by: int) -> None:
        """Moves the rows and what the tables say of them; rows further from the end than the capacity are forgotten."""
        for store in self._stores:
            store.slide(by)
        for group in self.groups:
            group.slide(by, self.capacity)

    def _reserve(self, slots: int) -> None:
        """Has the buffers fit `slots` slots: graphs attend to every one that there is, so that what a longer sequence
        needed goes again once it is twice what this one does."""
        if not self._growing:
            return
        wanted = slots + slots // 4  # a quarter more than needed: growing costs O(1) a token over a sequence
        bucket = min(self.capacity, max(1, -(-wanted // _BUCKET)) * _BUCKET)
        if slots > self.allocated or 2 * bucket <= self.allocated:
            self._resize(bucket)

    def _resize(self, slots: int) -> None:
        """Gives the buffers `slots` slots and keeps the rows that hold tokens; a sliding layout has them at the end."""
        self.lend()
        at_end = self.layout.slides
        keep = min(slots, max(group.taken(at_end) for group in self.groups))
        moved = [store.resize(slots, keep, at_end) for store in self._stores]
        for group in self.groups:
            group.resize(slots, keep, at_end)
        self.allocated, self.generation = slots, self.generation + any(moved)

"""The keys and values of one sequence around one slot table, from which everything else derives.

    plan(ids, width) ─▶ Step (ids, positions, masks, lengths)   nothing is written
    the graph runs with past and present bound to `buffers`
    commit(step)      ─▶ the new rows are in their slots, the table and the length advance

    KVCache ─┬─ slots: SlotTable       which token is where, and how many there are
             ├─ buffers: CacheBuffers  the rows
             └─ planner: StepPlanner   what a run takes, and its inputs

A step that is never committed (cancelled, failed) has no effect on later ones: rows that a graph wrote in place lie
beyond the length, and are overwritten before they are read. Batch is 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache.buffers import CacheBuffers, StackedBuffers
from workflows.kvcache.carried_state import CarriedTensor
from workflows.kvcache.geometry import StateFacts, StateTensor
from workflows.kvcache.layouts import STATE, Layout, Positions
from workflows.kvcache.slot_table import CacheGroup, SlotTable, differing_shapes, slot_runs
from workflows.kvcache.state_view import state_view
from workflows.kvcache.step_planner import PositionMap, Step, StepPlanner, default_facts
from workflows.kvcache.token_blocks import TokenBlocks
from workflows.kvcache.token_tree import checked_path, token_tree
from workflows.wire.events import GroupView


class KVCache:
    """The keys and values of one sequence.

    state: the graph's past/present pairs. facts: further facts of the graph; None for one that appends, with one mask
    for all layers. inputs: the graph's other inputs that the cache feeds, by name; None for ids, positions and masks.
    capacity: the largest number of slots. pad_left: padding comes before a step's tokens, for graphs that give the last
    column's logits alone. carried: state of fixed size that goes with the cache. stacks: see CacheBuffers.

    positions: how many positions the model has; None for no limit. longest: see StepPlanner. names: the past inputs of
    keys and values.
    can_branch: whether the tokens of a run may form a tree, see token_tree.py. in_place: whether the graph itself
    writes rows into the buffers.

    Raises GraphError where the state tensors contradict one another.
    """

    def __init__(
        self,
        state: Sequence[StateTensor],
        layout: Layout,
        capacity: int,
        facts: StateFacts | None = None,
        inputs: Mapping[str, TensorSpec] | None = None,
        *,
        pad_left: bool = False,
        carried: Sequence[CarriedTensor] = (),
        stacks: Sequence[StackedBuffers] | None = None,
    ) -> None:
        facts = facts or default_facts(state, layout)
        self.layout, self.capacity = layout, capacity
        self.buffers = CacheBuffers(state, layout, capacity, facts.counts, carried, stacks)
        self.carried = self.buffers.carried
        snapshots = (lambda: self.carried.snapshots) if carried else None
        self.slots = SlotTable(facts.groups, layout, capacity, self.buffers.allocated, snapshots)
        self.planner = StepPlanner(facts, inputs, self.slots, carries=bool(carried), pad_left=pad_left)
        self.longest = self.planner.longest
        self.in_place, self.tensors = self.buffers.in_place, self.buffers.tensors
        self.groups, self.positions, self.can_branch = self.slots.groups, facts.positions, self.planner.can_branch
        self.names = tuple(self.tensors)

    @property
    def length(self) -> int:
        """Tokens of the sequence, evicted ones included."""
        return self.slots.length

    @property
    def allocated(self) -> int:
        """Slots that the buffers have now."""
        return self.buffers.allocated

    # -- a step ------------------------------------------------------------------------------------------------

    def fitting_tokens(self, start: int, wanted: int, width: int | None) -> int:
        """How many of `wanted` tokens one run can take from position `start` on; see StepPlanner.fitting_tokens."""
        return self.planner.fitting_tokens(start, wanted, width)

    @property
    def has_room(self) -> bool:
        """Whether one more token fits."""
        return self.longest is None or self.length < self.longest

    def plan(
        self,
        ids: Sequence[int],
        width: int | None = None,
        parents: Sequence[int] | None = None,
        position_map: PositionMap | None = None,
        blocks: TokenBlocks | None = None,
    ) -> Step:
        """The step that feeds `ids` next, in `width` columns; as a tree where they have `parents`, see token_tree.py.

        position_map: for graphs whose position ids are three numbers per token. blocks: of the prompt, for graphs in
        which the places of a picture attend to each other. Writes no rows; may grow the buffers.
        Raises CapacityError where the layout has no slot left or the model no position, and GraphError for a step that
        the graph cannot take, see `fitting_tokens`.
        """
        planner, length, columns = self.planner, self.length, width or len(ids)
        tree = token_tree(parents, len(ids))
        planner.check_tree(tree)
        needed = self.layout.slots(np.arange(length, length + tree.reach, dtype=np.int64), self.capacity)
        planner.check_width(len(ids), columns)
        if not planner.counts:
            self.buffers.fit(needed if planner.joins == "append" else length + columns, self.slots)
        return planner.step(ids, columns, tree, self.allocated, position_map, blocks)

    def commit(self, step: Step, path: Sequence[int] | None = None) -> None:
        """Makes the new rows of `step` part of the sequence; of a tree those of the tokens at `path` alone.

        The only call that adds to the length, beside IncrementalStep.commit. Raises GraphError for a path that does not
        go from parent to child.
        """
        along = checked_path(step.parents, path)
        count = step.tokens if along is None else len(along)
        if not count:
            return
        keep = slice(max(0, count - self.capacity), count)  # a chunk longer than the ring keeps its end
        positions = np.arange(step.start, step.start + count)[keep]
        slots = step.slots[keep] if along is None else self.layout.place(positions, self.capacity, self.allocated)
        start = step.start if self.planner.joins == "place" else None
        rows = self.buffers.new_rows(step.width, step.real.start, keep if along is None else along[keep], start)
        if self.planner.counts:
            self.buffers.resize(self.length + count, self.slots)
        if self.layout.slides:
            self.buffers.slide(count, self.slots)
        self.buffers.commit(rows, slots)
        self.slots.assign(slots, positions)
        self.slots.length += count
        self.carried.commit(self.length)

    def shapes(self, width: int) -> dict[str, tuple[int, ...]]:
        """The shapes of every input that this cache feeds, for a step of `width` columns."""
        past = {name: self.buffers.past(name).shape for name in self.names}
        return self.planner.shapes(width, self.allocated) | past

    def past(self, name: str) -> Array:
        """The buffer of the past input `name` with its newest rows: the cache's own memory, never a copy."""
        self.buffers.sync()
        return self.buffers.past(name)

    # -- going back --------------------------------------------------------------------------------------------

    @property
    def evicted(self) -> int:
        """The number of oldest tokens without a slot."""
        return self.slots.evicted

    def rewindable(self) -> tuple[range, ...]:
        """The lengths that `rewind` takes, as half-open ranges; 0 always is one. See slot_table.py."""
        return self.slots.rewindable()

    def rewind(self, length: int) -> None:
        """Forgets every token from `length` on. Raises RewindError that names the legal lengths."""
        self.slots.check_rewind(length)
        if self.layout.slides and length:
            self.buffers.slide(length - self.length, self.slots)
        self.slots.forget(length)
        if length < self.length or not length:
            self.carried.rewind(length)
        self.slots.length = length
        if self.planner.counts:
            self.buffers.resize(length, self.slots)

    def reset(self, wiped: bool = False) -> None:
        """Forgets everything. wiped: overwrite the bytes, too, for NaN in a slot passes through the mask."""
        self.rewind(0)
        if wiped:
            self.buffers.wipe()

    # -- saved and loaded --------------------------------------------------------------------------------------

    def rows(self) -> tuple[Positions, dict[str, Array]]:
        """The positions that have a slot, [n] ascending, and by past input the rows of these slots, in that order."""
        slots, positions = self.slots.used_slots()
        rows = {name: np.take(self.past(name), slots, axis=t.slot_axis) for name, t in self.tensors.items()}
        return positions, rows

    def restore(self, length: int, positions: Positions, rows: Mapping[str, Array]) -> None:
        """Makes the cache hold `length` tokens, of which those at `positions` [n] have the given rows.

        Raises CapacityError where they do not fit; the cache is then unchanged.
        """
        needed = self.layout.slots(positions, self.capacity)
        self.reset()
        self._write(length, needed, positions, rows)

    def newest(self) -> dict[str, Array]:
        """By past input, a copy of the last token's row [..., 1, width]."""
        slots = self.layout.place(np.array([self.length - 1]), self.capacity, self.allocated)
        return {name: self.past(name)[..., slots, :].copy() for name in self.names}

    def append(self, rows: Sequence[Mapping[str, Array]]) -> None:
        """Appends tokens by their rows, as `newest` returned them at the same positions; else raises CapacityError."""
        positions = np.arange(self.length, self.length + len(rows), dtype=np.int64)
        joined = {name: np.concatenate([row[name] for row in rows], axis=-2) for name in self.names}
        needed = self.layout.slots(positions, self.capacity)
        self._write(self.length + len(rows), needed, positions, joined)

    def _write(self, length: int, needed: int, positions: Positions, rows: Mapping[str, Array]) -> None:
        if self.planner.counts:
            self.buffers.resize(length, self.slots)
        else:
            self.buffers.fit(needed, self.slots)
        if self.layout.slides:
            self.buffers.slide(length - self.length, self.slots)
        slots = self.layout.place(positions, self.capacity, self.allocated)
        for name in self.names:
            self.past(name)[..., slots, :] = rows[name]
        self.slots.assign(slots, positions)
        self.slots.length = length

    # -- views -------------------------------------------------------------------------------------------------

    @property
    def bytes(self) -> int:
        """Bytes that the buffers take now."""
        return self.buffers.bytes

    def view(self) -> tuple[GroupView, ...]:
        """The groups as the window draws them; the state of fixed size is a group of its own, the last."""
        slots = tuple(group_view(self, group) for group in self.groups)
        return slots + state_view(self.carried, self.length, self.rewindable())


def slot_count(cache: KVCache) -> int:
    """The cache's capacity; 0 where state of fixed size alone is kept, which any number of tokens fits."""
    return 0 if cache.layout.name == STATE else cache.capacity


def group_view(cache: KVCache, group: CacheGroup) -> GroupView:
    """One group of a cache as the window draws it."""
    tensors = [tensor for tensor in cache.tensors.values() if tensor.layer in group.layers]
    keys = {tensor.layer: tensor for tensor in tensors if tensor.role != "value"}
    return GroupView(
        name=group.name,
        layout=cache.layout.name,
        layers=list(group.layers),
        capacity=cache.capacity,
        allocated=cache.allocated,
        window=group.window,
        shape=[*tensors[0].sized(cache.allocated)],
        dtype=tensors[0].dtype,
        bytes=sum(tensor.bytes_per_slot for tensor in tensors) * cache.allocated,
        writer=tensors[0].writer,
        length=cache.length,
        evicted=cache.evicted,
        runs=slot_runs(group.table),
        rewindable=[(lengths[0], lengths[-1]) for lengths in cache.rewindable()],
        slides=cache.layout.slides,
        shapes=differing_shapes([list(keys[layer].sized(cache.allocated)) for layer in group.layers]),
    )


_KEY = re.compile(r"cross\.(\d+)\.key")


def cross_view(arrays: Mapping[str, Array], tokens: int) -> tuple[GroupView, ...]:
    """The group as the window draws it; empty before a source was read.

    arrays: [1, H, width, D] by the decoder's input name; the first `tokens` of the width are the source, the rest
    padding.
    """
    keys = {int(match[1]): array for name, array in arrays.items() if (match := _KEY.fullmatch(name))}
    if not keys:
        return ()
    layers = sorted(keys)
    first = keys[layers[0]]
    width = first.shape[2]
    view = GroupView(
        name="cross",
        layout="cross",
        layers=layers,
        capacity=width,
        allocated=width,
        window=None,
        shape=[*first.shape],
        dtype=str(first.dtype),
        bytes=sum(array.nbytes for name, array in arrays.items() if name.startswith("cross.")),
        writer="encoder",
        length=tokens,
        evicted=0,
        runs=[(0, 0, tokens)] if tokens else [],
        shapes=differing_shapes([list(keys[layer].shape) for layer in layers]),
    )
    return (view,)

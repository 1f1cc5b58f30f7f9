"""Which token each slot of the cache holds, per group of layers; masks, pictures and legal rewinds derive from it.

    table [allocated] int64: slot → position, EMPTY for a free slot

Legal rewinds:

    0 ├─┤        ├──────────┤ length
       0 always   lengths whose next token still finds a slot for each position that it attends to
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from workflows.common.errors import RewindError
from workflows.kvcache.buffers import shift_entries
from workflows.kvcache.cache_inputs import EMPTY
from workflows.kvcache.geometry import GroupFacts
from workflows.kvcache.layouts import Layout, Positions


@dataclass
class CacheGroup:
    """Layers that share one table and one mask; an AttentionRange of cache_inputs.py.

    window: positions that a query attends to, its own included; None for all. sinks: first positions that stay
    visible besides. reach: the model's own window, beyond which sinks are not visible either. chunk: the size of the
    chunks of which a query sees its own alone; None for no chunks.
    """

    name: str
    mask: str
    layers: tuple[int, ...]
    window: int | None
    sinks: int = 0
    reach: int | None = None
    chunk: int | None = None
    table: Positions = field(default_factory=lambda: np.empty(0, np.int64))  # [allocated], EMPTY or a position

    @classmethod
    def of(cls, facts: GroupFacts, ring: int | None, sinks: int, table: Positions) -> CacheGroup:
        """The group of a graph. ring: slots that a window layout reuses; it limits layers that would see further."""
        chunk = facts.window if facts.chunked else None
        if ring is None or (facts.window is not None and facts.window <= ring):
            return cls(facts.name, facts.mask, facts.layers, facts.window, chunk=chunk, table=table)
        return cls(facts.name, facts.mask, facts.layers, ring, sinks, facts.window, chunk, table)

    def forget(self, length: int) -> None:
        """Frees the slots of all positions from `length` on."""
        self.table[self.table >= length] = EMPTY

    def slide(self, by: int, capacity: int) -> None:
        """Moves entries `by` slots to the left (negative: to the right); frees those beyond `capacity` from the end."""
        slots = len(self.table)
        shift_entries(self.table, by)
        self.table[max(0, slots - by) :] = EMPTY  # vacated slots, on either side
        self.table[: max(0, -by, slots - capacity)] = EMPTY

    def used_span(self, at_end: bool) -> int:
        """The number of slots up to the last used one, or, `at_end`, from the first used one on."""
        held = np.flatnonzero(self.table != EMPTY)
        if not len(held):
            return 0
        return len(self.table) - int(held[0]) if at_end else int(held[-1]) + 1

    def resize(self, slots: int, keep: int, at_end: bool) -> None:
        """Gives the table `slots` entries; keeps the first `keep` entries, or the last ones where rows are `at_end`."""
        table = np.full(slots, EMPTY, np.int64)
        if keep:
            side = slice(-keep, None) if at_end else slice(keep)
            table[side] = self.table[side]
        self.table = table


class SlotTable:
    """The groups' tables and the sequence's `length` in tokens.

    snapshots: where state of fixed size goes with the cache, the lengths after which it is known; else None.
    """

    def __init__(
        self,
        facts: Iterable[GroupFacts],
        layout: Layout,
        capacity: int,
        allocated: int,
        snapshots: Callable[[], Iterable[int]] | None = None,
    ) -> None:
        self.layout, self.capacity, self.length = layout, capacity, 0
        self.ring = capacity - layout.sinks if layout.evicts else None
        self._snapshots = snapshots
        empty = np.full(allocated, EMPTY, np.int64)
        self.groups = [CacheGroup.of(group, self.ring, layout.sinks, empty.copy()) for group in facts]

    @property
    def evicted(self) -> int:
        """The number of oldest tokens without a slot."""
        if not self.layout.evicts or not self.groups:
            return 0
        return max(self.length - int(np.count_nonzero(self.groups[0].table != EMPTY)), 0)

    def rewindable(self) -> tuple[range, ...]:
        """The lengths that a rewind may go back to, as half-open ranges.

        A length L is legal where every position that the next token attends to, (L - window, L) and the sinks, still
        has its slot, and the state after L tokens is known.
        """
        evicted = self.evicted
        lowest = max((evicted + g.sinks + g.window - 1 for g in self.groups if g.window and evicted), default=0)
        if self._snapshots is not None:
            known = (at for at in self._snapshots() if lowest <= at < self.length)
            return tuple(range(at, at + 1) for at in dict.fromkeys((0, *known, self.length)))
        if lowest <= 1:
            return (range(0, self.length + 1),)
        return range(0, 1), range(min(lowest, self.length), self.length + 1)

    def nearest_rewind(self, length: int) -> int:
        """The largest length up to `length` that a rewind may go back to."""
        return max(min(lengths[-1], length) for lengths in self.rewindable() if lengths[0] <= length)

    def check_rewind(self, length: int) -> None:
        """Raises RewindError that names the legal lengths unless `length` is one of them."""
        legal = self.rewindable()
        if not any(length in lengths for lengths in legal):
            named = " and ".join(f"{r[0]}" if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in legal)
            raise RewindError(f"The cache cannot go back to {length:,} tokens: it can go to {named}.", legal)

    def forget(self, length: int) -> None:
        """Frees the slots of all positions from `length` on."""
        for group in self.groups:
            group.forget(length)

    def slide(self, by: int) -> None:
        """Moves all tables' entries `by` slots to the left, or back where it is negative."""
        for group in self.groups:
            group.slide(by, self.capacity)

    def used_span(self, at_end: bool) -> int:
        """The largest used span of the groups; see CacheGroup.used_span."""
        return max((group.used_span(at_end) for group in self.groups), default=0)

    def resize(self, slots: int, keep: int, at_end: bool) -> None:
        """Resizes all tables; see CacheGroup.resize."""
        for group in self.groups:
            group.resize(slots, keep, at_end)

    def assign(self, slots: Positions, positions: Positions) -> None:
        """Records that `slots` [n] now hold the tokens at `positions` [n]."""
        for group in self.groups:
            group.table[slots] = positions

    def used_slots(self) -> tuple[Positions, Positions]:
        """The used slots [n] in the order of their positions, and these positions [n], ascending."""
        table = self.groups[0].table if self.groups else np.empty(0, np.int64)
        slots = np.flatnonzero(table != EMPTY)
        slots = slots[np.argsort(table[slots])]
        return slots, table[slots]


def slot_runs(table: Positions) -> list[tuple[int, int, int]]:
    """The used slots of a table [allocated] int64 as runs (slot, position, count), as GroupView has them."""
    slots = np.flatnonzero(table != EMPTY)
    if not len(slots):
        return []
    breaks = np.flatnonzero((np.diff(slots) != 1) | (np.diff(table[slots]) != 1)) + 1
    return [(int(run[0]), int(table[run[0]]), len(run)) for run in np.split(slots, breaks)]


def differing_shapes(shapes: Sequence[list[int | str]]) -> list[list[int | str]]:
    """The shapes of a group's layers; empty where all of them equal the first."""
    return list(shapes) if any(shape != shapes[0] for shape in shapes) else []

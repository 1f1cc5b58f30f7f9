"""What the cache is made of, and what it hands out for one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache.buffers import shift_entries
from workflows.kvcache.cache_inputs import EMPTY, IDS, POSITIONS
from workflows.kvcache.geometry import MASK, GroupFacts, KeyJoin, StateFacts, StateTensor
from workflows.kvcache.layouts import Layout, Positions


@dataclass
class CacheGroup:
    """Layers that share one table; what they see is a Sight of drivers.py."""

    name: str
    mask: str
    layers: tuple[int, ...]
    window: int | None
    sinks: int = 0
    reach: int | None = None
    table: Positions = field(default_factory=lambda: np.empty(0, np.int64))  # [allocated], EMPTY or a position

    @classmethod
    def of(cls, facts: GroupFacts, ring: int | None, sinks: int, table: Positions) -> CacheGroup:
        """A ring is a window for every layer that sees further, and sinks are seen besides."""
        if ring is None or (facts.window is not None and facts.window <= ring):
            return cls(facts.name, facts.mask, facts.layers, facts.window, table=table)
        return cls(facts.name, facts.mask, facts.layers, ring, sinks, facts.window, table)

    def forget(self, length: int) -> None:
        """No slot holds a position from `length` on."""
        self.table[self.table >= length] = EMPTY

    def slide(self, by: int, capacity: int) -> None:
        """Its rows go `by` slots to the left, or back; those further from the end than `capacity` are forgotten."""
        slots = len(self.table)
        shift_entries(self.table, by)
        self.table[max(0, slots - by) :] = EMPTY  # what was vacated, on either side
        self.table[: max(0, -by, slots - capacity)] = EMPTY

    def taken(self, at_end: bool) -> int:
        """How many slots there are up to the last that holds a token, or down to the first where rows are `at_end`."""
        held = np.flatnonzero(self.table != EMPTY)
        if not len(held):
            return 0
        return len(self.table) - int(held[0]) if at_end else int(held[-1]) + 1

    def resize(self, slots: int, keep: int, at_end: bool) -> None:
        """As the buffers of its layers."""
        table = np.full(slots, EMPTY, np.int64)
        if keep:
            side = slice(-keep, None) if at_end else slice(keep)
            table[side] = self.table[side]
        self.table = table


@dataclass(frozen=True)
class Step:
    """The inputs of one run: N columns, of which the slice `real` are tokens and the rest padding.

    inputs, by what drives them:
        input_ids                     [1, N] int64
        position_ids                  [1, N] absolute, or [3, 1, N]
        a mask a group                [1, 1, N, keys]: 0 where the query of a row sees the key of a column, the type's
                                      lowest finite value elsewhere; or [1, keys]: 1 where there is a key to be seen.
                                      Keys are allocated + N where the graph appends, else allocated
        cache_position                [N], slots
        seqlens_k, total_sequence_length, write_indices, nonpad_kv_seqlen   lengths, as the operators want them
    slots: [tokens] int64, where the rows go; below zero: nowhere. parents: of tokens that branch, see tree.py, whose
    rows go where the path to them says.
    """

    inputs: dict[str, Array]
    slots: Positions
    start: int
    tokens: int
    width: int
    real: slice
    parents: tuple[int, ...] | None = None


def default_facts(state: Sequence[StateTensor], layout: Layout) -> StateFacts:
    """Of a graph that appends or writes in place as the layout has it, with one mask for all layers."""
    layers = tuple(sorted({tensor.layer for tensor in state}))
    joins: KeyJoin = "append" if layout.writer == "host" else "place"
    return StateFacts(layout.writer, (GroupFacts("all", MASK, layers, None),), joins=joins)


def default_cache_inputs(groups: Sequence[CacheGroup]) -> dict[str, TensorSpec]:
    """Ids, positions and a mask a group, with a row for every query."""
    named = {IDS: (1, "sequence"), POSITIONS: (1, "sequence")} | dict.fromkeys(
        (group.mask for group in groups), (1, 1, "sequence", "total")
    )
    types = {IDS: "int64", POSITIONS: "int64"}
    return {name: TensorSpec(name, shape, types.get(name, "float32")) for name, shape in named.items()}

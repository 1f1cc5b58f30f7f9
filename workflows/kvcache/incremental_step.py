"""Single-token steps in a cache that only fills: the inputs of one step become those of the next in place.

    after a step of one token at p   ids, positions and lengths become those of p + 1, a mask shows one key more
    run                              on the same memory
    commit                           the row goes to its slot, the table and the length advance

The same result as KVCache.plan and commit without allocating arrays. Any other change of the cache between two steps
changes its length or generation, after which the next step is planned.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from workflows.common.tensor_names import SEQLENS, WRITE_INDICES
from workflows.common.tensors import Array
from workflows.kvcache.cache import KVCache
from workflows.kvcache.cache_inputs import CACHE_POSITION, IDS, POSITIONS

_POSITION_INPUTS = (POSITIONS, CACHE_POSITION, SEQLENS, WRITE_INDICES)  # the other inputs count this token as well


@dataclass(frozen=True, slots=True)
class _Mask:
    """A mask's only row, [keys]. last: how far behind the token the newest key is that the step before did not see."""

    row: Array
    seen: float
    hidden: float | np.generic
    window: int | None
    last: int

    def advance(self, position: int) -> None:
        """Shows what the token at `position` attends to."""
        if position >= self.last:
            self.row[position - self.last] = self.seen
        if self.window is not None and position >= self.window:
            self.row[position - self.window] = self.hidden


class IncrementalStep:
    """Steps of one token each, after a committed one whose inputs lie in `arrays`, by input name."""

    def __init__(self, cache: KVCache, arrays: Iterable[tuple[str, Array]]) -> None:
        self._buffers, self._table = cache.buffers, cache.slots
        self._generation, self._length = cache.buffers.generation, cache.length
        positions = cache.capacity if cache.positions is None else cache.positions
        self._end = min(cache.allocated, cache.capacity, positions)
        self._ids, self._positions, self._counts = list[Array](), list[Array](), list[Array]()
        self._masks = list[_Mask]()
        masks = {group.mask: group for group in cache.groups}
        for name, array in arrays:
            if name in masks:
                self._masks.append(_mask(cache, name, array, masks[name].window))
            elif name == IDS:
                self._ids.append(array)
            else:
                (self._positions if name in _POSITION_INPUTS else self._counts).append(array)
        self._rows, self._tables = _rows(cache), [group.table for group in cache.groups]

    def is_valid(self) -> bool:
        """Whether the cache is as the step before left it, and has room for a token."""
        return self._length == self._table.length < self._end and self._generation == self._buffers.generation

    def put(self, token: int) -> None:
        """Writes the inputs of `token`; unless `commit` follows, the next step must be planned."""
        position = self._length
        self._length = -1
        for array in self._ids:
            array.fill(token)
        for array in self._positions:
            array.fill(position)
        for array in self._counts:
            array.fill(position + 1)
        for mask in self._masks:
            mask.advance(position)

    def commit(self) -> None:
        """Makes the row that the graph wrote part of the sequence; see KVCache.commit."""
        slot = self._table.length
        for slots, row in self._rows:
            slots[..., slot : slot + 1, :] = row
        for table in self._tables:
            table[slot] = slot
        self._table.length = self._length = slot + 1


def incremental_step(cache: KVCache, arrays: Iterable[tuple[str, Array]]) -> IncrementalStep | None:
    """The steps after a single-token step; None where rows move, or where inputs change by more than counting."""
    planner, buffers = cache.planner, cache.buffers
    moves = cache.layout.evicts or cache.layout.slides or planner.joins == "slide" or planner.counts
    placed = buffers.present == "buffer" and planner.joins == "place" and not cache.in_place  # rows change their slot
    chunked = any(group.chunk for group in cache.groups)  # at a chunk's end all keys are hidden at once
    return None if moves or placed or chunked or cache.carried else IncrementalStep(cache, arrays)


def _mask(cache: KVCache, name: str, array: Array, window: int | None) -> _Mask:
    """Where the graph appends, its own key's column is the last, and was always visible."""
    spec, last = cache.planner.inputs[name], int(cache.planner.joins == "append")
    seen, hidden = (0, spec.lowest) if len(spec.shape) == 4 else (1, 0)
    return _Mask(array.reshape(-1), seen, hidden, window, last)


def _rows(cache: KVCache) -> list[tuple[Array, Array]]:
    """By stack, all slots and the row that a single-token step writes; empty where the graph writes in place."""
    if cache.in_place:
        return []
    slots = cache.buffers.fresh_slots(1)
    return [(stack.slots, stack.fresh(slots)[..., slots - 1 : slots, :]) for stack in cache.buffers.stacks]

"""One token after another in a cache that only fills: the inputs of a step become those of the next where they lie.

    after a step of one token at p   ids, positions and lengths are told p + 1, a mask sees one key more
    run                              on the same memory
    commit                           the row goes to its slot, the table and the length advance

What `KVCache.plan` and `commit` do for such a step, without an array made for it. Whatever else happens to the cache
between two steps shows in its length or its generation, and then the next step is planned.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workflows.common.tensor_names import SEQLENS, WRITE_INDICES
from workflows.common.tensors import Array
from workflows.kvcache.cache import KVCache
from workflows.kvcache.cache_inputs import CACHE_POSITION, IDS, POSITIONS

_POSITION_INPUTS = (
    POSITIONS,
    CACHE_POSITION,
    SEQLENS,
    WRITE_INDICES,
)  # the others of DRIVERS tell how many tokens there are with this one


@dataclass(frozen=True, slots=True)
class _Mask:
    """A mask's only row, [keys]. last: how far behind the token the key is that the step before could not see yet."""

    row: Array
    seen: float
    hidden: Any
    window: int | None
    last: int

    def advance(self, position: int) -> None:
        """Shows what the token at `position` sees."""
        if position >= self.last:
            self.row[position - self.last] = self.seen
        if self.window is not None and position >= self.window:
            self.row[position - self.window] = self.hidden


class IncrementalStep:
    """The steps of one token behind one whose inputs lie in `arrays`, by driver, and which the cache has committed."""

    def __init__(self, cache: KVCache, arrays: Iterable[tuple[str, Array]]) -> None:
        self._cache, self._generation, self._length = cache, cache.generation, cache.length
        known = cache.capacity if cache.positions is None else cache.positions
        self._end = min(cache.allocated, cache.capacity, known)
        self._ids, self._at, self._counts, self._masks = list[Array](), list[Array](), list[Array](), list[_Mask]()
        masks = {group.mask: group for group in cache.groups}
        for name, array in arrays:
            if name in masks:
                self._masks.append(_mask(cache, name, array, masks[name].window))
            else:
                (self._ids if name == IDS else self._at if name in _POSITION_INPUTS else self._counts).append(array)
        self._rows, self._tables = _rows(cache), [group.table for group in cache.groups]

    def goes_on(self) -> bool:
        """Whether the cache is as the step before has left it, and has room for a token."""
        cache = self._cache
        return self._length == cache.length < self._end and self._generation == cache.generation

    def put(self, token: int) -> None:
        """Makes the inputs those of `token`; a step that is not committed then must be planned anew."""
        position = self._length
        self._length = -1
        for array in self._ids:
            array.fill(token)
        for array in self._at:
            array.fill(position)
        for array in self._counts:
            array.fill(position + 1)
        for mask in self._masks:
            mask.advance(position)

    def commit(self) -> None:
        """Makes the row that the graph has written part of the sequence; see KVCache.commit."""
        cache = self._cache
        slot = cache.length
        for slots, row in self._rows:
            slots[..., slot : slot + 1, :] = row
        for table in self._tables:
            table[slot] = slot
        cache.length = self._length = slot + 1


def incremental_step(cache: KVCache, arrays: Iterable[tuple[str, Array]]) -> IncrementalStep | None:
    """Who goes on after a step of one token; None where rows move, or what a step is fed is more than counts."""
    moves = cache.layout.evicts or cache.layout.slides or cache._joins == "slide" or cache._counts
    placed = cache._gives == "buffer" and cache._joins == "place" and not cache.in_place  # each row comes elsewhere
    return None if moves or placed or cache.carried or cache.told else IncrementalStep(cache, arrays)


def _mask(cache: KVCache, name: str, array: Array, window: int | None) -> _Mask:
    """Where the graph appends, the column of its own is the last, and it was always seen."""
    spec, last = cache._drivers[name], int(cache._joins == "append")
    seen, hidden = (0, spec.lowest) if len(spec.shape) == 4 else (1, 0)
    return _Mask(array.reshape(-1), seen, hidden, window, last)


def _rows(cache: KVCache) -> list[tuple[Array, Array]]:
    """By store, all slots and the row that a step of one token writes; none where the graph puts it there itself."""
    if cache.in_place:
        return []
    slots = cache._fresh_slots(1)
    return [(store.slots, store.fresh(slots)[..., slots - 1 : slots, :]) for store in cache._stores]

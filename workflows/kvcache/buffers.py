"""The memory of the cache: one buffer a kind of row, and what a commit, a slide and growth do to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from workflows.common.memory import free_bytes, lazy_zeros
from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache.geometry import StateTensor
from workflows.kvcache.layouts import Positions

_MOST = 0.75  # of the reserved slots: with large pages the others take memory, too


@dataclass
class StackedBuffers:
    """The buffers of all state tensors with one row shape and type, stacked so that a commit is one assignment.

    slots: [T, 1, H, S, D] or [T, 1, S, H·D]; a tensor's own buffer is the contiguous slots[t]. S is `allocated`, or
    the slots that there is address space for: those beyond hold nothing, and take no memory. `large`: its pages are.
    """

    tensors: list[StateTensor]
    slots: Array
    allocated: int
    reserved: int = 0
    large: bool = False
    _fresh: dict[int, Array] = field(default_factory=dict)  # slots → a buffer with that many

    def fresh(self, slots: int) -> Array:
        """The buffer for present outputs of `slots` slots; its content is not kept between runs."""
        if slots not in self._fresh:
            self._fresh[slots] = self.sized(slots)
        return self._fresh[slots]

    def commit(self, rows: Array, target: Positions) -> None:
        """Puts `rows`, shaped as slots but [.., n, ..], into the slots `target`, [n]."""
        first, count = int(target[0]), len(target)
        if target[-1] - first == count - 1:  # nearly always neighbours: a slice copies faster than an index
            self.slots[..., first : first + count, :] = rows
        else:
            self.slots[..., target, :] = rows

    def slide(self, by: int) -> None:
        """Moves every row `by` slots to the left, or to the right where it is negative; what falls off is lost."""
        *_, slots, size = self.slots.shape
        for block in self.slots.reshape(-1, slots * size):  # a head's rows lie in one piece
            shift_entries(block, by * size)

    def wipe(self) -> None:
        """Zeros everywhere."""
        for buffer in (self.slots[..., : self.allocated, :], *self._fresh.values()):
            buffer[...] = 0

    def sized(self, slots: int) -> Array:
        """A new buffer of zeros: a masked slot must be finite, or 0 times it would be NaN."""
        return np.zeros(self._shape(slots), self.slots.dtype)

    def resize(self, slots: int, keep: int, at_end: bool) -> bool:
        """Another number of slots; the first `keep` rows stay, or the last of them, at the end (`at_end`).

        Whether they moved: within what is reserved they grow where they are.
        """
        stays = self.allocated <= slots <= self.reserved
        self.allocated = slots
        if stays:
            return False
        self.large = False
        other = self._made()
        if keep:
            side = slice(-keep, None) if at_end else slice(keep)
            other[..., side, :] = self.slots[..., side, :]
        self.slots = other
        self._fresh.clear()
        return True

    def reserve(self, slots: int) -> None:
        """Address space for so many slots, of which none holds anything yet, where it can be had."""
        self.reserved = slots
        self.slots = self._made()

    def expect(self, slots: int) -> bool:
        """Take large pages where so many slots are most of those reserved; none may hold data. Returns whether so."""
        if self.large or not self.reserved or slots < _MOST * self.reserved:
            return False
        self.large = True
        self.slots = self._made()
        return True

    def _made(self) -> Array:
        """A buffer with the slots that are reserved, or with those that are allocated alone."""
        if self.allocated <= self.reserved:
            try:
                return lazy_zeros(self._shape(self.reserved), self.slots.dtype, self.large)
            except OSError:  # a limit of the process may count what is not used yet
                self.reserved = 0
        return self.sized(self.allocated)

    @property
    def bytes(self) -> int:
        """Of the slots that are allocated."""
        return sum(tensor.bytes_per_slot for tensor in self.tensors) * self.allocated

    def _shape(self, slots: int) -> tuple[int, ...]:
        return len(self.tensors), *self.tensors[0].sized(slots)


class CacheBuffers:
    """The stores of a state's tensors, with `allocated` empty slots, and each tensor's own buffer by its name."""

    def __init__(self, state: Sequence[StateTensor], allocated: int) -> None:
        self.stores = stack_buffers(state, allocated)
        self._where = {tensor.past: (store, i) for store in self.stores for i, tensor in enumerate(store.tensors)}
        self._present = {tensor.present: tensor.past for tensor in state}

    @property
    def tensors(self) -> dict[str, StateTensor]:
        """The state tensors by the name of their past input."""
        return {name: store.tensors[i] for name, (store, i) in self._where.items()}

    @property
    def bytes(self) -> int:
        """Bytes that the slots take now."""
        return sum(store.bytes for store in self.stores)

    def reserve(self, slots: int) -> bool:
        """Address space for so many slots at once; whether it was had.

        Where that much memory is not free the buffers grow by a part at a time, each copied into the next.
        """
        if slots * sum(tensor.bytes_per_slot for tensor in self.tensors.values()) > free_bytes() // 2:
            return False
        for store in self.stores:
            store.reserve(slots)
        return any(store.reserved for store in self.stores)

    def expect(self, slots: int) -> bool:
        """Before the first of so many slots is taken; whether buffers were made anew for them."""
        found = [store.expect(slots) for store in self.stores]
        return any(found)

    def past(self, name: str) -> Array:
        """The slots of the past input `name`."""
        store, index = self._where[name]
        past: Array = store.slots[index]
        return past

    def paired(self, present: str) -> Array:
        """The slots of the past input that goes with the output `present`."""
        return self.past(self._present[present])

    def fresh(self, present: str, slots: int) -> Array:
        """The buffer of `slots` slots for the output `present`; see Store.fresh."""
        store, index = self._where[self._present[present]]
        fresh: Array = store.fresh(slots)[index]
        return fresh


def stack_buffers(state: Sequence[StateTensor], allocated: int) -> list[StackedBuffers]:
    """Stores of `allocated` empty slots, one a row shape and type."""
    by_row: dict[tuple[tuple[int, ...], str], list[StateTensor]] = {}
    for tensor in state:
        by_row.setdefault((tensor.sized(1), tensor.dtype), []).append(tensor)
    dtypes = {dtype: TensorSpec("", (), dtype).numpy_dtype for _, dtype in by_row}
    return [
        StackedBuffers(tensors, np.zeros((len(tensors), *tensors[0].sized(allocated)), dtypes[dtype]), allocated)
        for (_, dtype), tensors in by_row.items()
    ]


def shift_entries(entries: Array, by: int) -> None:
    """Moves the entries of an array with one axis `by` places to the front; those that have no place are lost.

    numpy moves what overlaps along one axis without a copy, which is ten times as fast as along the axis of slots.
    """
    if 0 < by < len(entries):
        entries[:-by] = entries[by:]
    elif 0 < -by < len(entries):
        entries[-by:] = entries[:by]

"""What the window draws of a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workflows.kvcache.cache_inputs import EMPTY
from workflows.kvcache.layouts import Positions
from workflows.kvcache.step import CacheGroup
from workflows.wire.events import GroupView

if TYPE_CHECKING:
    from workflows.kvcache.cache import KVCache


def group_view(cache: KVCache, group: CacheGroup) -> GroupView:
    """A group of like layers as it is now."""
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


def differing_shapes(shapes: list[list[int | str]]) -> list[list[int | str]]:
    """The shapes of a group's layers, or nothing where they are all the first one."""
    return shapes if any(shape != shapes[0] for shape in shapes) else []


def slot_runs(table: Positions) -> list[tuple[int, int, int]]:
    """The filled slots of a table, [allocated] int64, as GroupView's runs."""
    slots = np.flatnonzero(table != EMPTY)
    if not len(slots):
        return []
    breaks = np.flatnonzero((np.diff(slots) != 1) | (np.diff(table[slots]) != 1)) + 1
    return [(int(run[0]), int(table[run[0]]), len(run)) for run in np.split(slots, breaks)]

"""State of fixed size as the window draws it: its tensors by layer, and the group of a cache.

CarriedTensor ──layer_groups──▶ LayerGroup (layers, name and shape of each tensor)
KVCache.carried ──state_view──▶ GroupView of the layout `state`, which has no slots
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from workflows.kvcache.carried_state import CarriedState, CarriedTensor
from workflows.kvcache.layouts import STATE
from workflows.wire.events import GroupView
from workflows.wire.reports.composite import CompositeTensor, LayerGroup

_PREFIX = re.compile(r"past(_key_values)?[._]")


def layer_groups(tensors: Iterable[CarriedTensor]) -> tuple[LayerGroup, ...]:
    """The tensors by the layers that their names state; equal layers are one group, and so are tensors without one."""
    layers: dict[int | None, list[CompositeTensor]] = {}
    for tensor in tensors:
        layer, name = _layer_and_name(tensor.past)
        layers.setdefault(layer, []).append(CompositeTensor(name, tensor.shape, tensor.dtype))
    groups: dict[tuple[CompositeTensor, ...], list[int]] = {}
    for layer, parts in layers.items():
        groups.setdefault(tuple(parts), []).extend([] if layer is None else [layer])
    return tuple(LayerGroup(tuple(sorted(numbers)), parts) for parts, numbers in groups.items())


def _layer_and_name(past: str) -> tuple[int | None, str]:
    """`past.3.conv` and `past_conv.3` are the `conv` of layer 3."""
    number = re.search(r"\d+", past)
    name = re.sub(r"\W*\d+\W*", ".", past, count=1).strip("._") or past
    return int(number[0]) if number else None, _PREFIX.sub("", name, count=1) or name


def state_view(carried: CarriedState, length: int, rewindable: Sequence[range]) -> tuple[GroupView, ...]:
    """The group of a cache's state after `length` tokens; none where it has no state."""
    if not carried:
        return ()
    tensors = tuple(carried.tensors.values())
    states = layer_groups(tensors)
    view = GroupView(
        name=STATE,
        layout=STATE,
        layers=sorted({layer for group in states for layer in group.layers}),
        capacity=0,
        allocated=0,
        window=None,
        shape=[*tensors[0].shape],
        dtype=tensors[0].dtype,
        bytes=sum(array.nbytes for array in carried.past.values()),
        writer="host",
        length=length,
        evicted=0,
        runs=[],
        rewindable=[(lengths[0], lengths[-1]) for lengths in rewindable],
        states=[*states],
        snapshots=len(carried.snapshots),
    )
    return (view,)

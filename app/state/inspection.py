"""What an inspection found, in the shape that the inspect page shows; and the state of every cache slot.

worker's "inspect" result ──parse_inspection──▶ Inspection (components, kv groups, stages)
CacheEvent groups ──SlotTable.update──▶ one state and one position per slot
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

from workflows.picture.composite import Composite, ranges

EMPTY, FILLED, REUSED, EVICTED, UNALLOCATED, HEAD, PASSED, FROZEN = range(8)
"""States of a slot: in memory and never filled; holds a token; holds one written over an evicted one; held one that
is gone; not in memory yet (a buffer that grows); where the next token goes; holds one that lies before the window,
so that the next token does not see it; holds a token of the source, written once by the encoder."""

CROSS = "cross"
"""The layout of the group that an encoder hands to a decoder."""

Shape = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output of a graph; a dynamic axis is its name."""

    name: str
    shape: Shape
    dtype: str


@dataclass(frozen=True, slots=True)
class Component:
    """One graph of a bundle."""

    name: str
    file: str
    role: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    op_counts: dict[str, int]
    opset: dict[str, int]
    bytes: int

    @property
    def nodes(self) -> int:
        """Nodes in the graph, all operators together."""
        return sum(self.op_counts.values())


@dataclass(frozen=True, slots=True)
class KvGroup:
    """A group of layers that share one slot table. `bytes_per_token` counts all its layers, keys and values.

    shapes: of each layer's keys, in the order of `layers`.
    """

    name: str
    layout: str
    layers: tuple[int, ...]
    capacity: int
    window: int | None
    shapes: tuple[Shape, ...]
    dtype: str
    bytes_per_token: int
    writer: str

    @property
    def bytes(self) -> int:
        """What all slots take together."""
        return self.bytes_per_token * self.capacity

    def bytes_per_slot(self, layer: int) -> int:
        """What one slot of a layer holds, keys and values: its share of a token's bytes."""
        sizes = [_row(shape) for shape in self.shapes]
        return self.bytes_per_token * sizes[self.layers.index(layer)] // sum(sizes) if sum(sizes) else 0

    def forms(self) -> list[str]:
        """The shapes; where layers have different ones, each with the layers that have it."""
        layers: dict[Shape, list[int]] = {}
        for layer, shape in zip(self.layers, self.shapes, strict=True):
            layers.setdefault(shape, []).append(layer)
        told = {" × ".join(map(str, shape)): ranges(numbers) for shape, numbers in layers.items()}
        return list(told) if len(told) == 1 else [f"{numbers}: {shape}" for shape, numbers in told.items()]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a pass left a place alone."""

    reason: str
    node: str


@dataclass(frozen=True, slots=True)
class PassRow:
    """What one pass did to one component in one stage."""

    stage: str
    component: str
    name: str
    modified: bool
    nodes_before: int
    nodes_after: int
    refused: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything that the page shows of one bundle or one graph."""

    path: str
    name: str
    is_bundle: bool
    facts: tuple[tuple[str, Any], ...]
    components: tuple[Component, ...]
    kv: tuple[KvGroup, ...]
    passes: tuple[PassRow, ...]
    metadata: tuple[tuple[str, str], ...]
    composite: Composite | None = None

    @property
    def encoder(self) -> str:
        """The component that reads the source of an encoder-decoder; empty where there is none."""
        roles = {component.role for component in self.components}
        return next((c.name for c in self.components if c.role == "encoder" and "decoder" in roles), "")

    @property
    def kv_bytes(self) -> int:
        """What the whole cache takes."""
        return sum(group.bytes for group in self.kv)


FACTS = ("model_type", "task", "family", "route", "precision", "layout", "capacity", "chunk", "bytes")
"""The single values of a bundle that Details lists, in this order."""

OF_A_CACHE = ("layout", "capacity", "chunk")
"""Those that mean something only where there is a cache."""


def parse_inspection(path: str, value: dict[str, Any]) -> Inspection:
    """The inspection in a worker's answer; what an .onnx file alone does not have stays empty.

    Raises ValueError when a part is not what the contract says.
    """
    try:
        return _parse(path, value)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"the inspection of {path} cannot be read: {error!r}") from error


def _parse(path: str, value: dict[str, Any]) -> Inspection:
    is_bundle = not str(path).lower().endswith(".onnx")
    stages = value.get("stages") or []
    components = tuple(_component(c) for c in value.get("components") or [])
    kv = joined(parse_group(g) for g in value.get("kv") or [])
    named = FACTS if kv else tuple(name for name in FACTS if name not in OF_A_CACHE)
    return Inspection(
        path=str(value.get("path") or path),
        name=str((value.get("name") if is_bundle else None) or Path(path).name),
        is_bundle=is_bundle,
        facts=tuple((name, value[name]) for name in named if value.get(name)),
        components=components,
        kv=kv,
        passes=tuple(_pass(s, p) for s in stages for p in s.get("passes") or []),
        metadata=tuple(
            (str(k), str(v)) for k, v in (value.get("metadata") or {}).items() if isinstance(v, (str, int, float))
        ),
        composite=Composite.of_dict(value["composite"]) if "composite" in value else None,
    )


def _component(c: dict[str, Any]) -> Component:
    return Component(
        name=str(c["name"]),
        file=str(c.get("file", "")),
        role=str(c.get("role", "")),
        inputs=tuple(_tensor(t) for t in c.get("inputs") or []),
        outputs=tuple(_tensor(t) for t in c.get("outputs") or []),
        op_counts={str(k): int(v) for k, v in (c.get("op_counts") or {}).items()},
        opset={str(k): int(v) for k, v in (c.get("opset") or {}).items()},
        bytes=int(c.get("bytes") or 0),
    )


def _tensor(t: dict[str, Any]) -> Tensor:
    return Tensor(str(t["name"]), _shape(t.get("shape")), str(t.get("dtype", "")))


def _shape(shape: Any) -> Shape:
    return tuple(d if isinstance(d, int) else str(d) for d in shape or [])


def _row(shape: Shape) -> int:
    """The elements that one slot takes: all axes but the first, and the last but one, which are batch and slots."""
    return prod(d for axis, d in enumerate(shape) if isinstance(d, int) and axis not in (0, len(shape) - 2))


def parse_group(g: dict[str, Any]) -> KvGroup:
    """A cache group, from an inspection ("group") or from a CacheEvent ("name")."""
    layers = g.get("layers") or []
    numbers = tuple(range(layers)) if isinstance(layers, int) else tuple(int(n) for n in layers)
    shapes = tuple(_shape(shape) for shape in g.get("shapes") or [])
    window, capacity = g.get("window"), int(g.get("capacity") or 0)
    slots = int(g.get("allocated") or capacity)  # a live group's bytes are those of the slots it has so far
    whole = int(g.get("bytes") or 0)
    return KvGroup(
        name=str(g.get("group") or g.get("name") or ""),
        layout=str(g.get("layout", "")),
        layers=numbers,
        capacity=capacity,
        window=int(window) if window else None,
        shapes=shapes or (_shape(g.get("shape")),) * len(numbers),
        dtype=str(g.get("dtype", "")),
        bytes_per_token=int(g.get("bytes_per_token") or (whole // slots if slots else 0)),
        writer=str(g.get("writer", "")),
    )


def joined(rows: Iterable[KvGroup]) -> tuple[KvGroup, ...]:
    """The groups: an inspection has a row for each shape that the layers of one have."""
    found: dict[tuple[str, str], KvGroup] = {}
    for row in rows:
        first = found.get((row.name, row.layout))
        if first is not None:
            pairs = sorted(zip(first.layers + row.layers, first.shapes + row.shapes, strict=True), key=lambda p: p[0])
            each = first.bytes_per_token + row.bytes_per_token
            layers, shapes = tuple(layer for layer, _ in pairs), tuple(shape for _, shape in pairs)
            row = replace(first, layers=layers, shapes=shapes, bytes_per_token=each)
        found[row.name, row.layout] = row
    return tuple(found.values())


def _pass(stage: dict[str, Any], p: dict[str, Any]) -> PassRow:
    return PassRow(
        stage=str(stage.get("name", "")),
        component=str(stage.get("component") or ""),
        name=str(p["name"]),
        modified=bool(p.get("modified")),
        nodes_before=int(p.get("nodes_before") or 0),
        nodes_after=int(p.get("nodes_after") or 0),
        refused=tuple(Refusal(str(r.get("reason", "")), str(r.get("node") or "")) for r in p.get("refused") or []),
    )


class SlotTable:
    """Slot → state and position of one group, kept up to date from its CacheEvents.

    `positions` is -1 where a slot is empty. A slot that was filled and is empty now counts as evicted until a
    token is placed there again; one that holds a position past the capacity was written over an evicted token.
    `rewindable` are (first, last) of the lengths that can be gone back to; none where the worker does not say.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.positions = array("q", [-1]) * capacity
        self.states = bytearray(capacity)
        self.runs: list[tuple[int, int, int]] = []
        self.rewindable: tuple[tuple[int, int], ...] = ()
        self.layout = ""
        self.slides = False  # the newest token is always in the last slot
        self.allocated = capacity
        self.used = 0
        self.evicted = 0
        self.length = 0
        self.head: int | None = 0 if capacity else None

    def update(self, group: dict[str, Any]) -> None:
        """Takes over a group of a CacheEvent: `runs` are [first slot, first position, count]."""
        self.layout, self.slides = str(group.get("layout", "")), bool(group.get("slides"))
        self.length = int(group.get("length") or 0)
        self.evicted = int(group.get("evicted") or 0)
        self.rewindable = tuple((int(first), int(last)) for first, last in group.get("rewindable") or [])
        allocated = min(int(group.get("allocated") or self.capacity), self.capacity)
        states = bytearray(allocated) + bytearray([UNALLOCATED]) * (self.capacity - allocated)
        positions = array("q", [-1]) * self.capacity
        self.runs, self.used = [], 0
        for slot, position, count in group.get("runs") or []:
            count = min(count, self.capacity - slot)
            if count > 0:
                positions[slot : slot + count] = array("q", range(position, position + count))
                states[slot : slot + count] = self._held(position, count, group.get("window"))
                self.runs.append((slot, position, count))
                self.used += count
        self.allocated = allocated
        self._mark_evicted(states)
        self.head = self._next_slot(positions)
        self.positions, self.states = positions, states

    def state(self, slot: int) -> int:
        """The state to draw: the write head wins over what the slot holds."""
        return HEAD if slot == self.head else self.states[slot]

    def legal(self, length: int) -> bool:
        """Whether the cache can go back to `length` tokens."""
        return any(first <= length <= last for first, last in self.rewindable)

    def edge(self, length: int) -> int | None:
        """The slot boundary after the token at `length` - 1; None where that has no slot."""
        if length <= 0:
            return 0
        for slot, position, count in self.runs:
            if position <= length - 1 < position + count:
                return slot + length - position
        return None

    def length_at(self, place: float) -> int:
        """The length that a boundary at `place`, in slots from the left, stands for."""
        if place <= 0 or not self.capacity:
            return 0
        if self.layout != "window" and not self.slides:
            return max(0, min(round(place), self.length))
        slot = min(int(place), self.capacity - 1)
        position = self.positions[slot]
        if position < 0:
            return 0 if self.slides and slot < self.allocated else self.length
        return position + (1 if place - slot >= 0.5 else 0)

    def forgotten(self, length: int) -> list[tuple[int, int]]:
        """(first slot, slots) of the tokens that a rewind to `length` forgets."""
        result = []
        for slot, position, count in self.runs:
            keep = max(0, min(length - position, count))
            if keep < count:
                result.append((slot + keep, count - keep))
        return result

    def _held(self, position: int, count: int, window: int | None) -> bytes:
        """The states of a run; a ring as large as its window keeps nothing before it."""
        if self.layout == CROSS:
            return bytes([FROZEN]) * count
        passed = 0
        if window and window < self.capacity:
            passed = max(0, min(self.length - window + 1 - position, count))
        over = position >= self.capacity and not self.slides
        return bytes([PASSED]) * passed + bytes([REUSED if over else FILLED]) * (count - passed)

    def _mark_evicted(self, states: bytearray) -> None:
        held = (FILLED, REUSED, EVICTED, PASSED)
        for slot, before in enumerate(self.states):
            if before in held and states[slot] == EMPTY:
                states[slot] = EVICTED

    def _next_slot(self, positions: array[int]) -> int | None:
        """The slot after that of the newest token; a ring starts over, a full, frozen or sliding cache has none."""
        if self.layout == CROSS or self.slides:
            return None
        newest = max(positions, default=-1)
        if newest < 0:
            return 0 if self.capacity else None
        after = positions.index(newest) + 1
        if after < self.capacity:
            return after
        return 0 if self.layout == "window" else None

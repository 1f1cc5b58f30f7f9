"""The result of an inspection as the inspect page shows it, and the state of every cache slot.

InspectReport ──inspection_of──▶ Inspection (components, KV groups, passes)
CacheEvent groups ──SlotOccupancy.update──▶ one state and one position per slot
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from workflows.common.element_types import item_bytes
from workflows.wire.events import STATE, GroupView, PictureSpan
from workflows.wire.reports.composite import Composite, CompositeTensor, LayerGroup, format_ranges
from workflows.wire.reports.inspection import BuiltPass, ComponentReport, InspectReport, KVGroupReport

EMPTY, FILLED, REUSED, EVICTED, UNALLOCATED, HEAD, PASSED, FROZEN, PICTURE = range(9)
"""States of a slot: allocated and never filled; holds a token; holds a token written over an evicted one; held a token
that was evicted; not allocated yet (a buffer that grows); where the next token goes; holds a token before the window,
which the next token does not attend to; holds a token of the source, written once by the encoder; holds a token of a
picture, over an evicted one or not.
"""

CROSS = "cross"
"""The layout of the group that an encoder passes to a decoder."""

Shape = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class KvGroup:
    """Layers with one slot table. bytes_per_token: keys and values of all layers. shapes: of each layer's keys.

    states: the tensors of a group of the layout STATE, and fixed_bytes their size; such a group has no slots.
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
    states: tuple[LayerGroup, ...] = ()
    fixed_bytes: int = 0

    @property
    def bytes(self) -> int:
        """Bytes of all slots, and of state of fixed size."""
        return self.bytes_per_token * self.capacity + self.fixed_bytes

    def bytes_per_slot(self, layer: int) -> int:
        """Bytes of one slot of a layer, keys and values."""
        sizes = [_row(shape) for shape in self.shapes]
        return self.bytes_per_token * sizes[self.layers.index(layer)] // sum(sizes) if sum(sizes) else 0

    def shape_texts(self) -> list[str]:
        """The shapes as text; if layers have different ones, each with its layers."""
        layers: dict[Shape, list[int]] = {}
        for layer, shape in zip(self.layers, self.shapes, strict=True):
            layers.setdefault(shape, []).append(layer)
        by_text = {" × ".join(map(str, shape)): format_ranges(numbers) for shape, numbers in layers.items()}
        return list(by_text) if len(by_text) == 1 else [f"{numbers}: {shape}" for shape, numbers in by_text.items()]


@dataclass(frozen=True, slots=True)
class PassRow:
    """The result of one pass on one component in one stage."""

    stage: str
    component: str
    done: BuiltPass


@dataclass(frozen=True, slots=True)
class Inspection:
    """What the page shows of a bundle or a graph. before: the file that the graph is compared with."""

    path: str
    name: str
    is_bundle: bool
    facts: tuple[tuple[str, str | int], ...]
    components: tuple[ComponentReport, ...]
    kv: tuple[KvGroup, ...]
    passes: tuple[PassRow, ...]
    metadata: tuple[tuple[str, str], ...]
    composite: Composite | None = None
    before: str = ""

    @property
    def bundle(self) -> str:
        """The folder; empty for a graph alone."""
        return self.path if self.is_bundle else ""

    @property
    def encoder(self) -> str:
        """The component that reads the source of an encoder-decoder; empty where there is none."""
        roles = {component.role for component in self.components}
        return next((c.name for c in self.components if c.role == "encoder" and "decoder" in roles), "")

    @property
    def kv_bytes(self) -> int:
        """Bytes of the whole cache."""
        return sum(group.bytes for group in self.kv)


def distinct_names(before: str, after: str) -> tuple[str, str]:
    """The names of two files as shown together: with their folders if the names are equal."""
    one, other = Path(before), Path(after)
    if one.name != other.name:
        return one.name, other.name
    parts = (one.absolute().parts, other.absolute().parts)
    differ = next((n for n, pair in enumerate(zip(*parts, strict=False)) if len(set(pair)) > 1), 0)
    first, last = ("/".join(dict.fromkeys((p[differ], *p[-1:]))) for p in parts)
    if first == last:  # one folder is inside the other
        return str(one), str(other)
    return first, last


@dataclass(frozen=True, slots=True)
class InspectTarget:
    """What the inspect page is to show: a bundle's folder, or an .onnx file.

    before: another .onnx file, to show the difference. component, node: what to go to in the graphs.
    """

    path: str
    before: str = ""
    component: str = ""
    node: str = ""

    @property
    def title(self) -> str:
        """The title before the inspection is there: the file names."""
        if not self.before:
            return Path(self.path).name
        return " → ".join(distinct_names(self.before, self.path))


CACHE_FACTS = ("layout", "capacity", "chunk")
"""The facts that only models with slots in their cache have."""


def inspection_of(path: str, report: InspectReport) -> Inspection:
    """Converts a report; fields that an .onnx file does not have stay empty."""
    is_bundle = not path.lower().endswith(".onnx")
    kv = merge_groups(_of_report(group) for group in report.kv)
    slots = any(group.layout != STATE for group in kv)
    values: dict[str, str | int | None] = {
        "model_type": report.model_type,
        "task": report.task,
        "family": report.family,
        "route": report.route,
        "precision": report.precision,
        "layout": report.layout,
        "capacity": report.capacity,
        "chunk": report.chunk,
        "bytes": report.bytes,
    }
    return Inspection(
        path=report.path,
        name=(is_bundle and report.name) or Path(path).name,  # assembled graphs have no name
        is_bundle=is_bundle,
        facts=tuple((name, value) for name, value in values.items() if value and (slots or name not in CACHE_FACTS)),
        components=tuple(report.components),
        kv=kv,
        passes=tuple(PassRow(stage.name, stage.component, one) for stage in report.stages for one in stage.passes),
        metadata=tuple((k, str(v)) for k, v in report.metadata.items() if isinstance(v, str | int | float)),
        composite=report.composite,
    )


def state_tensor_bytes(tensor: CompositeTensor) -> int:
    """Bytes of a tensor of fixed size."""
    return prod(axis for axis in tensor.shape if isinstance(axis, int)) * item_bytes(tensor.dtype)


def _row(shape: Shape) -> int:
    """Elements of one slot: all axes but the first (batch) and the last but one (slots)."""
    return prod(d for axis, d in enumerate(shape) if isinstance(d, int) and axis not in (0, len(shape) - 2))


def _of_report(group: KVGroupReport) -> KvGroup:
    return KvGroup(
        name=group.group,
        layout=group.layout,
        layers=tuple(group.layers),
        capacity=group.capacity or 0,
        window=group.window,
        shapes=(tuple(group.shape),) * len(group.layers),
        dtype=group.dtype,
        bytes_per_token=group.bytes_per_token,
        writer=group.writer,
        states=tuple(group.states),
        fixed_bytes=group.bytes or 0 if group.layout == STATE else 0,
    )


def session_group(group: GroupView) -> KvGroup:
    """A group of an open session; its bytes are those of the slots allocated so far."""
    return KvGroup(
        name=group.name,
        layout=group.layout,
        layers=tuple(group.layers),
        capacity=group.capacity,
        window=group.window,
        shapes=tuple(map(tuple, group.shapes)) or (tuple(group.shape),) * len(group.layers),
        dtype=group.dtype,
        bytes_per_token=group.bytes // group.allocated if group.allocated else 0,
        writer=group.writer,
        states=tuple(group.states),
        fixed_bytes=group.bytes if group.layout == STATE else 0,
    )


def merge_groups(rows: Iterable[KvGroup]) -> tuple[KvGroup, ...]:
    """Merges rows of the same group: an inspection has a row for each shape of its layers."""
    groups: dict[tuple[str, str], KvGroup] = {}
    for row in rows:
        first = groups.get((row.name, row.layout))
        if first is not None:
            pairs = sorted(zip(first.layers + row.layers, first.shapes + row.shapes, strict=True), key=lambda p: p[0])
            each = first.bytes_per_token + row.bytes_per_token
            layers, shapes = tuple(layer for layer, _ in pairs), tuple(shape for _, shape in pairs)
            row = replace(first, layers=layers, shapes=shapes, bytes_per_token=each)
        groups[row.name, row.layout] = row
    return tuple(groups.values())


class SlotOccupancy:
    """State and position of each slot of one group, updated by CacheEvents.

    positions: -1 for an empty slot. A slot that was filled and is empty now counts as evicted until a token is placed
    there again; a slot with a position past the capacity was written over an evicted token.
    rewindable: (first, last) of the lengths that the cache can rewind to; none where the worker does not report them.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.positions = array("q", [-1]) * capacity
        self.states = bytearray(capacity)
        self.runs: list[tuple[int, int, int]] = []
        self.pictures: tuple[PictureSpan, ...] = ()
        self.rewindable: tuple[tuple[int, int], ...] = ()
        self.layout = ""
        self.slides = False  # the newest token is always in the last slot
        self.allocated = capacity
        self.used = 0
        self.evicted = 0
        self.length = 0
        self.head: int | None = 0 if capacity else None

    @classmethod
    def unallocated(cls, capacity: int) -> SlotOccupancy:
        """The slots of a bundle that no session has open: none exists yet, and no token comes next."""
        table = cls(capacity)
        table.states, table.allocated, table.head = bytearray([UNALLOCATED]) * capacity, 0, None
        return table

    def update(self, group: GroupView, pictures: tuple[PictureSpan, ...] = ()) -> None:
        """Applies a group of a CacheEvent. pictures: those of its prompt; a cross cache has none of them."""
        self.pictures = () if group.layout == CROSS else pictures
        self.layout, self.slides = group.layout, group.slides
        self.length, self.evicted = group.length, group.evicted
        self.rewindable = tuple(group.rewindable)
        allocated = min(group.allocated, self.capacity)
        states = bytearray(allocated) + bytearray([UNALLOCATED]) * (self.capacity - allocated)
        positions = array("q", [-1]) * self.capacity
        self.runs, self.used = [], 0
        for slot, position, count in group.runs:
            count = min(count, self.capacity - slot)
            if count > 0:
                positions[slot : slot + count] = array("q", range(position, position + count))
                states[slot : slot + count] = self._run_states(position, count, group.window)
                self.runs.append((slot, position, count))
                self.used += count
        self.allocated = allocated
        self._mark_evicted(states)
        self._mark_pictures(states)
        self.head = self._next_slot(positions)
        self.positions, self.states = positions, states

    def state(self, slot: int) -> int:
        """The state to draw: the write head takes precedence over the slot's content."""
        return HEAD if slot == self.head else self.states[slot]

    def picture_at(self, slot: int) -> PictureSpan | None:
        """The picture whose token a slot holds."""
        position = self.positions[slot]
        return next((one for one in self.pictures if _covers(one, position)), None)

    def can_rewind_to(self, length: int) -> bool:
        """Whether the cache can rewind to `length` tokens."""
        return any(first <= length <= last for first, last in self.rewindable)

    def nearest_possible(self, length: int) -> int | None:
        """The length nearest to `length` that the cache can rewind to; None where none is known."""
        nearest = (max(first, min(length, last)) for first, last in self.rewindable)
        return min(nearest, key=lambda one: abs(one - length), default=None)

    def boundary_after(self, length: int) -> int | None:
        """The slot boundary after the token at `length` - 1; None if that token has no slot."""
        if length <= 0:
            return 0
        for slot, position, count in self.runs:
            if position <= length - 1 < position + count:
                return slot + length - position
        return None

    def length_at(self, place: float) -> int:
        """The length for a boundary at `place`, in slots from the left."""
        if place <= 0 or not self.capacity:
            return 0
        if self.layout != "window" and not self.slides:
            return max(0, min(round(place), self.length))
        slot = min(int(place), self.capacity - 1)
        position = self.positions[slot]
        if position < 0:
            return 0 if self.slides and slot < self.allocated else self.length
        return position + (1 if place - slot >= 0.5 else 0)

    def discarded_by(self, length: int) -> list[tuple[int, int]]:
        """(first slot, number of slots) of the tokens that a rewind to `length` discards."""
        result = []
        for slot, position, count in self.runs:
            keep = max(0, min(length - position, count))
            if keep < count:
                result.append((slot + keep, count - keep))
        return result

    def _run_states(self, position: int, count: int, window: int | None) -> bytes:
        """The states of a run; a ring as large as its window keeps nothing before the window."""
        if self.layout == CROSS:
            return bytes([FROZEN]) * count
        passed = 0
        if window and window < self.capacity:
            passed = max(0, min(self.length - window + 1 - position, count))
        over = position >= self.capacity and not self.slides
        return bytes([PASSED]) * passed + bytes([REUSED if over else FILLED]) * (count - passed)

    def _mark_evicted(self, states: bytearray) -> None:
        occupied = (FILLED, REUSED, EVICTED, PASSED, PICTURE)
        for slot, before in enumerate(self.states):
            if before in occupied and states[slot] == EMPTY:
                states[slot] = EVICTED

    def _mark_pictures(self, states: bytearray) -> None:
        for slot, position, count in self.runs:
            for first, length in (run for one in self.pictures for run in one.runs):
                for place in range(max(first, position), min(first + length, position + count)):
                    if states[slot + place - position] in (FILLED, REUSED):
                        states[slot + place - position] = PICTURE

    def _next_slot(self, positions: array[int]) -> int | None:
        """The slot after the newest token's; a ring wraps around, a full, frozen or sliding cache has none."""
        if self.layout == CROSS or self.slides:
            return None
        newest = max(positions, default=-1)
        if newest < 0:
            return 0 if self.capacity else None
        after = positions.index(newest) + 1
        if after < self.capacity:
            return after
        return 0 if self.layout == "window" else None


def _covers(picture: PictureSpan, position: int) -> bool:
    return any(first <= position < first + count for first, count in picture.runs)


def cached_tokens(picture: PictureSpan, group: GroupView) -> int:
    """How many of a picture's tokens a group still holds."""
    return sum(
        max(0, min(first + length, position + count) - max(first, position))
        for first, length in picture.runs
        for _, position, count in group.runs
    )

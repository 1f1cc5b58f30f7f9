"""The cache's geometry, read from the graphs' inputs and outputs, never from a configuration."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

from workflows.common import tensor_names
from workflows.common.element_types import item_bytes
from workflows.common.errors import GraphError
from workflows.common.strict_json import read_json
from workflows.common.tensor_names import POSITIONS_KEY
from workflows.common.tensors import TensorSpec
from workflows.kvcache.token_blocks import Mutual

Role = Literal["key", "value", "both"]
Writer = Literal["host", "gqa", "scatter"]
KeyJoin = Literal["append", "slide", "place"]  # see cache_inputs.py
PresentContent = Literal["rows", "buffer", "joined"]
MASK, SOURCE_MASK = tensor_names.MASK, tensor_names.SOURCE_MASK
FACTS_KEY = "joinery.kv"  # in a graph's metadata
_COLUMNS = (tensor_names.IDS, tensor_names.EMBEDS)  # whose second axis is the step's columns
_LAYER = r"0|[1-9][0-9]{0,5}"
_ALIGNED = ((False, False), (True, False), (False, True))  # (left, right); not both
PLAIN_SOURCE_MASK = tensor_names.PLAIN_SOURCE_MASK


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """Layers that share one slot table and one mask input; `window` as in CacheGroup.

    chunked: of the window a query sees no more than its own chunk of that many positions.
    """

    name: str
    mask: str
    layers: tuple[int, ...]
    window: int | None
    chunked: bool = False

    def to_dict(self) -> dict[str, object]:
        """The values for the graph's metadata."""
        return {name: value for name, value in asdict(self).items() if name != "chunked" or value}

    @classmethod
    def of_dict(cls, data: Mapping[str, object]) -> GroupFacts:
        """The group of metadata. Raises KeyError, TypeError or ValueError where they are malformed."""
        chunked, layers = data.get("chunked", False), data["layers"]
        if not isinstance(chunked, bool) or not isinstance(layers, list) or (chunked and not data["window"]):
            raise ValueError
        return cls(data["name"], data["mask"], tuple(layers), data["window"], chunked)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class StateFacts:
    """Facts of a graph's cache that its names and shapes cannot express.

    groups: none where it keeps state of fixed size alone. left_aligned: the graph uses slots as positions, as a
    learned relative bias does, so that no layout may move rows. positions: how many positions the model has, beyond
    which its tables end; None for no limit. right_aligned: the graph expects the newest key in the last slot.
    counts: it takes the number of slots as the number of tokens, so that no slot may be free. joins: see
    cache_inputs.py. note: why the declared cache is not used. mutual: the places of one picture, or all tokens of a
    prompt with pictures, attend to each other in both directions; see token_blocks.py.
    """

    writer: Writer
    groups: tuple[GroupFacts, ...]
    left_aligned: bool = False
    positions: int | None = None
    right_aligned: bool = False
    counts: bool = False
    joins: KeyJoin = "append"
    note: str = ""
    mutual: Mutual | None = None

    def to_json(self) -> str:
        """The text for the graph's metadata."""
        written = ("writer", "groups", "left_aligned", *(["mutual"] if self.mutual else []))
        values = asdict(self) | {"groups": [group.to_dict() for group in self.groups]}
        return json.dumps({name: value for name, value in values.items() if name in written})

    @classmethod
    def of_metadata(cls, metadata: Mapping[str, str]) -> StateFacts | None:
        """The facts in a graph's metadata; None where it has none. Raises GraphError where they are malformed."""
        text = metadata.get(FACTS_KEY)
        if text is None:
            return None
        try:
            data = read_json(text)
            groups = tuple(map(GroupFacts.of_dict, data["groups"]))
            writer, aligned = data["writer"], (data["left_aligned"], data.get("right_aligned", False))
            positions = int(metadata[POSITIONS_KEY]) if POSITIONS_KEY in metadata else None
            joins = data.get("joins", "append" if writer == "host" else "place")
            mutual = "pictures" if data.get("mutual") is True else data.get("mutual")  # True in older bundles
            if (
                writer not in get_args(Writer)
                or aligned not in _ALIGNED
                or joins not in get_args(KeyJoin)
                or mutual not in (None, *get_args(Mutual))
            ):
                raise ValueError
            if positions is not None and positions < 1:
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise GraphError(f"The graph's metadata {FACTS_KEY} is malformed: export it again.") from None
        left, right = aligned
        return cls(writer, groups, left, positions, right, joins=joins, mutual=mutual)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class StatePatterns:
    """The names of past and present tensors; `%d` stands for the layer.

    Without value patterns the key patterns name tensors that hold both, [2, 1, kv_heads, slots, head_dim].
    """

    past_key: str = tensor_names.PAST_KEY
    past_value: str = tensor_names.PAST_VALUE
    present_key: str = tensor_names.PRESENT_KEY
    present_value: str = tensor_names.PRESENT_VALUE

    def pairs(self) -> tuple[tuple[Role, str, str], ...]:
        """(role, past pattern, present pattern)."""
        if not self.past_value:
            return (("both", self.past_key, self.present_key),)
        return ("key", self.past_key, self.present_key), ("value", self.past_value, self.present_value)


KNOWN_PATTERNS = (
    StatePatterns(),  # ours and optimum's
    StatePatterns(  # optimum's, of a decoder behind an encoder
        "past_key_values.%d.decoder.key",
        "past_key_values.%d.decoder.value",
        "present.%d.decoder.key",
        "present.%d.decoder.value",
    ),
    StatePatterns("past_%d_key", "past_%d_value", "present_%d_key", "present_%d_value"),
    StatePatterns("key_cache.%d", "value_cache.%d", "updated_key_cache.%d", "updated_value_cache.%d"),
    StatePatterns("past_%d", "", "present_%d", ""),  # of GPT-2, combined
)


def patterns_of(inputs: Sequence[TensorSpec], namings: Sequence[StatePatterns] = KNOWN_PATTERNS) -> StatePatterns:
    """The patterns by which a graph names its cache; the first of `namings` where none fits.

    Patterns that match whole layer numbers win over those that an input only resembles, which find_state refuses.
    """
    numbers = {naming: _numbers(inputs, naming.past_key) for naming in namings}
    for naming, found in numbers.items():
        if any(re.fullmatch(_LAYER, number) for number in found):
            return naming
    return next((naming for naming, found in numbers.items() if found), namings[0])


def has_state(inputs: Sequence[TensorSpec], patterns: StatePatterns) -> bool:
    """Whether one of these inputs is named like past keys or values."""
    return any(_numbers(inputs, past) for _, past, _ in patterns.pairs())


def layers_of(inputs: Sequence[TensorSpec], patterns: StatePatterns) -> frozenset[int]:
    """The layers whose past keys or values are among these inputs."""
    numbers = {number for _, past, _ in patterns.pairs() for number in _numbers(inputs, past)}
    return frozenset(int(number) for number in numbers if re.fullmatch(_LAYER, number))


@dataclass(frozen=True, slots=True)
class StateTensor:
    """One past/present pair of one layer.

    shape: of past, [1, kv_heads, capacity, head_dim] or [1, capacity, kv_heads * head_dim], where the capacity may be
    symbolic; the role `both` has an axis of two before it. writer: `host` where the cache copies the new tokens' rows
    from present; else present is the same buffer as past, and the graph writes it in place. gives: the content of
    present: the new `rows`, a `buffer` with the slots of past, or past and the new rows `joined`.
    """

    past: str
    present: str
    layer: int
    role: Role
    shape: tuple[int | str, ...]
    dtype: str
    writer: Literal["graph", "host"]
    gives: PresentContent = "rows"

    @property
    def slot_axis(self) -> int:
        """The axis of the slots."""
        return len(self.shape) - 2

    @property
    def capacity(self) -> int | None:
        """The fixed number of slots; None where the graph takes any."""
        axis = self.shape[self.slot_axis]
        return axis if isinstance(axis, int) else None

    def sized(self, slots: int) -> tuple[int, ...]:
        """The shape of a buffer of `slots` slots."""
        own = {self.slot_axis: slots, int(self.role == "both"): 1}
        return tuple(own[i] if i in own else int(size) for i, size in enumerate(self.shape))

    @property
    def bytes_per_slot(self) -> int:
        """Bytes that one token takes in this tensor."""
        size = item_bytes(self.dtype)
        for axis in self.sized(1):
            size *= axis
        return size


def with_head_sizes(specs: Sequence[TensorSpec], heads: int | None, size: int | None) -> tuple[TensorSpec, ...]:
    """The specs with `heads` and head `size` in place of symbolic axes of [batch, heads, slots, size]."""
    return tuple(replace(spec, shape=_sized(spec.shape, heads, size)) for spec in specs)


def _sized(shape: tuple[int | str, ...], heads: int | None, size: int | None) -> tuple[int | str, ...]:
    if len(shape) < 4:
        return shape
    *batch, many, slots, wide = shape
    known = (many if isinstance(many, int) else heads or many, slots, wide if isinstance(wide, int) else size or wide)
    return (*batch, *known)


def find_state(
    inputs: Sequence[TensorSpec],
    outputs: Sequence[TensorSpec],
    patterns: StatePatterns,
    columns: int | str | None = None,
) -> tuple[StateTensor, ...]:
    """The past/present pairs of a graph, by layer and role; empty for a graph without a cache.

    columns: the axis of a step's columns; None for that of the ids or their embeddings. Raises GraphError for a
    malformed layer number, a missing half, a shape that is not [1, kv_heads, slots, head_dim], or a present that does
    not match its past.
    """
    found: list[StateTensor] = []
    named = next((spec.shape[1] for spec in inputs if spec.name in _COLUMNS and len(spec.shape) > 1), None)
    width = named if columns is None else columns
    for role, past_pattern, present_pattern in patterns.pairs():
        past, present = _by_layer(inputs, past_pattern), _by_layer(outputs, present_pattern)
        for layer in sorted(past.keys() ^ present.keys()):
            missing = present_pattern if layer in past else past_pattern
            raise GraphError(f"The graph lacks {missing % layer}, the other half of layer {layer}'s {role} cache.")
        found += [_state(role, layer, past[layer], present[layer], width) for layer in sorted(past)]
    _check_key_value_pairs(found)
    return tuple(sorted(found, key=lambda tensor: (tensor.layer, tensor.role)))


def _check_key_value_pairs(found: Sequence[StateTensor]) -> None:
    """Raises GraphError for a layer with keys alone, or values alone; layer numbers may have gaps."""
    layers = {role: {tensor.layer for tensor in found if tensor.role == role} for role in ("key", "value")}
    for layer in sorted(layers["key"] ^ layers["value"]):
        has, lacks = ("key", "value") if layer in layers["key"] else ("value", "key")
        raise GraphError(f"The graph's cache has a {has} for layer {layer} and no {lacks}: it needs both.")


def _numbers(specs: Iterable[TensorSpec], pattern: str) -> dict[str, TensorSpec]:
    """The text at the layer's place in the names that match `pattern` → the last such tensor."""
    head, tail = pattern.split("%d")
    return {
        spec.name[len(head) : len(spec.name) - len(tail)]: spec
        for spec in specs
        if spec.name.startswith(head) and spec.name.endswith(tail) and len(spec.name) >= len(head) + len(tail)
    }


def _by_layer(specs: Sequence[TensorSpec], pattern: str) -> dict[int, TensorSpec]:
    found: dict[int, TensorSpec] = {}
    for spec in specs:
        for number in _numbers([spec], pattern):
            if not re.fullmatch(_LAYER, number):
                raise GraphError(f"{spec.name} is named like a cache tensor, but {number!r} is not a layer number.")
            if int(number) in found:
                raise GraphError(f"Layer {number} has two tensors named {spec.name}.")
            found[int(number)] = spec
    return found


def _state(role: Role, layer: int, past: TensorSpec, present: TensorSpec, width: int | str | None) -> StateTensor:
    rank, batch = len(past.shape), int(role == "both")
    if len(present.shape) != rank or rank not in ((5,) if batch else (3, 4)):
        pair = "[2, 1, kv_heads, slots, head_dim]" if batch else "[1, kv_heads, slots, head_dim] or [1, slots, width]"
        raise GraphError(f"{past.name} should be {pair} and is {list(past.shape)}.")
    slot_axis = rank - 2
    fixed = [axis for i, axis in enumerate(past.shape) if i not in (batch, slot_axis)]
    many = isinstance(past.shape[batch], int) and past.shape[batch] != 1
    if many or not all(isinstance(axis, int) for axis in fixed) or (batch and fixed[0] != 2):
        raise GraphError(f"{past.name} is {list(past.shape)}: batch must be 1, and heads and head size fixed.")
    same = [axis for i, axis in enumerate(present.shape) if i not in (batch, slot_axis)] == fixed
    if not same or present.dtype != past.dtype:
        raise GraphError(f"{present.name} is {list(present.shape)} {present.dtype}, which does not fit {past.name}.")
    gives = _present_content(past.shape[slot_axis], present.shape[slot_axis], width)
    if gives is None:
        raise GraphError(
            f"{present.name} has {present.shape[slot_axis]} slots, which are neither the {past.shape[slot_axis]} of "
            f"past, nor the {width} of the step, nor both together."
        )
    writer: Literal["graph", "host"] = "graph" if gives == "buffer" else "host"
    return StateTensor(past.name, present.name, layer, role, past.shape, past.dtype, writer, gives)


def _present_content(past: int | str, present: int | str, width: int | str | None) -> PresentContent | None:
    """The content of present, from the slot axes and the axis of the step's columns; None where nothing fits.

    An axis without a name counts as the new rows, which every graph built by Joinery gives.
    """
    if present == past != "?":
        return "buffer"
    if width is None or present in (width, "?"):
        return "rows"
    if isinstance(present, int) and isinstance(past, int):
        return "joined" if not isinstance(width, int) or present == past + width else None
    return "joined"

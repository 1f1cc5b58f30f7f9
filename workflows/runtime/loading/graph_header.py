"""What of an .onnx file decides how much memory its session takes, read without the onnx package and without weights.

    file ──mmap──▶ fields of the protobuf message ──▶ GraphHeader: inputs, outputs, metadata, WeightBytes

Initializers count by their declared shape and type, those of subgraphs and constants included.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from workflows.common.errors import GraphError
from workflows.common.tensors import TensorSpec
from workflows.runtime.program.signature import FileSignature

# The numbers of fields in onnx.proto, by message.
_GRAPH, _METADATA = 7, 14
_NODE, _INITIALIZER, _INPUT, _OUTPUT = 1, 5, 11, 12
_ATTRIBUTES, _TENSOR, _SUBGRAPH, _SUBGRAPHS = 5, 5, 6, 11
_DIMS, _ELEMENT, _TENSOR_NAME, _PLACE = 1, 2, 8, 14
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5

# ONNX's number of an element type → its bits, and onnxruntime's name of it; the others are of 8 bits or fewer.
_BITS = {1: 32, 4: 16, 5: 16, 6: 32, 7: 64, 10: 16, 11: 64, 12: 32, 13: 64, 16: 16, 21: 4, 22: 4, 23: 4, 25: 2, 26: 2}
_NAMES = {1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
          10: "float16", 11: "double", 16: "bfloat16"}  # fmt: skip
_HALVES = (10, 16)
_SMALL = 4096  # bytes; a constant of that size is no weight

Fields = Iterator[tuple[int, int | memoryview]]
Kind = Literal["full", "half", "packed", "inline"]


@dataclass(frozen=True)
class WeightBytes:
    """Bytes of a graph's weights by the kind of their elements.

    full: of 32 bits or more, in a file of their own. half: float16 and bfloat16. packed: of 8 bits or fewer, which
    kernels unpack. inline: within the .onnx file, of any kind but packed and half.
    """

    full: int = 0
    half: int = 0
    packed: int = 0
    inline: int = 0

    def __add__(self, other: WeightBytes) -> WeightBytes:
        return WeightBytes(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    @property
    def total(self) -> int:
        return self.full + self.half + self.packed + self.inline


@dataclass(frozen=True)
class GraphHeader:
    """signature: without the inputs that an initializer fills."""

    signature: FileSignature
    weights: WeightBytes


def read_header(path: Path, graph: bytes | None = None) -> GraphHeader:
    """The header of the graph in a file, or of `graph` in its place. Raises GraphError for a file that is no graph."""
    try:
        if graph is not None:
            return _header(memoryview(graph))
        with path.open("rb") as file:
            return _header(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
    except (ValueError, IndexError, UnicodeDecodeError):  # an empty file is a ValueError of mmap
        raise GraphError(f"{path.name} is not an ONNX file, or is incomplete: download or export it again.") from None


def _header(data: memoryview) -> GraphHeader:
    metadata: dict[str, str] = {}
    inputs, outputs, filled = list[TensorSpec](), list[TensorSpec](), set[str]()
    weights = WeightBytes()
    for number, value in _fields(data):
        if number == _METADATA:
            entry = dict(_fields(_message(value)))
            metadata[_text(entry.get(1))] = _text(entry.get(2))
        if number != _GRAPH:
            continue
        for kind, part in _fields(_message(value)):
            if kind in (_INPUT, _OUTPUT):
                (inputs if kind == _INPUT else outputs).extend(_value(_message(part)))
            elif kind == _INITIALIZER:
                filled.add(_text(dict(_fields(_message(part))).get(_TENSOR_NAME)))
        weights = _weights(_message(value))
    own = tuple(spec for spec in inputs if spec.name not in filled)
    return GraphHeader(FileSignature(own, tuple(outputs), metadata), weights)


def _weights(graph: memoryview) -> WeightBytes:
    """The weights of a graph, with its subgraphs' and those in attributes of its nodes."""
    found = WeightBytes()
    for number, value in _fields(graph):
        if number == _INITIALIZER:
            found += _tensor(_message(value))
        if number != _NODE:
            continue
        for _, attribute in (one for one in _fields(_message(value)) if one[0] == _ATTRIBUTES):
            for kind, part in _fields(_message(attribute)):
                if kind in (_SUBGRAPH, _SUBGRAPHS):
                    found += _weights(_message(part))
                elif kind == _TENSOR:
                    found += _tensor(_message(part))
    return found


def _tensor(data: memoryview) -> WeightBytes:
    """The bytes of one tensor; none where it is too small for a weight."""
    dims, element, external = list[int](), 0, False
    for number, value in _fields(data):
        if number == _DIMS:
            dims += [value] if isinstance(value, int) else _varints(value)
        elif number == _ELEMENT:
            element = _number(value)
        elif number == _PLACE:
            external = bool(value)
    bits = _BITS.get(element, 8)
    size = -(-math.prod(dims) * bits // 8)
    if size < _SMALL:
        return WeightBytes()
    if element in _HALVES:
        return WeightBytes(half=size)
    if bits <= 8:
        return WeightBytes(packed=size)
    return WeightBytes(full=size) if external else WeightBytes(inline=size)


def _value(data: memoryview) -> Iterator[TensorSpec]:
    """The spec of an input or output; none where it is no tensor of a known type."""
    parts = dict(_fields(data))
    tensor = dict(_fields(_message(parts.get(2, memoryview(b"")))))
    kind = dict(_fields(_message(tensor.get(1, memoryview(b"")))))
    element = kind.get(1, 0)
    if element not in _NAMES:
        return
    axes = [
        dict(_fields(_message(dim))) for number, dim in _fields(_message(kind.get(2, memoryview(b"")))) if number == 1
    ]
    shape: list[int | str | None] = [_number(axis[1]) if 1 in axis else _text(axis.get(2)) or None for axis in axes]
    yield TensorSpec.of_runtime(_text(parts.get(1)), shape, f"tensor({_NAMES[_number(element)]})")


# -- protobuf's wire format ------------------------------------------------------------------------------------


def _fields(data: memoryview) -> Fields:
    """(field number, its number or its bytes) for each field of a message. Raises ValueError where it is cut short."""
    at, end = 0, len(data)
    while at < end:
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind not in (_EIGHT_BYTES, _BYTES, _FOUR_BYTES):
            raise ValueError(f"a field of the kind {kind}")
        size, at = _varint(data, at) if kind == _BYTES else (8 if kind == _EIGHT_BYTES else 4, at)
        if at + size > end:
            raise ValueError("a field that ends after its message")
        yield number, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """The number at `at`, and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def _varints(data: memoryview) -> list[int]:
    numbers, at = list[int](), 0
    while at < len(data):
        number, at = _varint(data, at)
        numbers.append(number)
    return numbers


def _message(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("a number in the place of a message")
    return value


def _number(value: int | memoryview) -> int:
    if not isinstance(value, int):
        raise ValueError("bytes in the place of a number")
    return value


def _text(value: int | memoryview | None) -> str:
    return "" if value is None else str(_message(value), "utf-8")

"""Writes a GGUF file (version 3), one tensor's data at a time; checkpoint/gguf/header.py describes the format."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workflows.checkpoint.gguf.header import DEFAULT_ALIGNMENT, MAGIC, VERSIONS

Entry = str | bool | int | float | list[str] | list[int] | list[float]
_STRING, _ARRAY = 8, 9
_NUMBERS: dict[type, tuple[int, str]] = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}


@dataclass(frozen=True)
class WritableTensor:
    """A tensor to write. shape: rows before columns. form: its number in FORMS. data: returns its `size` bytes."""

    name: str
    shape: tuple[int, ...]
    form: int
    size: int
    data: Callable[[], bytes]


def write_gguf(path: Path, metadata: Mapping[str, Entry], tensors: Sequence[WritableTensor]) -> None:
    """Writes the file. Raises OSError."""
    table, offset = b"", 0
    for tensor in tensors:
        axes = struct.pack(f"<I{len(tensor.shape)}Q", len(tensor.shape), *reversed(tensor.shape))
        table += _text(tensor.name) + axes + struct.pack("<IQ", tensor.form, offset)
        offset += _aligned(tensor.size)
    head = MAGIC + struct.pack("<IQQ", VERSIONS[-1], len(tensors), len(metadata))
    head += b"".join(_text(key) + _value(value) for key, value in metadata.items()) + table
    with path.open("wb") as file:
        file.write(head.ljust(_aligned(len(head)), b"\0"))
        for tensor in tensors:
            content = tensor.data()
            assert len(content) == tensor.size
            file.write(content.ljust(_aligned(tensor.size), b"\0"))


def _aligned(size: int) -> int:
    return -(-size // DEFAULT_ALIGNMENT) * DEFAULT_ALIGNMENT


def _text(value: str) -> bytes:
    content = value.encode()
    return struct.pack("<Q", len(content)) + content


def _value(value: Entry) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _text(value)
    if not isinstance(value, list):
        kind, form = _NUMBERS[type(value)]
        return struct.pack(f"<I{form}", kind, value)
    head = struct.pack("<IIQ", _ARRAY, _STRING, len(value))
    if value and not isinstance(value[0], str):
        kind, form = (5, "i") if isinstance(value[0], int) else _NUMBERS[float]
        return struct.pack("<IIQ", _ARRAY, kind, len(value)) + struct.pack(f"<{len(value)}{form}", *value)
    return head + b"".join(_text(str(one)) for one in value)

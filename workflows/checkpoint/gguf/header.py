"""Reads the header of a GGUF file: its metadata, and where the data of each tensor lies.

    magic, version, counts │ metadata: key, type, value │ tensors: name, dimensions, form, offset │ padding │ data

Nothing is allocated because the header says so: a count or a length is compared with the bytes that the file has left
before anything is read, and a tensor with the whole file. The data of tensors is not read.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3, little-endian). The `gguf` package
reads it too, but maps the file, trusts its counts and answers a damaged file with whatever numpy raises.
"""

from __future__ import annotations

import math
import os
import struct
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NoReturn

from workflows.checkpoint.files import open_file
from workflows.checkpoint.gguf.forms import FORMS, UNREAD, BlockForm
from workflows.common.errors import CheckpointError, printable

MAGIC = b"GGUF"
VERSIONS = (2, 3)
KEY_LIMIT = 1 << 16  # bytes of a key or of a tensor's name; the format's own limit
STRING_LIMIT = 16 << 20  # bytes of a text: chat templates have kilobytes
ENTRY_LIMIT = 1 << 22  # of all arrays together: the largest vocabularies have 300,000 tokens and a million merges
HEADER_LIMIT = 256 << 20
DEFAULT_ALIGNMENT = 32
MAX_AXES = 4

_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_SMALLEST_ENTRY, _SMALLEST_TENSOR = 8 + 4 + 1, 8 + 4 + 4 + 8  # bytes of a metadata entry and of a tensor's entry

Value = int | float | bool | str | list[int] | list[float] | list[bool] | list[str]


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """A tensor: `bytes` bytes from byte `offset` of the file on. shape: in PyTorch's order, rows before columns."""

    name: str
    form: BlockForm
    shape: tuple[int, ...]
    offset: int
    bytes: int


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a GGUF file holds. end: the byte of the file after its last tensor."""

    metadata: dict[str, Value] = field(repr=False)
    tensors: dict[str, GgufTensor] = field(repr=False)
    end: int


def read_gguf(path: Path) -> GgufHeader:
    """Reads a file's header. Raises CheckpointError, with one sentence, for what is damaged, hostile or not read."""
    with open_file(path) as file:
        return _HeaderReader(file, path.name).read()


class _HeaderReader:
    """Reads a header from its beginning to its end."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self._size = os.fstat(file.fileno()).st_size
        self._place = 0
        self._entries = 0  # of arrays, so far

    def read(self) -> GgufHeader:
        tensors, entries = self._read_start()
        metadata: dict[str, Value] = {}
        for _ in range(entries):
            key = self._string("a key", KEY_LIMIT)
            if key in metadata:
                self._refuse(f"its metadata has '{printable(key, 60)}' twice")
            metadata[key] = self._value(key, self._unsigned(4))
        alignment = metadata.get("general.alignment", DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20 or alignment % 8:
            self._refuse(f"its alignment is {printable(alignment, 24)}, which is no multiple of 8")
        table = [self._tensor() for _ in range(tensors)]
        data = -(-self._place // alignment) * alignment
        placed = [self._placed(*entry, data, alignment) for entry in table]
        self._check_places(placed)
        named = {one.name: one for one in placed}
        if len(named) < len(placed):
            twice, _ = Counter(one.name for one in placed).most_common(1)[0]
            self._refuse(f"it has the tensor '{printable(twice, 60)}' twice")
        return GgufHeader(metadata, named, max((one.offset + one.bytes for one in placed), default=data))

    def _read_start(self) -> tuple[int, int]:
        """The numbers of tensors and of metadata entries."""
        if self._size < 24 or self._bytes(4) != MAGIC:
            raise CheckpointError(
                f"'{printable(self._name)}' is not a GGUF file, for it does not begin as one: get it again, or give "
                "the checkpoint's folder."
            )
        version = self._unsigned(4)
        if version not in VERSIONS:
            swapped = int.from_bytes(version.to_bytes(4, "little"), "big") in VERSIONS
            which = "in big-endian order" if swapped else f"of version {version}"
            raise CheckpointError(
                f"'{printable(self._name)}' is a GGUF file {which}, and versions 2 and 3 in little-endian order are "
                "read: get the model in one of these."
            )
        tensors, entries = self._unsigned(8), self._unsigned(8)
        self._require(tensors * _SMALLEST_TENSOR + entries * _SMALLEST_ENTRY, f"{printable(tensors, 24)} tensors and "
                      f"{printable(entries, 24)} entries of metadata")  # fmt: skip
        return tensors, entries

    def _tensor(self) -> tuple[str, tuple[int, ...], int, int]:
        """A tensor's name, its shape in PyTorch's order, the number of its form, and its place in the data."""
        name = self._string("a tensor's name", KEY_LIMIT)
        axes = self._unsigned(4)
        if not 0 < axes <= MAX_AXES:
            self._refuse(f"its tensor '{printable(name, 60)}' has {printable(axes, 24)} axes")
        shape = tuple(self._unsigned(8) for _ in range(axes))[::-1]
        return name, shape, self._unsigned(4), self._unsigned(8)

    def _placed(
        self, name: str, shape: tuple[int, ...], kind: int, offset: int, data: int, alignment: int
    ) -> GgufTensor:
        """The tensor at its place in the file."""
        what = f"its tensor '{printable(name, 60)}'"
        form = FORMS.get(kind)
        if form is None:
            label = UNREAD.get(kind, f"number {printable(kind, 24)}")
            raise CheckpointError(
                f"'{printable(self._name)}' stores the tensor '{printable(name, 60)}' in the form {label}, which is "
                "not read: get the model in another quantization, such as Q4_K_M or Q8_0."
            )
        if not all(0 < size < 1 << 40 for size in shape) or math.prod(shape) >= 1 << 60:
            self._refuse(f"{what} has the shape {printable(list(shape), 60)}")
        if shape[-1] % form.elements:
            self._refuse(
                f"{what} has rows of {shape[-1]} numbers, no whole blocks of {form.elements} as {form.name} has"
            )
        size = math.prod(shape) // form.elements * form.bytes
        if offset % alignment:
            self._refuse(f"{what} begins at {printable(offset, 24)}, which is no multiple of {alignment}")
        if data + offset + size > self._size:
            self._refuse(f"its data ends before {what.removeprefix('its ')} does, so it is cut short")
        return GgufTensor(name, form, shape, data + offset, size)

    def _check_places(self, tensors: list[GgufTensor]) -> None:
        end, before = 0, ""
        for one in sorted(tensors, key=lambda one: one.offset):
            if one.offset < end:
                self._refuse(f"its tensors '{printable(before, 60)}' and '{printable(one.name, 60)}' overlap")
            end, before = one.offset + one.bytes, one.name

    def _value(self, key: str, kind: int) -> Value:
        if kind == _STRING:
            return self._string(f"the text of '{printable(key, 60)}'", STRING_LIMIT)
        if kind == _ARRAY:
            return self._array(key)
        if kind not in _SCALARS:
            self._refuse(f"its metadata '{printable(key, 60)}' is of the unknown type {printable(kind, 24)}")
        return self._scalars(kind, 1)[0]

    def _array(self, key: str) -> Value:
        kind, count = self._unsigned(4), self._unsigned(8)
        what = f"the array '{printable(key, 60)}' of {printable(count, 24)} entries"
        if kind not in _SCALARS and kind != _STRING:
            self._refuse(f"{what} is of the unknown type {printable(kind, 24)}")
        self._entries += count
        if self._entries > ENTRY_LIMIT:
            self._refuse(f"{what} is larger than any vocabulary")
        if kind == _STRING:
            self._require(8 * count, what)
            return [self._string(f"an entry of '{printable(key, 60)}'", KEY_LIMIT) for _ in range(count)]
        return self._scalars(kind, count)

    def _scalars(self, kind: int, count: int) -> list[int]:
        """Numbers or truth values of one type."""
        form = f"<{count}{_SCALARS[kind]}"
        return list(struct.unpack(form, self._bytes(struct.calcsize(form))))

    def _string(self, what: str, limit: int) -> str:
        length = self._unsigned(8)
        if length > limit:
            self._refuse(f"{what} is {printable(length, 24)} bytes long")
        try:
            return self._bytes(length).decode("utf-8")
        except UnicodeDecodeError:
            self._refuse(f"{what} is no text")

    def _unsigned(self, size: int) -> int:
        return int.from_bytes(self._bytes(size), "little")

    def _bytes(self, count: int) -> bytes:
        self._require(count, f"a header of {printable(self._place + count, 24)} bytes")
        self._place += count
        if self._place > HEADER_LIMIT:
            self._refuse(f"its header is larger than {HEADER_LIMIT >> 20} MiB")
        content = self._file.read(count)
        if len(content) < count:
            self._refuse("it changed while it was read")
        return content

    def _require(self, count: int, what: str) -> None:
        if count > self._size - self._place:
            self._refuse(f"it announces {what} and ends before, so it is cut short")

    def _refuse(self, problem: str) -> NoReturn:
        raise CheckpointError(f"'{printable(self._name)}' is damaged: {problem}; copy or download it again.")

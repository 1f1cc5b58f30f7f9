"""What an unpacker reads: the tensors of one packed weight as arrays, by their roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from workflows.checkpoint.gguf.forms import BLOCK_FORMS
from workflows.checkpoint.packed import PackedPart, PackedWeight
from workflows.common.tensors import Array

_KINDS = {"bfloat16": "uint16", "bool": "uint8"}  # how numpy reads them; all of 8 bits are bytes beside int8


class Parts:
    """The arrays of a weight's parts. read: the bytes of a part, [n] uint8."""

    def __init__(self, packed: PackedWeight, read: Callable[[PackedPart], Array]) -> None:
        self.packed, self._read = packed, read

    def has(self, role: str) -> bool:
        """Whether the weight has a part of this role."""
        return self.packed.part(role) is not None

    def raw(self, role: str) -> NDArray[Any]:
        """The array as it is stored: bfloat16 as uint16, float8 as uint8."""
        part = self.packed.part(role)
        assert part is not None  # unpackers read what their methods gave the weight
        return array_of(part, self._read(part))

    def floats(self, role: str, index: Any = ...) -> Array:
        """Numbers in float32, which holds all that are stored."""
        part = self.packed.part(role)
        assert part is not None  # as above
        return to_floats(part.dtype, np.ascontiguousarray(self.raw(role)[index]))

    def order(self) -> NDArray[np.int64] | None:
        """The columns in the order of their groups, where they are not in order themselves."""
        return np.argsort(self.raw("g_idx"), kind="stable") if self.has("g_idx") else None


def array_of(part: PackedPart, content: Array) -> NDArray[Any]:
    """The bytes of a part as its array; blocks of GGUF stay bytes."""
    of_bytes = part.dtype.startswith("float8") or part.dtype in BLOCK_FORMS
    kind = _KINDS.get(part.dtype, "uint8" if of_bytes else part.dtype)
    return np.asarray(content).view(np.dtype(kind)).reshape(part.shape)


def to_floats(dtype: str, stored: NDArray[Any]) -> Array:
    """Stored numbers in float32, those that numpy lacks from integers of their size."""
    numbers: Array = (stored.view(_SHORT[dtype]) if dtype in _SHORT else stored).astype(np.float32)
    return numbers


_SHORT: Mapping[str, Any] = {
    name: getattr(ml_dtypes, name) for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu")
}
FLOAT8 = {name: to_floats(name, np.arange(256, dtype=np.uint8)) for name in ("float8_e4m3fn", "float8_e5m2")}
"""The numbers of each byte."""

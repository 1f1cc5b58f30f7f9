"""What an unpacker reads: the tensors of one packed weight as arrays, by their roles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    """The bytes of a part as its array."""
    kind = _KINDS.get(part.dtype, "uint8" if part.dtype.startswith("float8") else part.dtype)
    return np.asarray(content).view(np.dtype(kind)).reshape(part.shape)


def to_floats(dtype: str, stored: NDArray[Any]) -> Array:
    """Stored numbers in float32."""
    if dtype == "bfloat16":
        return (stored.astype(np.uint32) << 16).view(np.float32)
    if dtype == "float8_e8m0fnu":
        return np.ldexp(np.float32(1), stored.astype(np.int32) - 127).astype(np.float32)
    if dtype in FLOAT8:
        levels: Array = FLOAT8[dtype][stored]
        return levels
    return stored.astype(np.float32)


def _float8(exponent_bits: int, bias: int, infinite: bool) -> Array:
    """The 256 numbers of a float8 (OCP 8-bit Floating Point Specification). infinite: whether it has infinities."""
    codes = np.arange(256)
    mantissa_bits = 7 - exponent_bits
    exponent, mantissa = (codes >> mantissa_bits) & ((1 << exponent_bits) - 1), codes & ((1 << mantissa_bits) - 1)
    fraction = np.where(exponent > 0, 1, 0) + mantissa / (1 << mantissa_bits)
    numbers = np.ldexp(fraction, np.maximum(exponent, 1) - bias)
    if infinite:
        top = exponent == (1 << exponent_bits) - 1
        numbers = np.where(top, np.where(mantissa == 0, np.inf, np.nan), numbers)
    else:
        numbers = np.where((codes & 127) == 127, np.nan, numbers)
    return np.where(codes > 127, -numbers, numbers).astype(np.float32)


FLOAT8 = {"float8_e4m3fn": _float8(4, 7, infinite=False), "float8_e5m2": _float8(5, 15, infinite=True)}
"""The numbers of each byte."""

"""Packs weights into GGUF's forms: those whose numbers are the same, or, on request, with scales rounded to 16 bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.common.tensors import Array

BLOCK = 32
F32, F16, BF16, Q4_0, Q4_1, Q8_0 = 0, 1, 30, 2, 3, 8
Bytes = NDArray[np.uint8]


class InexactError(Exception):
    """Numbers that no form holds; its text says why, as part of a sentence."""


@dataclass(frozen=True)
class Integers:
    """Rows of integers: scale · (integer − zero). integers: [N,K] uint8; scales: [N, K/size] float32; zeros: the same
    shape, uint8, or None for the middle of `bits` bits.
    """

    integers: Bytes
    scales: Array
    zeros: Bytes | None
    bits: int

    def rows(self, order: NDArray[np.int64]) -> Integers:
        zeros = None if self.zeros is None else self.zeros[order]
        return Integers(self.integers[order], self.scales[order], zeros, self.bits)


def pack_floats(numbers: NDArray[Any]) -> tuple[int, bytes]:
    """The form and the bytes of float32, float16 or bfloat16 numbers, as they are."""
    forms = {"float32": F32, "float16": F16, "bfloat16": BF16}
    if numbers.dtype.name not in forms:
        raise InexactError(f"it is stored in {numbers.dtype.name}")
    return forms[numbers.dtype.name], np.ascontiguousarray(numbers).tobytes()


def pack_integers(matrix: Integers, rounds: bool) -> tuple[int, bytes]:
    """The form and the bytes. rounds: whether scales may be rounded to float16. Raises InexactError."""
    size = matrix.integers.shape[1] // matrix.scales.shape[1]
    if size % BLOCK:
        raise InexactError(f"it has blocks of {size} numbers, and GGUF's have {BLOCK}")
    repeat = size // BLOCK
    blocks = matrix.integers.reshape(-1, BLOCK)
    scales = np.repeat(matrix.scales, repeat, axis=1).reshape(-1)
    middle = 1 << (matrix.bits - 1)
    zeros = np.full(len(blocks), middle, np.int16)
    if matrix.zeros is not None:
        zeros = np.repeat(matrix.zeros, repeat, axis=1).reshape(-1).astype(np.int16)
    halves = _halves(scales, rounds, "scales")
    if matrix.bits == 8:
        return Q8_0, _q8_0(blocks, zeros, halves)
    if (zeros == middle).all():
        return Q4_0, np.concatenate([halves, _nibbles(blocks)], axis=1).tobytes()
    minimums = _halves(-scales * zeros, rounds, "minimums")
    return Q4_1, np.concatenate([halves, minimums, _nibbles(blocks)], axis=1).tobytes()


def _q8_0(blocks: Bytes, zeros: NDArray[np.int16], halves: Bytes) -> bytes:
    numbers = blocks.astype(np.int16) - zeros[:, None]
    if numbers.min() < -128 or numbers.max() > 127:
        raise InexactError(
            "its 8-bit integers have zero points, which Q8_0 has not (build with quantize.symmetric=true)"
        )
    return np.concatenate([halves, numbers.astype(np.int8).view(np.uint8)], axis=1).tobytes()


def _halves(numbers: Array, rounds: bool, what: str) -> Bytes:
    """The bytes of float16 numbers, [n, 2]."""
    with np.errstate(over="ignore"):
        halves = numbers.astype(np.float16)
    if not np.isfinite(halves).all():
        raise InexactError(f"its {what} are beyond what 16 bits hold")
    if not rounds and (halves.astype(np.float32) != numbers).any():
        raise InexactError(f"its {what} have 32 bits, and GGUF's 16 do not hold them (--round-scales rounds them)")
    return halves.view(np.uint8).reshape(-1, 2)


def _nibbles(blocks: Bytes) -> Bytes:
    """Integers [n, 32] of 4 bits: the first half of a block in the low bits, the second in the high ones."""
    packed: Bytes = blocks[:, : BLOCK // 2] | (blocks[:, BLOCK // 2 :] << np.uint8(4))
    return packed


def unpack_rows(packed: NDArray[Any], inner: int, bits: int) -> Bytes:
    """The integers [N, inner] of onnxruntime's rows, whose 4-bit integers are neighbours in a byte."""
    flat: Bytes = packed.reshape(len(packed), -1)
    if bits == 8:
        return flat[:, :inner]
    return np.stack([flat & 15, flat >> 4], axis=2).reshape(len(flat), -1)[:, :inner]

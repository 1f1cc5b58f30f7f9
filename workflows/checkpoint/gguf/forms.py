"""The forms in which GGUF stores numbers, and how the integers of a block are unpacked.

    bytes of blocks ──BlockForm.unpack──▶ Blocks(integers, scales, zero, minimums) ──values──▶ float32

    a number:  scale · (integer − zero) − minimum        one scale for `size` numbers, one after another in a row

Every form that is read says its numbers in this way, those with tables of levels too: their integers are the levels.
The layouts are those of ggml (ggml-quants.c, ggml-common.h), the results those of the `gguf` package, bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.checkpoint.blocks import Blocks, Bytes
from workflows.common.tensors import Array


@dataclass(frozen=True, slots=True)
class BlockForm:
    """A form: `elements` numbers in `bytes` bytes. plain: its numbers are of this dtype, and not blocks of integers."""

    name: str
    elements: int
    bytes: int
    unpack: Callable[[Bytes], Blocks] | None = None
    plain: str = ""

    @property
    def dtype(self) -> str:
        """The dtype of tensors that are stored in it: that of plain numbers, else the form's name."""
        return self.plain or self.name


def _half(blocks: Bytes, start: int) -> Array:
    """A float16 of each block: [n, 1] float32."""
    return np.ascontiguousarray(blocks[:, start : start + 2]).view(np.float16).astype(np.float32)


def _nibbles(packed: Bytes) -> Bytes:
    """[n, k] → [n, 2k]: the low halves of k bytes, then the high ones."""
    return np.concatenate([packed & 15, packed >> 4], axis=1)


def _fields(packed: Bytes, shifts: tuple[int, ...], width: int) -> Bytes:
    """[n, k] → [n, k·len(shifts)]: of each `width` bytes first those shifted by the first number, then the next."""
    split = packed.reshape(len(packed), -1, 1, width) >> np.array(shifts, np.uint8)[:, None]
    return split.reshape(len(packed), -1)


def _fifth_bits(packed: Bytes) -> Bytes:
    """Four bytes of each block as 32 bits, the lowest first, each at the place of 16."""
    return np.unpackbits(packed, axis=1, bitorder="little") << 4


def _q4_0(blocks: Bytes) -> Blocks:
    return Blocks(_nibbles(blocks[:, 2:]), _half(blocks, 0)[:, 0], 8, 4)


def _q4_1(blocks: Bytes) -> Blocks:
    return Blocks(_nibbles(blocks[:, 4:]), _half(blocks, 0)[:, 0], 0, 4, -_half(blocks, 2)[:, 0])


def _q5_0(blocks: Bytes) -> Blocks:
    return Blocks(_nibbles(blocks[:, 6:]) | _fifth_bits(blocks[:, 2:6]), _half(blocks, 0)[:, 0], 16, 5)


def _q5_1(blocks: Bytes) -> Blocks:
    integers = _nibbles(blocks[:, 8:]) | _fifth_bits(blocks[:, 4:8])
    return Blocks(integers, _half(blocks, 0)[:, 0], 0, 5, -_half(blocks, 2)[:, 0])


def _q8_0(blocks: Bytes) -> Blocks:
    return Blocks(blocks[:, 2:] ^ 128, _half(blocks, 0)[:, 0], 128, 8)  # of two's complement to excess 128


def _q2_k(blocks: Bytes) -> Blocks:
    scales, integers = blocks[:, :16], _fields(blocks[:, 16:80], (0, 2, 4, 6), 32) & 3
    minimums = _half(blocks, 82) * (scales >> 4)
    return _grouped(integers, _half(blocks, 80) * (scales & 15), 0, 2, minimums)


def _q3_k(blocks: Bytes) -> Blocks:
    packed = blocks[:, 96:108]
    low, high = _fields(packed[:, :8], (0, 4), 8) & 15, _fields(packed[:, 8:], (0, 2, 4, 6), 4) & 3
    scales = (low | (high << 4)).astype(np.float32) - 32
    thirds = _fields(blocks[:, :32], tuple(range(8)), 32) & 1
    integers = (_fields(blocks[:, 32:96], (0, 2, 4, 6), 32) & 3) | (thirds << 2)
    return _grouped(integers, _half(blocks, 108) * scales, 4, 3)


def _six_bit_scales(packed: Bytes) -> tuple[Bytes, Bytes]:
    """The eight scales and the eight minimums in twelve bytes of Q4_K and Q5_K."""
    first, second, rest = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scales = np.concatenate([first & 63, (rest & 15) | ((first >> 6) << 4)], axis=1)
    return scales, np.concatenate([second & 63, (rest >> 4) | ((second >> 6) << 4)], axis=1)


def _q4_k(blocks: Bytes) -> Blocks:
    scales, minimums = _six_bit_scales(blocks[:, 4:16])
    integers = _fields(blocks[:, 16:], (0, 4), 32) & 15
    return _grouped(integers, _half(blocks, 0) * scales, 0, 4, _half(blocks, 2) * minimums)


def _q5_k(blocks: Bytes) -> Blocks:
    scales, minimums = _six_bit_scales(blocks[:, 4:16])
    fifths = _fields(blocks[:, 16:48], tuple(range(8)), 32) & 1
    integers = (_fields(blocks[:, 48:], (0, 4), 32) & 15) | (fifths << 4)
    return _grouped(integers, _half(blocks, 0) * scales, 0, 5, _half(blocks, 2) * minimums)


def _q6_k(blocks: Bytes) -> Blocks:
    low, high = _fields(blocks[:, :128], (0, 4), 64) & 15, _fields(blocks[:, 128:192], (0, 2, 4, 6), 32) & 3
    scales = np.ascontiguousarray(blocks[:, 192:208]).view(np.int8)
    return _grouped(low | (high << 4), _half(blocks, 208) * scales, 32, 6)


_IQ4_LEVELS = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.int8)
_FP4_LEVELS = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.int8)  # twice the numbers of E2M1


def _levels(nibbles: Bytes, levels: NDArray[np.int8]) -> Bytes:
    return (levels.astype(np.int16) + 128).astype(np.uint8)[nibbles]


def _iq4_nl(blocks: Bytes) -> Blocks:
    return Blocks(_levels(_nibbles(blocks[:, 2:]), _IQ4_LEVELS), _half(blocks, 0)[:, 0], 128, 8)


def _iq4_xs(blocks: Bytes) -> Blocks:
    high = np.ascontiguousarray(blocks[:, 2:4]).view(np.uint16) >> np.arange(0, 16, 2, dtype=np.uint16)
    low = (blocks[:, 4:8, None] >> np.array([0, 4], np.uint8)).reshape(len(blocks), 8) & 15
    scales = (low | ((high & 3) << 4)).astype(np.float32) - 32
    integers = _levels(_fields(blocks[:, 8:], (0, 4), 16) & 15, _IQ4_LEVELS)
    return _grouped(integers, _half(blocks, 0) * scales, 128, 8)


def _mxfp4(blocks: Bytes) -> Blocks:
    exponents = blocks[:, 0].astype(np.int32) - 128  # E8M0 has the bias 127, and the levels are doubled
    scales = np.ldexp(np.float32(1), exponents).astype(np.float32)
    return Blocks(_levels(_nibbles(blocks[:, 1:]), _FP4_LEVELS), scales, 128, 8)


def _grouped(integers: Bytes, scales: Array, zero: int, bits: int, minimums: Array | None = None) -> Blocks:
    """Blocks [n, 256] with k scales each as n·k groups."""
    flat = None if minimums is None else minimums.astype(np.float32).reshape(-1)
    return Blocks(integers.reshape(scales.size, -1), scales.astype(np.float32).reshape(-1), zero, bits, flat)


FORMS: dict[int, BlockForm] = {
    0: BlockForm("F32", 1, 4, plain="float32"),
    1: BlockForm("F16", 1, 2, plain="float16"),
    30: BlockForm("BF16", 1, 2, plain="bfloat16"),
    2: BlockForm("Q4_0", 32, 18, _q4_0),
    3: BlockForm("Q4_1", 32, 20, _q4_1),
    6: BlockForm("Q5_0", 32, 22, _q5_0),
    7: BlockForm("Q5_1", 32, 24, _q5_1),
    8: BlockForm("Q8_0", 32, 34, _q8_0),
    10: BlockForm("Q2_K", 256, 84, _q2_k),
    11: BlockForm("Q3_K", 256, 110, _q3_k),
    12: BlockForm("Q4_K", 256, 144, _q4_k),
    13: BlockForm("Q5_K", 256, 176, _q5_k),
    14: BlockForm("Q6_K", 256, 210, _q6_k),
    20: BlockForm("IQ4_NL", 32, 18, _iq4_nl),
    23: BlockForm("IQ4_XS", 256, 136, _iq4_xs),
    39: BlockForm("MXFP4", 32, 17, _mxfp4),
}
"""By the number in the file (`enum ggml_type` of ggml.h)."""
UNREAD = {9: "Q8_1", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 21: "IQ3_S", 22: "IQ2_S",
          24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 40: "NVFP4",
          41: "Q1_0"}  # fmt: skip
"""Forms that are not read: below 4 bits by tables of vectors, and those that no weights are published in."""
BLOCK_FORMS = {form.dtype: form for form in FORMS.values() if not form.plain}
"""The forms of blocks, by their dtype."""


def unpack(dtype: str, content: Any) -> Blocks:
    """The blocks in bytes of a dtype of BLOCK_FORMS."""
    form = BLOCK_FORMS[dtype]
    assert form.unpack is not None  # as all of BLOCK_FORMS have it
    with np.errstate(over="ignore", invalid="ignore"):
        return form.unpack(np.frombuffer(content, np.uint8).reshape(-1, form.bytes))


def ordered_rows(stored: NDArray[Any], head_rows: int) -> NDArray[Any]:
    """Rows [N, ...] in the order of transformers: llama.cpp's converter has each `head_rows` of them alternate between
    the first and the second half of a head, for it rotates neighbours. 0 for rows that are in order.
    """
    if not head_rows:
        return stored
    pairs = stored.reshape(-1, head_rows // 2, 2, *stored.shape[1:])
    return pairs.swapaxes(1, 2).reshape(stored.shape)

"""Matrices in blocks of few bits, as onnxruntime's MatMulNBits and GatherBlockQuantized read them.

    W [N,K] ──rows of blocks──▶ scale and zero point a block ──▶ q [N, blocks, block·bits/8] uint8, low bits first
                                                                  scales [N, blocks], zero points packed like q

    w ≈ (q - zero point) · scale; K is filled up with zeros to whole blocks
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.quantize.lazy import chunks, parts_of

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]
# Ranges of a block that are tried, as shares of its own; 255 steps need none but that.
_SHARES = {4: (1.0, 1.05, 0.95, 0.9, 0.85, 0.8), 8: (1.0,)}


@dataclass(frozen=True)
class Blocks:
    """How to quantize: bits (4 or 8), weights a block, and whether zero is the middle of every block."""

    bits: int
    size: int
    symmetric: bool

    @property
    def levels(self) -> int:
        """The highest integer."""
        return (1 << self.bits) - 1

    @property
    def middle(self) -> int:
        """What stands for zero where there are no zero points."""
        return 1 << (self.bits - 1)

    def shapes(self, outer: int, inner: int) -> tuple[tuple[int, ...], ...]:
        """Of q, scales and zero points of a matrix [outer, inner]."""
        blocks = -(-inner // self.size)
        return (
            (outer, blocks, self.size * self.bits // 8),
            (outer, blocks),
            (outer, -(-blocks * self.bits // 8)),
        )


def quantize_rows(rows: Floats, how: Blocks) -> tuple[Bytes, Floats, Bytes]:
    """(q, scales, zero points) of [N,K] float32; see the module for their shapes."""
    outer, inner = rows.shape
    blocks = -(-inner // how.size)
    padded = np.zeros((outer, blocks * how.size), np.float32)
    padded[:, :inner] = rows
    values = padded.reshape(outer, blocks, how.size)
    scale, zero = _search(values, how)
    integers = _round(values, scale, zero, how).astype(np.uint8)
    return _pack(integers, how.bits), scale[..., 0], _pack(zero[..., 0].astype(np.uint8), how.bits)


def dequantize_rows(packed: Bytes, scales: Floats, zeros: Bytes | None, inner: int, how: Blocks) -> Floats:
    """[N,K] float32 of what quantize_rows gives; zeros: None for the middle."""
    blocks = scales.shape[1]
    integers = _unpack(packed, how.bits).astype(np.float32)
    zero = np.full(scales.shape, how.middle) if zeros is None else _unpack(zeros, how.bits)[:, :blocks]
    values = (integers - zero[..., None].astype(np.float32)) * scales[..., None].astype(np.float32)
    return values.reshape(len(packed), -1)[:, :inner]


def _search(values: Floats, how: Blocks) -> tuple[Floats, Floats]:
    """The scale and zero point [N, blocks, 1] of each block that lose the least.

    With d = q - zero point, Σ(w - s·d)² is least at s = Σwd/Σd², and is then Σw² - (Σwd)²/Σd².
    """
    scale, zero = _grid(values, how, 1.0)
    if len(_SHARES[how.bits]) == 1:
        return scale, zero
    most = np.full_like(scale, -1)
    for share in _SHARES[how.bits]:
        tried, middle = _grid(values, how, share)
        steps = _round(values, tried, middle, how)
        steps -= middle
        along, square = _dot(values, steps), np.maximum(_dot(steps, steps), 1)
        kept = along * along / square
        better = kept > most
        most = np.where(better, kept, most)
        scale = np.where(better & (along != 0), along / square, scale)
        zero = np.where(better, middle, zero)
    return scale, zero


def _dot(one: Floats, other: Floats) -> Floats:
    products: Floats = np.einsum("nbk,nbk->nb", one, other)
    return products[..., None]


def _grid(values: Floats, how: Blocks, shrink: float) -> tuple[Floats, Floats]:
    low = np.minimum(values.min(-1, keepdims=True), 0) * np.float32(shrink)
    high = np.maximum(values.max(-1, keepdims=True), 0) * np.float32(shrink)
    if how.symmetric:  # the larger end lies on the lowest integer, which has no opposite
        scale = np.where(-low > high, low, high) / np.float32(-how.middle)
        zero = np.full_like(scale, how.middle)
    else:
        scale = (high - low) / np.float32(how.levels)
        zero = np.zeros_like(scale)
    scale = np.where(scale == 0, np.float32(1), scale)
    return scale, zero if how.symmetric else np.clip(np.rint(-low / scale), 0, how.levels)


def _round(values: Floats, scale: Floats, zero: Floats, how: Blocks) -> Floats:
    integers = values / scale
    np.rint(integers, out=integers)
    integers += zero
    return np.clip(integers, 0, how.levels, out=integers)


def _pack(integers: Bytes, bits: int) -> Bytes:
    """Two 4-bit numbers a byte along the last axis, the first one low; an odd last one alone."""
    if bits == 8:
        return integers
    if integers.shape[-1] % 2:
        integers = np.concatenate([integers, np.zeros((*integers.shape[:-1], 1), np.uint8)], -1)
    return (integers[..., ::2] | (integers[..., 1::2] << 4)).astype(np.uint8)


def _unpack(packed: Bytes, bits: int) -> Bytes:
    if bits == 8:
        return packed
    return np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1)


def quantized_matrix(source: ir.TensorProtocol, rows: bool, how: Blocks) -> tuple[ir.LazyTensor, ...]:
    """q, scales and zero points of a matrix stored [N,K] (`rows`) or [K,N], and q as the table [N, blocks · bytes]."""
    outer, inner = (int(axis) for axis in (source.shape if rows else source.shape[::-1]))
    packed, scales, zeros = how.shapes(outer, inner)
    name = f"{source.name}.int{how.bits}"
    kinds = [
        (name, ir.DataType.UINT8, packed),
        (f"{name}.scales", source.dtype, scales),
        (f"{name}.zeros", ir.DataType.UINT8, zeros),
    ]
    return parts_of(source, (rows, how), kinds, partial(_quantize_matrix, rows, how))


def quantized_table(source: ir.TensorProtocol, how: Blocks) -> ir.LazyTensor:
    """q of a matrix [N,K] as a matrix [N, blocks · bytes]: other axes over the same bytes."""
    (outer, blocks, size), *_ = how.shapes(int(source.shape[0]), int(source.shape[1]))
    kinds = [(f"{source.name}.int{how.bits}.rows", ir.DataType.UINT8, (outer, blocks * size))]
    return parts_of(source, ("table", how), kinds, lambda matrix: _quantize_matrix(True, how, matrix)[:1])[0]


def _quantize_matrix(rows: bool, how: Blocks, matrix: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    outer, inner = matrix.shape if rows else matrix.shape[::-1]
    shapes = how.shapes(outer, inner)
    packed, zeros = np.empty(shapes[0], np.uint8), np.empty(shapes[2], np.uint8)
    scales = np.empty(shapes[1], matrix.dtype)
    for part in chunks(outer, inner):
        values = matrix[part] if rows else matrix[:, part].T
        packed[part], scales[part], zeros[part] = quantize_rows(values.astype(np.float32), how)
    return packed, scales, zeros

"""Matrices in blocks of few bits, as onnxruntime's MatMulNBits and GatherBlockQuantized read them.

    W [N,K] ──rows of blocks──▶ scale and zero point a block ──▶ q [N, blocks, block·bits/8] uint8, low bits first
                                                                  scales [N, blocks], zero points packed like q

    w ≈ (q - zero point) · scale; K is filled up with zeros to whole blocks
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.weights import key_of

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]
_CHUNK = 1 << 20  # weights that are worked on at once: the temporaries stay small beside the matrix
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


# -- lazy tensors ----------------------------------------------------------------------------------------------


class QuantizedMatrix:
    """q, scales and zero points of one matrix, made when they are read and forgotten then: no weight is held twice.

    What graphs share they share here: `of` gives one object for one matrix in a file.
    """

    def __init__(self, source: ir.TensorProtocol, rows: bool, how: Blocks) -> None:
        self._source, self._rows, self._how = source, rows, how
        self._ready: dict[int, NDArray[Any]] = {}
        outer, inner = source.shape if rows else source.shape[::-1]
        self._outer, self.inner = int(outer), int(inner)
        types = (ir.DataType.UINT8, source.dtype, ir.DataType.UINT8)
        shapes = how.shapes(self._outer, self.inner)
        self.name = f"{source.name}.int{how.bits}"
        names = (self.name, f"{self.name}.scales", f"{self.name}.zeros")
        self.tensors = tuple(
            ir.LazyTensor(partial(self._tensor, index), dtype, ir.Shape(shape), name=name)
            for index, (dtype, shape, name) in enumerate(zip(types, shapes, names, strict=True))
        )

    @classmethod
    def of(cls, source: ir.TensorProtocol, rows: bool, how: Blocks) -> QuantizedMatrix:
        """The one of this matrix."""
        key = (key_of(source), rows, how)
        found = _KNOWN.get(key)
        if found is None:
            found = _KNOWN[key] = cls(source, rows, how)
        return found

    def table(self) -> ir.LazyTensor:
        """q as a matrix [N, blocks · bytes], as a table of rows is stored: the same bytes."""
        outer, blocks, size = self.tensors[0].shape
        flat = ir.Shape([outer, int(blocks) * int(size)])
        make: Callable[[], ir.TensorProtocol] = partial(self._tensor, 0, tuple(flat))
        return ir.LazyTensor(make, ir.DataType.UINT8, flat, name=f"{self.name}.rows")

    def _tensor(self, index: int, shape: tuple[int, ...] | None = None) -> ir.TensorProtocol:
        if index not in self._ready:
            self._ready = self._make()
        part = self._ready.pop(index)
        return ir.tensor(part.reshape(shape) if shape else part, dtype=self.tensors[index].dtype)

    def _make(self) -> dict[int, NDArray[Any]]:
        made = self._quantize(np.asarray(self._source.numpy()))
        if isinstance(self._source, ir.ExternalTensor):
            self._source.release()  # its pages count as ours while they are mapped
        return dict(enumerate(made))

    def _quantize(self, matrix: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        shapes = self._how.shapes(self._outer, self.inner)
        packed, zeros = np.empty(shapes[0], np.uint8), np.empty(shapes[2], np.uint8)
        scales = np.empty(shapes[1], matrix.dtype)
        step = max(1, _CHUNK // max(self.inner, 1))
        for start in range(0, self._outer, step):
            part = slice(start, start + step)
            rows = matrix[part] if self._rows else matrix[:, part].T
            packed[part], scales[part], zeros[part] = quantize_rows(rows.astype(np.float32), self._how)
        return packed, scales, zeros


_KNOWN: WeakValueDictionary[Any, QuantizedMatrix] = WeakValueDictionary()

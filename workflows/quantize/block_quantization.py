"""Quantizes matrices in blocks, as onnxruntime's MatMulNBits and GatherBlockQuantized read them.

    W [N,K] ──rows of blocks──▶ scale and zero point a block ──▶ q [N, blocks, block·bits/8] uint8, low bits first
                                                                  scales [N, blocks], zero points packed like q

    w ≈ (q - zero point) · scale; K is padded with zeros to whole blocks

Parts of rows are quantized by as many threads as there are cores. The parts, and so the result, do not depend on the
number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.common.tensors import Array
from workflows.processor.cores import usable_cores
from workflows.quantize.error_compensation import ErrorFeedback, round_compensated
from workflows.quantize.grids import BlockFormat, Floats, round_tile
from workflows.quantize.lazy_tensors import LazyTensorGroup, lazy_tensors

Bytes = NDArray[np.uint8]
Weights = NDArray[np.floating]
# Of a tile: 2 MiB in float32. One that fits a core's cache is done in so short a time that threads, each of which waits
# for Python between two steps, gain nothing by being several: the same weights take 2.5 times as long.
_ROWS, _COLUMNS = 512, 1024


def quantize_rows(
    rows: Weights, how: BlockFormat, feedback: ErrorFeedback | None = None
) -> tuple[Bytes, Weights, Bytes]:
    """Returns (q, scales, zero points) of [N,K], see the module. feedback: of its inputs, to compensate errors."""
    shapes = how.shapes(*rows.shape)
    packed, zeros = np.empty(shapes[0], np.uint8), np.empty(shapes[2], np.uint8)
    scales = np.empty(shapes[1], rows.dtype)
    if feedback is None:
        rounder, width, step = partial(round_tile, how=how), max(_COLUMNS, how.size), _ROWS
    else:
        padded = feedback.padded(shapes[0][1] * how.size)
        rounder, width = partial(round_compensated, feedback=padded, how=how), rows.shape[1]
        step = -(-len(rows) // -(-len(rows) // _ROWS))  # parts of a size, as each takes a time of its own

    def fill(start: int) -> None:
        part = slice(start, start + step)
        middles = np.empty(scales[part].shape, np.uint8)
        for blocks, tile in _tiles(rows[part], how, width):
            integers, grid = rounder(tile)
            packed[part, blocks] = _pack(integers, how.bits, 1).transpose(2, 0, 1)
            scales[part, blocks] = grid.scale[:, 0].T
            middles[:, blocks] = grid.zero[:, 0].T
        zeros[part] = _pack(middles, how.bits, 1)

    with ThreadPoolExecutor(usable_cores()) as pool:
        for _ in pool.map(fill, range(0, len(rows), step)):
            pass
    return packed, scales, zeros


def dequantize_rows(packed: Bytes, scales: Floats, zeros: Bytes | None, inner: int, how: BlockFormat) -> Floats:
    """Returns [N,K] float32 of the result of quantize_rows; zeros: None for symmetric blocks."""
    blocks = scales.shape[1]
    integers = _unpack(packed, how.bits).astype(np.float32)
    zero = np.full(scales.shape, how.middle) if zeros is None else _unpack(zeros, how.bits)[:, :blocks]
    values = (integers - zero[..., None].astype(np.float32)) * scales[..., None].astype(np.float32)
    return values.reshape(len(packed), -1)[:, :inner]


def _tiles(rows: Weights, how: BlockFormat, width: int) -> Iterator[tuple[slice, Floats]]:
    """Yields some blocks of all rows, and their weights transposed: [blocks, block, rows] float32."""
    outer, inner = rows.shape
    for start in range(0, inner, width):
        columns = min(width, inner - start)
        blocks = -(-columns // how.size)
        tile = np.zeros((blocks * how.size, outer), np.float32)
        tile[:columns] = rows[:, start : start + columns].T
        yield slice(start // how.size, start // how.size + blocks), tile.reshape(blocks, how.size, outer)


def _pack(integers: Bytes, bits: int, axis: int) -> Bytes:
    """Packs two 4-bit numbers into a byte along an axis, the first in the low bits; an odd last one alone."""
    if bits == 8:
        return integers
    first, second = (integers.take(range(start, integers.shape[axis], 2), axis) for start in (0, 1))
    second <<= 4
    paired = tuple(slice(size) for size in second.shape)
    first[paired] |= second
    return first


def _unpack(packed: Bytes, bits: int) -> Bytes:
    if bits == 8:
        return packed
    return np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1)


def quantized_table(source: ir.TensorProtocol, how: BlockFormat, learned: str = "") -> ir.LazyTensor:
    """Returns q of a matrix [N,K] as a matrix [N, blocks · bytes]: other axes over the same bytes."""
    (outer, blocks, size), *_ = how.shapes(int(source.shape[0]), int(source.shape[1]))
    return quantized_matrix(source, True, how, learned).view(
        0, f"{source.name}.int{how.bits}.rows", (outer, blocks * size)
    )


def quantized_matrix(
    source: ir.TensorProtocol,
    rows: bool,
    how: BlockFormat,
    learned: str = "",
    read: Callable[[], Sequence[NDArray[np.generic]]] | None = None,
) -> LazyTensorGroup:
    """Returns q, scales and the zero points of asymmetric blocks, of a matrix stored [N,K] (`rows`) or [K,N].

    learned: identifies the inputs that the rounding compensates for. read: returns what was computed with them; without
    it the weights are quantized when they are read, or it was given in a call before.
    """
    outer, inner = (int(axis) for axis in (source.shape if rows else source.shape[::-1]))
    packed, scales, zeros = how.shapes(outer, inner)
    name = f"{source.name}.int{how.bits}"
    kinds = [
        (name, ir.DataType.UINT8, packed),
        (f"{name}.scales", source.dtype, scales),
        (f"{name}.zeros", ir.DataType.UINT8, zeros),
    ]

    def make(matrix: Array) -> tuple[NDArray[np.generic], ...]:
        if read is not None:
            return tuple(read())
        assert not learned  # the group that was made with `read` exists
        return quantize_rows(matrix if rows else matrix.T, how)[: len(tensors)]

    tensors = kinds[: 2 if how.symmetric else 3]
    return lazy_tensors(source, (rows, how, learned), tensors, make)

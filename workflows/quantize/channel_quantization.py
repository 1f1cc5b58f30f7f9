"""Quantizes weights to int8 with one scale a channel, as DequantizeLinear reads them.

w ≈ q · scale[channel], q in -127…127: symmetric, without zero points
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.quantize.lazy_tensors import Parts, lazy_tensors, row_chunks

LARGEST = 127


def channel_weight(source: ir.TensorProtocol, axis: int) -> Parts:
    """Returns q int8 of the weight's shape, and scales [channels] float32, computed when they are written. axis: the
    channels'."""
    name = f"{source.name}.int8.{axis}"
    shape = [int(size) for size in source.shape]
    kinds = [(name, ir.DataType.INT8, shape), (f"{name}.scales", ir.DataType.FLOAT, [shape[axis]])]
    return lazy_tensors(source, ("channels", axis), kinds, partial(quantize_channels, axis))


def quantize_channels(axis: int, weight: NDArray[np.floating]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Returns (q, scales) of a weight."""
    scales = channel_scales(axis, weight)
    along = scales.reshape([-1 if i == axis else 1 for i in range(weight.ndim)])
    q = np.empty(weight.shape, np.int8)
    for part in _lazy_tensors(weight):
        q[part] = np.clip(np.rint(weight[part] / (along[part] if axis == 0 else along)), -LARGEST, LARGEST)
    return q, scales


def channel_scales(axis: int, weight: NDArray[np.floating]) -> NDArray[np.float32]:
    """Returns [channels]: a channel's largest absolute value over 127; 1 for a channel of zeros."""
    others = tuple(other for other in range(weight.ndim) if other != axis)
    highest = [np.abs(weight[part]).max(others).astype(np.float32) for part in _lazy_tensors(weight)]
    joined = np.concatenate(highest) if axis == 0 else np.max(highest, axis=0)
    scales = (joined / LARGEST).astype(np.float32)
    scales[scales == 0] = 1
    return scales


def _lazy_tensors(weight: NDArray[np.floating]) -> list[slice]:
    return list(row_chunks(len(weight), math.prod(weight.shape[1:])))

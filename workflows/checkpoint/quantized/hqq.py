"""HQQ: integers of 4 or 8 bits in groups of a row, with a scale and a zero point of any number for each.

    W_q uint8 [G·bits/8, group]    scale, zero [G, 1]    nbits, group_size, shape [2], axis, packing …: settings

    W = (q − zero) · scale, [G, group] = [N, K] row by row; of two integers in a byte the high one is of the first half

Formula: `Quantizer.dequantize` and `BitPack` of hqq/core (0.2.8), with the numbers of scale and zero point in float32
where the package rounds to its `compute_dtype`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.packed import PackedWeight
from workflows.checkpoint.quantized.layers import FLOATS, QuantizedLayer, Settings, block_size
from workflows.checkpoint.quantized.parts import Parts
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import printable

TITLE = "HQQ"
BITS = (4, 8)
_WHOLE = ("nbits", "group_size", "axis", "view_as_float", "quant_scale", "quant_zero", "packing", "shape")
SUFFIXES = ("W_q", "scale", "zero", *_WHOLE)
DROPPED = ("unpack_view_dtype", "compute_dtype", "offload_meta", "encoded_state_dict", "stores_quant_config",
           "channel_wise", "optimize", "round_zero")  # fmt: skip


def unpack(parts: Parts, rows: slice) -> Blocks:
    """Rows of a weight."""
    packed = parts.packed
    each = packed.columns // packed.group  # groups of a row
    own = slice(rows.start * each, rows.stop * each)
    integers = _rows(parts.raw("W_q"), own, packed.rows * each)
    scales, zeros = (
        np.repeat(parts.floats(name)[own].reshape(-1), packed.group // packed.size) for name in ("scale", "zero")
    )
    return Blocks(integers.reshape(-1, packed.size), scales, zeros, packed.bits)


def _rows(stored: NDArray[np.uint8], rows: slice, count: int) -> NDArray[np.uint8]:
    """Some of the `count` rows: as they are, or two in each byte."""
    if len(stored) == count:
        return stored[rows]
    numbers = np.arange(rows.start, rows.stop)
    both = stored[numbers % len(stored)]
    result: NDArray[np.uint8] = np.where((numbers < len(stored))[:, None], both >> 4, both & 15).astype(np.uint8)
    return result


def check(settings: Settings) -> None:
    """All settings are read: each layer has its own."""


def describe(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    """The weight of a layer."""
    layer.get("W_q", ("uint8",), 2)
    scale = layer.get("scale", FLOATS, 2)
    layer.get("zero", FLOATS, 2)
    rows, columns = _shape(layer)
    bits, group = _setting(layer, "nbits"), _setting(layer, "group_size")
    if bits not in BITS:
        raise layer.error(f"it has {bits} bits, and 4 and 8 are read")
    if _setting(layer, "axis") != 1:
        raise layer.error("its groups lie along the outputs (axis = 0), and those along the inputs are read")
    if any(_setting(layer, name) for name in ("view_as_float", "quant_scale", "quant_zero") if name in layer.tensors):
        raise layer.error("its integers are stored as floats, or its scales or zero points are quantized themselves")
    if group <= 0 or columns % group:
        raise layer.error(f"its groups of {group} do not divide its {columns} inputs")
    groups = rows * columns // group
    layer.check_shape("W_q", (groups * bits // 8, group))
    layer.check_shape("scale", (groups, 1))
    layer.check_shape("zero", (groups, 1))
    if bits == BITS[0] and groups % 2:
        raise layer.error(f"its {groups} groups are no pairs, as 4 bits are packed")
    size, held = block_size(group, columns)
    half = scale.dtype == "float16"
    packed = PackedWeight((), rows, columns, group, size, bits, True, half, held=held, minimums=True)
    return layer.weight(f"HQQ-{bits}", ("W_q", "scale", "zero"), packed)


def _shape(layer: QuantizedLayer) -> tuple[int, int]:
    layer.get("shape", ("int64", "int32"), 1)
    found = [int(one) for one in layer.read("shape")] if layer.tensors["shape"].elements == 2 else []
    if len(found) != 2 or not all(0 < one < 1 << 31 for one in found):
        raise layer.error(f"'shape' is {printable(found, 40)}, which is no matrix")
    return found[0], found[1]


def _setting(layer: QuantizedLayer, name: str) -> int:
    """A whole number that is stored as a tensor."""
    if layer.get(name, ("int32", "int64", "uint8")).elements != 1:
        raise layer.error(f"'{name}' is not one number")
    return int(layer.read(name).reshape(-1)[0])

"""bitsandbytes: 4 bits by a table of levels (nf4, fp4), with scales that may have scales themselves, and int8 by rows.

    weight uint8 [N·K/2, 1]   weight.absmax   weight.quant_map [16]   weight.quant_state.bitsandbytes__nf4: JSON
                              weight.nested_absmax, weight.nested_quant_map [256]: those of absmax, then uint8
    weight int8 [N, K]        SCB [N]

    W = absmax · quant_map[q], the high half of a byte first;     W = SCB / 127 · q

Formula: `_dequantize_4bit_compute` of bitsandbytes/backends/default/ops.py, `int8_vectorwise_dequant` (0.50), which
rounds to the dtype that the model had where this keeps float32.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.packed import PackedWeight
from workflows.checkpoint.quantized.layers import QuantizedLayer, Settings, block_size, signed_rows
from workflows.checkpoint.quantized.parts import Parts
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import printable

KINDS = ("nf4", "fp4")
SUFFIXES = ("weight.absmax", "SCB", "weight", "weight.quant_map", "weight.nested_absmax", "weight.nested_quant_map",
            *(f"weight.quant_state.bitsandbytes__{kind}" for kind in KINDS))  # fmt: skip
DROPPED = ("weight_format",)
_INVERSE = np.float32(1 / 127)  # 7.874015718698502e-3
_STATE_LIMIT = 1 << 16  # bytes of JSON


def unpack_levels(parts: Parts, rows: slice) -> Blocks:
    """Rows of nf4 and fp4."""
    packed = parts.packed
    first, last = rows.start * packed.columns, rows.stop * packed.columns  # of the numbers, which are even in a row
    stored = parts.raw("weight").reshape(-1)[first // 2 : last // 2]
    codes = np.stack([stored >> 4, stored & 15], axis=-1)
    groups = np.arange(first, last, packed.size) // packed.group
    return Blocks(codes.reshape(-1, packed.size), _absmax(parts)[groups], 0, 4, levels=parts.floats("weight.quant_map"))


def _absmax(parts: Parts) -> Any:
    """The scale of each group."""
    if not parts.packed.nested:
        return parts.floats("weight.absmax")
    codes, own = parts.raw("weight.absmax"), parts.floats("weight.nested_absmax")
    scales = own[np.arange(len(codes)) // parts.packed.nested]
    return parts.floats("weight.nested_quant_map")[codes] * scales + np.float32(parts.packed.offset)


def unpack_integers(parts: Parts, rows: slice) -> Blocks:
    """Rows of int8."""
    return signed_rows(parts, "weight", parts.floats("SCB", rows) * _INVERSE, rows)


def check(settings: Settings) -> None:
    """All settings are read: the tensors say the rest."""


def describe(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    """The weight of a layer."""
    if "SCB" not in layer.tensors:
        return _levels(layer)
    rows, columns = layer.get("weight", ("int8",), 2).shape
    layer.get("SCB", ("float32",), 1)
    layer.check_shape("SCB", (rows,))
    size, held = block_size(columns, columns)
    return layer.weight("BNB-INT8", ("weight", "SCB"), PackedWeight((), rows, columns, columns, size, 8, held=held))


def _levels(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    kind = next((kind for kind in KINDS if f"weight.quant_state.bitsandbytes__{kind}" in layer.tensors), None)
    if kind is None:
        raise layer.error(
            "its tensor 'weight.quant_state.bitsandbytes__…' is missing, or of another kind than nf4, fp4"
        )
    state = _state(layer, f"weight.quant_state.bitsandbytes__{kind}")
    rows, columns = state["shape"]
    weight, group = layer.get("weight", ("uint8",)), state["blocksize"]
    groups = -(-rows * columns // group)
    if columns % 2 or math.prod(weight.shape) * 2 != rows * columns:
        raise layer.error(f"'weight' has the shape {list(weight.shape)}, which are not 4 bits of {rows} × {columns}")
    nested = "weight.nested_absmax" in layer.tensors
    layer.get("weight.absmax", ("uint8",) if nested else ("float32",), 1)
    layer.check_shape("weight.absmax", (groups,))
    layer.get("weight.quant_map", ("float32",), 1)
    layer.check_shape("weight.quant_map", (16,))
    suffixes = ["weight", "weight.absmax", "weight.quant_map"]
    if nested:
        layer.get("weight.nested_absmax", ("float32",), 1)
        layer.check_shape("weight.nested_absmax", (-(-groups // state["nested_blocksize"]),))
        layer.get("weight.nested_quant_map", ("float32",), 1)
        layer.check_shape("weight.nested_quant_map", (256,))
        suffixes += ["weight.nested_absmax", "weight.nested_quant_map"]
    packed = PackedWeight(
        (), rows, columns, group, math.gcd(group, columns), 4, held=False,
        nested=state["nested_blocksize"] if nested else 0, offset=state["nested_offset"] if nested else 0.0,
    )  # fmt: skip
    return layer.weight(f"BNB-{kind.upper()}", suffixes, packed)


def _state(layer: QuantizedLayer, suffix: str) -> dict[str, Any]:
    """What the file says of a weight's quantization, checked."""
    if layer.get(suffix, ("uint8",), 1).bytes > _STATE_LIMIT:
        raise layer.error(f"'{suffix}' is too large")
    try:
        state = json.loads(layer.read(suffix).tobytes())
    except ValueError as error:
        raise layer.error(f"'{suffix}' is no JSON") from error
    state = state if isinstance(state, dict) else {}
    shape, sizes = state.get("shape"), [state.get("blocksize"), state.get("nested_blocksize", 256)]
    if not isinstance(shape, list) or len(shape) != 2 or not all(map(_is_size, [*shape, *sizes])):
        raise layer.error(f"'{suffix}' says shape = {printable(shape, 40)} and block sizes {printable(sizes, 40)}")
    offset = state.get("nested_offset", 0.0)
    if not isinstance(offset, int | float) or not math.isfinite(offset):
        raise layer.error(f"'{suffix}' says nested_offset = {printable(offset, 40)}")
    return {**state, "nested_blocksize": sizes[1], "nested_offset": float(offset)}


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 31

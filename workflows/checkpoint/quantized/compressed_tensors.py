"""compressed-tensors, the form of llm-compressor and vLLM: integers, FP8, NVFP4 and MXFP4, with scales beside them.

    pack-quantized      weight_packed int32 [N, K·bits/32], weight_scale, weight_shape [N, K], weight_zero_point, g_idx
    int-quantized       weight int8 [N, K], weight_scale, weight_zero_point
    float-quantized     weight float8 [N, K], weight_scale
    nvfp4, mxfp4        weight_packed uint8 [N, K/2], weight_scale [N, K/16 or K/32], weight_global_scale

    W = scale · (q − zero)      scale: of the tensor, of a row, of a group of a row, or of a block of rows and columns

What a layer is follows from its tensors. Scales of activations say nothing of weights, and products are in float32.

Formula: `unpack_from_int32`, `unpack_fp4_from_uint8` and `_dequantize` of compressed_tensors (0.20), which rounds to
the dtype of the scales where this keeps float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.packed import PackedWeight
from workflows.checkpoint.quantized.layers import (
    FLOATS,
    QuantizedLayer,
    Settings,
    block_size,
    fields,
    nibbles,
    spread,
)
from workflows.checkpoint.quantized.parts import FLOAT8, Parts
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, printable

SUFFIXES = ("weight_scale", "weight", "weight_packed", "weight_shape", "weight_zero_point", "weight_g_idx",
            "weight_global_scale")  # fmt: skip
DROPPED = tuple(f"{what}_{which}" for what in ("input", "output", "k", "v", "q") for which in
                ("scale", "zero_point", "global_scale", "observer"))  # fmt: skip
TITLE = "compressed-tensors"
FP4_LEVELS = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.int16)
"""Twice the numbers of E2M1 (OCP Microscaling Formats)."""
_MIDDLE = 128


def unpack_integers(parts: Parts, rows: slice) -> Blocks:
    """Rows of packed integers, and of those of 8 bits, with the columns in the order of their groups."""
    packed, bits = parts.packed, parts.packed.bits
    if parts.has("packed"):
        integers = fields(parts.raw("packed")[rows], bits)[:, : packed.columns]
    else:
        integers = np.ascontiguousarray(parts.raw("weight")[rows]).view(np.uint8) ^ _MIDDLE
    order = parts.order()
    if order is not None:
        integers = integers[:, order]
    middle = 1 << (bits - 1)
    zero: Any = _zeros(parts, rows, middle) if packed.zeros else middle
    return Blocks(integers.reshape(-1, packed.size), spread(parts, "scale", rows), zero, bits)


def _zeros(parts: Parts, rows: slice, middle: int) -> NDArray[Any]:
    """The zero point of each block."""
    stored = parts.raw("zero_point")
    if stored.dtype == np.int32:
        unpacked = fields(np.ascontiguousarray(stored.T), parts.packed.bits).T[: parts.packed.rows]  # [N, groups]
        return spread(parts, unpacked, rows)
    return spread(parts, stored.astype(np.int16) + middle, rows)


def unpack_float8(parts: Parts, rows: slice) -> Blocks:
    """Rows of float8."""
    part = parts.packed.part("weight")
    assert part is not None  # as `describe` gave it
    codes = np.ascontiguousarray(parts.raw("weight")[rows]).reshape(-1, parts.packed.size)
    return Blocks(codes, spread(parts, "scale", rows), 0, 8, levels=FLOAT8[part.dtype])


def unpack_float4(parts: Parts, rows: slice) -> Blocks:
    """Rows of E2M1, as twice their numbers in 8 bits. NVFP4's scale of the whole tensor divides the others."""
    integers = (FP4_LEVELS + _MIDDLE).astype(np.uint8)[nibbles(np.ascontiguousarray(parts.raw("packed")[rows]))]
    if parts.has("global_scale"):
        scales = spread(parts, "scale", rows) / parts.floats("global_scale").reshape(-1)[0]
    else:
        exponents = spread(parts, parts.raw("scale").astype(np.int32), rows)
        scales = np.ldexp(np.float32(1), exponents - 127).astype(np.float32)
    return Blocks(integers.reshape(-1, parts.packed.size), scales / np.float32(2), _MIDDLE, 8)


def check(settings: Settings) -> None:
    """Raises CheckpointError for what is done to weights beside quantization, which is not read."""
    for name, what in (("transform_config", "transforms"), ("sparsity_config", "sparsity")):
        own = settings.get(name)
        if own and not (isinstance(own, dict) and own.get("format", "") in ("dense", "") and name == "sparsity_config"):
            raise CheckpointError(
                f"The checkpoint is quantized by compressed-tensors with {what} ({printable(name, 30)}), which are not "
                "read: get the model without these."
            )


def describe(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    """The weight of a layer."""
    packed = layer.tensors.get("weight_packed")
    if packed is None:
        weight = layer.get("weight", ("int8", *FLOAT8), 2)
        return _integers(layer, "weight", weight.shape, 8) if weight.dtype == "int8" else float8(layer)
    if packed.dtype == "uint8":
        return _float4(layer)
    layer.get("weight_packed", ("int32",), 2)
    if layer.get("weight_shape", ("int64", "int32"), 1).shape != (2,):
        raise layer.error("'weight_shape' is no shape of a matrix")
    rows, columns = (int(axis) for axis in layer.read("weight_shape"))
    bits = next((bits for bits in (4, 8) if packed.shape == (rows, -(-columns * bits // 32))), 0)
    if not bits or columns <= 0:
        raise layer.error(
            f"'weight_packed' has the shape {list(packed.shape)}, which are neither 4 nor 8 bits of {rows} × {columns}"
        )
    return _integers(layer, "weight_packed", (rows, columns), bits)


def _integers(layer: QuantizedLayer, role: str, shape: tuple[int, ...], bits: int) -> tuple[str, TensorInfo]:
    rows, columns = shape
    scale = layer.get("weight_scale", FLOATS)
    group = row_group(layer, rows, columns)
    size, held = block_size(group, columns)
    roles = [role, "weight_scale"]
    if "weight_zero_point" in layer.tensors:
        zero = layer.get("weight_zero_point", ("int8", "int32") if bits == 8 or role != "weight" else ("int8",))
        groups = columns // group
        wanted = (-(-rows * bits // 32), groups) if zero.dtype == "int32" else scale.shape
        layer.check_shape("weight_zero_point", wanted)
        roles.append("weight_zero_point")
    if "weight_g_idx" in layer.tensors and _has_order(layer, columns, group):
        roles.append("weight_g_idx")
    half, zeros = scale.dtype == "float16", "weight_zero_point" in roles
    return layer.weight(
        f"CT-INT{bits}", roles, PackedWeight((), rows, columns, group, size, bits, zeros, half, held=held)
    )


def _has_order(layer: QuantizedLayer, columns: int, group: int) -> bool:
    """Whether columns are in another order than that of their groups. Raises CheckpointError for odd groups."""
    layer.get("weight_g_idx", ("int32", "int64"), 1)
    layer.check_shape("weight_g_idx", (columns,))
    own = layer.read("weight_g_idx")
    if (own == -1).all() or np.array_equal(own, np.arange(columns) // group):
        return False
    counts = np.bincount(own.clip(0), minlength=columns // group)
    if own.min() < 0 or len(counts) != columns // group or (counts != group).any():
        raise layer.error("'weight_g_idx' has groups of several sizes")
    return True


def row_group(layer: QuantizedLayer, rows: int, columns: int, suffix: str = "weight_scale") -> int:
    """The numbers of a row with one scale; all where rows or the tensor have one."""
    shape = layer.tensors[suffix].shape
    if shape in ((), (1,), (1, 1), (rows,), (rows, 1)):
        return columns
    if len(shape) != 2 or shape[0] != rows or not shape[1] or columns % shape[1]:
        raise layer.error(f"'{suffix}' has the shape {list(shape)}, which does not divide {rows} × {columns}")
    return columns // shape[1]


def float8(layer: QuantizedLayer, suffix: str = "weight_scale", block: object = None) -> tuple[str, TensorInfo]:
    """The weight of a layer in float8. block: rows and columns with one scale, where neither all nor one row has it."""
    rows, columns = layer.get("weight", FLOAT8, 2).shape
    scale = layer.get(suffix, (*FLOATS, "float8_e8m0fnu"))
    sizes = _block_sizes(block or _block_structure(layer.settings))
    if sizes and scale.shape == (-(-rows // sizes[0]), -(-columns // sizes[1])):
        rows_each, group = sizes
    else:
        group, rows_each = row_group(layer, rows, columns, suffix), 1
    size, _ = block_size(group, columns)
    packed = PackedWeight((), rows, columns, group, size, 8, row_group=rows_each, held=False)
    return layer.weight("FP8", ("weight", suffix), packed, {suffix: "scale"})


def _block_sizes(block: object) -> tuple[int, int] | None:
    """The rows and columns of a block; None where there are none."""
    if isinstance(block, list) and len(block) == 2 and all(isinstance(one, int) and one > 0 for one in block):
        return block[0], block[1]
    return None


def _block_structure(settings: Settings) -> object:
    """The rows and columns of a block, from the groups of the settings."""
    groups = settings.get("config_groups")
    for one in groups.values() if isinstance(groups, dict) else ():
        weights = one.get("weights") if isinstance(one, dict) else None
        if isinstance(weights, dict) and weights.get("block_structure"):
            return weights["block_structure"]
    return None


def _float4(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    rows, half = layer.get("weight_packed", ("uint8",), 2).shape
    columns, roles, form = 2 * half, ["weight_packed", "weight_scale"], "MXFP4-CT"
    if "weight_global_scale" in layer.tensors:
        layer.get("weight_global_scale", ("float32",))
        layer.check_shape("weight_global_scale", (), (1,))
        layer.get("weight_scale", ("float8_e4m3fn",), 2)
        roles, form, group = [*roles, "weight_global_scale"], "NVFP4", 16
        if not np.all(layer.read("weight_global_scale")):
            raise layer.error("'weight_global_scale' is 0")
    else:
        layer.get("weight_scale", ("uint8", "float8_e8m0fnu"), 2)
        group = 32
    if columns % group:
        raise layer.error(f"'weight_packed' has {columns} columns, which are no groups of {group}")
    layer.check_shape("weight_scale", (rows, columns // group))
    return layer.weight(form, roles, PackedWeight((), rows, columns, group, group, 8))

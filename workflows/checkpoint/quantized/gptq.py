"""GPTQ: integers of 4 or 8 bits, packed along the inputs, with a scale and a zero point for each group of inputs.

    qweight int32 [K·bits/32, N]    qzeros int32 [G, N·bits/32]    scales [G, N]    g_idx int32 [K]: the group of each

    W[n, k] = scales[g, n] · (q[k, n] − zero[g, n]), g = g_idx[k]

Version 1 of the format stores zero points less by one, version 2 as they are (`checkpoint_format`). AutoGPTQ reads a
zero point that is then beyond its bits as 16 or 256, GPTQModel as 0 and takes one from its neighbour: such a file is
read as GPTQModel does where GPTQModel wrote it, and refused otherwise.

Formula: `dequantize_weight` of gptqmodel/nn_modules/qlinear, `convert_gptq_v1_to_v2_format` of gptqmodel/utils/model.py
(GPTQModel 7.7), `QuantLinear.pack` of auto_gptq (0.7).
"""

from __future__ import annotations

import numpy as np

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.packed import PackedWeight
from workflows.checkpoint.quantized.layers import (
    FLOATS,
    QuantizedLayer,
    Settings,
    block_size,
    fields,
    groups_of_blocks,
    positive,
)
from workflows.checkpoint.quantized.parts import Parts
from workflows.checkpoint.weights import TensorInfo
from workflows.common.errors import CheckpointError, printable

SUFFIXES = ("qweight", "qzeros", "scales", "g_idx")
BITS = (4, 8)
_TITLE = "GPTQ"
_VERSIONS = {"gptq": 1, "gptq_v2": 0}  # what version adds to the zero points
_ONES = {4: 0x11111111, 8: 0x01010101}  # one in each integer of a word


def unpack(parts: Parts, rows: slice) -> Blocks:
    """Rows of a weight, with the columns in the order of their groups."""
    packed, order = parts.packed, parts.order()
    integers = fields(parts.raw("qweight")[:, rows].T, packed.bits)[:, : packed.columns]  # [n, K]
    groups = groups_of_blocks(packed)
    if order is not None:
        integers, groups = integers[:, order], parts.raw("g_idx")[order][:: packed.size].astype(np.int64)
    words = parts.raw("qzeros").view(np.uint32) + np.uint32(packed.step)
    zeros = fields(words, packed.bits)[:, rows].T[:, groups]  # [n, blocks]
    scales = parts.floats("scales", (slice(None), rows)).T[:, groups]
    return Blocks(integers.reshape(-1, packed.size), scales.reshape(-1), zeros.reshape(-1), packed.bits)


def check(settings: Settings) -> None:
    """Raises CheckpointError for a form of GPTQ that is not read."""
    bits = settings.get("bits")
    if bits not in BITS:
        raise CheckpointError(
            f"The checkpoint is quantized by GPTQ with bits = {printable(bits, 20)}, and 4 and 8 are read: get the "
            "model with one of these, or without quantization."
        )
    version = settings.get("checkpoint_format") or settings.get("format") or "gptq"
    if version not in _VERSIONS or settings.get("is_marlin_format") is True:
        raise CheckpointError(
            f"The checkpoint is quantized by GPTQ in the format {printable(version, 30)}, and "
            f"{' and '.join(_VERSIONS)} are read: get the model in one of these."
        )
    if settings.get("pack_dtype", "int32") != "int32":
        raise CheckpointError(
            f"The checkpoint is quantized by GPTQ and packed in {printable(settings['pack_dtype'], 20)}, and packing "
            "in int32 is read: get the model packed so."
        )


def describe(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    """The weight of a layer."""
    qweight, scales = layer.get("qweight", ("int32",), 2), layer.get("scales", FLOATS, 2)
    layer.get("qzeros", ("int32",), 2)
    columns, bits = _sizes(layer)
    rows, groups = qweight.shape[1], scales.shape[0]
    group = positive(layer.settings, "group_size", _TITLE)
    group = columns if group == -1 else group
    if "dynamic" in layer.settings and group * groups != columns and groups:
        group = -(-columns // groups)  # a layer with settings of its own
    if -(-columns // group) != groups:
        raise layer.error(f"'scales' has {groups} groups where {columns} inputs in groups of {group} need another")
    layer.check_shape("scales", (groups, rows))
    layer.check_shape("qzeros", (groups, -(-rows * bits // 32)))
    size, held = block_size(group, columns)
    roles = ["qweight", "qzeros", "scales"]
    if "g_idx" in layer.tensors and (own := _order_size(layer, columns, group, groups)):
        roles.append("g_idx")
        size, held = (size, held) if own == group and columns % group == 0 else (1, False)
    version = layer.settings.get("checkpoint_format") or layer.settings.get("format") or "gptq"
    step = _ONES[bits] * _VERSIONS[str(version)]
    if step:
        _check_zeros(layer, bits)
    packed = PackedWeight((), rows, columns, group, size, bits, True, scales.dtype == "float16", step, held)
    return layer.weight(f"GPTQ-{bits}", roles, packed)


def _sizes(layer: QuantizedLayer) -> tuple[int, int]:
    """The inputs of a layer, and its bits, which may be its own where the settings are `dynamic`."""
    words = 32 * layer.tensors["qweight"].shape[0]
    configured = layer.settings["bits"]
    assert isinstance(configured, int)  # as `check` found
    if "g_idx" not in layer.tensors:
        return words // configured, configured
    columns = layer.get("g_idx", ("int32", "int64"), 1).shape[0]
    bits = next((bits for bits in (2, 3, *BITS) if words == -(-columns * bits // 32) * 32), 0)
    if bits not in BITS:
        what = f"{bits} bits" if bits else "another number of inputs than 'g_idx'"
        raise layer.error(f"'qweight' has {what}, and 4 and 8 bits are read")
    return columns, bits


def _order_size(layer: QuantizedLayer, columns: int, group: int, groups: int) -> int:
    """The members of each group where columns are not in their order; 0 for order, -1 for groups of several sizes."""
    own = layer.read("g_idx")
    if len(own) and not 0 <= int(own.min()) <= int(own.max()) < groups:
        raise layer.error("'g_idx' names a group that has no scale")
    if np.array_equal(own, np.arange(columns) // group):
        return 0
    counts = np.bincount(own, minlength=groups)
    return int(counts[0]) if (counts == counts[0]).all() else -1


def _check_zeros(layer: QuantizedLayer, bits: int) -> None:
    """Raises CheckpointError for a zero point that packages read in different ways; see above."""
    meta = layer.settings.get("meta")
    quantizer = meta.get("quantizer") if isinstance(meta, dict) else None
    names = quantizer if isinstance(quantizer, list) else [quantizer]
    if any(str(name).startswith("gptqmodel") for name in names):
        return
    rows = layer.tensors["scales"].shape[1]
    highest = (1 << bits) - 1
    if (fields(layer.read("qzeros"), bits)[:, :rows] == highest).any():
        raise layer.error(
            f"'qzeros' holds {highest}, which stands for the zero point {highest + 1} to AutoGPTQ and for 0 to "
            "GPTQModel, and config.json does not say which of them wrote it"
        )

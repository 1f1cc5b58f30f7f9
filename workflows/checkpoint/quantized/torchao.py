"""torchao, as transformers writes models to safetensors: the parts of its tensors, of classes that the metadata name.

    q_proj._weight_qdata, q_proj._weight_scale, q_proj._weight_zero_point
    __metadata__: {"q_proj.weight": {"_type": "Int8Tensor", "_data": {"block_size": [1, 4096], …}}, …} as JSON

    Int8Tensor, IntxUnpackedToInt8Tensor    int8 [N, K], scale and zero point [N, groups]    W = scale · (q − zero)
    Int4Tensor                              int8 [N, K/2], scale and zero point [groups, N]  W = scale · q + zero
    Float8Tensor                            float8 [N, K], scale by tensor, row, group or block

Formula: `dequantize` of the classes in torchao/quantization/quantize_/workflows (0.18), which rounds to the dtype of
the model where this keeps float32; of Int4Tensor, which has none, `int4_row_quantize_zp` and `pack_int4` of mslk (1.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.files import parse_object
from workflows.checkpoint.packed import PackedWeight
from workflows.checkpoint.quantized.compressed_tensors import float8, row_group
from workflows.checkpoint.quantized.layers import (
    FLOATS,
    QuantizedLayer,
    Settings,
    block_size,
    groups_of_blocks,
    nibbles,
    spread,
)
from workflows.checkpoint.quantized.parts import FLOAT8, Parts
from workflows.checkpoint.weights import TensorInfo, read_metadata
from workflows.common.errors import CheckpointError, printable

TITLE = "torchao"
_PREFIX = "_weight_"
SUFFIXES = tuple(f"{_PREFIX}{part}" for part in ("qdata", "scale", "zero_point", "act_pre_scale"))
DROPPED = tuple(f"{_PREFIX}{part}" for part in ("act_quant_scale", "act_quant_zero_point"))
_CLASSES = "classes"  # in the settings: what the metadata say of each tensor that is none of torch's own
_PLAIN = "Tensor"
_READ = ("Int8Tensor", "IntxUnpackedToInt8Tensor", "Int4Tensor", "Float8Tensor")
_BYTE = 128  # the middle of signed integers of 8 bits


def unpack_integers(parts: Parts, rows: slice) -> Blocks:
    """Rows of integers in int8, of which those of 4 bits use the low half. Raises CheckpointError for one beyond it."""
    packed, middle = parts.packed, 1 << (parts.packed.bits - 1)
    integers = (np.ascontiguousarray(parts.raw("qdata")[rows]).view(np.uint8) ^ _BYTE) - np.uint8(_BYTE - middle)
    if integers.size and integers.max() >= 2 * middle:
        raise CheckpointError(
            f"'{printable(packed.parts[0].file)}' holds integers of torchao beyond the {packed.bits} bits that its "
            "metadata say: get the checkpoint again."
        )
    zero = spread(parts, parts.floats("zero_point") + np.float32(middle), rows) if packed.zeros else middle
    return Blocks(integers.reshape(-1, packed.size), spread(parts, "scale", rows), zero, packed.bits)


def unpack_packed(parts: Parts, rows: slice) -> Blocks:
    """Rows of Int4Tensor, two integers in a byte, the first in its low bits."""
    packed, places = parts.packed, (slice(None), rows)
    integers = nibbles(np.ascontiguousarray(parts.raw("qdata")[rows]).view(np.uint8)) ^ 8
    scales, offsets = (parts.floats(name, places).T[:, groups_of_blocks(packed)] for name in ("scale", "zero_point"))
    minimums = np.float32(8) * scales - offsets
    return Blocks(integers.reshape(-1, packed.size), scales.reshape(-1), 0, 4, minimums.reshape(-1))


def check(settings: Settings) -> None:
    """All settings are read: the metadata of the files say the rest."""


def with_classes(settings: Settings, folder: Path, tensors: Mapping[str, TensorInfo]) -> Settings:
    """The settings with what the files' metadata say of their tensors.

    Raises CheckpointError for a tensor of a class that is not read.
    """
    classes: dict[str, object] = {}
    for file in sorted({info.file for info in tensors.values() if info.file.endswith(".safetensors")}):
        for name, text in read_metadata(folder, file).items():
            if text.startswith("{"):
                classes[name] = parse_object(text.encode(), f"{file}: {name}")
    for name, own in classes.items():
        kind = own.get("_type") if isinstance(own, dict) else None
        if kind != _PLAIN and (kind not in _READ or not name.endswith(".weight")):
            raise CheckpointError(
                f"The checkpoint is quantized by torchao, and '{printable(name, 90)}' is of its class "
                f"{printable(kind, 40)}, which is not read: get the model with weights of {', '.join(_READ)}."
            )
    return {**settings, _CLASSES: classes}


def describe(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    """The weight of a layer."""
    classes = layer.settings[_CLASSES]
    own = classes.get(f"{layer.name}.weight") if isinstance(classes, dict) else None
    if not isinstance(own, dict) or own["_type"] == _PLAIN:
        raise layer.error("the metadata of its file do not say of which class it is")
    if f"{_PREFIX}act_pre_scale" in layer.tensors:
        raise layer.error("its inputs are scaled before they are multiplied ('act_pre_scale'), which is not read")
    data = own.get("_data")
    facts = data if isinstance(data, dict) else {}
    parts = {suffix.removeprefix(_PREFIX): info for suffix, info in layer.tensors.items()}
    layer = replace(layer, tensors=parts)
    if own["_type"] == "Float8Tensor":
        layer.get("qdata", FLOAT8, 2)
        return float8(replace(layer, tensors={"weight": parts["qdata"], **parts}), "scale", facts.get("block_size"))
    if own["_type"] == "Int4Tensor":
        return _packed(layer)
    return _integers(layer, _bits(layer, facts) if own["_type"] == "IntxUnpackedToInt8Tensor" else 8)


def _bits(layer: QuantizedLayer, facts: Mapping[str, object]) -> int:
    """The bits of an integer as a bundle holds it."""
    target = facts.get("target_dtype")
    name = target.get("_data") if isinstance(target, dict) else None
    bits = {f"int{bits}": 4 if bits <= 4 else 8 for bits in range(1, 9)}.get(str(name))
    if bits is None:
        raise layer.error(f"its integers are of {printable(name, 30)}, and those up to int8 are read")
    return bits


def _integers(layer: QuantizedLayer, bits: int) -> tuple[str, TensorInfo]:
    rows, columns = layer.get("qdata", ("int8",), 2).shape
    scale, roles = layer.get("scale", FLOATS), ["qdata", "scale"]
    group = row_group(layer, rows, columns, "scale")
    if "zero_point" in layer.tensors:
        layer.get("zero_point", ("int8", *FLOATS))
        layer.check_shape("zero_point", scale.shape)
        zeros = layer.numbers("zero_point")
        if not np.array_equal(zeros, zeros.round().clip(-1 << (bits - 1), (1 << (bits - 1)) - 1)):
            raise layer.error(f"'zero_point' has numbers that are no integers of {bits} bits")
        roles += ["zero_point"] if zeros.any() else []
    size, held = block_size(group, columns)
    packed = PackedWeight(
        (), rows, columns, group, size, bits, "zero_point" in roles, scale.dtype == "float16", held=held
    )
    return layer.weight(f"AO-INT{bits}", roles, packed)


def _packed(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    rows, half = layer.get("qdata", ("int8", "uint8"), 2).shape
    scale, columns = layer.get("scale", FLOATS, 2), 2 * half
    layer.get("zero_point", FLOATS, 2)
    groups = scale.shape[0]
    if not groups or columns % groups:
        raise layer.error(f"'scale' has {groups} groups, which do not divide {columns} inputs")
    layer.check_shape("scale", (groups, rows))
    layer.check_shape("zero_point", (groups, rows))
    size, held = block_size(columns // groups, columns)
    packed = PackedWeight(
        (), rows, columns, columns // groups, size, 4, half=scale.dtype == "float16", held=held, minimums=True
    )
    return layer.weight("AO-INT4-PACKED", ("qdata", "scale", "zero_point"), packed)

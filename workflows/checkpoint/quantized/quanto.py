"""quanto, as optimum.quanto writes models to files: integers of 8 bits with a scale for each row.

    weight._data int8 [N, K]    weight._scale [N, 1]        quanto_qmap.json beside config.json names the layers

    W = scale · q

Formula: `QBytesDequantizer` of optimum/quanto/tensor (0.2.7). Of 4 and 2 bits (weight._data._data, weight._shift) the
file has the groups one after another, and not the shape of the weight, which only the model's own class knows.
"""

from __future__ import annotations

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.packed import PackedWeight
from workflows.checkpoint.quantized.layers import FLOATS, QuantizedLayer, Settings, block_size, signed_rows
from workflows.checkpoint.quantized.parts import Parts
from workflows.checkpoint.weights import TensorInfo

TITLE = "quanto"
SUFFIXES = ("weight._scale", "weight._data", "weight._data._data", "weight._shift")
DROPPED = ("input_scale", "output_scale")


def unpack(parts: Parts, rows: slice) -> Blocks:
    """Rows of a weight."""
    return signed_rows(parts, "weight._data", parts.floats("weight._scale")[rows].reshape(-1), rows)


def check(settings: Settings) -> None:
    """All settings are read: the tensors say the rest."""


def describe(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    """The weight of a layer."""
    if "weight._shift" in layer.tensors:
        raise layer.error("it has 4 or 2 bits, whose shape the file does not say, and 8 bits (qint8) are read")
    rows, columns = layer.get("weight._data", ("int8",), 2).shape
    scale = layer.get("weight._scale", FLOATS, 2)
    layer.check_shape("weight._scale", (rows, 1))
    size, held = block_size(columns, columns)
    packed = PackedWeight((), rows, columns, columns, size, 8, half=scale.dtype == "float16", held=held)
    return layer.weight("QUANTO-8", ("weight._data", "weight._scale"), packed)

"""FP8 in blocks, as DeepSeek and Qwen publish it, and by rows (FBGEMM): weight float8 [N, K] and its scales.

    weight_scale_inv [N/128, K/128]     W = weight · scale, by `weight_block_size`; one for all without it

Formula: `_dequantize_fp8_weight` of transformers/integrations/finegrained_fp8.py (5.23).
"""

from __future__ import annotations

from workflows.checkpoint.quantized.compressed_tensors import float8
from workflows.checkpoint.quantized.layers import QuantizedLayer, Settings
from workflows.checkpoint.weights import TensorInfo

SUFFIXES = ("weight_scale_inv", "weight")
ROW_SUFFIXES = ("weight_scale", "weight")
DROPPED = ("activation_scale", "input_scale", "input_scale_ub")


def check(settings: Settings) -> None:
    """All settings are read: the tensors say the rest."""


def describe(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    """The weight of a layer in blocks."""
    return float8(layer, "weight_scale_inv", layer.settings.get("weight_block_size"))


def describe_rows(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    """The weight of a layer with a scale for each row."""
    return float8(layer)

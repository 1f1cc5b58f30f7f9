"""MXFP4 as gpt-oss has it: the experts of a layer, each [N, K], which the model has transposed.

    gate_up_proj_blocks uint8 [E, N, K/32, 16]    gate_up_proj_scales uint8 [E, N, K/32]

    W[e, k, n] = 2^(scale − 127) · e2m1, the low half of a byte first

Formula: `convert_moe_packed_tensors` of transformers/integrations/mxfp4.py (5.23).
"""

from __future__ import annotations

import numpy as np

from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.packed import PackedWeight
from workflows.checkpoint.quantized.compressed_tensors import FP4_LEVELS
from workflows.checkpoint.quantized.layers import QuantizedLayer, Settings, nibbles
from workflows.checkpoint.quantized.parts import Parts
from workflows.checkpoint.weights import TensorInfo

SUFFIXES = ("blocks", "scales")
_GROUP = 32


def unpack(parts: Parts, rows: slice) -> Blocks:
    """Rows of all experts one after another, as twice their numbers in 8 bits."""
    stored = parts.raw("blocks").reshape(parts.packed.rows, -1)[rows]
    exponents = parts.raw("scales").reshape(parts.packed.rows, -1)[rows].astype(np.int32) - 128
    integers = (FP4_LEVELS + 128).astype(np.uint8)[nibbles(np.ascontiguousarray(stored))]
    scales = np.ldexp(np.float32(1), exponents).astype(np.float32)
    return Blocks(integers.reshape(-1, _GROUP), scales.reshape(-1), 128, 8)


def check(settings: Settings) -> None:
    """All settings are read: the tensors say the rest."""


def describe(layer: QuantizedLayer) -> tuple[str, TensorInfo]:
    """The weights of a layer's experts."""
    blocks = layer.get("blocks", ("uint8",), 4)
    layer.get("scales", ("uint8",), 3)
    experts, rows, groups, half = blocks.shape
    if half != _GROUP // 2 or not experts:
        raise layer.error(f"'blocks' has the shape {list(blocks.shape)}, which are no blocks of 16 bytes")
    layer.check_shape("scales", (experts, rows, groups))
    packed = PackedWeight((), experts * rows, groups * _GROUP, _GROUP, _GROUP, 8, turned=experts)
    return layer.weight("MXFP4-E", SUFFIXES, packed)

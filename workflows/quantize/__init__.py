"""Quantization methods: optimized graphs in, graphs with smaller weights out, and what each method refused.

model ──Method.requires──▶ call (calibration ranges if needed) ──▶ PassReport; one method a file
"""

import onnx_ir as ir

from workflows.quantize.base import Method, Ranges, check_excluded, run_method
from workflows.quantize.half_precision import HalfPrecision
from workflows.quantize.int8_dynamic import Int8Dynamic
from workflows.quantize.qdq import StaticQdq
from workflows.quantize.stored_blocks import StoredBlocks
from workflows.quantize.weight_only import WeightOnly

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        HalfPrecision("fp16", "Half precision: weights, activations and cache", ir.DataType.FLOAT16),
        HalfPrecision("bf16", "Brain floats: 16 bits with the range of 32", ir.DataType.BFLOAT16),
        WeightOnly(8),
        WeightOnly(4),
        Int8Dynamic(),
        StaticQdq(16),
        StaticQdq(8),
        StoredBlocks(),
    )
}

__all__ = ["METHODS", "Method", "Ranges", "check_excluded", "run_method"]

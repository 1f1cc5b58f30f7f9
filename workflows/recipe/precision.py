"""Describes each precision, and how each target runs it, for the cards of the build form.

precision ──▶ title, note, bits of a weight
precision, target ──target_precision──▶ how it runs there │ its drawback there │ why it is refused there

`target.py` lists refusals and drawbacks, `FACTS` how the other pairs run: each pair is stated once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workflows.recipe.schema import Precision, Recipe
from workflows.recipe.target import TargetName, find_target


@dataclass(frozen=True)
class PrecisionInfo:
    """title, note: of the card. bits: per weight, without scales. on: target → how it runs there, for targets that
    neither refuse it nor have a drawback.
    """

    title: str
    note: str
    bits: float
    on: Mapping[TargetName, str]


@dataclass(frozen=True)
class TargetPrecision:
    """How a target runs a precision; one field is set: how it runs, its drawback, or why it is refused."""

    runs: str = ""
    trap: str = ""
    refused: str = ""


_IN_BLOCKS: dict[TargetName, str] = {
    "dml": "DirectML has the operator, MatMulNBits; its speed was not measured.",
    "openvino": "OpenVINO has the operator, MatMulNBits; its speed was not measured.",
    "webgpu": "WebGPU has the operator, MatMulNBits; its speed was not measured.",
}

PRECISIONS: dict[str, PrecisionInfo] = {
    "fp32": PrecisionInfo(
        "Keep fp32",
        "Every weight as it is.",
        32,
        {
            "cpu": "The reference speed.",
            "dml": "DirectML takes it as it is.",
            "openvino": "OpenVINO takes it as it is.",
            "webgpu": "WebGPU takes it as it is.",
        },
    ),
    "fp16": PrecisionInfo(
        "Half precision",
        "Weights, activations and cache in 16 bits: half the size, almost the same output.",
        16,
        {
            "cpu": "The CPU provider computes in fp32 and converts on the way: no faster than fp32.",
            "qnn": "QNN computes in half precision anyway: half the bytes, the same output.",
            "dml": "DirectML has every operator in half precision too; its speed was not measured.",
            "openvino": "OpenVINO takes it as it is; its speed was not measured.",
            "webgpu": "WebGPU computes in half precision where the graphics card does; its speed was not measured.",
        },
    ),
    "bf16": PrecisionInfo("Brain floats", "16 bits with the range of 32 and fewer digits.", 16, {}),
    "int8": PrecisionInfo(
        "8-bit weights",
        "Weights in blocks of 8-bit integers: a quarter of the size, almost the same output.",
        8,
        {
            "cpu": "About 2.9 × as fast as fp32.",
            "qnn": "QNN has the operator, MatMulNBits, for blocks of 32; its speed was not measured.",
            **_IN_BLOCKS,
        },
    ),
    "int4": PrecisionInfo(
        "4-bit weights",
        "Weights in blocks of 4-bit integers: the smallest; small models lose some accuracy.",
        4,
        {
            "cpu": "About 4 × as fast as fp32: the fastest.",
            "qnn": "QNN has the operator, MatMulNBits, for blocks of 32, 64 and 128; its speed was not measured.",
            **_IN_BLOCKS,
        },
    ),
    "int8-dynamic": PrecisionInfo(
        "8-bit products",
        "Weights in 8 bits per column, activations quantized by their own range at every run.",
        8,
        {
            "cpu": "About 3.4 × as fast as fp32.",
            "dml": "DirectML has the operator, DynamicQuantizeMatMul; its speed was not measured.",
        },
    ),
    "w8a16": PrecisionInfo(
        "8-bit weights, 16-bit activations",
        "Calibrated on real activations; for NPUs.",
        8,
        {
            "qnn": "QNN computes in integers throughout, close to the model.",
            "openvino": "OpenVINO takes it as it is; its speed was not measured.",
        },
    ),
    "w8a8": PrecisionInfo(
        "8-bit weights and activations",
        "Calibrated on real activations; the least accurate 8-bit precision.",
        8,
        {
            "cpu": "About 3.4 × as fast as fp32.",
            "dml": "DirectML has 8-bit Quantize and Dequantize; its speed was not measured.",
            "openvino": "OpenVINO takes it as it is; its speed was not measured.",
        },
    ),
}
_SCALES = {"int8": 8, "int4": 4}  # bits of a zero point; a scale has 32


def target_precision(precision: Precision, target: TargetName) -> TargetPrecision:
    """Returns how `target` runs `precision`."""
    has, setting = find_target(target), ("precision", precision)
    return TargetPrecision(
        PRECISIONS[precision].on.get(target, ""), has.noted.get(setting, ""), has.refused.get(setting, "")
    )


def weight_bytes(recipe: Recipe, precision: str, parameters: int, table: int, tied: bool) -> int:
    """Estimates the bytes of the weights in `precision`; table: elements of the embedding. A tied head is the
    embedding, which `parameters` count once; if only one of them is quantized, both are stored.
    """
    facts = PRECISIONS[precision]
    if precision in ("fp32", "fp16", "bf16"):
        return int(parameters * facts.bits / 8)
    bits = fine = float(facts.bits)
    if precision in _SCALES:
        block = recipe.quantize.block_size
        finer = min(block, recipe.quantize.fine_block_size or block) if precision == "int4" else block
        scale = 32 + (0 if recipe.quantize.symmetric else _SCALES[precision])
        bits, fine = bits + scale / block, fine + scale / finer
    head, embedding = recipe.quantize.head, recipe.quantize.embedding and precision in _SCALES
    if tied:
        quantized, unquantized = int(head or embedding), int(not (head and embedding))
    else:
        quantized, unquantized = head + embedding, 2 - head - embedding
    body = max(0, parameters - (1 if tied else 2) * table)
    return int((body * bits + quantized * table * fine) / 8) + unquantized * table * 4

"""Describes each precision, and how each target runs it, for the table of the build form.

precision ──▶ title, note, bits of a weight
precision, target ──target_precision──▶ speed, exactness │ how it runs there │ its drawback │ why it is refused

`target.py` lists refusals and drawbacks, `PRECISIONS` the rest: each pair is stated once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

from workflows.recipe.schema import Precision, Recipe, Role
from workflows.recipe.target import TARGETS, TargetName, find_target
from workflows.wire.reports.plan import Exactness


@dataclass(frozen=True)
class PrecisionInfo:
    """title, note: for a person. bits: per weight, without scales. exactness: of the output, against fp32.

    speeds: target → measured speed, as a multiple of fp32. on: target → how it runs there, for targets that neither
    refuse it nor have a drawback.
    """

    title: str
    note: str
    bits: float
    exactness: Exactness
    speeds: Mapping[TargetName, float] = field(default_factory=dict)
    on: Mapping[TargetName, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TargetPrecision:
    """How a target runs a precision. Of runs, trap (its drawback) and refused (why not) one is set.

    speed: a multiple of the speed of fp32; None where it was not measured.
    """

    exactness: Exactness
    speed: float | None
    runs: str = ""
    trap: str = ""
    refused: str = ""
    recommended: bool = False


def _each(text: str, *others: TargetName) -> dict[TargetName, str]:
    """`text` with the name of the provider in place of {0}, for the CPU, DirectML, OpenVINO, WebGPU or `others`."""
    names: dict[TargetName, str] = {
        "cpu": "The CPU provider",
        "dml": "DirectML",
        "openvino": "OpenVINO",
        "webgpu": "WebGPU",
        "qnn": "QNN",
    }
    return {target: text.format(names[target]) for target in others or ("cpu", "dml", "openvino", "webgpu")}


PRECISIONS: dict[str, PrecisionInfo] = {
    "fp32": PrecisionInfo(
        "Keep fp32",
        "Every weight as it is.",
        32,
        "exact",
        dict.fromkeys(TARGETS, 1.0),
        _each("{0} computes in float32."),
    ),
    "fp16": PrecisionInfo(
        "Half precision",
        "Weights, activations and cache in 16 bits.",
        16,
        "near",
        {"cpu": 1},
        {
            "cpu": "The CPU provider computes in fp32 and converts on the way.",
            "qnn": "QNN computes in half precision anyway.",
            "dml": "DirectML has every operator in half precision too.",
            "openvino": "OpenVINO takes it as it is.",
            "webgpu": "WebGPU computes in half precision where the graphics card does.",
        },
    ),
    "bf16": PrecisionInfo("Brain floats", "16 bits with the range of 32 and fewer digits.", 16, "close"),
    "int8": PrecisionInfo(
        "8-bit weights",
        "Weights in blocks of 8-bit integers.",
        8,
        "near",
        {"cpu": 2.9},
        _each("{0} has the operator MatMulNBits.")
        | _each("{0} has the operator MatMulNBits, for blocks of 32.", "qnn"),
    ),
    "int4": PrecisionInfo(
        "4-bit weights",
        "Weights in blocks of 4-bit integers; small models lose some accuracy.",
        4,
        "close",
        {"cpu": 4},
        _each("{0} has the operator MatMulNBits.")
        | _each("{0} has the operator MatMulNBits, for blocks of 32, 64 and 128.", "qnn"),
    ),
    "int8-dynamic": PrecisionInfo(
        "8-bit products",
        "Weights in 8 bits per column, activations quantized by their own range at every run.",
        8,
        "close",
        {"cpu": 3.4},
        _each("{0} has the operator DynamicQuantizeMatMul.", "cpu", "dml"),
    ),
    "w8a16": PrecisionInfo(
        "8-bit weights, 16-bit activations",
        "Calibrated on real activations; for NPUs.",
        8,
        "close",
        {"cpu": 1},
        {"qnn": "QNN computes in integers throughout.", "openvino": "OpenVINO takes it as it is."},
    ),
    "w8a8": PrecisionInfo(
        "8-bit weights and activations",
        "Calibrated on real activations.",
        8,
        "coarse",
        {"cpu": 3.4},
        _each("{0} has 8-bit Quantize and Dequantize.", "cpu", "dml", "openvino"),
    ),
    "stored": PrecisionInfo(
        "As the checkpoint stores them",
        "The checkpoint's own blocks of integers; nothing is rounded anew.",
        5,
        "near",
        {},
        _each("{0} has the operator MatMulNBits.", "cpu"),
    ),
}
RECOMMENDED: dict[TargetName, Precision] = {
    "cpu": "int4",
    "qnn": "w8a16",
    "dml": "fp16",
    "openvino": "int8",
    "webgpu": "fp16",
}
"""The fastest one that was measured. Where none was: what the hardware computes in, or the smallest that is near."""
_LESS_EXACT: dict[tuple[str, TargetName], Exactness] = {("fp32", "qnn"): "near"}
"""Pairs whose output is less exact than elsewhere."""
_SCALES = {"int8": 8, "int4": 4}  # bits of a zero point; a scale has 32


def target_precision(precision: Precision, target: TargetName) -> TargetPrecision:
    """Returns how `target` runs `precision`."""
    facts, has, setting = PRECISIONS[precision], find_target(target), ("precision", precision)
    return TargetPrecision(
        exactness=_LESS_EXACT.get((precision, target), facts.exactness),
        speed=facts.speeds.get(target),
        runs=facts.on.get(target, ""),
        trap=has.noted.get(setting, ""),
        refused=has.refused.get(setting, ""),
        recommended=RECOMMENDED.get(target) == precision,
    )


def table_elements(config: Mapping[str, object]) -> int:
    """The elements of the table of tokens, by a checkpoint's config; 0 where it does not say."""
    rows, columns = config.get("vocab_size"), config.get("hidden_size", config.get("d_model"))
    return rows * columns if isinstance(rows, int) and isinstance(columns, int) else 0


def weight_bytes(
    recipe: Recipe,
    precision: str,
    parameters: int,
    table: int,
    tied: bool,
    roles: Mapping[Role, int] = MappingProxyType({}),
) -> int:
    """Estimates the bytes of the weights in `precision`; table: elements of the embedding. A tied head is the
    embedding, which `parameters` count once; if they differ in precision, both are stored. roles: elements of the
    weights in the other roles, each of which counts for one of them.
    """
    if precision in ("fp32", "fp16", "bf16") and not recipe.quantize.mixes:
        return int(parameters * PRECISIONS[precision].bits / 8)
    quantize, own = recipe.quantize, recipe.quantize.roles
    fine = quantize.fine_block_size if precision == "int4" else None
    bits = partial(_bits, symmetric=quantize.symmetric)
    sensitive = bits(precision, min(quantize.block_size, fine or quantize.block_size))

    def of(role: Role) -> float:
        if role == "embedding" and precision not in _SCALES and role not in own:
            return 32
        if role not in own:
            return sensitive if role in ("head", "embedding") else bits(precision, quantize.block_size)
        one = own[role]
        return bits(one.precision, one.block_size) if one is not None else 32

    tables = {of("head"), of("embedding")} if tied else [of("head"), of("embedding")]
    body = max(0, parameters - (1 if tied else 2) * table)
    named = {role: count for role, count in roles.items() if role in own}
    total = (body - sum(named.values())) * bits(precision, quantize.block_size) + table * sum(tables)
    total += sum(count * of(role) for role, count in named.items())
    total += 8 * body if recipe.fast_prefill and precision == "int4" else 0
    return int(total / 8)


def _bits(precision: str, block: int, *, symmetric: bool) -> float:
    """The bits of a weight, with its share of scales and zero points."""
    bits = PRECISIONS[precision].bits
    return bits + (32 + (0 if symmetric else _SCALES[precision])) / block if precision in _SCALES else bits

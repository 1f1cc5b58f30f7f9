"""What a probe finds and what a recipe would make of it, as the worker says it: a small qwen3."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from workflows.wire.codec import read
from workflows.wire.reports.plan import (
    BuildEstimate,
    CalibrationOrigin,
    DecoderFacts,
    PassOption,
    PlanComponent,
    PlanEdge,
    PlanOption,
    PlanReport,
    PrecisionOption,
    PresetOption,
    ProbeReport,
    RecipeSummary,
    TargetOption,
    TokenizerFacts,
)
from workflows.wire.requests import Options

T = TypeVar("T")
LAYOUTS = [
    PlanOption("static", True),
    PlanOption("window", True),
    PlanOption("gqa", False, "it takes no position bias"),
    PlanOption("scatter", True),
]
TARGETS = [
    TargetOption("cpu", "CPU", []),
    TargetOption("qnn", "Qualcomm QNN", ["QNN takes fixed shapes alone.", "QNN computes angles in half precision."]),
    TargetOption("webgpu", "WebGPU", []),
]
PASSES = [PassOption("fold-constants", "Fold constants", True), PassOption("deduplicate", "Share equal weights", True)]
SLOW = "w8a16 is about 13 × slower than fp32 on the CPU provider: it is for NPUs."
PRECISIONS = [
    PrecisionOption("fp32", "Keep fp32", "Every weight as it is.", "The CPU computes in float32.", "", 32 << 20, False,
                    speed=1, exactness="exact"),
    PrecisionOption("int4", "4-bit weights", "Weights in blocks of 4-bit integers.", "It has MatMulNBits.", "", 8 << 20,
                    False, True, speed=4, exactness="close", recommended=True),
    PrecisionOption("w8a16", "8-bit weights, 16-bit activations", "For NPUs.", "", SLOW, 12 << 20, True,
                    exactness="close"),
]  # fmt: skip
PRESETS = [
    PresetOption("compact", "int4", 7 << 20),
    PresetOption("balanced", "int4", 8 << 20, 0.182, 0.75, 41.5, "cpu"),
    PresetOption("accurate", "int8", 12 << 20),
]
NOT_ON_WEBGPU = "it has no 16-bit Quantize"


def probe_of(source: str, remote_code: dict[str, str], cacheless: bool) -> ProbeReport:
    """What a source is: a demo, a folder, or else a hub id."""
    return ProbeReport(
        source=source,
        path=source,
        kind="demo" if source.startswith("demo:") else "folder" if Path(source).is_absolute() else "hub",
        model_type="qwen3",
        architectures=["Qwen3ForCausalLM"],
        parameters=901_248,
        dtype="float16",
        weights_bytes=1_802_496,
        tokenizer=TokenizerFacts("BPE", 512, True),
        remote_code=remote_code,
        family="qwen3",
        tasks=["text-generation"],
        supported=True,
        reason="",
        decoder=None if cacheless else DecoderFacts(4, 128, 512, 40_960, 2048),
    )


def _precisions(options: Options, target: str) -> list[PrecisionOption]:
    """Only the CPU has speeds; WebGPU lacks one of the precisions."""
    offers = [replace(one, bytes=one.bytes + _scales(options)) if one.blocks else one for one in PRECISIONS]
    if target != "cpu":
        runs = f"{target} takes it as it is."
        offers = [replace(one, runs=runs, trap="", speed=None, recommended=False) for one in offers]
    if target == "webgpu":
        offers[-1] = replace(offers[-1], runs="", refused=NOT_ON_WEBGPU)
    return offers


def _scales(options: Options) -> int:
    """Bytes that smaller blocks than 32 take more."""
    quantize = read(dict[str, object], options.get("quantize", {}))
    return (32 << 20) // read(int, quantize.get("block_size", 32)) - (1 << 20)


def plan_of(source: str, options: Options, encoder: bool) -> PlanReport:
    """The plan for what was chosen. encoder: its graphs are fixed to a source's length, where they are two."""

    def option(name: str, kind: type[T], default: T) -> T:
        value = options.get(name)  # None for one that was taken back, as in the engine
        return default if value is None else read(kind, value)

    graphs = option("graphs", str, "prefill-decode")
    preset = next((one for one in PRESETS if one.name == options.get("preset")), None)
    apart = encoder and graphs == "prefill-decode"
    chosen = RecipeSummary(
        target=option("target", str, "cpu"),
        variant=option("variant", str, "plain"),
        graphs=graphs,
        cache=option("cache", str, "static"),
        capacity=option("capacity", int, 4096),
        chunk=option("chunk", int, 64),
        source_length=option("source_length", int, 512) if apart else None,
        place=read(dict[str, str], options.get("place", {})),
        precision=preset.precision if preset else option("precision", str, "fp32"),
        passes={one.name: one.default for one in PASSES} | read(dict[str, bool], options.get("passes", {})),
        calibration_prompts="",
        calibration_method="minmax",
        calibration_origin="" if options.get("precision") != "w8a16" else _origin(source),
        batch=option("batch", int, 1),
    )
    names = ["decoder"] if graphs == "single" else ["prefill", "decode"]
    return PlanReport(
        recipe={
            "version": 1,
            "source": source,
            "cache": chosen.cache,
            "capacity": chosen.capacity,
            "precision": chosen.precision,
            **({"preset": preset.name} if preset else {}),
            "quantize": {"block_size": 32, **read(dict[str, object], options.get("quantize", {}))},
            "opset": 23,
            "kv_dtype": options.get("kv_dtype") or "float32",
        },
        chosen=chosen,
        estimate=BuildEstimate(
            24.0,
            1_400_000_000,
            9_000_000,
            chosen.batch * chosen.capacity * 2048,
            9_000_000_000,
            90_000_000_000,
            builds=2,
            stages={"checkpoint": 1.0, "export": 16.0, "optimize": 5.0, "bundle": 2.0},
            snapshot_bytes=40_000,
            work_bytes=7_200_000,
        ),
        components=[PlanComponent(name, name, ["input_ids", "past"], ["logits", "present"]) for name in names],
        edges=[PlanEdge(f"{name}.present", f"{names[-1]}.past", "cache") for name in names],
        layouts=LAYOUTS,
        variants=[PlanOption("plain", True), PlanOption("transformer-only", True)],
        targets=TARGETS,
        passes=PASSES,
        offers_int8_cache=graphs == "single",
        precisions=_precisions(options, chosen.target),
        presets=PRESETS if chosen.target == "cpu" else [],
    )


def _origin(source: str) -> CalibrationOrigin:
    return "demo" if source.startswith("demo:") else "sentences"

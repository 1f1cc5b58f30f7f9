"""The stage `measure`: what quantizing cost, over a text that no method has read.

stage "optimize" ─┬─ as bundles on the CPU, fed the same text ──measure_cost──▶ cost.json
stage "quantize" ─┘

It takes a tenth of the time of the stages before, or a few texts. What cannot be measured is stated as a reason.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from workflows.builder.calibrate import stage_bundle
from workflows.builder.pipeline import OptimizedComposite
from workflows.builder.workspace import BuildWorkspace
from workflows.bundle.evidence import Evidence, load_evidence
from workflows.checkpoint import Checkpoint
from workflows.common.errors import Cancelled, JoineryError
from workflows.common.files import free_disk_bytes
from workflows.common.memory import free_bytes
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.evaluation.accuracy.text_cost import MOST_POSITIONS, measure_cost, measuring_texts
from workflows.generate import Engine
from workflows.graph.described_weights import is_described
from workflows.inspection.probe.build_estimate import precision_bytes
from workflows.recipe import Recipe
from workflows.recipe.build_memory import float32_bytes
from workflows.recipe.precision import target_precision
from workflows.recipe.schema import Precision
from workflows.recipe.stored_forms import holds_all_blocks
from workflows.runtime import device_named, open_machine
from workflows.runtime.loading.memory_plan import gigabytes, mapped_options
from workflows.wire.codec import dumps
from workflows.wire.events import ProgressEvent, Stage
from workflows.wire.reports.cost import COST_FILE, QuantizationCost

STAGE: Stage = "measure"
_SHARE = 0.1  # of the time of the stages before
_LEAST_S = 0.2
_WRITTEN_PER_S = 4e8  # bytes
_MORE_BITS: dict[Precision, str] = {"int8": "preset=accurate", "fp16": "precision=fp16", "fp32": "precision=fp32"}


def make_measure(
    checkpoint: Checkpoint, composite: OptimizedComposite, quantized: Path, work: BuildWorkspace, folder: Path
) -> Evidence:
    """Measures the graphs of the stage `quantized` against those of `composite` and writes the result to `folder`."""
    seconds = max(_LEAST_S, _SHARE * _seconds_of(composite.optimized, quantized))
    cost = _measured(checkpoint, composite, quantized, work, seconds)
    if not cost.is_faithful:
        better, size = _better(checkpoint, composite.recipe)
        cost = replace(cost, better=better, better_bytes=size)
    (folder / COST_FILE).write_text(dumps(cost) + "\n", "utf-8")
    return []


def _seconds_of(*stages: Path) -> float:
    """What the stages took when they were made."""
    return sum(max((float(entry.get("seconds", 0)) for entry in load_evidence(stage)), default=0) for stage in stages)


def _measured(
    checkpoint: Checkpoint, composite: OptimizedComposite, quantized: Path, work: BuildWorkspace, seconds: float
) -> QuantizationCost:
    if composite.cut.cache is None:
        return QuantizationCost(reason="the model generates no tokens")
    if reason := _lacking(checkpoint, composite.optimized, seconds):
        kept = composite.recipe.precision == "stored" and holds_all_blocks(checkpoint)
        return QuantizationCost(reason="the weights are as the checkpoint stores them" if kept else reason)

    def on_positions(done: int) -> None:
        work.check()
        work.report(ProgressEvent(stage=STAGE, message="measuring", done=done, total=MOST_POSITIONS, unit="positions"))

    on_positions(0)
    after = replace(composite, optimized=quantized)
    try:
        with _opened(composite, mapped=True) as reference:
            chosen = measuring_texts(reference.engine)
            with _opened(after, mapped=False) as candidate:
                return measure_cost(reference, candidate, chosen, seconds, on_positions)
    except Cancelled:
        raise
    except JoineryError as error:  # the CPU provider may not run what is built for another device
        return QuantizationCost(reason=str(error).rstrip("."))


def _lacking(checkpoint: Checkpoint, optimized: Path, seconds: float) -> str:
    """Why the float32 weights cannot be run here in about `seconds`; empty where they can."""
    needed = float32_bytes(checkpoint)
    takes = f"it takes the weights in float32, {gigabytes(needed)}"
    if needed > free_bytes():
        return f"{takes}, and {gigabytes(free_bytes())} of memory are free"
    if is_described(optimized):  # a streamed build has them in the checkpoint alone
        if needed > free_disk_bytes(optimized):
            return f"{takes}, and the disk has no room for them"
        if needed / _WRITTEN_PER_S > seconds:
            return f"{takes}, and writing them takes longer than a tenth of the build"
    return ""


@contextmanager
def _opened(composite: OptimizedComposite, mapped: bool) -> Iterator[ComparedBundle]:
    """The stage's graphs, open on the CPU. mapped: whether float32 weights stay in their file."""
    with tempfile.TemporaryDirectory(
        prefix="measure-", dir=composite.optimized.parent, ignore_cleanup_errors=True
    ) as folder:
        bundle = stage_bundle(Path(folder), composite)
        options = mapped_options(bundle) if mapped else None
        with Engine(bundle, open_machine(bundle, device_named("cpu"), session_options=options), 0.0) as engine:
            yield ComparedBundle(engine)


def _better(checkpoint: Checkpoint, recipe: Recipe) -> tuple[str, int]:
    """The option of the smallest precision with more bits that the target takes and its weights' bytes; empty and 0 for
    none.
    """
    own = precision_bytes(recipe.precision, checkpoint, recipe)
    for name, option in _MORE_BITS.items():
        size = precision_bytes(name, checkpoint, recipe)
        if size > own and not target_precision(name, recipe.target).refused:
            return option, size
    return "", 0

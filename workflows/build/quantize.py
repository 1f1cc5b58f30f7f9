"""The stage `quantize`: quantizes the weights of each component and records the result as evidence.

optimized graphs ──run_method, by component──▶ lazy weights ──Parts, a file per tensor──▶ save_graphs
                 └──ParityRunner──▶ logits of both, on the same tokens ──▶ parity: reported, never an error
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx_ir as ir

from workflows.build.calibrate import find_moments, find_ranges
from workflows.build.pipeline import OptimizedComposite
from workflows.build.stages import graph_facts, segment_report
from workflows.build.workspace import Report
from workflows.bundle.evidence import Evidence, load_evidence
from workflows.common.errors import Cancelled, JoineryError, RecipeError
from workflows.common.files import try_remove
from workflows.evaluation.layerwise_parity import LayerwiseParityRunner
from workflows.evaluation.parity import ParityRunner
from workflows.export.reference import ReferenceLogits
from workflows.graph.weights import load_saved_graph, save_graphs
from workflows.inspection.build_stages import archive_name
from workflows.inspection.snapshots import ComponentSnapshots
from workflows.optimize import PassReport
from workflows.quantize import METHODS, Method, check_excluded, run_method
from workflows.quantize.base import expand_node_patterns
from workflows.quantize.calibration.moments import SecondMoments
from workflows.quantize.experts import float_experts
from workflows.quantize.fast_prefill import FastPrefill
from workflows.quantize.mixed_precision import MixedPrecision
from workflows.quantize.tensor_cache import TensorCache
from workflows.quantize.weight_only import WeightOnly
from workflows.recipe import Recipe
from workflows.recipe.cut import ComponentRole
from workflows.wire.events import NoticeEvent, ProgressEvent, Stage

STAGE: Stage = "quantize"


def make_quantize(composite: OptimizedComposite, folder: Path, report: Report) -> Evidence:
    """Quantizes the stage's graphs into `folder`. Raises RecipeError for an unknown excluded node, or no effect."""
    optimized = composite.optimized
    components = load_evidence(optimized)
    models = {entry["file"]: load_saved_graph(optimized / entry["file"]) for entry in components}
    recipe = expand_node_patterns(composite.recipe, models.values())
    check_excluded(models.values(), recipe.quantize)
    by_name = {entry["component"]: models[entry["file"]] for entry in components}
    composite = replace(composite, recipe=recipe)
    ranges, calibrated = find_ranges(composite, by_name, report)
    moments, compensated = find_moments(composite, by_name, report)
    evidence, snapshots = [], {}
    for entry in components:
        name, model = entry["component"], models[entry["file"]]
        precision = recipe.precision_of(name)
        report(ProgressEvent(stage=STAGE, message=f"{name}: {precision}", component=name))
        method = component_method(recipe, name, moments)
        done = [run_method(model, method, recipe.quantize, ranges.get(name))] if method else []
        title = method.title if method else ""
        history = snapshots[name] = ComponentSnapshots.read(optimized / archive_name(name), optimized)
        if any(one.modified for one in done):
            history.take(precision, model)
        steps = [_step(one, title, model, history.last) for one in done]
        if message := float_experts(name, model.graph, done):
            report(NoticeEvent(code="experts", message=message))
        description = calibrated if name in ranges else compensated if precision == "int4" else ""
        facts = {"precision": precision, "calibrated": description, "passes": steps}
        evidence.append({**entry, "name": STAGE} | facts | graph_facts(model))
    _refuse_unchanged(recipe, evidence)
    parts = folder.parent / f"parts-{optimized.name[-16:]}"  # a stage's folder name ends with its key

    def report_progress(done: int, total: int) -> None:
        report(ProgressEvent(stage=STAGE, message="quantizing the weights", done=done, total=total, unit="tensors"))

    TensorCache(parts).store(models, report_progress)
    report(ProgressEvent(stage=STAGE, message="writing the weights"))
    regions = save_graphs(models, folder)
    for name, history in snapshots.items():
        history.write(folder / archive_name(name), regions)
    report(ProgressEvent(stage=STAGE, message="comparing the graphs with the optimized ones"))
    parity = _parity(composite, folder, report)
    try_remove(parts)
    return [entry | {"parity": parity} for entry in evidence]


def component_method(recipe: Recipe, component: str, moments: SecondMoments | None = None) -> Method | None:
    """The component's quantization method; None to keep its weights. moments: see find_moments."""
    own = METHODS.get(recipe.precision_of(component))
    if moments is not None and recipe.precision_of(component) == "int4":
        own = WeightOnly(4, moments=moments.of)
    method = MixedPrecision(own) if recipe.quantize.nodes else own
    return FastPrefill(method) if recipe.fast_prefill and component == ComponentRole.PREFILL and method else method


def _step(done: PassReport, title: str, model: ir.Model, snapshot: str) -> dict[str, Any]:
    facts = graph_facts(model)
    more = {"title": title, "bytes": facts["bytes"], "snapshot": snapshot, "parity": None}
    return done.to_dict() | more


def _refuse_unchanged(recipe: Recipe, evidence: Evidence) -> None:
    steps = [step for entry in evidence for step in entry["passes"]]
    if not steps or any(step["modified"] for step in steps):
        return
    reasons = list(dict.fromkeys(one["reason"] for step in steps for one in step["refused"]))
    why = f": {reasons[0]}" if reasons else ", since its graphs have no MatMul with a constant weight left"
    raise RecipeError(f"{recipe.precision} quantizes nothing of this model{why}; build it with --precision fp32.")


def _parity(composite: OptimizedComposite, folder: Path, report: Report) -> dict[str, Any]:
    """Compares the quantized graphs with the optimized ones, or states why the CPU provider cannot run them."""
    files = {name: session.file for name, session in composite.pipeline.pipeline.sessions.items()}
    optimized = ReferenceLogits.read(composite.optimized)
    probe, on_segment = ParityRunner(composite.pipeline), segment_report(STAGE, report)
    if optimized is not None:
        probe, before = LayerwiseParityRunner(composite.pipeline, optimized, on_segment), list(optimized.logits)
    else:
        before = probe.run({name: composite.optimized / file for name, file in files.items()})
    try:
        after = probe.run({name: folder / file for name, file in files.items()}, mapped=False)
    except Cancelled:
        raise
    except JoineryError as error:
        if not any(METHODS[p].retypes for name in files if (p := composite.recipe.precision_of(name)) in METHODS):
            raise JoineryError(f"The quantized graphs do not run: {error}") from error
        message = f"The CPU provider does not run this bundle, so nothing was compared: {error}"
        report(NoticeEvent(code="not_run", message=message))
        return {"max_abs_diff": None, "greedy_equal": 0, "greedy_tokens": 0, "note": message}
    return probe.compare(before, after).to_dict()

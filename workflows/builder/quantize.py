"""The stage `quantize`: quantizes the weights of each component, then the cache, and records the result as evidence.

optimized graphs ──run_method, by component──▶ lazy weights ──Parts, a file per tensor──▶ save_graphs
                 ├──find_cache_scales, with these graphs──▶ quantize_cache ──▶ the graphs once more
                 └──ParityRunner──▶ logits of both, on the same tokens ──▶ parity: reported, never an error
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import onnx_ir as ir

from workflows.builder.calibrate import find_cache_scales, find_ranges, find_rounding
from workflows.builder.pipeline import OptimizedComposite
from workflows.builder.stages import graph_facts, segment_report
from workflows.builder.workspace import Report
from workflows.bundle.evidence import Evidence, load_evidence
from workflows.common.errors import Cancelled, JoineryError, RecipeError
from workflows.common.files import try_remove
from workflows.evaluation.layerwise_parity import LayerwiseParityRunner
from workflows.evaluation.parity import ParityRunner
from workflows.export.reference import ReferenceLogits
from workflows.graph.weights import WEIGHTS, load_saved_graph, save_changed_graphs, save_graphs
from workflows.inspection.build_stages import archive_name
from workflows.inspection.snapshots import ComponentSnapshots
from workflows.optimize import PassReport
from workflows.optimize.base import Refusal
from workflows.quantize import METHODS, Method, check_excluded, run_method
from workflows.quantize.base import expand_node_patterns
from workflows.quantize.calibration.moments import Products
from workflows.quantize.compensated_rounding import CompensatedRounding
from workflows.quantize.experts import float_experts
from workflows.quantize.fast_prefill import FastPrefill
from workflows.quantize.integer_cache import NAME as CACHE_STEP
from workflows.quantize.integer_cache import TITLE as CACHE_TITLE
from workflows.quantize.integer_cache import quantize_cache
from workflows.quantize.mixed_precision import MixedPrecision
from workflows.quantize.roles import settings_by_role
from workflows.quantize.tensor_cache import TensorCache
from workflows.quantize.weight_only import WeightOnly
from workflows.recipe import QuantizeSettings, Recipe
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
    settings, missing = _settings_by_component(recipe, by_name)
    ranges, calibrated = find_ranges(composite, by_name, settings, report)
    parts = TensorCache(folder.parent / f"parts-{optimized.name[-16:]}")  # a stage's folder name ends with its key
    products = {name: _compensated(recipe, name, model, settings[name]) for name, model in by_name.items()}
    rounding, compensated = find_rounding(composite, by_name, products, parts, report)
    steps: dict[str, list[dict[str, Any]]] = {}
    snapshots: dict[str, ComponentSnapshots] = {}
    for name, model in by_name.items():
        precision = recipe.precision_of(name)
        report(ProgressEvent(stage=STAGE, message=f"{name}: {precision}", component=name))
        method = component_method(recipe, name, settings[name], rounding)
        done = [run_method(model, method, settings[name], ranges.get(name), missing[name])] if method else []
        title = method.title if method else ""
        history = snapshots[name] = ComponentSnapshots.read(optimized / archive_name(name), optimized)
        if any(one.modified for one in done):
            history.take(precision, model)
        steps[name] = [_step(one, title, model, history.last) for one in done]
        if message := float_experts(name, model.graph, done):
            report(NoticeEvent(code="experts", message=message))
    _refuse_unchanged(recipe, steps)
    parts.store(models, partial(_report_tensors, report))
    report(ProgressEvent(stage=STAGE, message="writing the weights"))
    regions, scaled = save_graphs(models, folder), ""
    if recipe.kv_dtype == "int8":
        models = {file: load_saved_graph(folder / file) for file in models}
        by_name = {entry["component"]: models[entry["file"]] for entry in components}
        scales, scaled = find_cache_scales(replace(composite, optimized=folder), models.values(), report)
        regions |= {(os.path.realpath(folder / WEIGHTS), one.offset, one.length): one for one in regions.values()}
        for name, model in by_name.items():
            if (change := quantize_cache(model, scales)).modified:
                snapshots[name].take(CACHE_STEP, model)
                steps[name].append(_step(change, CACHE_TITLE, model, snapshots[name].last))
        save_changed_graphs(models, folder)
    for name, history in snapshots.items():
        history.write(folder / archive_name(name), regions)
    report(ProgressEvent(stage=STAGE, message="comparing the graphs with the optimized ones"))
    parity = _parity(composite, folder, report)
    try_remove(parts.folder)
    evidence = []
    for entry in components:
        name = entry["component"]
        weights = calibrated if name in ranges else compensated if products[name] else ""
        cache = scaled if any(step["name"] == CACHE_STEP for step in steps[name]) else ""
        description = "; ".join(one for one in (weights, cache) if one)
        facts = {"precision": recipe.precision_of(name), "calibrated": description, "passes": steps[name]}
        evidence.append({**entry, "name": STAGE, "parity": parity} | facts | graph_facts(by_name[name]))
    return evidence


def _report_tensors(report: Report, done: int, total: int) -> None:
    report(ProgressEvent(stage=STAGE, message="quantizing the weights", done=done, total=total, unit="tensors"))


def _settings_by_component(
    recipe: Recipe, models: Mapping[str, ir.Model]
) -> tuple[dict[str, QuantizeSettings], dict[str, list[Refusal]]]:
    """Each component's settings, with its nodes by their roles, and the roles that it does not have.

    A component with a precision of its own has that one throughout.
    """
    settings = dict.fromkeys(models, recipe.quantize)
    missing: dict[str, list[Refusal]] = {name: [] for name in models}
    for name, model in models.items():
        if name not in recipe.quantize.components:
            settings[name], missing[name] = settings_by_role(model, recipe.quantize, recipe.precision)
    return settings, missing


def component_method(
    recipe: Recipe, component: str, settings: QuantizeSettings, rounding: CompensatedRounding | None = None
) -> Method | None:
    """The component's quantization method; None to keep its weights. rounding: see find_rounding."""
    method = _own_method(recipe, component, settings, rounding)
    return FastPrefill(method) if recipe.fast_prefill and component == ComponentRole.PREFILL and method else method


def _own_method(
    recipe: Recipe, component: str, settings: QuantizeSettings, rounding: CompensatedRounding | None = None
) -> Method | None:
    own = METHODS.get(recipe.precision_of(component))
    if rounding is not None and recipe.precision_of(component) == "int4":
        own = WeightOnly(4, rounding=rounding)
    return MixedPrecision(own, rounding) if settings.nodes else own


def _compensated(recipe: Recipe, component: str, model: ir.Model, settings: QuantizeSettings) -> Products:
    """The component's products in int4, and how each is quantized; all of the steps', in a graph for prompts."""
    method = _own_method(recipe, component, settings)
    if isinstance(method, MixedPrecision) or (isinstance(method, WeightOnly) and method.bits == 4):
        return method.formats(model, settings)
    return []


def _step(done: PassReport, title: str, model: ir.Model, snapshot: str) -> dict[str, Any]:
    facts = graph_facts(model)
    more = {"title": title, "bytes": facts["bytes"], "snapshot": snapshot, "parity": None}
    return done.to_dict() | more


def _refuse_unchanged(recipe: Recipe, by_component: Mapping[str, list[dict[str, Any]]]) -> None:
    steps = [step for steps in by_component.values() for step in steps]
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

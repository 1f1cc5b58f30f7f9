"""Runs a build: from the request to the bundle, stage by stage."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from workflows import __version__
from workflows.builder.picture_tasks import unprepared_notice
from workflows.builder.pipeline import (
    OptimizedComposite,
    component_options,
    cut_of_components,
    make_pipeline,
)
from workflows.builder.requirements import require_disk, require_memory, state_requirements
from workflows.builder.workspace import BuildWorkspace, Report, build_summary, has_stage, open_workspace, timed_stage
from workflows.bundle.evidence import Evidence, load_evidence, save_evidence
from workflows.bundle.read import read_bundle
from workflows.bundle.schema import Pipeline
from workflows.bundle.write import check_target, publish
from workflows.checkpoint import Checkpoint, CheckpointLocation, find_checkpoint
from workflows.checkpoint.background_digest import BackgroundDigest
from workflows.checkpoint.checkpoint import read_checkpoint
from workflows.common.errors import Cancelled, DeviceError, LayoutError
from workflows.common.files import raise_disk_full
from workflows.process.sandbox import OnFetched, keep_network
from workflows.recipe import Family, Recipe, family_for, resolve_recipe
from workflows.recipe.adapters import adapter_notice, open_adapters, split_source
from workflows.recipe.build_memory import can_hold_blocks, can_stream
from workflows.recipe.cache_layout import layout_notice
from workflows.recipe.compatibility import (
    check_notice,
    encoder_notice,
    index_notice,
    no_effect_notice,
    portable_notice,
    rotation_notice,
    target_remarks,
)
from workflows.recipe.stored_forms import converted_notice, stored_notice
from workflows.recipe.task import text_part_notice
from workflows.wire.events import BuildDone, NoticeEvent, ProgressEvent, StageEvent
from workflows.wire.goals import Goal
from workflows.wire.reports.cost import COST_FILE
from workflows.wire.reports.goal import GOAL_FILE


@dataclass(frozen=True)
class BuildRequest:
    """What to build and where. `options` are the chosen fields of Recipe; a `goal` searches those of precision.

    Code of the checkpoint runs where all of it is trusted, or where each file's SHA-256 was consented to.
    location: that of the source, if it is known already. ignore_estimate: begin although it will not fit. processor:
    see resolve_recipe. measures: whether what quantizing costs is measured.
    """

    source: str
    out: Path
    options: Mapping[str, Any]
    trust_remote_code: bool = False
    force: bool = False
    consented: frozenset[str] = frozenset()
    goal: Goal | None = None
    location: CheckpointLocation | None = None
    ignore_estimate: bool = False
    processor: str = ""
    measures: bool = True


@dataclass(frozen=True)
class _MadeStages:
    """The folders of the stages before the bundle, in order, and the recipe with the mix of a goal.

    measured: that of what quantizing costs; None where it was not measured.
    """

    folders: list[Path]
    recipe: Recipe
    measured: Path | None = None


def build(
    request: BuildRequest,
    report: Report = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    fetched: OnFetched = keep_network,
) -> BuildDone:
    """Builds the bundle `request.out` and reports every stage; calls `fetched` before any file of the source is opened.

    Raises RequestError (and subclasses) for invalid input, before anything is written, and Cancelled on request;
    the target is then unchanged.
    """
    began = time.monotonic()
    check_target(request.out, request.force)
    out = request.out.resolve()  # "." has no name for a folder beside it
    from workflows.builder.tokenizer import check_tokenizer  # imports tokenizers: not needed to start a build

    with timed_stage(report, "checkpoint"):
        source, options = split_source(request.source, request.options)
        request = replace(request, options=options)
        location = request.location or find_checkpoint(source, report=report, cancelled=cancelled)
        fetched(location.weights_bytes)
        checkpoint = open_adapters(read_checkpoint(*location), options)
        checkpoint.require_consent(request.trust_remote_code, request.consented)
        with BackgroundDigest(checkpoint) as hashing:
            recipe = resolve_recipe(checkpoint, _options(request), request.processor)
            if recipe.tokenizer:
                check_tokenizer(checkpoint.folder)
            for component in ("all", *recipe.session_options):
                component_options(component, recipe)  # invalid options raise before anything is written
            _report_choices(checkpoint, recipe, request, report)
            if recipe.compile:
                from workflows.runtime.providers.context_compiler import check_compiles  # imports onnxruntime

                check_compiles(recipe.target)
            goal_digest = _goal_digest(request.goal, recipe)
            estimate = state_requirements(checkpoint, recipe, out, report, request.goal is not None)
            if not request.ignore_estimate and request.goal is None:
                require_disk(checkpoint, recipe, out)
            digest = hashing.wait(report, cancelled)
        if not request.ignore_estimate and not has_stage(out, "export", _export_key(checkpoint, recipe, digest)):
            require_memory(estimate)
    with open_workspace(out, request.force, report, cancelled) as work:
        try:
            made = _make_stages(work, checkpoint, recipe, digest, request, goal_digest)
        except LayoutError as error:
            recipe = _with_static_cache(checkpoint, recipe, request, error, report)
            made = _make_stages(work, checkpoint, recipe, digest, request, goal_digest)
        work.check()
        with timed_stage(report, "bundle"), raise_disk_full(out):
            draft, streamed = _draft(work, checkpoint, made)
            publish(draft, out, force=request.force)
    from workflows.generate.text_problems import find_text_problems  # imports onnxruntime: not needed to start a build

    for problem in find_text_problems(read_bundle(out)):
        report(NoticeEvent(code="doubt", message=problem))
    if recipe.compile:
        _compile(out, made.recipe, report, cancelled)
    return build_summary(request.out, began, streamed)


def _report_choices(checkpoint: Checkpoint, recipe: Recipe, request: BuildRequest, report: Report) -> None:
    """Reports what the recipe's choices mean, and those that nobody made."""
    family = family_for(recipe.model_type, recipe.task)
    geometry = family.geometry(checkpoint.config) if family.cached else None
    notices = [
        *(("precision", message) for message in target_remarks(recipe)),
        ("cache", no_effect_notice(request.options, family)),
        ("cache", layout_notice(recipe, family, checkpoint.config, request.options)),
        *(("target", message) for message in recipe.build_target.reasons),
        ("check", check_notice(recipe)),
        ("target", encoder_notice(recipe, family, geometry)),
        ("target", portable_notice(recipe, geometry)),
        ("index", index_notice(geometry)),
        ("rotation", rotation_notice(recipe, geometry)),
        ("parts", text_part_notice(checkpoint, recipe.task)),
        ("stored", _stored_remark(checkpoint, recipe, family)),
        ("adapter", adapter_notice(checkpoint)),
        ("pictures", unprepared_notice(checkpoint, recipe)),
    ]
    for code, message in notices:
        if message:
            report(NoticeEvent(code=code, message=message))


def _stored_remark(checkpoint: Checkpoint, recipe: Recipe, family: Family) -> str:
    if "stored" in recipe.precisions:
        return stored_notice(checkpoint)
    return converted_notice(checkpoint, can_hold_blocks(checkpoint, family))


def _with_static_cache(
    checkpoint: Checkpoint, recipe: Recipe, request: BuildRequest, error: LayoutError, report: Report
) -> Recipe:
    """The recipe with a static cache; raises `error` where a person chose gqa or an option needs it."""
    # options that need another layout
    needed = recipe.variant != "plain" or recipe.kv_dtype != "float32" or recipe.batch > 1
    if needed or request.options.get("cache") or recipe.cache == "static":
        raise error
    reason = str(error).partition(": build ")[0]
    report(NoticeEvent(code="cache", message=f"{reason}: the cache is static, and the export restarts."))
    return resolve_recipe(checkpoint, {**_options(request), "cache": "static"}, request.processor)


def _options(request: BuildRequest) -> Mapping[str, Any]:
    """The chosen options. With a goal, which is about size, products compute in float32 unless chosen otherwise.

    8-bit activations are faster, and cost more accuracy than most 8-bit weights.
    """
    quantize = request.options.get("quantize") or {}
    if request.goal is None or not isinstance(quantize, Mapping):
        return request.options
    precision = request.options.get("precision") or "fp32"  # whatever the default of the checkpoint is
    return {**request.options, "precision": precision, "quantize": {"accuracy_level": 1, **quantize}}


def _compile(out: Path, recipe: Recipe, report: Report, cancelled: Callable[[], bool]) -> None:
    """Compiles the bundle; an error is reported as a notice, since the bundle is complete without it."""
    from workflows.runtime.providers.context_compiler import compile_bundle

    def on_progress(line: str) -> None:
        report(ProgressEvent(stage="compile", done=0, total=0, message=line))

    with timed_stage(report, "compile"):
        try:
            note = compile_bundle(out, recipe.target, on_progress=on_progress, cancelled=cancelled).note
        except (DeviceError, Cancelled) as error:
            note = f"The bundle is complete, but not compiled: {error}"
        if note:
            report(NoticeEvent(code="compile", message=note))


def _goal_digest(goal: Goal | None, recipe: Recipe) -> str:
    """The SHA-256 of the goal with its files; empty without a goal. Raises the errors of check_goal."""
    if goal is None:
        return ""
    from workflows.builder.goal import check_goal

    return check_goal(goal, recipe)


def _make_stages(
    work: BuildWorkspace, checkpoint: Checkpoint, recipe: Recipe, digest: str, request: BuildRequest, goal_digest: str
) -> _MadeStages:
    goal = request.goal
    prompts = _prompts_digest(recipe.quantize.calibration.prompts)
    key = _export_key(checkpoint, recipe, digest)
    exported = work.stage("export", key, partial(_export, work, checkpoint, recipe))
    _check_adapters(checkpoint, recipe, exported)
    cut = cut_of_components(checkpoint, recipe, load_evidence(exported))
    pipeline = make_pipeline(checkpoint, recipe, cut)
    key = _key(key, recipe.passes)
    optimized = work.stage("optimize", key, partial(_optimize, work, exported, recipe, pipeline))
    stages = [exported, optimized]
    if goal is not None:
        composite = OptimizedComposite(optimized, recipe, cut, pipeline, checkpoint.folder)
        stages.append(_search(work, composite, _key(key, prompts), goal, goal_digest))
        recipe = _with_mix(recipe, stages[-1])
        pipeline = make_pipeline(checkpoint, recipe, cut)
    if not recipe.quantizes:
        work.report(StageEvent(stage="quantize", state="skipped", note="fp32 leaves every weight unchanged"))
        return _MadeStages(stages, recipe)
    key = _key(key, recipe.precision, recipe.quantize.model_dump(), recipe.kv_dtype, "" if goal else prompts)
    composite = OptimizedComposite(optimized, recipe, cut, pipeline, checkpoint.folder)
    stages.append(work.stage("quantize", key, partial(_quantize, work, composite)))
    if not request.measures:
        work.report(StageEvent(stage="measure", state="skipped", note="as requested"))
        return _MadeStages(stages, recipe)
    measured = work.stage("measure", _key(key, "measure"), partial(_measure, work, checkpoint, composite, stages[-1]))
    return _MadeStages(stages, recipe, measured)


def _export_key(checkpoint: Checkpoint, recipe: Recipe, digest: str) -> str:
    """The key of the stage `export`: the checkpoint's digest and what of the recipe that stage depends on.

    The stages of a streamed build read the checkpoint where it is, so they depend on its place, too. A graph for
    runs of any width depends on the width at which it is compared.
    """
    later = {"source", "target", "precision", "quantize", "passes", "session_options", "place", "compile", "tokenizer"}
    later |= {"adapters"} | ({"adapter"} if recipe.adapters == "runtime" else set())
    later |= {"chunk"} if recipe.graphs == "single" else set()
    place = [str(checkpoint.folder)] if can_stream(checkpoint, family_for(recipe.model_type, recipe.task)) else []
    graphs = recipe.model_dump(exclude=later), recipe.compared_chunk, recipe.build_target.fixed
    return _key(digest, toolchain_digest(), *graphs, *place)


# -- a stage's code is imported when the stage is made: a reused stage needs neither torch nor onnx_ir ---------------


def _export(work: BuildWorkspace, checkpoint: Checkpoint, recipe: Recipe, folder: Path) -> Evidence:
    if family_for(recipe.model_type, recipe.task).remote_code:
        from workflows.builder.isolated_export import export_isolated

        return export_isolated(checkpoint, recipe, folder, work.report, work.check)
    from workflows.builder.stages import make_export

    return make_export(checkpoint, recipe, folder, work.report)


def _optimize(work: BuildWorkspace, exported: Path, recipe: Recipe, pipeline: Pipeline, folder: Path) -> Evidence:
    from workflows.builder.stages import make_optimize

    return make_optimize(exported, recipe, pipeline, folder, work.report)


def _quantize(work: BuildWorkspace, composite: OptimizedComposite, folder: Path) -> Evidence:
    from workflows.builder.quantize import make_quantize

    return make_quantize(composite, folder, work.report)


def _measure(
    work: BuildWorkspace, checkpoint: Checkpoint, composite: OptimizedComposite, quantized: Path, folder: Path
) -> Evidence:
    from workflows.builder.measure import make_measure

    return make_measure(checkpoint, composite, quantized, work, folder)


def _check_adapters(checkpoint: Checkpoint, recipe: Recipe, exported: Path) -> None:
    """Raises CheckpointError, before the longer stages, where an adapter beside the weights does not fit them."""
    if recipe.adapters == "runtime":
        from workflows.builder.switched_adapters import find_switched

        find_switched(exported, exported, checkpoint.switched)


def _add_adapters(checkpoint: Checkpoint, made: _MadeStages, draft: Path, pipeline: Pipeline) -> Pipeline:
    """Writes the graphs of the bundle with inputs for adapters, and these; returns the pipeline that names them."""
    if made.recipe.adapters != "runtime":
        return pipeline
    from workflows.builder.switched_adapters import find_switched, write_switched

    exported, optimized, *_ = made.folders
    switched = find_switched(exported, optimized, checkpoint.switched)
    adapters = write_switched(made.folders[-1], draft, switched, checkpoint.switched)
    metadata = pipeline.metadata.model_copy(update={"adapters": adapters})
    return pipeline.model_copy(update={"metadata": metadata})


def _with_mix(recipe: Recipe, stage: Path) -> Recipe:
    from workflows.builder.goal import recipe_with_mix

    return recipe_with_mix(recipe, stage)


def _prompts_digest(place: str) -> str:
    if not place:
        return ""
    from workflows.quantize.calibration.prompts import prompts_digest

    return prompts_digest(place)


def _search(work: BuildWorkspace, composite: OptimizedComposite, key: str, goal: Goal, goal_digest: str) -> Path:
    """The stage that searches the goal's mix; its trials stay beside it until it is complete."""
    from workflows.builder.goal import make_goal

    key = _key(key, composite.recipe.quantize.model_dump(), goal_digest)
    trials = work.folder / f"trials-{key[:16]}"
    return work.stage("goal", key, lambda folder: make_goal(composite, goal, work, folder, trials))


def _draft(work: BuildWorkspace, checkpoint: Checkpoint, made: _MadeStages) -> tuple[Path, bool]:
    """Writes the bundle's files into a draft folder of the workspace; also returns whether the stages streamed."""
    from workflows.builder.dense_layers import write_dense
    from workflows.builder.tokenizer import write_tokenizer
    from workflows.graph.described_weights import is_described
    from workflows.graph.weights import WEIGHTS, write_described
    from workflows.inspection.build_stages import archive_name
    from workflows.quantize.integer_cache import NAME as CACHE_STEP

    stages, recipe = made.folders, made.recipe
    last = stages[-1]
    draft = work.draft_folder("bundle")
    components = load_evidence(last)
    untouched = [
        entry["component"]
        for entry in components
        if entry["name"] == "quantize"
        and not any(step["modified"] for step in entry["passes"] if step["name"] != CACHE_STEP)
    ]
    pipeline = make_pipeline(checkpoint, recipe, cut_of_components(checkpoint, recipe, components), untouched)
    archives = [archive_name(component["component"]) for component in components]
    (draft / archives[0]).parent.mkdir()
    goals = {stage / GOAL_FILE: draft / GOAL_FILE for stage in stages if (stage / GOAL_FILE).is_file()}
    described = is_described(last)
    names = [*(component["file"] for component in components), *([] if described else [WEIGHTS]), *archives]
    if made.measured:
        work.transfer_files({made.measured / COST_FILE: draft / COST_FILE})
    work.transfer_files(goals | {last / name: draft / name for name in names})
    if described:
        write_described(last, draft / WEIGHTS)
    write_tokenizer(checkpoint.folder, draft / "tokenizer", work.report, recipe.tokenizer)
    write_dense(checkpoint, recipe, draft)
    calibration = recipe.quantize.calibration  # without a path of this machine
    named = calibration.model_copy(update={"prompts": Path(calibration.prompts).name})
    quantize = recipe.quantize.model_copy(update={"calibration": named})
    adapter = tuple(one.model_copy(update={"folder": Path(one.folder).name}) for one in recipe.adapter)
    changed = {"source": checkpoint.portable_source, "quantize": quantize, "adapter": adapter}
    portable = recipe.model_copy(update=changed)
    (draft / "recipe.json").write_text(portable.model_dump_json(indent=2) + "\n", "utf-8")
    save_evidence(draft, [entry for stage in stages for entry in load_evidence(stage)])
    pipeline = _add_adapters(checkpoint, made, draft, pipeline)
    (draft / "pipeline.json").write_text(pipeline.to_json(), "utf-8")
    return draft, is_described(stages[0])


def _key(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


_LIBRARIES = ("torch", "transformers", "onnx", "onnx_ir", "onnxscript", "onnxruntime", "tokenizers", "numpy")


@cache
def toolchain_digest() -> str:
    """SHA-256 of the toolchain: a stage of another toolchain is not reused.

    A frozen Joinery has neither sources nor the libraries' metadata; there its version stands for all of them.
    """
    digest = hashlib.sha256(__version__.encode())
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        digest.update(f"{path.relative_to(package).as_posix()} {path.stat().st_size}\0".encode() + path.read_bytes())
    for name in _LIBRARIES:
        digest.update(f"{name} {_version(name)}\0".encode())
    return digest.hexdigest()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "frozen"

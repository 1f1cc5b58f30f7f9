"""Describes a checkpoint, and what a recipe would make of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import get_args

from workflows.checkpoint import Checkpoint
from workflows.common.errors import RecipeError
from workflows.inspection.probe.build_estimate import build_estimate, precision_bytes
from workflows.inspection.probe.preset_facts import preset_options
from workflows.recipe import Family, Recipe, family_for, resolve_recipe, task_of
from workflows.recipe.build_memory import can_hold_blocks
from workflows.recipe.cache_layout import layout_conflict, variant_conflict
from workflows.recipe.compatibility import fast_prefill_refusals, integer_cache_refusals
from workflows.recipe.cut import Cut, make_cut
from workflows.recipe.family import ModelGeometry
from workflows.recipe.precision import PRECISIONS, RECOMMENDED, target_precision
from workflows.recipe.resolve import quantize_settings, settings_of_model
from workflows.recipe.schema import IN_BLOCKS, SCATTER_FROM, Cache, Precision
from workflows.recipe.stored_forms import stored_notice
from workflows.recipe.target import TARGETS
from workflows.recipe.task import choosable_tasks, text_part_notice
from workflows.wire.reports.plan import (
    CalibrationOrigin,
    DecoderFacts,
    PassOption,
    PlanComponent,
    PlanEdge,
    PlanOption,
    PlanReport,
    PrecisionOption,
    ProbeReport,
    RecipeSummary,
    TargetOption,
    TokenizerFacts,
)


def probe_report(checkpoint: Checkpoint) -> ProbeReport:
    """Returns the contents as the wizard shows them. An architecture that cannot be built gives a reason, no error."""
    tokenizer = checkpoint.tokenizer
    report = ProbeReport(
        source=checkpoint.source,
        path=str(checkpoint.root),
        kind=checkpoint.kind,
        model_type=checkpoint.model_type,
        architectures=list(checkpoint.architectures),
        parameters=checkpoint.parameters,
        dtype=checkpoint.dtype,
        weights_bytes=checkpoint.weights_bytes,
        tokenizer=TokenizerFacts(tokenizer.kind, tokenizer.vocabulary, tokenizer.chat_template) if tokenizer else None,
        remote_code=dict(checkpoint.remote_code),
        family=None,
        tasks=[],
        supported=False,
        reason="",
        decoder=None,
    )
    try:
        tasks = choosable_tasks(checkpoint)
        family = family_for(checkpoint.model_type, tasks[0])
    except RecipeError as error:
        return replace(report, reason=str(error))
    decoder = _decoder(family.geometry(checkpoint.config)) if family.cached else None
    own = _own_task(checkpoint)
    return replace(
        report,
        family=family.name,
        tasks=sorted(tasks, key=lambda task: task != own),
        supported=True,
        decoder=decoder,
        own_task=own,
        left_out={task: notice for task in tasks if (notice := text_part_notice(checkpoint, task))},
        recommended=dict(_recommended(checkpoint, family)),
    )


def _recommended(checkpoint: Checkpoint, family: Family) -> Mapping[str, str]:
    """Target → the precision to begin with; empty for models without a cache, on which none was measured."""
    if not family.cached:
        return {}
    best = dict[str, str](RECOMMENDED.items())
    return {**best, "cpu": "stored"} if can_hold_blocks(checkpoint, family) else best


def _decoder(geometry: ModelGeometry) -> DecoderFacts:
    return DecoderFacts(
        layers=geometry.layers,
        hidden_size=geometry.hidden_size,
        vocabulary=geometry.vocabulary,
        max_positions=geometry.max_positions,
        kv_bytes_per_token=geometry.kv_bytes_per_token(),
        state_layers=geometry.state_layers,
    )


def _own_task(checkpoint: Checkpoint) -> str | None:
    """The task of a build without a choice; None where the files do not name it."""
    try:
        return task_of(checkpoint)
    except RecipeError:
        return None


def plan_report(checkpoint: Checkpoint, options: Mapping[str, object]) -> PlanReport:
    """Returns the recipe that `options` give, its components, and the resources of a build. Raises RecipeError."""
    from workflows.measure.history import whole_builds
    from workflows.optimize import PASSES  # onnx_ir and onnxruntime: not needed by a probe
    from workflows.runtime.providers import PROVIDERS

    recipe = resolve_recipe(checkpoint, options)
    family = family_for(recipe.model_type, recipe.task)
    geometry = family.geometry(checkpoint.config) if family.cached else None
    cut = make_cut(family, recipe, geometry)
    in_integers = recipe.model_copy(update={"kv_dtype": "int8", "opset": SCATTER_FROM})
    return PlanReport(
        recipe=recipe.model_dump(mode="json"),
        chosen=_chosen(recipe, checkpoint),
        estimate=build_estimate(checkpoint, recipe, geometry, len(cut.components), whole_builds()),
        components=[
            PlanComponent(part.name, part.role.value, _brief(part.inputs), _brief(part.outputs))
            for part in cut.components
        ],
        edges=_arrows(cut),
        layouts=_layouts(family, recipe, geometry),
        variants=_variants(family, geometry),
        targets=[TargetOption(name, PROVIDERS[name].title, list(one.reasons)) for name, one in TARGETS.items()],
        passes=[
            PassOption(name, PASSES[name].title, on) for name, on in family.default_passes(recipe.build_target).items()
        ],
        precisions=_precisions(checkpoint, recipe, options, family, geometry),
        presets=preset_options(checkpoint, recipe, family, geometry),
        offers_fast_prefill=not any(fast_prefill_refusals(recipe.model_copy(update={"fast_prefill": True}), family)),
        offers_int8_cache=recipe.cache == "gqa" and not any(integer_cache_refusals(in_integers, family)),
    )


def _chosen(recipe: Recipe, checkpoint: Checkpoint) -> RecipeSummary:
    calibration = recipe.quantize.calibration
    return RecipeSummary(
        target=recipe.target,
        variant=recipe.variant,
        graphs=recipe.graphs,
        cache=recipe.cache,
        capacity=recipe.capacity,
        chunk=recipe.chunk,
        source_length=recipe.source_length,
        place=dict(recipe.place),
        precision=recipe.precision,
        passes=dict(recipe.passes),
        calibration_prompts=calibration.prompts,
        calibration_method=calibration.method,
        calibration_origin=_calibration_origin(recipe, checkpoint),
        batch=recipe.batch,
    )


def _calibration_origin(recipe: Recipe, checkpoint: Checkpoint) -> CalibrationOrigin:
    """What the prompts and texts are that the build calibrates with."""
    from workflows.quantize import METHODS  # onnx_ir: not needed by a probe
    from workflows.quantize.calibration.prompts import has_own_prompts

    learns = "int4" in recipe.precisions and recipe.quantize.rounding == "compensated"
    ranges = any(name in METHODS and METHODS[name].needs_ranges for name in recipe.precisions)
    if not learns and not ranges and recipe.kv_dtype != "int8":
        return ""
    if recipe.quantize.calibration.prompts:
        return "file"
    if has_own_prompts(checkpoint.source):
        return "demo"
    if checkpoint.tokenizer is None or not recipe.tokenizer:
        return "missing"
    return "texts" if learns else "sentences"


def _arrows(cut: Cut) -> list[PlanEdge]:
    """Returns the dataflow between components, and the cache, which the component of each step reads and writes."""
    cache = [PlanEdge(f"{part.name}.present", f"{part.name}.past", "cache") for part in cut.cached_components]
    feeds = dict.fromkeys((edge.producer, edge.consumer, _layered(edge.tensor)[0]) for edge in cut.edges)
    return cache + [PlanEdge(f"{a}.{what}", f"{b}.{what}", "dataflow") for a, b, what in feeds]


def _brief(tensors: Iterable[str]) -> list[str]:
    """Shortens `cross.0.key`, `cross.0.value`, `cross.1.key` … to `cross.0…1`; leaves others as they are."""
    layers: dict[str, list[str]] = {}
    for tensor in tensors:
        what, layer = _layered(tensor)
        layers.setdefault(what, []).append(layer)
    return [f"{what}.{numbers[0]}…{numbers[-1]}" if numbers[0] else what for what, numbers in layers.items()]


def _layered(tensor: str) -> tuple[str, str]:
    """Splits `present.3.key` into (`present`, `3`); returns (tensor, "") for a tensor that belongs to no layer."""
    what, *rest = tensor.split(".")
    return (what, rest[0]) if rest else (tensor, "")


def _layouts(family: Family, recipe: Recipe, geometry: ModelGeometry | None) -> list[PlanOption]:
    """Returns every cache layout, why it does not fit the model, the variant or the target, and what it costs there."""
    target, options = recipe.build_target, list[PlanOption]()
    for name in get_args(Cache):
        conflict = layout_conflict(name, recipe, family, geometry) if geometry else "this model keeps no cache"
        if not conflict and ("cache", name) in target.refused:
            conflict = f"the target is {target.name}, and {target.refused['cache', name]}"
        options.append(PlanOption(name, not conflict, conflict or target.noted.get(("cache", name), "")))
    return options


def _variants(family: Family, geometry: ModelGeometry | None) -> list[PlanOption]:
    """Returns every variant, and why one is not available for the model."""
    note = "" if "transformer-only" in family.variants else "only a decoder without an encoder has one"
    return [
        PlanOption("plain", True),
        PlanOption("transformer-only", not (why := note or variant_conflict(geometry)), why),
    ]


def _precisions(
    checkpoint: Checkpoint,
    recipe: Recipe,
    options: Mapping[str, object],
    family: Family,
    geometry: ModelGeometry | None,
) -> list[PrecisionOption]:
    """Returns each precision, what the recipe's target makes of it, and the size of the weights in bytes."""
    from workflows.quantize import METHODS

    target, recommended = recipe.build_target, _recommended(checkpoint, family)

    def recipe_in(precision: str) -> Recipe:
        chosen = {key: value for key, value in options.items() if value is not None} | {"precision": precision}
        general = quantize_settings(target, chosen)
        settings = settings_of_model(general, chosen, checkpoint, target, family, geometry)
        return recipe.model_copy(update={"quantize": recipe.quantize.model_validate(settings)})

    effects = {name: target_precision(name, recipe.target) for name in get_args(Precision)}
    return [
        PrecisionOption(
            name=name,
            title=facts.title,
            note=stored_notice(checkpoint) if name == "stored" else facts.note,
            **{**vars(effects[name]), "recommended": recommended.get(recipe.target) == name},
            bytes=precision_bytes(name, checkpoint, recipe_in(name)),
            calibrated=name in METHODS and METHODS[name].needs_ranges,
            blocks=name in IN_BLOCKS,
        )
        for name, facts in PRECISIONS.items()
        if name in {"fp32", *METHODS} and (name != "stored" or can_hold_blocks(checkpoint, family))
    ]

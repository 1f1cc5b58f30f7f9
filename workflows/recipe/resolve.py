"""Resolves a recipe: a person's options take precedence over a recipe file, and that over the family's defaults.

options ──▶ task ──▶ family, target ──▶ defaults ──▶ Recipe ──▶ cache layout, chunk ──check_recipe──▶ Recipe
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from workflows.checkpoint import Checkpoint
from workflows.checkpoint.config_checks import check_layers, check_rotation
from workflows.common.errors import CheckpointError, RecipeError, printable
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.processor.tuning import fastest_format, tuned_width
from workflows.recipe.adapters import adapter_settings
from workflows.recipe.build_memory import can_hold_blocks
from workflows.recipe.cache_layout import default_layout
from workflows.recipe.compatibility import check_recipe, without_cache_options
from workflows.recipe.cut import ComponentRole
from workflows.recipe.families import family_for
from workflows.recipe.family import Family, ModelGeometry
from workflows.recipe.precision import table_elements
from workflows.recipe.schema import (
    DEFAULT_CHUNK,
    DEFAULT_SOURCE_LENGTH,
    IN_PLACE_CHUNK,
    INTEGER_CACHE_CHUNK,
    PRESETS,
    SCATTER_FROM,
    Recipe,
)
from workflows.recipe.settings import setting_error
from workflows.recipe.target import Target, TargetName, find_target
from workflows.recipe.task import check_task, task_of

# positions of a sinusoidal table that is not stored: transformers computes it element by element
MAX_COMPUTED_POSITIONS = 1 << 15
_SMALL_HEAD = 0.24  # of the weights: 8 bits in place of 4 then add a sixth to a step's bytes at most
_SMALL_MODEL = 500_000_000  # weights: its two layers at the ends were measured to be worth their bytes
_MANY_LAYERS = 12  # of which two are a small part
_SCORES = 1 << 21  # scores of a run by each head, 8 MiB, where the width is tuned


def resolve_recipe(checkpoint: Checkpoint, options: Mapping[str, Any], processor: str = "") -> Recipe:
    """Resolves the recipe for `checkpoint`; `options` are chosen fields of Recipe by name, None for unset.

    processor: a part of the name of one whose tuning chooses defaults, in place of this one's. The default capacity is
    4,096, limited by the model, and that of an encoder's fixed length 512, limited likewise. default_layout chooses the
    cache and the chunk follows it. Raises RecipeError, naming the option, for an invalid value, and RequestError for a
    processor that was not tuned.
    """
    chosen = _with_precision({key: value for key, value in options.items() if value is not None})
    task = chosen.get("task") or task_of(checkpoint)
    check_task(checkpoint, task)
    family = family_for(checkpoint.model_type, task)
    if not family.cached:
        chosen = without_cache_options(chosen, family)
    target = find_target(chosen.get("target", "cpu"))
    if target.name == "cpu" and can_hold_blocks(checkpoint, family) and not checkpoint.adapters:
        chosen.setdefault("precision", "stored")
    geometry = _geometry(checkpoint, family) if family.cached else None
    defaults = _defaults(chosen, family, target, geometry)
    passes = _pass_switches(family, target, chosen.get("passes", {}))
    settings = quantize_settings(target, chosen, processor)
    settled = {"passes": passes, "quantize": settings_of_model(settings, chosen, checkpoint, target, family, geometry)}
    identity = {"source": checkpoint.source, "model_type": checkpoint.model_type, "task": task}
    recipe = _validated({**identity, **defaults, **chosen, **settled, "adapter": adapter_settings(checkpoint)})
    if "cache" not in chosen:
        recipe = recipe.model_copy(update={"cache": default_layout(recipe, family, checkpoint.config).cache})
    if "chunk" not in chosen and recipe.cache == "gqa" and recipe.graphs == "single":
        recipe = recipe.model_copy(update={"chunk": min(_width_in_place(recipe, processor), recipe.capacity)})
    check_recipe(recipe, family, checkpoint, geometry)
    return recipe


def _with_precision(chosen: dict[str, Any]) -> dict[str, Any]:
    """The options with the precision of their preset, if they have one."""
    preset = chosen.get("preset")
    return {"precision": PRESETS[preset], **chosen} if preset in PRESETS else chosen


def settings_of_model(
    settings: Any,
    chosen: Mapping[str, Any],
    checkpoint: Checkpoint,
    target: Target,
    family: Family,
    geometry: ModelGeometry | None,
) -> Any:
    """The settings of quantize_settings for `chosen`, with the defaults that depend on the model."""
    return _with_rounding(_with_whole_encoder(family, settings, chosen), chosen, checkpoint, target, family, geometry)


def _with_rounding(
    settings: Any,
    chosen: Mapping[str, Any],
    checkpoint: Checkpoint,
    target: Target,
    family: Family,
    geometry: ModelGeometry | None,
) -> Any:
    """The settings of int4 for this model: by search where no text can be read to calibrate the rounding.

    The head is in 8 bits then, and where it is so small a part of the model that this costs little time. So are the
    layers at the ends of a small model that has many.
    """
    own = chosen.get("quantize", {})
    calibrates = isinstance(settings, Mapping) and settings.get("rounding") == "compensated"
    if not calibrates or not isinstance(own, Mapping):
        return settings
    reads_text = checkpoint.tokenizer is not None and chosen.get("tokenizer", True) is True
    can_calibrate = reads_text and not (family.encoder or family.has_features)
    rounding = settings["rounding"] if can_calibrate or "rounding" in own else "search"
    small = table_elements(checkpoint.config) <= _SMALL_HEAD * checkpoint.parameters
    finer = dict(target.blocks.get("finer_head", {})) if small or rounding == "search" else {}
    if geometry and geometry.layers >= _MANY_LAYERS and checkpoint.parameters < _SMALL_MODEL:
        finer |= target.blocks.get("finer_ends", {})
    if chosen.get("preset") == "compact" or chosen.get("fast_prefill") is True:
        finer = {}
    return {**settings, "rounding": rounding, **{key: value for key, value in finer.items() if key not in own}}


def _width_in_place(recipe: Recipe, processor: str = "") -> int:
    """The tokens of a prompt's run where the graph writes its cache: as `joinery tune` found for int4 on the CPU."""
    tuned = tuned_width(processor) if recipe.target == "cpu" and recipe.precision == "int4" else None
    most = max(IN_PLACE_CHUNK, _SCORES // recipe.capacity)
    if recipe.kv_dtype == "int8":
        return min(max(tuned or 0, INTEGER_CACHE_CHUNK), most)
    return min(tuned or IN_PLACE_CHUNK, most)


def _defaults(
    chosen: Mapping[str, Any], family: Family, target: Target, geometry: ModelGeometry | None
) -> dict[str, object]:
    """The defaults of family and target, for a model of this geometry."""
    limit = geometry.max_positions if geometry else DEFAULT_CAPACITY
    if geometry and geometry.short_positions:
        limit = geometry.short_positions  # the range of ordinary texts; a larger capacity is a choice
    capacity = chosen.get("capacity", min(DEFAULT_CAPACITY, limit))
    split = chosen.get("variant") == "transformer-only"
    scatters = chosen.get("cache") == "scatter" or (chosen.get("kv_dtype") == "int8" and target.name == "cpu")
    defaults = {
        "family": family.name,
        "opset": SCATTER_FROM if scatters else target.opset,
        "graphs": "prefill-decode" if split or target.fixed else "single",
        "cache": "gqa" if split else "static",  # provisional; see default_layout
        "kv_dtype": "float16" if split else "float32",
        "capacity": capacity,
        "chunk": min(DEFAULT_CHUNK, capacity) if isinstance(capacity, int) and capacity > 0 else DEFAULT_CHUNK,
        "place": target.place if split else _places_of_features(family, geometry, target),
    }
    if family.encoder and (chosen.get("graphs") or defaults["graphs"]) == "prefill-decode":
        defaults["source_length"] = min(DEFAULT_SOURCE_LENGTH, limit)
    return defaults


def _places_of_features(family: Family, geometry: ModelGeometry | None, target: Target) -> dict[str, TargetName]:
    """Where the components of a model that sees or hears run that a target of fixed shapes alone cannot run."""
    if geometry is None or not family.has_features or not target.place:
        return {}
    placed = [ComponentRole.EMBEDDINGS]
    if family.takes_sound or geometry.sees != "tiles":
        placed.append(ComponentRole.SPEECH if family.takes_sound else ComponentRole.VISION)
    return {role.value: "cpu" for role in placed}


def _geometry(checkpoint: Checkpoint, family: Family) -> ModelGeometry:
    """The geometry of a model with a cache. Raises CheckpointError where the weights are smaller than stated."""
    check_layers(checkpoint.config, checkpoint.tensors)
    check_rotation(checkpoint.config)
    geometry = family.geometry(checkpoint.config)
    limit = geometry.max_positions
    tables = (tensor.shape for name, tensor in checkpoint.tensors.items() if "position" in name and tensor.shape)
    rows = max((shape[0] for shape in tables), default=0)
    if family.source_limited and limit > max(rows, MAX_COMPUTED_POSITIONS):
        raise CheckpointError(
            f"config.json says more positions than {MAX_COMPUTED_POSITIONS:,}, and the weights have no position "
            "table of that size: correct the file."
        )
    return geometry


def quantize_settings(target: Target, options: Mapping[str, Any], processor: str = "") -> Any:
    """The chosen settings of quantization over the target's defaults. options: chosen fields of Recipe.

    processor: see resolve_recipe.
    """
    chosen = options.get("quantize", {})
    if not isinstance(chosen, Mapping):
        return chosen
    components = chosen.get("components")
    precisions = [options.get("precision"), *(components.values() if isinstance(components, Mapping) else ())]
    weight_only = next((precision for precision in ("int4", "int8", "stored") if precision in precisions), "")
    named = {weight_only, options.get("preset")}
    if weight_only == "int4" and options.get("fast_prefill") is True:
        named.add("fast_prefill")
    own_parts = [name for name in target.blocks if name in named]
    own = {key: value for name in own_parts for key, value in target.blocks[name].items()}
    if target.name == "cpu" and own_parts == ["int4", "compact"]:  # the others have blocks of their own
        own |= fastest_format(processor)
    return {"heads": target.heads, **own, **chosen}


def _with_whole_encoder(family: Family, settings: Any, options: Mapping[str, Any]) -> Any:
    """The settings with the encoder of pictures or sound in fp32 unless someone chose its precision: it is small, and
    its errors are in every row of features."""
    floating = options.get("precision") in (None, "fp32", "fp16", "bf16")
    components = settings.get("components", {}) if isinstance(settings, Mapping) else None
    if floating or not family.has_features or not isinstance(components, Mapping):
        return settings
    encoder = ComponentRole.SPEECH if family.takes_sound else ComponentRole.VISION
    return {**settings, "components": {encoder.value: "fp32", **components}}


def _pass_switches(family: Family, target: Target, switched: Any) -> dict[str, bool]:
    if not isinstance(switched, Mapping) or not all(isinstance(on, bool) for on in switched.values()):
        raise RecipeError("passes must map pass names to true or false.")
    unknown = sorted(set(switched) - set(family.passes))
    if unknown:
        raise RecipeError(
            f"No optimizer pass is called {printable(unknown[0])!r}: {family.name} has {', '.join(family.passes)}."
        )
    return {name: switched.get(name, on) for name, on in family.default_passes(target).items()}


def _validated(values: Mapping[str, Any]) -> Recipe:
    try:
        return Recipe.model_validate(values)
    except ValidationError as error:
        raise setting_error(error) from None

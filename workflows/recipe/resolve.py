"""Resolves a recipe: a person's options take precedence over a recipe file, and that over the family's defaults."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from workflows.checkpoint import Checkpoint
from workflows.checkpoint.config_checks import check_layers, check_rotation
from workflows.common.errors import CheckpointError, RecipeError, printable
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.recipe.cache_layout import alternative_layout, default_layout, layout_conflict
from workflows.recipe.compatibility import target_refusals
from workflows.recipe.cut import Cut, make_cut
from workflows.recipe.early_exit import early_exit_refusals
from workflows.recipe.families import family_for
from workflows.recipe.families.base import SLIDING, Family, ModelGeometry
from workflows.recipe.schema import DEFAULT_CHUNK, DEFAULT_SOURCE_LENGTH, IN_PLACE_CHUNK, SCATTER_FROM, Recipe
from workflows.recipe.target import Target, find_target
from workflows.recipe.task import check_task, task_of

LAYER_TYPES = ("full_attention", SLIDING)
MAX_COMPUTED_POSITIONS = (
    1 << 15
)  # positions of a sinusoidal table that is not stored: transformers computes it element by element
# without effect on a model without a cache
CACHE_OPTIONS = ("graphs", "cache", "capacity", "chunk", "source_length", "kv_dtype")


def resolve_recipe(checkpoint: Checkpoint, options: Mapping[str, Any]) -> Recipe:
    """Resolves the recipe for `checkpoint`; `options` are chosen fields of Recipe by name, None for unset.

    The default capacity is 4,096, limited by the model, and that of an encoder's fixed length 512, limited likewise.
    default_layout chooses the cache and the chunk follows it. Raises RecipeError, naming the option, for an invalid
    value.
    """
    chosen = {key: value for key, value in options.items() if value is not None}
    task = chosen.get("task") or task_of(checkpoint)
    check_task(checkpoint, task)
    family = family_for(checkpoint.model_type, task)
    if not family.cached:
        chosen = {key: value for key, value in chosen.items() if key not in CACHE_OPTIONS}
    target = find_target(chosen.get("target", "cpu"))
    geometry = _geometry(checkpoint, family) if family.cached else None
    limit = geometry.max_positions if geometry else DEFAULT_CAPACITY
    capacity = chosen.get("capacity", min(DEFAULT_CAPACITY, limit))
    split = chosen.get("variant") == "transformer-only"
    defaults = {
        "source": checkpoint.source,
        "model_type": checkpoint.model_type,
        "family": family.name,
        "task": task,
        "opset": SCATTER_FROM if chosen.get("cache") == "scatter" else target.opset,
        "graphs": "prefill-decode" if split or target.fixed else "single",
        "cache": "gqa" if split else "static",  # provisional; see default_layout
        "kv_dtype": "float16" if split else "float32",
        "capacity": capacity,
        "chunk": min(DEFAULT_CHUNK, capacity) if isinstance(capacity, int) and capacity > 0 else DEFAULT_CHUNK,
    }
    if family.encoder and (chosen.get("graphs") or defaults["graphs"]) == "prefill-decode":
        defaults["source_length"] = min(DEFAULT_SOURCE_LENGTH, limit)
    place = target.place if split else {}
    passes = _pass_switches(family, target, chosen.get("passes", {}))
    settled = {"passes": passes, "quantize": _quantize_settings(target, chosen)}
    merged = {**defaults, "place": place, **chosen, **settled}
    recipe = _validated(merged)
    if "cache" not in chosen:
        recipe = recipe.model_copy(update={"cache": default_layout(recipe, family, checkpoint.config).cache})
    if "chunk" not in chosen and recipe.cache == "gqa" and recipe.graphs == "single":
        recipe = recipe.model_copy(update={"chunk": min(IN_PLACE_CHUNK, recipe.capacity)})
    for refusal in (*target_refusals(recipe), *early_exit_refusals(recipe, family, geometry)):
        raise RecipeError(refusal)
    _refuse_unfit(recipe, family, checkpoint, limit)
    if geometry is not None:
        _refuse_layout(recipe, family, geometry)
    _refuse_components(recipe, make_cut(family, recipe, geometry))
    return recipe


def _geometry(checkpoint: Checkpoint, family: Family) -> ModelGeometry:
    """The geometry of a model with a cache. Raises CheckpointError where the weights are smaller than
    config.json states.
    """
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


def parse_settings(pairs: list[str]) -> dict[str, Any]:
    """Parses `--set KEY=VALUE` pairs to options; dots address nested settings (`quantize.calibration.method`), a value
    is JSON where it parses as JSON.

    Raises RecipeError for a pair without `=`, an unknown key, or two pairs that exclude each other.
    """
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise RecipeError(f"--set takes KEY=VALUE, and {printable(pair)!r} is not of that form.")
        *outer, last = key.split(".")
        if known := _known_settings([*outer, last]):
            raise RecipeError(f"No recipe has a setting {printable(key)!r}: the settings are {', '.join(known)}.")
        place: Any = options
        for name in outer:
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                raise RecipeError(f"--set {printable(key)} reaches into {name}, which another --set gives as a value.")
        place[last] = _value(text)
    return options


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _known_settings(path: list[str]) -> list[str]:
    """Empty for a valid path; else the settings that exist where the path becomes invalid."""
    model: type[BaseModel] = Recipe
    for depth, name in enumerate(path):
        if name not in model.model_fields:
            return sorted(model.model_fields)
        kind = model.model_fields[name].annotation
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            return [] if len(path) - depth - 1 <= _mapping_depth(kind) else sorted(model.model_fields)
        model = kind
    return []


def _mapping_depth(kind: object) -> int:
    """The depth of nested mappings with arbitrary keys."""
    return 1 + _mapping_depth(get_args(kind)[1]) if get_origin(kind) is dict else 0


def _quantize_settings(target: Target, options: Mapping[str, Any]) -> Any:
    """The chosen settings over the target's defaults."""
    chosen = options.get("quantize", {})
    if not isinstance(chosen, Mapping):
        return chosen
    components = chosen.get("components")
    precisions = [options.get("precision"), *(components.values() if isinstance(components, Mapping) else ())]
    weight_only = next((precision for precision in ("int4", "int8") if precision in precisions), "")
    rounding = chosen.get("rounding")
    named = {weight_only, rounding} if isinstance(rounding, str) else {weight_only}
    own = {key: value for name, parts in target.blocks.items() if name in named for key, value in parts.items()}
    return {"heads": target.heads, **own, **chosen}


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
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ").rstrip(".")
        wrong = f"{printable(where)} is wrong in the recipe" if where else "The recipe's settings do not go together"
        raise RecipeError(f"{wrong}: {printable(message)}.") from None


def _refuse_unfit(recipe: Recipe, family: Family, checkpoint: Checkpoint, max_positions: int) -> None:
    for field, has in (("model_type", checkpoint.model_type), ("family", family.name)):
        if getattr(recipe, field) != has:
            raise RecipeError(f"The recipe is for {field} {getattr(recipe, field)!r} and the checkpoint is {has!r}.")
    _refuse_variant(recipe, family)
    _refuse_config(checkpoint.config)
    if recipe.capacity > max_positions:
        raise RecipeError(
            f"A capacity of {recipe.capacity:,} is beyond the {max_positions:,} positions that the model was made for."
        )
    if recipe.source_length is not None and not family.encoder:
        raise RecipeError(f"source_length is the length of an encoder, and {family.name} has none: leave it out.")
    if family.source_limited and (recipe.source_length or 0) > max_positions:
        raise RecipeError(
            f"A source_length of {recipe.source_length:,} is beyond the {max_positions:,} positions that the model's "
            "encoder has."
        )


def _refuse_variant(recipe: Recipe, family: Family) -> None:
    if recipe.variant != "plain" and recipe.variant not in family.variants:
        raise RecipeError(f"{family.name} cannot be built as {recipe.variant}: only a decoder without an encoder can.")
    if recipe.variant == "transformer-only" and recipe.cache != "gqa":
        raise RecipeError(
            f"The transformer-only variant attends by GroupQueryAttention, which needs --cache gqa, not {recipe.cache}."
        )
    if recipe.expose and (not family.cached or family.encoder or family.remote_code):
        raise RecipeError(f"{family.name} cannot expose {recipe.expose}: only a decoder without an encoder can.")


def _refuse_layout(recipe: Recipe, family: Family, geometry: ModelGeometry) -> None:
    """Raises RecipeError for a layout that the model cannot have, and names one that it can."""
    misfit = layout_conflict(recipe.cache, recipe, family, geometry)
    if misfit and recipe.variant == "transformer-only":
        raise RecipeError(
            f"The transformer-only variant is not right for this model: {misfit}; build the plain variant."
        )
    if recipe.kv_dtype != "float32" and (recipe.cache != "gqa" or misfit):
        _refuse_half_cache(recipe, layout_conflict("gqa", recipe, family, geometry))
    if misfit:
        other = alternative_layout(recipe, family, geometry)
        raise RecipeError(
            f"The {recipe.cache} cache is not right for {family.name}: {misfit}; build with --cache {other}."
        )


def _refuse_half_cache(recipe: Recipe, misfit: str) -> None:
    """misfit: why the model cannot have the only layout with such a cache; empty where it can."""
    if misfit:
        raise RecipeError(
            f"A cache in {recipe.kv_dtype} needs the gqa layout, which is not right for this model: {misfit}; leave "
            "kv_dtype out."
        )
    raise RecipeError(f"A cache in {recipe.kv_dtype} needs --cache gqa: {recipe.cache} has the model's own dtype.")


def _refuse_components(recipe: Recipe, cut: Cut) -> None:
    """Raises RecipeError for a precision, session options or a place of an unknown component."""
    own = [name for name in recipe.session_options if name != "all"]
    asked = {"quantize.components": [*recipe.quantize.components], "session_options": own, "place": [*recipe.place]}
    for key, named in asked.items():
        unknown = next((name for name in named if name not in cut.names), None)
        if unknown is not None:
            raise RecipeError(
                f"{key} names {printable(unknown)!r}, and this recipe divides the model into {', '.join(cut.names)}."
            )
    _refuse_two_caches(recipe, cut)


def _refuse_two_caches(recipe: Recipe, cut: Cut) -> None:
    """Raises RecipeError for components that share a cache and have different cache dtypes."""
    sharing = {part.name for part in cut.parts if (part.state and part.when) or part.name == cut.source}
    types = {recipe.precision_of(name): name for name in cut.names if name in sharing}
    half = next((precision for precision in types if precision in ("fp16", "bf16")), None)
    if half is not None and len(types) > 1:
        raise RecipeError(
            f"{half} changes the dtype of the cache, which {' and '.join(types.values())} share: choose {half} for "
            "all of them or for none."
        )


def _refuse_config(config: Mapping[str, Any]) -> None:
    """Raises CheckpointError for config settings that the export would silently get wrong."""
    if config.get("quantization_config"):
        raise CheckpointError(
            "The checkpoint's weights are quantized already, which cannot be exported: open the original model."
        )
    check_layer_types(config.get("layer_types"))


def check_layer_types(given: object) -> None:
    """Raises CheckpointError unless all of a config's layer types are in LAYER_TYPES; None is valid."""
    kinds = given or []
    other = next((kind for kind in kinds if kind not in LAYER_TYPES), None) if isinstance(kinds, list) else kinds
    if other is not None:
        raise CheckpointError(
            f"The checkpoint has layers of the type {printable(other, 40)}: this version of Joinery builds models "
            f"whose every layer is one of {', '.join(LAYER_TYPES)}."
        )

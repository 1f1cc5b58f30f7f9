"""A person's options over a recipe file over the family's defaults: one Recipe."""

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
)  # positions of a table of sines that no file holds: transformers computes it number by number
CACHE_OPTIONS = ("graphs", "cache", "capacity", "chunk", "source_length", "kv_dtype")  # nothing to a model without one


def resolve_recipe(checkpoint: Checkpoint, options: Mapping[str, Any]) -> Recipe:
    """The recipe for `checkpoint`; `options` holds the names of Recipe's fields that a person chose, None for unset.

    The capacity is 4,096 or what the model allows, whichever is less, unless it was chosen; so is an encoder's fixed
    length, with 512. The cache is what default_layout says, and the chunk what goes with it. Raises RecipeError that
    names the option for a value that cannot be had.
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
        "cache": "gqa" if split else "static",  # until the rest is known: see default_layout
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
    """That of a model with a cache. Raises CheckpointError where the weights hold less than config.json says."""
    check_layers(checkpoint.config, checkpoint.tensors)
    check_rotation(checkpoint.config)
    geometry = family.geometry(checkpoint.config)
    limit = geometry.max_positions
    tables = (tensor.shape for name, tensor in checkpoint.tensors.items() if "position" in name and tensor.shape)
    rows = max((shape[0] for shape in tables), default=0)
    if family.source_limited and limit > max(rows, MAX_COMPUTED_POSITIONS):
        raise CheckpointError(
            f"config.json says more positions than {MAX_COMPUTED_POSITIONS:,}, and no table of as many is "
            "among the weights: "
            "mend the file."
        )
    return geometry


def parse_settings(pairs: list[str]) -> dict[str, Any]:
    """`--set KEY=VALUE` pairs as options; dots reach inside (`quantize.calibration.method`), a value is read as JSON
    where it is JSON.

    Raises RecipeError for a pair without `=`, a key that no recipe has, or two pairs that exclude each other.
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
    """Empty where the recipe has that path; else the settings that there are where it goes astray."""
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
    """How many mappings of anybody's names stand one in another."""
    return 1 + _mapping_depth(get_args(kind)[1]) if get_origin(kind) is dict else 0


def _quantize_settings(target: Target, options: Mapping[str, Any]) -> Any:
    """What a person chose, over what the target's provider computes rightly and fast."""
    chosen = options.get("quantize", {})
    if not isinstance(chosen, Mapping):
        return chosen
    components = chosen.get("components")
    precisions = [options.get("precision"), *(components.values() if isinstance(components, Mapping) else ())]
    asked = next((precision for precision in ("int4", "int8") if precision in precisions), "")
    rounding = chosen.get("rounding")
    named = {asked, rounding} if isinstance(rounding, str) else {asked}
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
    """Refuses a cache that the model cannot have, before anything is loaded, and names one that it can."""
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
    """misfit: why the one layout that has such a cache is not right for the model; empty where it is."""
    if misfit:
        raise RecipeError(
            f"A cache in {recipe.kv_dtype} needs the gqa layout, which is not right for this model: {misfit}; leave "
            "kv_dtype out."
        )
    raise RecipeError(f"A cache in {recipe.kv_dtype} needs --cache gqa: {recipe.cache} keeps the model's own type.")


def _refuse_components(recipe: Recipe, cut: Cut) -> None:
    """Refuses a precision, session options or a place for a component that the recipe does not cut."""
    own = [name for name in recipe.session_options if name != "all"]
    asked = {"quantize.components": [*recipe.quantize.components], "session_options": own, "place": [*recipe.place]}
    for key, named in asked.items():
        unknown = next((name for name in named if name not in cut.names), None)
        if unknown is not None:
            raise RecipeError(
                f"{key} names {printable(unknown)!r}, and this recipe cuts the model into {', '.join(cut.names)}."
            )
    _refuse_two_caches(recipe, cut)


def _refuse_two_caches(recipe: Recipe, cut: Cut) -> None:
    """Refuses components that share a cache and would have it in two types."""
    sharing = {part.name for part in cut.parts if (part.state and part.when) or part.name == cut.source}
    types = {recipe.precision_of(name): name for name in cut.names if name in sharing}
    half = next((precision for precision in types if precision in ("fp16", "bf16")), None)
    if half is not None and len(types) > 1:
        raise RecipeError(
            f"{half} changes the type of the cache, which {' and '.join(types.values())} share: give {half} to all of "
            "them or to none."
        )


def _refuse_config(config: Mapping[str, Any]) -> None:
    """Refuses what a config may ask for and the export would get wrong without a word."""
    if config.get("quantization_config"):
        raise CheckpointError(
            "The checkpoint's weights are quantized already, which cannot be exported: open the original model."
        )
    check_layer_types(config.get("layer_types"))


def check_layer_types(given: object) -> None:
    """Raises CheckpointError for a config's layer types that are not all of LAYER_TYPES; None is of these alone."""
    kinds = given or []
    other = next((kind for kind in kinds if kind not in LAYER_TYPES), None) if isinstance(kinds, list) else kinds
    if other is not None:
        raise CheckpointError(
            f"The checkpoint has layers of the type {printable(other, 40)}: this version of Joinery builds models "
            f"whose every layer is one of {', '.join(LAYER_TYPES)}."
        )

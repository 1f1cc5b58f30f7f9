"""Checks a recipe before the build: against its target, its checkpoint, the cache layouts and the components.

recipe ──check_recipe──▶ the first unsupported setting, which ends the build    ──target_remarks──▶ drawbacks
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workflows.checkpoint import Checkpoint
from workflows.common.errors import CheckpointError, RecipeError, printable
from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.recipe.build_memory import can_hold_blocks
from workflows.recipe.cache_layout import LATENT, alternative_layout, layout_conflict
from workflows.recipe.cut import ComponentRole, Cut, make_cut, reads_single_tiles
from workflows.recipe.family import CHUNKED, INDEXED, NO_ROWS, SLIDING, Family, ModelGeometry
from workflows.recipe.schema import IN_BLOCKS, MIXABLE, SCATTER_FROM, Recipe
from workflows.recipe.stored_forms import has_stored_blocks
from workflows.recipe.target import LOWEST, PORTABLE_PASSES, TARGETS, Target, TargetSetting

LAYER_TYPES = ("full_attention", "attention", SLIDING, CHUNKED, INDEXED, *NO_ROWS, "hybrid", "hybrid_sliding")
# of a model with a cache: field of Recipe → the value that chooses nothing
_KIND_OF_CACHE = {"cache": "static", "kv_dtype": "float32", "source_length": None, "batch": 1}
_SIZES_OF_CACHE = ("graphs", "capacity", "chunk")
_CALIBRATED = ("w8a16", "w8a8")  # calibrated on the whole model's activations, in which the draft does not take part


def check_recipe(recipe: Recipe, family: Family, checkpoint: Checkpoint, geometry: ModelGeometry | None) -> None:
    """Raises RecipeError for the first unsupported setting, CheckpointError for a config that cannot be exported."""
    own = (
        *early_exit_refusals(recipe, family, geometry),
        *fast_prefill_refusals(recipe, family),
        *integer_cache_refusals(recipe, family),
        *switched_adapter_refusals(recipe, family),
        *batch_refusals(recipe, family, geometry),
    )
    for refusal in (*target_refusals(recipe), *own):
        raise RecipeError(refusal)
    if geometry is not None and geometry.indexed and recipe.capacity > geometry.max_positions:
        most = geometry.max_positions
        raise RecipeError(
            f"A capacity of {recipe.capacity:,} is beyond the {most:,} tokens among which this model attends to all "
            f"(index_topk in config.json), and its index is not built: build with --capacity {most}."
        )
    _refuse_checkpoint(recipe, family, checkpoint, geometry.max_positions if geometry else DEFAULT_CAPACITY)
    if geometry is not None:
        _refuse_layout(recipe, family, geometry)
    _refuse_components(recipe, make_cut(family, recipe, geometry))


def without_cache_options(options: Mapping[str, Any], family: Family) -> dict[str, Any]:
    """The options of a model without a cache: those that are about a cache have no effect on it.

    Raises RecipeError where one of them chooses another kind of cache than the default, which is meant to do something.
    """
    for name, default in _KIND_OF_CACHE.items():
        if options.get(name, default) != default:
            raise RecipeError(
                f"{name}={printable(options[name], 40)} is about a KV cache, and {family.name} has none: leave it out."
            )
    return {key: value for key, value in options.items() if key not in (*_KIND_OF_CACHE, *_SIZES_OF_CACHE)}


def no_effect_notice(options: Mapping[str, Any], family: Family) -> str:
    """Which chosen sizes have no effect on a model without a cache; empty where none was chosen."""
    chosen = [name for name in _SIZES_OF_CACHE if options.get(name) is not None and not family.cached]
    return f"Without effect, for {family.name} has no KV cache: {', '.join(chosen)}." if chosen else ""


def target_refusals(recipe: Recipe) -> list[str]:
    """A sentence for each setting that the target's provider, or the opset, does not support."""
    instead = "the plain variant" if recipe.variant == "transformer-only" else "with --cache static"
    refusals = [
        f"The target {target.name} does not support {name} {str(value).lower()}: "
        f"{target.refused[name, value]}{f'; build {instead}' if name == 'cache' else ''}."
        for target, (name, value) in _settings(recipe)
        if (name, value) in target.refused
    ]
    target = recipe.build_target
    if recipe.cache == "scatter" and KERNEL_CONSTRAINTS["TensorScatter"].violation(opset=recipe.opset):
        refusals.append(
            f"The cache scatter needs opset {SCATTER_FROM}, which brought TensorScatter, not {recipe.opset}."
        )
    if recipe.opset > target.opset == LOWEST:
        refusals.append(
            f"The target {target.name} does not support opset {recipe.opset}: it supports {target.opset} only."
        )
    return refusals


def index_notice(geometry: ModelGeometry | None) -> str:
    """What a build of a model that selects keys by an index leaves out; empty for another one."""
    if geometry is None or not geometry.indexed:
        return ""
    return (
        f"The bundle holds {geometry.max_positions:,} tokens at most, among which the model attends to all: its index, "
        "which selects keys in longer texts, is left out."
    )


def rotation_notice(recipe: Recipe, geometry: ModelGeometry | None) -> str:
    """For which lengths a bundle's rotary angles are the model's; empty for a model that has the same for all."""
    if geometry is None or geometry.short_positions is None:
        return ""
    short, most = geometry.short_positions, geometry.max_positions
    named = f"{short:,} tokens (original_max_position_embeddings in config.json)"
    if recipe.capacity <= short:
        return (
            f"The bundle rotates by the model's short factors, which are for texts of up to {named}: for longer ones, "
            f"up to {most:,}, build with a larger --capacity than {short}."
        )
    return (
        f"The bundle rotates by the model's long factors, which are for texts of more than {named}: the logits of "
        f"shorter texts differ from transformers', so build with --capacity {short} for those."
    )


def encoder_notice(recipe: Recipe, family: Family, geometry: ModelGeometry | None) -> str:
    """How a target of fixed shapes runs the encoder of pictures or sound; empty for other targets and models."""
    if geometry is None or not family.has_features or not recipe.build_target.fixed:
        return ""
    if reads_single_tiles(geometry, recipe):
        return f"The target {recipe.target} takes fixed shapes: the vision encoder reads one tile at a time."
    name = ComponentRole.SPEECH if family.takes_sound else ComponentRole.VISION
    place = ", and it runs on the CPU" if name in recipe.place else ""
    return f"The graph of the {name} encoder has dynamic shapes{place}."


def portable_notice(recipe: Recipe, geometry: ModelGeometry | None) -> str:
    """Why a recurrent model is built without onnxruntime's own operators; empty where it has them."""
    if geometry is None or not geometry.state_layers:
        return ""
    if not any(recipe.build_target.passes.get(name) and recipe.passes.get(name) for name in PORTABLE_PASSES):
        return ""
    return (
        f"The target {recipe.target} has no LinearAttention and no CausalConvWithState: recurrences and convolutions "
        "are built from ONNX's own operators."
    )


def check_notice(recipe: Recipe) -> str:
    """What a quick check leaves out; empty for a full one."""
    if recipe.check == "full":
        return ""
    return (
        "The check is quick: the model runs through its cache in one way instead of three, and one token instead of "
        "twelve is fed alone."
    )


def target_remarks(recipe: Recipe) -> list[str]:
    """A sentence for each setting that has a drawback on the target's provider."""
    return list(dict.fromkeys(target.noted[one] for target, one in _settings(recipe) if one in target.noted))


def _settings(recipe: Recipe) -> Iterator[tuple[Target, TargetSetting]]:
    """Yields the settings that a target may refuse or remark on; a component's precision with its own target."""
    target, quantize = recipe.build_target, recipe.quantize
    yield target, ("cache", recipe.cache)
    yield target, ("graphs", recipe.graphs)
    own = [*quantize.nodes.values(), *(one for one in quantize.roles.values() if one is not None)]
    stored = {one.precision for one in own} - {"fp16"}  # fp16 nodes are computed in fp32
    yield from ((target, ("precision", precision)) for precision in sorted({recipe.precision, *stored}))
    for component, precision in quantize.components.items():
        yield TARGETS[recipe.place.get(component, recipe.target)], ("precision", precision)
    if not (recipe.precisions | stored).isdisjoint(IN_BLOCKS):
        yield target, ("quantize.embedding", quantize.has_table_blocks)
        yield target, ("quantize.symmetric", quantize.symmetric)


def early_exit_refusals(recipe: Recipe, family: Family, geometry: ModelGeometry | None) -> Iterator[str]:
    """Yields a sentence for each reason why the first layers cannot draft."""
    if recipe.early_exit is None:
        return
    if geometry is None or family.encoder or family.remote_code or family.has_features:
        yield (
            "early_exit drafts with the first layers of a decoder that reads text alone, which "
            f"{family.name} is not: leave early_exit out."
        )
        return
    if recipe.early_exit >= geometry.layers:
        yield f"early_exit {recipe.early_exit} skips none of the model's {geometry.layers} layers: choose fewer."
    if recipe.build_target.fixed:
        yield f"early_exit drafts in runs of any length, and the target {recipe.target} takes fixed shapes only."
    if recipe.passes.get("last_token_logits"):
        yield "early_exit drafts several tokens, and last_token_logits gives the logits of one: switch one of them off."
    if recipe.precision_of(ComponentRole.DRAFT) in _CALIBRATED:
        yield (
            f"early_exit does not support {recipe.precision_of(ComponentRole.DRAFT)}, which is calibrated with the "
            "whole model: choose another precision for the draft, such as --set quantize.components.draft=int8."
        )


def fast_prefill_refusals(recipe: Recipe, family: Family) -> Iterator[str]:
    """Yields a sentence for each reason why prompts cannot have a graph of their own with 8-bit products."""
    if not recipe.fast_prefill:
        return
    yield from _plain_decoder_refusals("fast_prefill", recipe, family)
    if ComponentRole.PREFILL in recipe.quantize.components:
        yield "fast_prefill decides how the prefill is quantized: leave quantize.components.prefill out."
    if recipe.precision != "int4":
        yield f"fast_prefill goes with int4, than which its products are finer, and not with {recipe.precision}."


def integer_cache_refusals(recipe: Recipe, family: Family) -> Iterator[str]:
    """Yields a sentence for each reason why the cache cannot be in 8-bit integers, besides the layout."""
    if recipe.kv_dtype != "int8":
        return
    yield from _plain_decoder_refusals("A cache in int8", recipe, family)
    if family.has_features:
        yield "A cache in int8 is calibrated with text, and this model reads pictures or sound: leave kv_dtype out."
    if other := next((one for one in sorted(recipe.precisions) if one not in MIXABLE), None):
        yield f"A cache in int8 goes with {', '.join(MIXABLE)}, and not with {other}."
    if KERNEL_CONSTRAINTS["TensorScatter"].violation(opset=recipe.opset):
        yield f"A cache in int8 needs opset {SCATTER_FROM}, which brought TensorScatter, not {recipe.opset}."


def switched_adapter_refusals(recipe: Recipe, family: Family) -> Iterator[str]:
    """Yields a sentence for each reason why adapters cannot be inputs of the graphs."""
    if recipe.adapters != "runtime":
        return
    remedy = "merge the adapters, without adapters=runtime"
    if not family.cached or family.encoder or family.has_features or recipe.variant != "plain":
        yield (
            "adapters=runtime is for a decoder that reads text alone, and not for "
            f"{family.name} as {recipe.variant}: {remedy}."
        )
    if recipe.target != "cpu":
        yield (
            "adapters=runtime gives the graphs inputs of any rank, which are tried on the CPU provider alone, and not "
            f"on the target {recipe.target}: {remedy}."
        )
    if recipe.early_exit is not None:
        yield "early_exit drafts with layers that have no adapter: leave it out, or " + remedy + "."
    if other := next((one for one in sorted(recipe.precisions) if one not in (*MIXABLE, "fp16")), None):
        yield f"adapters=runtime goes with {', '.join(MIXABLE)} and fp16, and not with {other}: {remedy}."


def batch_refusals(recipe: Recipe, family: Family, geometry: ModelGeometry | None) -> Iterator[str]:
    """Yields a sentence for each reason why a step cannot continue several texts; a build refuses states and biases."""
    if recipe.batch == 1:
        return
    yield from _plain_decoder_refusals("A batch", recipe, family)
    if family.has_features:
        yield "A batch is for texts, and this model reads pictures or sound: leave batch out."
    if recipe.early_exit is not None or recipe.expose is not None:
        yield "Drafts of early_exit and of hidden states continue one text: leave batch out, or them."
    if other := next((one for one in sorted(recipe.precisions) if one not in (*MIXABLE, "fp16")), None):
        yield f"A batch goes with {', '.join(MIXABLE)} and fp16, and not with {other}."
    if recipe.cache != "gqa":
        conflict = geometry and (
            layout_conflict("gqa", recipe, family, geometry) or (LATENT if geometry.latent else "")
        )
        why = f"which is not right for this model: {conflict}" if conflict else f"and not {recipe.cache}"
        yield f"A batch needs --cache gqa, whose rows know nothing of each other, {why}."


def _plain_decoder_refusals(what: str, recipe: Recipe, family: Family) -> Iterator[str]:
    """Yields why the recipe has no decoder of one dynamic graph on the CPU, which alone can have `what`."""
    if not family.cached or family.encoder or recipe.variant != "plain":
        yield f"{what} is for a decoder without an encoder, and not for {family.name} as {recipe.variant}."
    if recipe.target != "cpu":
        yield f"{what} is for the kernels of the CPU provider, and not for the target {recipe.target}."
    if recipe.graphs != "single":
        yield f"{what} is for graphs that take runs of any length: build with graphs=single."


def _refuse_checkpoint(recipe: Recipe, family: Family, checkpoint: Checkpoint, max_positions: int) -> None:
    """Raises RecipeError where the recipe is for another checkpoint, or exceeds this one's sizes."""
    for field, has in (("model_type", checkpoint.model_type), ("family", family.name)):
        if getattr(recipe, field) != has:
            raise RecipeError(f"The recipe is for {field} {getattr(recipe, field)!r} and the checkpoint is {has!r}.")
    _refuse_variant(recipe, family)
    if "stored" in recipe.precisions and not has_stored_blocks(checkpoint):
        raise RecipeError(
            "The precision stored is for checkpoints whose weights are stored in blocks of integers, such as GGUF, and "
            f"this one stores {checkpoint.dtype}: choose int8 or int4."
        )
    if "stored" in recipe.precisions and not can_hold_blocks(checkpoint, family):
        raise RecipeError(
            "The precision stored is for decoders and text encoders, whose weights are taken from their file one by "
            f"one, and not for the family {family.name}: build with --precision fp32, which has the same numbers, or "
            "int8."
        )
    check_layer_types(checkpoint.config.get("layer_types"))
    if recipe.capacity > max_positions:
        raise RecipeError(
            f"A capacity of {recipe.capacity:,} is beyond the {max_positions:,} positions that the model was made for: "
            f"build with --capacity {max_positions} or less."
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
    if (recipe.expose == "alignment") != (family.source == "sound") and recipe.expose:
        raise RecipeError(
            f"{family.name} cannot expose {recipe.expose}: alignment is of a model that transcribes, hidden_states "
            "of a decoder that reads text alone."
        )
    apart = family.encoder or family.remote_code or family.has_features
    if recipe.expose == "hidden_states" and (not family.cached or apart):
        raise RecipeError(f"{family.name} cannot expose {recipe.expose}: only a decoder that reads text alone can.")


def _refuse_layout(recipe: Recipe, family: Family, geometry: ModelGeometry) -> None:
    """Raises RecipeError for a layout that the model cannot have, and names one that it can."""
    misfit = layout_conflict(recipe.cache, recipe, family, geometry)
    if misfit and recipe.variant == "transformer-only":
        raise RecipeError(
            f"The transformer-only variant is not right for this model: {misfit}; build the plain variant."
        )
    latent = LATENT if geometry.latent and recipe.variant == "plain" else ""
    if recipe.kv_dtype != "float32" and (recipe.cache != "gqa" or misfit or latent):
        if conflict := layout_conflict("gqa", recipe, family, geometry) or latent:
            raise RecipeError(
                f"A cache in {recipe.kv_dtype} needs the gqa layout, which is not right for this model: {conflict}; "
                "leave kv_dtype out."
            )
        raise RecipeError(f"A cache in {recipe.kv_dtype} needs --cache gqa: {recipe.cache} has the model's own dtype.")
    if misfit:
        other = alternative_layout(recipe, family, geometry)
        raise RecipeError(
            f"The {recipe.cache} cache is not right for {family.name}: {misfit}; build with --cache {other}."
        )


def _refuse_components(recipe: Recipe, cut: Cut) -> None:
    """Raises RecipeError for a precision, session options or a place of an unknown component."""
    own = [name for name in recipe.session_options if name != "all"]
    named_by = {"quantize.components": [*recipe.quantize.components], "session_options": own, "place": [*recipe.place]}
    for key, named in named_by.items():
        unknown = next((name for name in named if name not in cut.names), None)
        if unknown is not None:
            raise RecipeError(
                f"{key} names {printable(unknown)!r}, and this recipe divides the model into {', '.join(cut.names)}."
            )
    _refuse_two_caches(recipe, cut)


def _refuse_two_caches(recipe: Recipe, cut: Cut) -> None:
    """Raises RecipeError for components that share a cache and have different cache dtypes."""
    sharing = {part.name for part in cut.components if (part.state and part.when) or part.name == cut.source}
    types = {recipe.precision_of(name): name for name in cut.names if name in sharing}
    half = next((precision for precision in types if precision in ("fp16", "bf16")), None)
    if half is not None and len(types) > 1:
        raise RecipeError(
            f"{half} changes the dtype of the cache, which {' and '.join(types.values())} share: choose {half} for "
            "all of them or for none."
        )


def check_layer_types(layer_types: object) -> None:
    """Raises CheckpointError unless all of a config's layer types are in LAYER_TYPES; None is valid."""
    kinds = layer_types or []
    other = next((kind for kind in kinds if kind not in LAYER_TYPES), None) if isinstance(kinds, list) else kinds
    if other is not None:
        raise CheckpointError(
            f"The checkpoint has layers of the type {printable(other, 40)}: this version of Joinery builds models "
            f"whose every layer is one of {', '.join(LAYER_TYPES)}."
        )

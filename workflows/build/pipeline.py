"""`pipeline.json` of what was built: sessions, when each runs, what feeds what, and the words about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import ValidationError

from workflows.bundle.composition import CrossState, DataflowEdge, Flow, FlowStage, KVState, SessionSpec, SharedState
from workflows.bundle.schema import ComponentMetadata, GenerationDefaults, Metadata, Pipeline, SpecialTokens
from workflows.bundle.session_options import (
    BuildRequires,
    ChunkedPrefill,
    RuntimeOptions,
    SessionOptions,
    SlidingWindow,
)
from workflows.bundle.strategy import DraftSettings, StrategySettings
from workflows.checkpoint import Checkpoint
from workflows.common.errors import CheckpointError, GraphError, RecipeError, printable
from workflows.recipe import Recipe, family_for
from workflows.recipe.cut import Component, ComponentRole, Cut, make_cut

# A recipe's precisions that are one floating-point type throughout; in the others integers take part.
_FLOATS: dict[str, Literal["fp32", "fp16", "bf16"]] = {"fp32": "fp32", "fp16": "fp16", "bf16": "bf16"}


def cut_of_components(checkpoint: Checkpoint, recipe: Recipe, components: Sequence[Mapping[str, Any]]) -> Cut:
    """The cut that `components` are, the evidence of one stage. Raises GraphError where a graph contradicts it."""
    family = family_for(recipe.model_type, recipe.task)
    if not family.cached:
        cut = make_cut(family, recipe, None)
    else:
        windows = next(tuple(entry["windows"]) for entry in components if entry["windows"])
        cut = make_cut(family, recipe, replace(family.geometry(checkpoint.config), windows=windows))
    _check_graphs(cut, components)
    return cut


def _check_graphs(cut: Cut, components: Sequence[Mapping[str, Any]]) -> None:
    found = [entry["component"] for entry in components]
    if found != list(cut.names):
        raise GraphError(f"The model was cut into {', '.join(cut.names)}, and its graphs are {', '.join(found)}.")
    for part, entry in zip(cut.parts, components, strict=True):
        for side, wanted in (("inputs", part.inputs), ("outputs", part.outputs)):
            has = entry[side]
            # what else a graph without a cache takes and gives is between it and who runs it
            odd = set(wanted) - set(has) if cut.cache is None else set(wanted) ^ set(has)
            if odd:
                raise GraphError(
                    f"The graph {part.file} has the {side} {printable(', '.join(has), 400)}, and the cut gives the "
                    f"{part.role} {printable(', '.join(wanted), 400)}: they differ in {printable(min(odd))}."
                )


def make_pipeline(checkpoint: Checkpoint, recipe: Recipe, cut: Cut, untouched: Collection[str] = ()) -> Pipeline:
    """The pipeline of what was built as `cut`. Raises CheckpointError where a token is not named.

    untouched: parts in which the quantization that was asked for found nothing to do.
    """
    if cut.cache is None:
        return Pipeline(pipeline=_flow(cut, recipe, untouched), metadata=_metadata(checkpoint, recipe, cut, layout=""))
    family = family_for(recipe.model_type, recipe.task)
    geometry = family.geometry(checkpoint.config)
    return Pipeline(
        pipeline=_flow(cut, recipe, untouched),
        tokens=SpecialTokens(
            eos=list(checkpoint.eos_token_ids),
            pad=checkpoint.pad_token_id,
            bos=checkpoint.bos_token_id,
            decoder_start=_decoder_start(checkpoint) if cut.source else None,
        ),
        generation=GenerationDefaults(max_length=recipe.capacity),
        metadata=_metadata(
            checkpoint,
            recipe,
            cut,
            layout=recipe.cache,
            chunk=recipe.chunk,
            vocabulary=geometry.vocabulary,
            source_limit=recipe.source_length or (geometry.max_positions if family.source_limited else None),
        ),
    )


def _flow(cut: Cut, recipe: Recipe, untouched: Collection[str]) -> Flow:
    made = {part.name: "fp32" if part.name in untouched else recipe.precision_of(part.name) for part in cut.parts}
    return Flow(
        sessions={
            part.name: _session(part, recipe, made[part.name], follows_text=cut.follows_text(part))
            for part in cut.parts
        },
        flow=[FlowStage(run=name, when=when) for name, when in cut.stages],
        dataflow=[DataflowEdge(source=edge.source, target=edge.target) for edge in cut.edges],
        state=SharedState(
            kv_cache=KVState() if cut.cache else None,
            cross_cache=CrossState(source=cut.source) if cut.source else None,
        ),
        strategy=_strategy(recipe),
    )


def _strategy(recipe: Recipe) -> StrategySettings | None:
    """The first layers draft; what is sampled keeps its distribution."""
    if recipe.early_exit is None:
        return None
    draft = DraftSettings(producer="self_speculative", session=ComponentRole.DRAFT.value, depth=recipe.early_exit)
    return StrategySettings(draft=draft, acceptance="rejection_sampling")


def _session(part: Component, recipe: Recipe, precision: str, *, follows_text: bool) -> SessionSpec:
    integers: Literal["int4", "int8"] = "int4" if precision == "int4" else "int8"
    mixed = any(node.precision != "fp16" for node in recipe.quantize.nodes.values())
    slides = follows_text and recipe.cache == "window"
    return SessionSpec(
        file=part.file,
        session_options=SessionOptions(
            **component_options(part.name, recipe),
            runtime=RuntimeOptions(
                precision=None if mixed else _FLOATS.get(precision),
                chunked_prefill=ChunkedPrefill(max_batched_tokens=recipe.chunk) if follows_text else None,
                sliding_window=SlidingWindow(size=recipe.capacity) if slides else None,
            ),
            build_requires=None if precision in _FLOATS else BuildRequires(quantization=integers),
        ),
    )


def component_options(component: str, recipe: Recipe) -> dict[str, Any]:
    """What the recipe sets for a component's session. Raises RecipeError for what cannot be set by one."""
    asked = recipe.session_options.get("all", {}) | recipe.session_options.get(component, {})
    if made := next((name for name in ("runtime", "build_requires") if name in asked), None):
        raise RecipeError(f"session_options of {component} sets {made}, which the recipe's own settings make.")
    try:
        return SessionOptions.model_validate(asked).model_dump(exclude_unset=True)
    except ValidationError as error:
        first = error.errors()[0]
        where = printable(".".join(map(str, ("session_options", component, *first["loc"]))))
        message = printable(first["msg"].removeprefix("Value error, "))
        raise RecipeError(f"{where} is wrong in the recipe: {message}.") from None


def _metadata(checkpoint: Checkpoint, recipe: Recipe, cut: Cut, **of_the_cache: Any) -> Metadata:
    return Metadata(
        model_type=recipe.model_type,
        name=_display_name(checkpoint),
        architecture=next(iter(checkpoint.architectures), ""),
        task=recipe.task,
        family=recipe.family,
        precision=recipe.precision,
        place=dict(recipe.place),
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        components=[
            ComponentMetadata(name=part.name, role=part.role.value, precision=recipe.precision_of(part.name))
            for part in cut.parts
        ],
        **of_the_cache,
    )


def _decoder_start(checkpoint: Checkpoint) -> int:
    """The token that a decoder begins with. Raises CheckpointError where none is named."""
    for source in (checkpoint.generation_config, checkpoint.config):
        token = source.get("decoder_start_token_id")
        if isinstance(token, int):
            return token
    raise CheckpointError(
        f"{checkpoint.source} names no decoder_start_token_id in generation_config.json or config.json, so its decoder "
        "cannot begin: add it."
    )


def _display_name(checkpoint: Checkpoint) -> str:
    if checkpoint.kind == "demo":
        return checkpoint.source.removeprefix("demo:") + "-demo"
    return portable_source(checkpoint).rsplit("/", 1)[-1]


def portable_source(checkpoint: Checkpoint) -> str:
    """The source without a path of this machine: a bundle is given away."""
    return checkpoint.folder.name if checkpoint.kind == "folder" else checkpoint.source

"""Writes `pipeline.json` of a build: sessions, when each runs, their edges, and metadata."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from workflows.builder.picture_tasks import picture_metadata
from workflows.builder.text_tasks import text_metadata
from workflows.bundle.composition import CrossState, DataflowEdge, Flow, KVState, PositionIds, SessionSpec, SharedState
from workflows.bundle.outline import FlowStage
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
from workflows.common.tensor_names import GRIDS
from workflows.recipe import Recipe, family_for
from workflows.recipe.cut import Component, ComponentRole, Cut, make_cut
from workflows.recipe.family import LayerCache
from workflows.wire.events import STATE

# Precisions with one floating-point type throughout; the others use integers.
_FLOATS: dict[str, Literal["fp32", "fp16", "bf16"]] = {"fp32": "fp32", "fp16": "fp16", "bf16": "bf16"}


@dataclass(frozen=True)
class OptimizedComposite:
    """The graphs of the stage `optimized`, their recipe and program, and the checkpoint's folder with the tokenizer."""

    optimized: Path
    recipe: Recipe
    cut: Cut
    pipeline: Pipeline
    tokenizer_folder: Path

    @property
    def files(self) -> set[str]:
        """The names of the graphs' files."""
        return {session.file for session in self.pipeline.pipeline.sessions.values()}


def cut_of_components(checkpoint: Checkpoint, recipe: Recipe, components: Sequence[Mapping[str, Any]]) -> Cut:
    """The cut whose evidence is `components`. Raises GraphError where a graph contradicts it."""
    family = family_for(recipe.model_type, recipe.task)
    if not family.cached:
        cut = make_cut(family, recipe, None)
    else:
        listed = next(entry["layers"] for entry in components if entry["layers"])
        caches = tuple(LayerCache(one["window"], one["rows"], tuple(one["states"])) for one in listed)
        cut = make_cut(family, recipe, replace(family.geometry(checkpoint.config), caches=caches))
    _check_graphs(cut, components)
    return cut


def _check_graphs(cut: Cut, components: Sequence[Mapping[str, Any]]) -> None:
    actual_names = [entry["component"] for entry in components]
    if actual_names != list(cut.names):
        raise GraphError(
            f"The model was divided into {', '.join(cut.names)}, and its graphs are {', '.join(actual_names)}."
        )
    for part, entry in zip(cut.components, components, strict=True):
        for side, wanted in (("inputs", part.inputs), ("outputs", part.outputs)):
            actual = entry[side]
            # a graph without a cache may have more inputs and outputs: its callers know them
            difference = set(wanted) - set(actual) if cut.cache is None else set(wanted) ^ set(actual)
            if difference:
                raise GraphError(
                    f"The graph {part.file} has the {side} {printable(', '.join(actual), 400)}, and the cut gives the "
                    f"{part.role} {printable(', '.join(wanted), 400)}: they differ in {printable(min(difference))}."
                )


def make_pipeline(checkpoint: Checkpoint, recipe: Recipe, cut: Cut, untouched: Collection[str] = ()) -> Pipeline:
    """The pipeline of `cut`. Raises CheckpointError where a required token is missing.

    untouched: components in which quantization found no weight to change.
    """
    if cut.cache is None:
        texts = text_metadata(checkpoint, recipe)
        return Pipeline(
            pipeline=_flow(cut, recipe, untouched),
            tokens=SpecialTokens(pad=checkpoint.pad_token_id) if texts else SpecialTokens(),
            metadata=_metadata(checkpoint, recipe, cut, layout="", **texts, **picture_metadata(checkpoint, recipe)),
        )
    family = family_for(recipe.model_type, recipe.task)
    geometry = family.geometry(checkpoint.config)
    return Pipeline(
        pipeline=_flow(cut, recipe, untouched),
        tokens=SpecialTokens(
            eos=list(checkpoint.eos_token_ids),
            pad=checkpoint.pad_token_id,
            bos=checkpoint.bos_token_id,
            decoder_start=_decoder_start(checkpoint) if cut.source else None,
            image_token=_placeholder(checkpoint, "image", "pictures") if family.sees else None,
            audio_token=_placeholder(checkpoint, "audio", "recordings") if family.takes_sound else None,
        ),
        generation=GenerationDefaults(max_length=recipe.capacity),
        metadata=_metadata(
            checkpoint,
            recipe,
            cut,
            layout=recipe.cache if cut.cache.windows else STATE,
            chunk=recipe.chunk,
            batch=recipe.batch,
            vocabulary=geometry.vocabulary,
            longer_than=geometry.longer_than(recipe.capacity),
            source_limit=recipe.source_length or (geometry.max_positions if family.source_limited else None),
        ),
    )


def _flow(cut: Cut, recipe: Recipe, untouched: Collection[str]) -> Flow:
    made = {part.name: "fp32" if part.name in untouched else recipe.precision_of(part.name) for part in cut.components}
    return Flow(
        sessions={
            part.name: _session(part, recipe, made[part.name], follows_text=cut.follows_text(part))
            for part in cut.components
        },
        flow=[FlowStage(run=name, when=when, loop=_loop(cut, name)) for name, when in cut.stages],
        dataflow=[DataflowEdge(source=edge.source, target=edge.target) for edge in cut.edges],
        state=SharedState(
            kv_cache=KVState() if cut.cache else None,
            cross_cache=CrossState(source=cut.source) if cut.source else None,
            position_ids=_position_ids(cut),
        ),
        strategy=_strategy(recipe),
    )


def _loop(cut: Cut, name: str) -> Literal["batched", "per_image"]:
    """A sound encoder reads one window at a time: twenty at once would take gigabytes for their scores."""
    part = next(part for part in cut.components if part.name == name)
    return "per_image" if part.role is ComponentRole.SPEECH or part.tiles == 1 else "batched"


def _position_ids(cut: Cut) -> PositionIds | None:
    """Three numbers a token where a component reads the grids of pictures; None for one number."""
    part = next((part for part in cut.components if GRIDS in part.own_inputs), None)
    return None if part is None else PositionIds(strategy="mrope_3d", grid_source=f"{part.name}.{GRIDS}")


def _strategy(recipe: Recipe) -> StrategySettings | None:
    """Speculative decoding with the first layers; sampled text keeps its distribution."""
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
    """The recipe's options for a component's session. Raises RecipeError for one that a recipe cannot set."""
    options = recipe.session_options.get("all", {}) | recipe.session_options.get(component, {})
    if reserved := next((name for name in ("runtime", "build_requires") if name in options), None):
        raise RecipeError(
            f"session_options of {component} sets {reserved}, which other settings of the recipe determine."
        )
    try:
        return SessionOptions.model_validate(options).model_dump(exclude_unset=True)
    except ValidationError as error:
        first = error.errors()[0]
        where = printable(".".join(map(str, ("session_options", component, *first["loc"]))))
        message = printable(first["msg"].removeprefix("Value error, "))
        raise RecipeError(f"{where} is wrong in the recipe: {message}.") from None


def _metadata(checkpoint: Checkpoint, recipe: Recipe, cut: Cut, **more: Any) -> Metadata:
    return Metadata(
        model_type=recipe.model_type,
        name=checkpoint.bundle_name,
        architecture=next(iter(checkpoint.architectures), ""),
        task=recipe.task,
        family=recipe.family,
        precision=recipe.precision,
        place=dict(recipe.place),
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        components=[
            ComponentMetadata(name=part.name, role=part.role.value, precision=recipe.precision_of(part.name))
            for part in cut.components
        ],
        **more,
    )


def _decoder_start(checkpoint: Checkpoint) -> int:
    """The token with which a decoder begins. Raises CheckpointError where the checkpoint names none."""
    for source in (checkpoint.generation_config, checkpoint.config):
        token = source.get("decoder_start_token_id")
        if isinstance(token, int):
            return token
    raise CheckpointError(
        f"{checkpoint.source} names no decoder_start_token_id in generation_config.json or config.json, so its decoder "
        "cannot begin: add it."
    )


def _placeholder(checkpoint: Checkpoint, kind: str, what: str) -> int:
    """The placeholder of the features of pictures or sound. Raises CheckpointError where config.json names none."""
    for name in (f"{kind}_token_id", f"{kind}_token_index"):
        token = checkpoint.config.get(name)
        if isinstance(token, int) and not isinstance(token, bool):
            return token
    raise CheckpointError(
        f"{checkpoint.source} names no {kind}_token_id in config.json, so its {what} have no place in a text: add it."
    )

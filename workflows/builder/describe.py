"""`pipeline.json` of what was built: sessions, when each runs, what feeds what, and the words about it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from workflows.bundle.composition import CrossState, Edge, Flow, FlowStage, KVState, Session, State
from workflows.bundle.options import BuildRequires, ChunkedPrefill, Runtime, SessionOptions, SlidingWindow
from workflows.bundle.schema import Component, Generation, Metadata, Pipeline, Tokens
from workflows.checkpoint import Checkpoint
from workflows.errors import CheckpointError
from workflows.recipe import Recipe, family_for

# A recipe's precisions that are one floating-point type throughout; in the others integers take part.
_FLOATS: dict[str, Literal["fp32", "fp16", "bf16"]] = {"fp32": "fp32", "fp16": "fp16", "bf16": "bf16"}


def describe(checkpoint: Checkpoint, recipe: Recipe, components: list[dict[str, Any]]) -> Pipeline:
    """The pipeline over `components`, the evidence of one stage. Raises CheckpointError where a token is not named."""
    family = family_for(recipe.model_type, recipe.task)
    if not family.cached:
        return _single_pipeline(checkpoint, recipe, components)
    geometry = family.geometry(checkpoint.config)
    return Pipeline(
        pipeline=Flow(
            sessions={c["component"]: _session(c, recipe, of_tokens=c["role"] != "encoder") for c in components},
            flow=_flow(components),
            dataflow=_edges(components),
            state=State(kv_cache=KVState(), cross_cache=_cross_source(components)),
        ),
        tokens=Tokens(
            eos=list(checkpoint.eos_token_ids), pad=checkpoint.pad_token_id, bos=checkpoint.bos_token_id,
            decoder_start=_decoder_start(checkpoint) if _cross_source(components) else None,
        ),
        generation=Generation(max_length=recipe.capacity),
        metadata=_metadata(
            checkpoint,
            recipe,
            components,
            layout=recipe.cache,
            chunk=recipe.chunk,
            vocabulary=geometry.vocabulary,
            source_limit=recipe.source_length or (geometry.max_positions if family.source_limited else None),
        ),
    )


def _single_pipeline(checkpoint: Checkpoint, recipe: Recipe, components: list[dict[str, Any]]) -> Pipeline:
    """One graph that runs once on its inputs, and keeps nothing."""
    return Pipeline(
        pipeline=Flow(
            sessions={c["component"]: _session(c, recipe, of_tokens=False) for c in components},
            flow=[FlowStage(run=c["component"], when="init") for c in components],
        ),
        metadata=_metadata(checkpoint, recipe, components, layout=""),
    )


def _session(component: dict[str, Any], recipe: Recipe, *, of_tokens: bool) -> Session:
    """of_tokens: whether it runs on the prompt and the tokens after it, so that chunks and windows are its business."""
    precision = recipe.precision_of(component["component"])
    integers: Literal["int4", "int8"] = "int4" if precision == "int4" else "int8"
    return Session(
        file=component["file"],
        session_options=SessionOptions(
            runtime=Runtime(
                precision=_FLOATS.get(precision),
                chunked_prefill=ChunkedPrefill(max_batched_tokens=recipe.chunk) if of_tokens else None,
                sliding_window=SlidingWindow(size=recipe.capacity) if of_tokens and recipe.cache == "window" else None,
            ),
            build_requires=None if precision in _FLOATS else BuildRequires(quantization=integers),
        ),
    )


def _metadata(
    checkpoint: Checkpoint, recipe: Recipe, components: list[dict[str, Any]], **of_the_cache: Any
) -> Metadata:
    return Metadata(
        model_type=recipe.model_type,
        name=_display_name(checkpoint),
        architecture=next(iter(checkpoint.architectures), ""),
        task=recipe.task,
        family=recipe.family,
        precision=recipe.precision,
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        components=[
            Component(name=c["component"], role=c["role"], precision=recipe.precision_of(c["component"]))
            for c in components
        ],
        **of_the_cache,
    )


def _cross_source(components: list[dict[str, Any]]) -> CrossState | None:
    encoder = next((c["component"] for c in components if c["role"] == "encoder"), None)
    return CrossState(source=encoder) if encoder else None


def _flow(components: list[dict[str, Any]]) -> list[FlowStage]:
    """The encoder and prefill at init, the others at each step; what has no phase of its own runs in both."""
    prefills = any(c["role"] == "prefill" for c in components)
    of_init = ("encoder", "prefill", "embeddings", "head") if prefills else ("encoder",)
    init = [FlowStage(run=c["component"], when="init") for c in components if c["role"] in of_init]
    step = [FlowStage(run=c["component"]) for c in components if c["role"] not in ("encoder", "prefill")]
    return init + step


def _edges(components: list[dict[str, Any]]) -> list[Edge]:
    """From each output to the inputs of the same name of the components after it."""
    return [
        Edge(source=f"{giver['component']}.{name}", target=f"{taker['component']}.{name}")
        for i, giver in enumerate(components)
        for taker in components[i + 1 :]
        for name in giver["outputs"]
        if name in taker["inputs"]
    ]


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

"""Infers the pipeline of several graphs from their inputs and outputs, and what is missing to run it.

    signatures ──GraphRoles──▶ sessions, flow, edges, state ─┐
    the person's settings, which win ────────────────────────┴─compile_program──▶ InferredPipeline

What is missing is a value, one sentence each, so that the window can show it beside the picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workflows.bundle import Pipeline
from workflows.bundle.schema import parse_pipeline
from workflows.common.errors import BundleError, GraphError, printable
from workflows.common.tensor_names import DEFAULT_CAPACITY, LOGITS
from workflows.kvcache.cache_inputs import IDS, POSITIONS
from workflows.runtime.loading.machines import complete_pipeline
from workflows.runtime.program.compiler import compile_program
from workflows.runtime.program.graph_roles import AmbiguousRoleError, GraphRoles
from workflows.runtime.program.missing_inputs import find_missing
from workflows.runtime.program.signature import GraphSignature

_WHERE = "What the graphs make"
_OF_KIND = {"image": "vision", "video": "vision", "audio": "speech"}
Json = dict[str, Any]


@dataclass(frozen=True)
class InferredPipeline:
    """pipeline: None where it is malformed. lacks: what is missing, one sentence each; empty where it runs."""

    pipeline: Pipeline | None
    lacks: tuple[str, ...] = ()


def infer_pipeline(
    graphs: Mapping[str, GraphSignature], files: Mapping[str, str], stated: Mapping[str, Any] | None = None
) -> InferredPipeline:
    """The pipeline of graphs, by session. files: the graph's file in a bundle, by session.

    stated: top-level keys of a pipeline.json, which win over inferred ones: `pipeline` as a whole, except for its
    sessions' files, the other objects key by key.
    """
    stated, parts = stated or {}, GraphRoles(graphs)
    tokens = stated.get("tokens")
    lacks, flow = list[str](), stated.get("pipeline")
    if flow is None:
        try:
            lacks += find_missing(parts, tokens if isinstance(tokens, Mapping) else {})
            flow = _flow(parts)
        except AmbiguousRoleError as error:
            return InferredPipeline(None, (str(error),))
    data: Json = {
        "version": 2,
        "pipeline": _with_files(flow, files),
        "generation": {"max_length": DEFAULT_CAPACITY},
        "metadata": _metadata(graphs) | ({} if "pipeline" in stated else {"components": _components(parts)}),
    }
    for key in stated.keys() - {"pipeline"}:
        own, other = stated[key], data.get(key)
        data[key] = {**other, **own} if isinstance(other, dict) and isinstance(own, Mapping) else own
    return _validated(data, graphs, lacks)


def _validated(data: Json, graphs: Mapping[str, GraphSignature], lacks: list[str]) -> InferredPipeline:
    """The parsed and compiled pipeline with everything that is missing."""
    try:
        pipeline = parse_pipeline(data, _WHERE)
    except BundleError as error:
        return InferredPipeline(None, (*lacks, str(error)))
    lacks += _mismatches(pipeline, graphs)
    if lacks:
        return InferredPipeline(pipeline, tuple(lacks))
    try:
        program = compile_program(pipeline, graphs, _WHERE)
    except (BundleError, GraphError) as error:
        return InferredPipeline(pipeline, (str(error),))
    return InferredPipeline(complete_pipeline(pipeline, program))


def _mismatches(pipeline: Pipeline, graphs: Mapping[str, GraphSignature]) -> list[str]:
    """Contradictions between the person's pipeline and the graphs."""
    named = pipeline.pipeline.sessions
    found = [
        f"The pipeline has the session {printable(name)}, and no graph was given for it: give one of that name."
        for name in named
        if name not in graphs
    ]
    found += [
        f"The pipeline has no session for the graph {printable(name)}: add one, or leave the graph out."
        for name in graphs
        if name not in named
    ]
    if pipeline.pipeline.state.kv_cache is None and any(GraphRoles(graphs).keepers):
        found.append("The pipeline has no pipeline.state.kv_cache, and only composites with a cache are put together.")
    has_logits = any(spec.name == LOGITS for one in graphs.values() for spec in one.outputs)
    if pipeline.metadata.vocabulary is None and has_logits:
        found.append(
            f"The number of tokens is not known, for the last axis of {LOGITS} has no number: say it as "
            "metadata.vocabulary in --pipeline."
        )
    return found


def _with_files(flow: object, files: Mapping[str, str]) -> object:
    """The flow with its named sessions, or all sessions, each with its graph's file."""
    named = flow.get("sessions", {name: {} for name in files}) if isinstance(flow, Mapping) else None
    if not isinstance(flow, Mapping) or not isinstance(named, Mapping):
        return flow  # malformed; the parser reports it
    sessions = {
        name: {**session, "file": files[name]} if name in files and isinstance(session, Mapping) else session
        for name, session in named.items()
    }
    return {**flow, "sessions": sessions}


# -- inference from the graphs ----------------------------------------------------------------------------------------


def _flow(parts: GraphRoles) -> Json:
    """Stages, edges and state. Raises AmbiguousRoleError as GraphRoles.runs does."""
    prefill, decode = parts.runs
    lots = ((parts.once, "init"), (prefill, "init"), (decode, "step"))
    edges = {
        (*source, name, spec.name): None
        for run, _ in lots
        for name in run
        for spec in parts.takes(name)
        if (source := parts.feeder(run, (name, spec.name)))
    }
    return {
        "sessions": {name: {} for run, _ in lots for name in run},
        "flow": [{"run": name, "when": when} for run, when in lots for name in run],
        "dataflow": [{"from": f"{giver}.{given}", "to": f"{taker}.{taken}"} for giver, given, taker, taken in edges],
        "state": _state(parts),
    }


def _state(parts: GraphRoles) -> Json:
    if not parts.keepers:
        return {}
    named = {f"{part}_pattern": pattern for part, pattern in asdict(parts.patterns).items() if pattern}
    state: Json = {"kv_cache": {"format": "separate" if parts.patterns.past_value else "combined"} | named}
    if parts.attended:
        state["cross_cache"] = {"source": parts.attended[0]}
    grids = [f"{name}.{spec.name}" for name in parts.once for spec in parts.takes(name) if "grid_thw" in spec.name]
    placed = (spec for name in parts.keepers for spec in parts.takes(name) if spec.name == POSITIONS)
    if grids and any(len(spec.shape) == 3 for spec in placed):
        state["position_ids"] = {"strategy": "mrope_3d", "grid_source": grids[0]}
    return state


def _metadata(graphs: Mapping[str, GraphSignature]) -> Json:
    """The metadata that does not depend on the program, which adds layout and chunk."""
    logits = [spec for one in graphs.values() for spec in one.outputs if spec.name == LOGITS and spec.shape]
    sizes = [spec.shape[-1] for spec in logits if isinstance(spec.shape[-1], int)]
    return {"model_type": "onnx", "precision": "", "vocabulary": sizes[0] if sizes else None}


def _components(parts: GraphRoles) -> list[Json]:
    return [{"name": name, "role": _role(parts, name)} for name in parts.graphs]


def _role(parts: GraphRoles, name: str) -> str:
    """A graph's role, as recipes name it."""
    if name in parts.once:
        kinds = [kind for kind in parts.places if kind in _OF_KIND and parts.feeds_place(name, kind)]
        return _OF_KIND[kinds[0]] if kinds else "cross" if parts.hands_over(name) else "encoder"
    if name not in parts.keepers:
        return "head" if LOGITS in parts.gives(name) else "embeddings"
    prefill, decode = parts.runs
    if prefill and (name in prefill) != (name in decode):
        return "prefill" if name in prefill else "decode"
    return "decoder" if IDS in {spec.name for spec in parts.takes(name)} else "transformer"

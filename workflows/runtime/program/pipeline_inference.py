"""Infers the pipeline of several graphs from their inputs and outputs, and what is missing to run it.

    signatures ──GraphRoles──▶ sessions, flow, edges, state ─┐
    the person's settings, which win ────────────────────────┴─compile_program──▶ InferredPipeline

What is missing is a value, one sentence each with the graph, the tensor and the remedy, so that the window can show it
beside the picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workflows.bundle import Pipeline
from workflows.bundle.schema import parse_pipeline
from workflows.common import tensor_names
from workflows.common.errors import BundleError, GraphError, printable
from workflows.common.tensor_names import DEFAULT_CAPACITY, LOGITS
from workflows.common.tensors import TensorSpec
from workflows.kvcache.cache_inputs import IDS, POSITIONS
from workflows.kvcache.geometry import KNOWN_PATTERNS
from workflows.runtime.program.compiler import compile_program, complete_pipeline
from workflows.runtime.program.graph_roles import ENCODER_STATES, SOURCE_MASKS, AmbiguousRoleError, GraphRoles, Port
from workflows.runtime.program.signature import GraphSignature, describe_tensor, port_name

_WHERE = "What the graphs make"
_OF_KIND = {"image": "vision", "video": "vision", "audio": "speech"}
Json = dict[str, Any]


@dataclass(frozen=True)
class InferredPipeline:
    """pipeline: None where it is malformed. problems: what is missing, one sentence each; empty where it runs."""

    pipeline: Pipeline | None
    problems: tuple[str, ...] = ()


def infer_pipeline(
    graphs: Mapping[str, GraphSignature], files: Mapping[str, str], stated: Mapping[str, Any] | None = None
) -> InferredPipeline:
    """The pipeline of graphs, by session. files: the graph's file in a bundle, by session.

    stated: top-level keys of a pipeline.json, which win over inferred ones: `pipeline` as a whole, except for its
    sessions' files, the other objects key by key.
    """
    stated, parts = stated or {}, GraphRoles(graphs)
    tokens = stated.get("tokens")
    problems, flow = list[str](), stated.get("pipeline")
    if flow is None:
        try:
            problems += find_missing(parts, tokens if isinstance(tokens, Mapping) else {})
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
    return _validated(data, graphs, problems)


def _validated(data: Json, graphs: Mapping[str, GraphSignature], problems: list[str]) -> InferredPipeline:
    """The parsed and compiled pipeline with everything that is missing."""
    try:
        pipeline = parse_pipeline(data, _WHERE)
    except BundleError as error:
        return InferredPipeline(None, (*problems, str(error)))
    problems += _mismatches(pipeline, graphs)
    if problems:
        return InferredPipeline(pipeline, tuple(problems))
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
    lots = ((parts.run_once, "init"), (prefill, "init"), (decode, "step"))
    edges = {
        (*source, name, spec.name): None
        for run, _ in lots
        for name in run
        for spec in parts.inputs_of(name)
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
    grids = [
        f"{name}.{spec.name}" for name in parts.run_once for spec in parts.inputs_of(name) if "grid_thw" in spec.name
    ]
    placed = (spec for name in parts.keepers for spec in parts.inputs_of(name) if spec.name == POSITIONS)
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
    if name in parts.run_once:
        kinds = [kind for kind in parts.places if kind in _OF_KIND and parts.feeds_place(name, kind)]
        return _OF_KIND[kinds[0]] if kinds else "cross" if parts.hands_over(name) else "encoder"
    if name not in parts.keepers:
        return "head" if LOGITS in parts.outputs_of(name) else "embeddings"
    prefill, decode = parts.runs
    if prefill and (name in prefill) != (name in decode):
        return "prefill" if name in prefill else "decode"
    return "decoder" if IDS in {spec.name for spec in parts.inputs_of(name)} else "transformer"


BRANCH = "use_cache_branch"  # optimum's merged decoders choose by it between two graphs in one
_INTERMEDIATE_NAMES = (
    ENCODER_STATES,
    tensor_names.HIDDEN,
    tensor_names.EMBEDS,
)  # computed by graphs, so that they cannot come with a prompt
CROSS_PAST = re.compile(r"past_key_values\.\d+\.encoder\.(key|value)")


def find_missing(parts: GraphRoles, tokens: Mapping[str, object]) -> Iterator[str]:
    """The sentences. tokens: placeholders, as in a pipeline file. Raises AmbiguousRoleError as GraphRoles.runs does."""
    if not parts.keepers:
        known = ", ".join(naming.past_key % 0 for naming in KNOWN_PATTERNS)
        taken = "; ".join(f"{name} takes {', '.join(s.name for s in one.inputs)}" for name, one in parts.graphs.items())
        yield f"No graph has inputs named like {known}, so none keeps a cache: {printable(taken, 400)}."
    if not any(LOGITS in parts.outputs_of(name) for name in parts.graphs):
        yield f"No graph gives {LOGITS}: give the head's graph, or export it with an output of that name."
    if not parts.keepers:
        return
    yield from _unfed_sentences(parts)
    taken_of = {source[0] for source, _ in parts.edges}
    for name in parts.graphs:
        if name not in taken_of and name not in parts.keepers and LOGITS not in parts.outputs_of(name):
            gives = printable(", ".join(parts.outputs_of(name)))
            yield f"Nothing uses the outputs of {name} ({gives}): leave it out, or give the graph that uses them."
    for kind, port in parts.places.items():
        if tokens.get(f"{kind}_token") is None:
            yield (
                f"{port_name(port)} takes {kind} features, and their placeholder token is unknown: give it as "
                f"tokens.{kind}_token in --pipeline, or give a --tokenizer folder whose config.json has "
                f"{kind}_token_id."
            )


def _unfed_sentences(parts: GraphRoles) -> Iterator[str]:
    """One sentence per kind of input, whatever its layer; a source mask only where nothing else is missing."""
    alike: dict[str, dict[str, list[TensorSpec]]] = {}
    for (name, _), spec in _unfed_inputs(parts).items():
        alike.setdefault(name, {}).setdefault(re.sub(r"\d+|key|value", "", spec.name), []).append(spec)
    for name, groups in alike.items():
        for specs in groups.values():
            if specs[0].name not in SOURCE_MASKS or len(groups) == 1:
                yield _sentence(name, specs)


def _unfed_inputs(parts: GraphRoles) -> dict[Port, TensorSpec]:
    """The inputs that neither an edge, nor the cache, nor the prompt feeds."""
    driven = parts.drivers | ({*SOURCE_MASKS} if parts.run_once else set())
    prefill, decode = parts.runs
    return {
        (name, spec.name): spec
        for run in (parts.run_once, prefill, decode)
        for name in run
        for spec in parts.inputs_of(name)
        if (spec.name in _INTERMEDIATE_NAMES if run is parts.run_once else spec.name not in driven)
        and parts.feeder(run, (name, spec.name)) is None
    }


def _sentence(name: str, specs: list[TensorSpec]) -> str:
    first = specs[0]
    more = f" (and {len(specs) - 1} like it)" if len(specs) > 1 else ""
    port = name, printable(first.name)
    if first.name == BRANCH:
        return (
            f"{name} takes {BRANCH}, with which optimum's merged export chooses between two graphs in one: make a "
            "bundle of it with `joinery assemble`."
        )
    if CROSS_PAST.fullmatch(first.name):
        return (
            f"Nothing feeds {port_name(port)}{more}, which in optimum's export the decoder without past computes in "
            "its first run: give that graph as well, and make a bundle of them with `joinery assemble`."
        )
    if first.name in SOURCE_MASKS:
        return f"Nothing feeds {port_name(port)}: it masks the source of an encoder, so give the encoder's graph."
    return (
        f"Nothing feeds {describe_tensor(port, first)}{more}: no graph that runs before {name} has an output of that "
        "name; give one that has, or name its source under pipeline.dataflow in --pipeline."
    )

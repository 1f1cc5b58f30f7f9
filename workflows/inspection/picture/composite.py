"""Describes a composite as plain data for a picture, from its pipeline, its graphs and its compiled program.

    Program.runs ──feeds──▶ edges │ states │ drivers and givens;  logits ──▶ outputs

No run, state or session is recognized by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workflows.bundle import Pipeline
from workflows.bundle.outline import Port
from workflows.common.tensors import TensorSpec
from workflows.kvcache import StateTensor
from workflows.kvcache.carried_state import CarriedTensor
from workflows.kvcache.geometry import GroupFacts, StateFacts
from workflows.kvcache.state_view import layer_groups
from workflows.runtime.program.program import Program
from workflows.runtime.program.signature import GraphSignature, spec_of
from workflows.wire.reports.composite import (
    ComponentSession,
    Composite,
    CompositeEdge,
    CompositeFeed,
    CompositeOutput,
    CompositeState,
    CompositeTensor,
    LayerGroup,
)

CROSS = "cross"  # the name, and the layout, of what an encoder hands over
_LAYERED = re.compile(r"\D*(\d+)\D*\.?(key|value)\D*")  # cross.0.key, past_key_values.0.encoder.value
_OWN_CROSS = re.compile(r"cross\.\d+\.(key|value)")

Edges = dict[tuple[Port, Port], tuple[str, ...]]  # (from, to) → the runs in which it feeds


def composite_of(
    pipeline: Pipeline,
    signatures: Mapping[str, GraphSignature],
    program: Program | None,
    draft: tuple[Pipeline, Program] | None = None,
) -> Composite:
    """Returns the composite of a pipeline. signatures: by session. program: of a pipeline with a cache, None without
    one.

    draft: the pipeline and program of the draft sessions, which have their own caches.
    """
    own = pipeline.pipeline.outline().sessions
    whole = _composite(pipeline, {name: signatures[name] for name in own}, program)
    if draft is None:
        return whole
    names = dict.fromkeys((*own, *draft[0].pipeline.sessions))
    beside = _composite(draft[0], {name: signatures[name] for name in draft[0].pipeline.sessions}, draft[1])
    drawn = {one.name: one for one in (*beside.sessions, *whole.sessions)}
    return replace(
        whole,
        sessions=tuple(drawn[name] for name in names),
        edges=tuple(dict.fromkeys((*whole.edges, *beside.edges))),
        states=(*whole.states, *(replace(state, name=f"draft {state.name}") for state in beside.states)),
        feeds=tuple(dict.fromkeys((*whole.feeds, *beside.feeds))),
        outputs=tuple(dict.fromkeys((*whole.outputs, *beside.outputs))),
    )


def _composite(pipeline: Pipeline, signatures: Mapping[str, GraphSignature], program: Program | None) -> Composite:
    sessions = {name: pipeline.pipeline.sessions[name] for name in signatures}
    drawn = [
        ComponentSession(name, one.file, pipeline.metadata.role(name), _runs_of(name, program))
        for name, one in sessions.items()
    ]
    name = pipeline.metadata.name
    if program is None:
        return _sessions_without_cache(name, drawn, signatures, dict.fromkeys(pipeline.pipeline.outline().edges, ()))
    edges = _edges(program)
    cross = {ends: runs for ends, runs in edges.items() if _is_cross(ends, program)}
    return Composite(
        name,
        tuple(program.runs),
        tuple(drawn),
        _drawn_edges({ends: runs for ends, runs in edges.items() if ends not in cross}, signatures),
        (*_caches(program, signatures), *_carried(program), *_cross_states(cross, signatures, program)),
        _feeds(program, signatures),
        _outputs(program, signatures),
    )


def composite_of_graph(
    name: str,
    file: str,
    graph: GraphSignature,
    state: Sequence[StateTensor] = (),
    facts: StateFacts | None = None,
    carried: Sequence[CarriedTensor] = (),
) -> Composite:
    """Returns the composite of a single graph.

    state, facts: those of its cache, if it has one. carried: its state of fixed size.
    """
    session = ComponentSession(name, file, "graph", ())
    alone = _sessions_without_cache(name, [session], {name: graph}, {})
    handed = [spec for spec in graph.inputs if _OWN_CROSS.fullmatch(spec.name)]
    pairs = [(one.past, one.present) for one in state] + [(one.past, one.present) for one in carried]
    state_inputs = {past for past, _ in pairs} | {spec.name for spec in handed}
    state_outputs = {present for _, present in pairs}
    states = [_cache(group, state, facts.writer, (name,), (name,), ()) for group in facts.groups] if facts else []
    if carried:
        states.append(_carried_state(carried, (name,), ()))
    if handed:
        states.append(CompositeState(CROSS, "cross", "graph", _cross_layers(handed), (), (name,), ()))
    return Composite(
        name,
        (),
        alone.sessions,
        (),
        tuple(states),
        tuple(
            CompositeFeed(f.kind, name, others, ())
            for f in alone.feeds
            if (others := _without_names(f.inputs, state_inputs))
        ),
        tuple(
            CompositeOutput(name, others, ())
            for o in alone.outputs
            if (others := _without_names(o.outputs, state_outputs))
        ),
    )


def group_layers(tensors: Iterable[StateTensor]) -> list[list[StateTensor]]:
    """Groups the cache tensors by layers whose keys and values have the same shapes and types."""
    layers: dict[int, list[StateTensor]] = {}
    for tensor in tensors:
        layers.setdefault(tensor.layer, []).append(tensor)
    groups: dict[object, list[StateTensor]] = {}
    for layer in sorted(layers):
        form = tuple((tensor.role, tensor.shape, tensor.dtype) for tensor in layers[layer])
        groups.setdefault(form, []).extend(layers[layer])
    return list(groups.values())


# -- the program, read here alone ------------------------------------------------------------------------------


def _runs_of(session: str, program: Program | None) -> tuple[str, ...]:
    return tuple(name for name, run in program.runs.items() if session in run.sessions) if program else ()


def _edges(program: Program) -> Edges:
    edges: Edges = {}
    for name, run in program.runs.items():
        for target, feed in run.feeds.items():
            if feed.source is not None:
                edges[feed.source, target] = (*edges.get((feed.source, target), ()), name)
    return edges


def _is_cross(ends: tuple[Port, Port], program: Program) -> bool:
    """Whether an edge feeds a layer's key or value from a session that runs in another run than its target."""
    (giver, _), (taker, name) = ends
    beside = any({giver, taker} <= {*run.sessions} for run in program.runs.values())
    return not beside and _LAYERED.fullmatch(name) is not None


def _caches(program: Program, signatures: Mapping[str, GraphSignature]) -> Iterable[CompositeState]:
    for group in program.facts.groups:
        pasts = {tensor.past for tensor in program.state if tensor.layer in group.layers}
        presents = {tensor.present for tensor in program.state if tensor.layer in group.layers}
        reading = {
            (port[0], run)
            for run, one in program.runs.items()
            for port, feed in one.feeds.items()
            if feed.kind == "state" and port[1] in pasts
        }
        keepers = {session for session, _ in reading}
        readers = tuple(name for name in signatures if name in keepers)
        writers = tuple(name for name in readers if presents & {spec.name for spec in signatures[name].outputs})
        runs = tuple(run for run in program.runs if any(run == one for _, one in reading))
        yield _cache(group, program.state, program.facts.writer, writers, readers, runs)


def _carried(program: Program) -> Iterable[CompositeState]:
    """Yields one state for the sessions that carry the same tensors from run to run."""
    keepers: dict[tuple[CarriedTensor, ...], list[str]] = {}
    for session, tensors in program.carried_tensors.items():
        keepers.setdefault(tensors, []).append(session)
    for tensors, sessions in keepers.items():
        names = tuple(sorted(sessions))
        runs = tuple(run for run, one in program.runs.items() if {*names} & {*one.sessions})
        yield _carried_state(tensors, names, runs)


def _carried_state(
    tensors: Sequence[CarriedTensor], sessions: tuple[str, ...], runs: tuple[str, ...]
) -> CompositeState:
    return CompositeState(", ".join(sessions), "carried", "host", layer_groups(tensors), sessions, sessions, runs)


def _feeds(program: Program, signatures: Mapping[str, GraphSignature]) -> tuple[CompositeFeed, ...]:
    """Returns the inputs that neither an edge nor a state feeds, by kind and session."""
    feeds: dict[tuple[str, str], tuple[dict[str, CompositeTensor], list[str]]] = {}
    for name, run in program.runs.items():
        for port, feed in run.feeds.items():
            if feed.source is None and feed.kind not in ("state", "carried"):
                inputs, runs = feeds.setdefault((feed.kind, port[0]), ({}, []))
                inputs[port[1]] = _tensor(spec_of(signatures, port, "inputs"))
                runs += [name] if name not in runs else []
    return tuple(
        CompositeFeed(kind, session, tuple(inputs.values()), tuple(runs))
        for (kind, session), (inputs, runs) in feeds.items()
    )


def _outputs(program: Program, signatures: Mapping[str, GraphSignature]) -> tuple[CompositeOutput, ...]:
    """Returns the logits, and the outputs that no session consumes."""
    outputs: dict[str, dict[str, CompositeTensor]] = {}
    for run in program.runs.values():
        if run.logits is not None:
            (session, _), spec = run.logits
            outputs.setdefault(session, {})[spec.name] = _tensor(spec)
    consumed = {session for session, _ in program.used_outputs}
    outputs |= {
        name: {spec.name: _tensor(spec) for spec in one.outputs}
        for name, one in signatures.items()
        if name not in consumed and one.outputs
    }
    return tuple(CompositeOutput(name, tuple(one.values()), _runs_of(name, program)) for name, one in outputs.items())


# -- the parts of the picture ----------------------------------------------------------------------------------


def _sessions_without_cache(
    name: str, sessions: Sequence[ComponentSession], signatures: Mapping[str, GraphSignature], edges: Edges
) -> Composite:
    """Returns sessions without a cache: inputs without an edge are given, outputs without an edge are results."""
    fed, consumed = {target for _, target in edges}, {source for source, _ in edges}
    feeds, outputs = [], []
    for one in sessions:
        graph = signatures[one.name]
        external = tuple(_tensor(spec) for spec in graph.inputs if (one.name, spec.name) not in fed)
        made = tuple(_tensor(spec) for spec in graph.outputs if (one.name, spec.name) not in consumed)
        feeds += [CompositeFeed("given", one.name, external, ())] if external else []
        outputs += [CompositeOutput(one.name, made, ())] if made else []
    return Composite(name, (), tuple(sessions), _drawn_edges(edges, signatures), (), tuple(feeds), tuple(outputs))


def _drawn_edges(edges: Edges, signatures: Mapping[str, GraphSignature]) -> tuple[CompositeEdge, ...]:
    return tuple(
        CompositeEdge(source, target, _tensor(spec_of(signatures, source, "outputs")), runs)
        for (source, target), runs in edges.items()
    )


def _cache(
    group: GroupFacts,
    state: Iterable[StateTensor],
    writer: str,
    writers: tuple[str, ...],
    readers: tuple[str, ...],
    runs: tuple[str, ...],
) -> CompositeState:
    layers = tuple(_layers(one) for one in group_layers(t for t in state if t.layer in group.layers))
    return CompositeState(group.name, "cache", "host" if writer == "host" else "graph", layers, writers, readers, runs)


def _layers(tensors: Sequence[StateTensor]) -> LayerGroup:
    """Returns the numbers of equal layers, and the tensors of the first."""
    first = [tensor for tensor in tensors if tensor.layer == tensors[0].layer]
    numbers = dict.fromkeys(tensor.layer for tensor in tensors)
    return LayerGroup(
        tuple(numbers), tuple(CompositeTensor(tensor.role, tensor.shape, tensor.dtype) for tensor in first)
    )


def _cross_states(cross: Edges, signatures: Mapping[str, GraphSignature], program: Program) -> Iterable[CompositeState]:
    """Yields one state for each session that produces cross-attention keys and values."""
    givers = dict.fromkeys(source[0] for source, _ in cross)
    for giver in givers:
        mine = {ends: runs for ends, runs in cross.items() if ends[0][0] == giver}
        specs = {target[1]: spec_of(signatures, target, "inputs") for _, target in mine}
        readers = tuple(dict.fromkeys(target[0] for _, target in mine))
        used = {*_runs_of(giver, program), *(run for each in mine.values() for run in each)}
        runs = tuple(run for run in program.runs if run in used)
        name = CROSS if len(givers) == 1 else f"{CROSS} of {giver}"
        yield CompositeState(name, "cross", "graph", _cross_layers(specs.values()), (giver,), readers, runs)


def _cross_layers(specs: Iterable[TensorSpec]) -> tuple[LayerGroup, ...]:
    layers: dict[int, dict[str, CompositeTensor]] = {}
    for spec in specs:
        if match := _LAYERED.fullmatch(spec.name):
            layers.setdefault(int(match[1]), {})[match[2]] = CompositeTensor(match[2], spec.shape, spec.dtype)
    groups: dict[tuple[CompositeTensor, ...], list[int]] = {}
    for layer in sorted(layers):
        groups.setdefault(tuple(layers[layer][role] for role in sorted(layers[layer])), []).append(layer)
    return tuple(LayerGroup(tuple(numbers), tensors) for tensors, numbers in groups.items())


def _without_names(tensors: Iterable[CompositeTensor], names: set[str]) -> tuple[CompositeTensor, ...]:
    return tuple(tensor for tensor in tensors if tensor.name not in names)


def _tensor(spec: TensorSpec) -> CompositeTensor:
    return CompositeTensor(spec.name, spec.shape, spec.dtype)

"""Graphs that lie about as files, put together into a running composite: no bundle, and no words about its structure.

    {"encoder": a.onnx, "decoder": b.onnx} ──their inputs and outputs──▶ Cut ──▶ Pipeline ──▶ Machine

decoder │ prefill + decode, each also behind an encoder. What feeds what is told from the names: an encoder's output
goes to the inputs of that name, past and present are the cache, the metadata `joinery.kv` says who writes it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Set
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from workflows.bundle import Pipeline
from workflows.bundle.schema import parse_pipeline
from workflows.errors import GraphError, RequestError, printable
from workflows.kvcache import find_state
from workflows.kvcache.drivers import DRIVERS, IDS
from workflows.kvcache.geometry import NAMINGS, SOURCE_MASK, StateFacts, patterns_of
from workflows.kvcache.infer import infer_facts
from workflows.names import LOGITS
from workflows.recipe.cut import Cut, Part, Role, State, When
from workflows.recipe.schema import DEFAULT_CAPACITY, DEFAULT_CHUNK
from workflows.runtime.machine import Machine
from workflows.runtime.opening import make_machine
from workflows.runtime.providers import device_named
from workflows.runtime.sessions import OpenSession, open_session
from workflows.tensors import TensorSpec

COMPONENTS = (Role.ENCODER, Role.PREFILL, Role.DECODE, Role.DECODER)
_BRANCH = "use_cache_branch"
_CROSS_PAST = re.compile(r"past_key_values\.\d+\.encoder\.(key|value)")


def open_onnx(
    components: Mapping[str, str | Path],
    pipeline: Mapping[str, Any] | None = None,
    *,
    provider: str = "cpu",
    cache: str | None = None,
    capacity: int | None = None,
) -> Machine:
    """Opens the graphs of `components`, name → file, around one cache.

    pipeline: top-level keys of a pipeline.json that stand in place of what the graphs tell. Raises RequestError for
    a name that there is not or a half that is missing, GraphError for a graph that does not fit the others, and
    BundleError for a `pipeline` that is none.
    """
    _check_names(components)
    device = device_named(provider)
    opened: dict[Path, OpenSession] = {}
    sessions: dict[str, OpenSession] = {}
    for name in sorted(components, key=COMPONENTS.index):
        path = Path(components[name])
        if not path.is_file():
            raise RequestError(f"The {name} {printable(path)} is no file: give the path of its graph.")
        if path not in opened:
            opened[path] = open_session(name, path, device, {})
        sessions[name] = replace(opened[path], name=name)
    described = parse_pipeline(_describe(sessions) | dict(pipeline or {}), "What the graphs make")
    _check_sessions(described, sessions)
    return make_machine(described, sessions, device, cache=cache, capacity=capacity)


def _check_names(components: Mapping[str, str | Path]) -> None:
    given = ", ".join(map(printable, components)) or "none"
    for name in components:
        if name not in COMPONENTS:
            raise RequestError(f"There is no component {printable(name)!r}: there are {', '.join(COMPONENTS)}.")
    keepers = components.keys() - {Role.ENCODER}
    if keepers not in ({Role.DECODER}, {Role.PREFILL, Role.DECODE}):
        raise RequestError(
            f"The components {given} make no whole: give decoder, or prefill and decode, each with or without encoder."
        )


def _check_sessions(pipeline: Pipeline, sessions: Mapping[str, OpenSession]) -> None:
    named = pipeline.pipeline.sessions
    if named.keys() != sessions.keys() or pipeline.pipeline.state.kv_cache is None:
        raise RequestError(
            f"The pipeline must have a kv_cache and the sessions {', '.join(sessions)}, and names {', '.join(named)}."
        )


def _describe(sessions: Mapping[str, OpenSession]) -> dict[str, Any]:
    """The decoded pipeline.json that the graphs make."""
    *_, decoder = sessions.values()
    _refuse_foreign(decoder)
    facts = _facts(decoder)
    logits = next((spec for spec in decoder.outputs if spec.name == LOGITS), None)
    if logits is None or not logits.shape or not isinstance(logits.shape[-1], int):
        raise GraphError(f"The {decoder.name} has no output {LOGITS} whose last axis is the vocabulary's size.")
    cut = _cut(sessions)
    named = asdict(patterns_of(decoder.inputs))
    state: dict[str, Any] = {"kv_cache": {f"{part}_pattern": pattern for part, pattern in named.items()}}
    if cut.source is not None:
        state["cross_cache"] = {"source": cut.source}
    return {
        "version": 2,
        "pipeline": {
            "sessions": {part.name: {"file": part.file} for part in cut.parts},
            "flow": [{"run": name, "when": when} for name, when in cut.stages],
            "dataflow": [{"from": edge.source, "to": edge.target} for edge in cut.edges],
            "state": state,
        },
        "generation": {"max_length": DEFAULT_CAPACITY},
        "metadata": {
            "model_type": "onnx",
            "layout": {"host": "static"}.get(facts.writer, facts.writer),
            "chunk": _chunk(sessions[cut.keepers[0].name]),
            "vocabulary": logits.shape[-1],
        },
    }


def _refuse_foreign(decoder: OpenSession) -> None:
    """Raises GraphError for a decoder that computes the encoder's keys and values itself, as optimum exports it."""
    names = [spec.name for spec in decoder.inputs]
    cross = next((name for name in names if _CROSS_PAST.fullmatch(name)), None)
    if _BRANCH in names:
        raise GraphError(
            f"The {decoder.name} takes {_BRANCH}, with which optimum's merged export chooses between two graphs in "
            "one, and Joinery does not choose: build the checkpoint with `joinery build`."
        )
    if cross is not None:
        raise GraphError(
            f"The {decoder.name} takes {cross}, which no encoder gives: in optimum's export another graph, the decoder "
            "without past, computes the cross-attention's keys and values in its first run, and Joinery does not run "
            "that: build the checkpoint with `joinery build`."
        )


def _facts(decoder: OpenSession) -> StateFacts:
    state = find_state(decoder.inputs, decoder.outputs, patterns_of(decoder.inputs))
    if not state:
        known = ", ".join(naming.past_key % 0 for naming in NAMINGS)
        raise GraphError(
            f"The {decoder.name} has no inputs named like {known}, so it keeps no cache: its inputs are "
            f"{printable(', '.join(spec.name for spec in decoder.inputs))}."
        )
    return StateFacts.of_metadata(decoder.metadata) or infer_facts(state, decoder.inputs)


def _cut(sessions: Mapping[str, OpenSession]) -> Cut:
    """How the graphs are parts of one model. Raises GraphError where an input is fed by nobody."""
    encoder = sessions.get(Role.ENCODER)
    parts = [_keeper(opened) for opened in sessions.values() if opened is not encoder]
    driven = {part.name: _driven(sessions[part.name]) | ({SOURCE_MASK} if encoder else set()) for part in parts}
    given = _others(encoder.outputs, set().union(*driven.values())) if encoder else ()
    for part in parts:
        _refuse_unfed(part, driven[part.name], given if encoder else None)
    if encoder is None:
        return Cut(tuple(parts), parts[-1].state)
    source = Part(Role.ENCODER, ("init",), _others(encoder.inputs, ()), given)
    return Cut((source, *parts), parts[-1].state, source.name)


def _keeper(opened: OpenSession) -> Part:
    """The part that a graph with a cache is."""
    found = find_state(opened.inputs, opened.outputs, patterns_of(opened.inputs))
    windows = {layer: group.window for group in _facts(opened).groups for layer in group.layers}
    past, present = tuple(tensor.past for tensor in found), tuple(tensor.present for tensor in found)
    state = State(past, present, tuple(windows.get(layer) for layer in sorted({tensor.layer for tensor in found})))
    role = Role(opened.name)
    when: When = "init" if role is Role.PREFILL else "step"
    return Part(role, (when,), _others(opened.inputs, past), (LOGITS,), state)  # what else it gives, nobody takes


def _driven(keeper: OpenSession) -> set[str]:
    """The inputs that the cache's table feeds."""
    return {*DRIVERS, *(group.mask for group in _facts(keeper).groups)}


def _refuse_unfed(part: Part, driven: Set[str], given: tuple[str, ...] | None) -> None:
    """given: what the encoder gives, None where there is none."""
    for name in part.takes:
        if name not in driven and name not in (given or ()):
            why = "there is no encoder that gives it"
            if given is not None:
                why = f"the encoder gives {printable(', '.join(given))}"
            raise GraphError(f"Nothing feeds the {part.name}'s input {printable(name)}: {why}.")
    if given is not None and not {*given} & {*part.takes}:
        raise GraphError(f"The {part.name} takes nothing that the encoder gives: the two do not belong together.")


def _others(specs: Iterable[TensorSpec], names: Container[str]) -> tuple[str, ...]:
    return tuple(spec.name for spec in specs if spec.name not in names)


def _chunk(prefill: OpenSession) -> int:
    """Prompt tokens that one run takes: what the graph is fixed to, else the usual number."""
    width = next((spec.shape[-1] for spec in prefill.inputs if spec.name == IDS and spec.shape), None)
    return width if isinstance(width, int) else DEFAULT_CHUNK

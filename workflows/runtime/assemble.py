"""Graphs that lie about as files, put together into a running composite: no bundle, and no words about its structure.

    {"encoder": a.onnx, "decoder": b.onnx} ──their inputs and outputs──▶ Pipeline ──▶ Machine

decoder │ prefill + decode, each also behind an encoder. What feeds what is told from the names: an encoder's output
goes to the inputs of that name, past and present are the cache, the metadata `joinery.kv` says who writes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
from workflows.recipe.schema import DEFAULT_CAPACITY, DEFAULT_CHUNK
from workflows.runtime.devices import device_named
from workflows.runtime.feeds import LOGITS
from workflows.runtime.machine import Machine
from workflows.runtime.opening import make_machine
from workflows.runtime.sessions import OpenSession, open_session

COMPONENTS = ("encoder", "prefill", "decode", "decoder")
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
    parts = {name for name in components if name != "encoder"}
    if parts not in ({"decoder"}, {"prefill", "decode"}):
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
    decoder = sessions.get("decoder") or sessions["decode"]
    _refuse_foreign(decoder)
    facts = _facts(decoder)
    encoder = sessions.get("encoder")
    logits = next((spec for spec in decoder.outputs if spec.name == LOGITS), None)
    if logits is None or not logits.shape or not isinstance(logits.shape[-1], int):
        raise GraphError(f"The {decoder.name} has no output {LOGITS} whose last axis is the vocabulary's size.")
    named = asdict(patterns_of(decoder.inputs))
    state: dict[str, Any] = {"kv_cache": {f"{part}_pattern": pattern for part, pattern in named.items()}}
    if encoder is not None:
        state["cross_cache"] = {"source": "encoder"}
    return {
        "version": 2,
        "pipeline": {
            "sessions": {name: {"file": f"{name}.onnx"} for name in sessions},
            "flow": [{"run": name, "when": "init" if name in ("encoder", "prefill") else "step"} for name in sessions],
            "dataflow": [edge for name in sessions if name != "encoder" for edge in _edges(sessions[name], encoder)],
            "state": state,
        },
        "generation": {"max_length": DEFAULT_CAPACITY},
        "metadata": {
            "model_type": "onnx",
            "layout": {"host": "static"}.get(facts.writer, facts.writer),
            "chunk": _chunk(sessions.get("prefill") or decoder),
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


def _edges(part: OpenSession, encoder: OpenSession | None) -> list[dict[str, str]]:
    """What the encoder feeds to `part`. Raises GraphError where an input of it is fed by nobody."""
    given = {spec.name for spec in encoder.outputs} if encoder else set()
    facts = _facts(part)
    own = {tensor.past for tensor in find_state(part.inputs, part.outputs, patterns_of(part.inputs))}
    own |= {*DRIVERS, *(group.mask for group in facts.groups)} | ({SOURCE_MASK} if encoder else set())
    for spec in part.inputs:
        if spec.name not in own | given:
            giver = f"the encoder gives {', '.join(sorted(given))}" if encoder else "there is no encoder that gives it"
            raise GraphError(f"Nothing feeds the {part.name}'s input {printable(spec.name)}: {giver}.")
    taken = [spec.name for spec in part.inputs if spec.name in given and spec.name not in own]
    if encoder is not None and not taken:
        raise GraphError(f"The {part.name} takes nothing that the encoder gives: the two do not belong together.")
    return [{"from": f"encoder.{name}", "to": f"{part.name}.{name}"} for name in taken]


def _chunk(prefill: OpenSession) -> int:
    """Prompt tokens that one run takes: what the graph is fixed to, else the usual number."""
    width = next((spec.shape[-1] for spec in prefill.inputs if spec.name == IDS and spec.shape), None)
    return width if isinstance(width, int) else DEFAULT_CHUNK

"""The cache tensors and cache facts of a pipeline's graphs, which share one slot table.

sessions ──names──▶ past/present pairs ──metadata, shapes──▶ StateFacts, the same for every session that shares them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workflows.bundle import Pipeline
from workflows.bundle.outline import Outline
from workflows.common.errors import GraphError
from workflows.common.tensors import TensorSpec
from workflows.kvcache import StateTensor, find_state
from workflows.kvcache.cache_inputs import CACHE_POSITION, IDS, POSITIONS, columns_axis
from workflows.kvcache.carried_state import CarriedTensor, find_carried
from workflows.kvcache.geometry import (
    KNOWN_PATTERNS,
    GroupFacts,
    StateFacts,
    StatePatterns,
    patterns_of,
    with_head_sizes,
)
from workflows.kvcache.state_inference import infer_facts
from workflows.runtime.program.signature import GraphSignature, spec_of

SessionTensors = dict[str, tuple[StateTensor, ...]]


def cache_patterns(pipeline: Pipeline, signatures: Mapping[str, GraphSignature]) -> StatePatterns:
    """The tensor names of the cache from the file, or, where its format is auto, from the graphs."""
    kv = pipeline.pipeline.state.kv_cache
    assert kv is not None  # composites have one
    combined = kv.format == "combined"
    values = ("", "") if combined else (kv.past_value_pattern, kv.present_value_pattern)
    said = StatePatterns(kv.past_key_pattern, values[0], kv.present_key_pattern, values[1])
    if kv.format != "auto":
        return said
    inputs = [spec for one in signatures.values() for spec in one.inputs]
    return patterns_of(inputs, (said, *KNOWN_PATTERNS))


def find_cache_tensors(
    pipeline: Pipeline, outline: Outline, signatures: Mapping[str, GraphSignature], patterns: StatePatterns
) -> SessionTensors:
    """Session → its cache tensors, for sessions that have some. Raises GraphError as find_state does.

    The file gives the number and size of heads where the graphs leave them open.
    """
    facts = pipeline.metadata
    widths: dict[str, int | str | None] = {}
    for name in (*outline.sessions_at("init"), *outline.sessions_at("step")):
        widths.setdefault(name, _columns(name, outline, signatures, widths))
    found = {}
    for name, one in signatures.items():
        inputs, outputs = (
            with_head_sizes(specs, facts.kv_heads, facts.head_size) for specs in (one.inputs, one.outputs)
        )
        found[name] = find_state(inputs, outputs, patterns, widths.get(name))
    return {name: state for name, state in found.items() if state}


def _columns(
    name: str, outline: Outline, signatures: Mapping[str, GraphSignature], known: Mapping[str, int | str | None]
) -> int | str | None:
    """The axis of a graph's columns: of its ids or positions, or along an edge from a graph that has one."""
    for spec in signatures[name].inputs:
        axis = columns_axis(spec) if spec.name in (IDS, POSITIONS, CACHE_POSITION) else None
        if axis is not None and 0 <= axis < len(spec.shape):
            return spec.shape[axis]
    for source, target in outline.edges:
        if target[0] == name and source[0] not in outline.run_once and known.get(source[0]) is not None:
            given, taken = spec_of(signatures, source, "outputs"), spec_of(signatures, target, "inputs")
            for axis, size in enumerate(given.shape[1:], 1):
                if size == known[source[0]] and axis < len(taken.shape):
                    return taken.shape[axis]
    return None


def find_carried_tensors(
    pipeline: Pipeline, outline: Outline, signatures: Mapping[str, GraphSignature], cached: SessionTensors
) -> dict[str, tuple[CarriedTensor, ...]]:
    """Session → its carried tensors; `metadata.carried` of the file adds those whose names are not recognized."""
    declared = {tuple(port.split(".", 1)): after for port, after in pipeline.metadata.carried.items()}
    found = {}
    for name in {*outline.sessions_at("step"), *outline.sessions_at("init")} - set(outline.run_once):
        one = signatures[name]
        known = {tensor.past for tensor in cached.get(name, ())} | {t for _, (s, t) in outline.edges if s == name}
        own = {tensor: after for (session, tensor), after in declared.items() if session == name}
        found[name] = find_carried(one.inputs, one.outputs, own, known)
    return {name: tensors for name, tensors in found.items() if tensors}


def merge_cache_facts(
    pipeline: Pipeline, cached: SessionTensors, outline: Outline, signatures: Mapping[str, GraphSignature]
) -> tuple[SessionTensors, StateFacts | None]:
    """The cache tensors with their writer, and the facts of the cache; None where sessions contradict one another.

    Sessions may keep different layers; tensors of one name are one tensor. The facts of a session also derive from the
    inputs of the others in its run.
    """
    positions = pipeline.positions.input_name
    by_session: dict[str, tuple[tuple[StateTensor, ...], StateFacts]] = {}
    for sessions in (outline.runs()["decode"], outline.runs()["prefill"]):
        specs = [spec for name in sessions for spec in signatures[name].inputs]
        inputs = [replace(spec, name=POSITIONS) if spec.name == positions else spec for spec in specs]
        by_session |= {name: cache_facts(cached[name], signatures[name], inputs) for name in sessions if name in cached}
    if not cached:  # state of fixed size alone
        said = (StateFacts.of_metadata(signatures[name].metadata) for name in outline.runs()["decode"])
        return {}, next((facts for facts in said if facts is not None), StateFacts("host", ()))
    tensors: dict[str, tuple[object, ...]] = {}
    for state, _ in by_session.values():
        for tensor in state:
            kind = tensor.shape, tensor.dtype, tensor.layer
            if tensors.setdefault(tensor.past, kind) != kind:
                return cached, None
    facts = [found for _, found in by_session.values()]
    if pipeline.metadata.counts and all(one.capacity is None for state in cached.values() for one in state):
        facts = [_with_slot_counting(one) for one in facts]
    merged = replace(facts[0], groups=_merged_groups([group for one in facts for group in one.groups]))
    plain = [replace(one, groups=()) for one in facts]
    alike = all(one == plain[0] for one in plain)
    return {name: state for name, (state, _) in by_session.items()}, merged if alike and merged.groups else None


def _with_slot_counting(facts: StateFacts) -> StateFacts:
    """The facts for a graph that takes the number of slots as the number of tokens, where its cache grows."""
    grows = facts.writer == "host" and facts.joins == "append"
    return replace(facts, counts=True, right_aligned=False) if grows else facts


def _merged_groups(groups: Sequence[GroupFacts]) -> tuple[GroupFacts, ...]:
    """Merges groups of one name; empty where they differ in mask, window or chunks."""
    found: dict[str, GroupFacts] = {}
    for group in groups:
        other = found.setdefault(group.name, group)
        if replace(other, layers=group.layers) != group:
            return ()
        found[group.name] = replace(other, layers=tuple(sorted({*other.layers, *group.layers})))
    return tuple(found.values())


def cache_facts(
    state: tuple[StateTensor, ...], graph: GraphSignature, beside: Sequence[TensorSpec] = ()
) -> tuple[tuple[StateTensor, ...], StateFacts]:
    """The cache facts from the graph's metadata, else inferred from its inputs; and the tensors with their writer.

    beside: inputs of the graphs in the same run, from which facts are inferred as well.
    """
    said = StateFacts.of_metadata(graph.metadata)
    facts = said or infer_facts(state, [*beside, *graph.inputs])  # the last of one name counts, its own
    layers = {layer for group in facts.groups for layer in group.layers}
    if strange := {tensor.layer for tensor in state} - layers:
        raise GraphError(f"The graph's metadata does not list layer {min(strange)} of its cache: export it again.")
    if facts.writer != "host":
        return tuple(replace(tensor, writer="graph") for tensor in state), facts
    state = tuple(replace(tensor, writer="host") for tensor in state)
    return tuple(replace(tensor, gives="rows") for tensor in state) if said else state, facts

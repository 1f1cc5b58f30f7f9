"""Runs the graphs of a composite segment by segment, so that the weights of one layer at most are in memory.

    graphs ──GraphCut──▶ segments ──a pass each: SegmentSessions in a Machine, over all steps──▶ logits of the last pass

A pass feeds all tokens through the real Machine, so that a segment's inputs are those of the runtime. Its cache begins
empty, and holds the rows of the pass's layer alone: no other layer is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.bundle.schema import Pipeline
from workflows.common.errors import GraphError
from workflows.common.tensors import Array, TensorSpec
from workflows.evaluation.parity import comparison_machine, reference_steps
from workflows.evaluation.segment_session import PassWeights, SegmentedGraph, SegmentSession
from workflows.evaluation.segmentation import GraphCut
from workflows.export.reference import STEPS
from workflows.graph.signature import signature_of
from workflows.graph.weights import load_saved_graph
from workflows.runtime.execution.machine import Machine
from workflows.runtime.loading.sessions import SessionPlan, is_emulated
from workflows.runtime.program.compiler import compile_program
from workflows.runtime.program.program import Program
from workflows.runtime.program.signature import FileSignature
from workflows.runtime.providers import device_named

Pass = dict[str, int]  # component → its segment


class SegmentedRunner:
    """Runs one composite in segments; see ParityRunner for the whole graphs."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    def run(
        self,
        files: Mapping[str, Path],
        ids: Sequence[int],
        load: Callable[[Path], ir.Model] = load_saved_graph,
        on_segment: Callable[[int, int], None] = lambda done, total: None,
        mapped: bool = True,
        on_layer: Callable[[int, Mapping[str, Array]], None] | None = None,
        singles: int = STEPS,
        prompt_inputs: Mapping[str, Array] | None = None,
    ) -> dict[int, NDArray[np.float32]]:
        """The logits [V] after the last token of each step, by that token's number; the steps are reference_steps'.

        files: component → its graph. on_segment: receives how many segments are done, of how many, before each. mapped:
        as in ParityRunner.run. on_layer: receives a layer and, by past input, the rows of its cache after all tokens:
        of two graphs that should compute the same, the first layer that differs comes after the fault. singles: see
        reference_steps. prompt_inputs: what comes with the tokens, by the inputs of the graph that reads it: pictures
        or sound. Raises GraphError for graphs that form no decoder, and GraphError and JoineryError where onnxruntime
        cannot open or run a segment.
        """
        components, program = self._components(files, load)
        passes, rows = segment_passes(program, components), dict[int, NDArray[np.float32]]()
        if prompt_inputs and program.source is not None:  # what reads them is one segment, and its rows are kept
            passes[0] |= dict.fromkeys(program.source.sessions, 0)
        for number, active in enumerate(passes):
            on_segment(number, len(passes))
            weights = PassWeights()
            sessions = {name: one.session(active.get(name), weights, mapped) for name, one in components.items()}
            machine = comparison_machine(self._pipeline, sessions, len(ids))
            if prompt_inputs:
                machine.start(prompt_inputs, ids[: len(ids) - singles])
            for row, logits in reference_steps(machine, ids, singles):
                if number == len(passes) - 1:
                    rows[row] = np.array(logits, np.float32)
            if on_layer is not None:
                for layer in sorted(set().union(*(components[name].states(index) for name, index in active.items()))):
                    on_layer(layer, _cache_rows(machine, layer))
            machine.close()
            for opened in sessions.values():
                cast(SegmentSession, opened.session).close()
            weights.release()
            for name, index in active.items():
                components[name].forget(index)
        return rows

    def _components(
        self, files: Mapping[str, Path], load: Callable[[Path], ir.Model]
    ) -> tuple[dict[str, SegmentedGraph], Program]:
        outline, device = self._pipeline.pipeline.outline(), device_named("cpu")
        models = {path: load(path) for path in dict.fromkeys(files[name] for name in outline.sessions)}
        signatures = {name: _signature(models[files[name]]) for name in outline.sessions}
        program = compile_program(self._pipeline, {name: one for name, (one, _) in signatures.items()}, "The pipeline")
        if program.has_encoder or program.final is not None:
            raise GraphError("The graphs read a source or end with a session of its own, so they run whole only.")
        components = {
            name: SegmentedGraph(
                SessionPlan(name, files[name], device),
                GraphCut(models[files[name]], _states(program, name)),
                signature,
                optional,
                frozenset(output for (source, output), _ in outline.edges if source == name),
                is_emulated(self._pipeline, name, device.name),
            )
            for name, (signature, optional) in signatures.items()
        }
        return components, program


def _cache_rows(machine: Machine, layer: int) -> dict[str, Array]:
    """The rows of a layer's keys and values that have a slot, in the order of their positions."""
    cache, (slots, _) = machine.cache, machine.cache.slots.used_slots()
    tensors = [(name, one) for name, one in cache.tensors.items() if one.layer == layer]
    return {name: np.take(cache.past(name), slots, axis=one.slot_axis) for name, one in tensors}


def segment_passes(program: Program, components: Mapping[str, SegmentedGraph]) -> list[Pass]:
    """The segments that run together: one, or one each of prefill and decode, which share a layer's cache."""
    chains = [
        [(name, index) for name in run.sessions for index in range(len(components[name].cut.segments))]
        for run in ([program.prefill] if program.prefill.sessions == program.decode.sessions else program.runs.values())
    ]
    states = [[components[name].states(index) for name, index in chain] for chain in chains]
    if any(other != states[0] for other in states):
        raise GraphError("The graphs of prefill and decode divide into different layers, so they run whole only.")
    return [dict(segments) for segments in zip(*chains, strict=True)]


def _states(program: Program, name: str) -> dict[str, int]:
    """The tensors by which a session reads and writes the cache's memory, and their layers."""
    layers = {one.past: one.layer for one in program.cache_tensors.get(name, ())}
    states = {}
    for past, present in program.memory_names(name):
        number = re.search(r"\d+", past)
        states[past] = states[present] = layers.get(past, int(number[0]) if number else 0)
    return states


def _signature(model: ir.Model) -> tuple[FileSignature, tuple[TensorSpec, ...]]:
    """The graph's signature as that of a session, and the inputs that have a default."""
    graph = onnx.GraphProto(
        input=[ir.serde.serialize_value(value) for value in model.graph.inputs],
        output=[ir.serde.serialize_value(value) for value in model.graph.outputs],
    )
    entries = [onnx.StringStringEntryProto(key=key, value=value) for key, value in model.metadata_props.items()]
    whole = signature_of(onnx.ModelProto(graph=graph, metadata_props=entries))
    optional = tuple(spec for spec in whole.inputs if spec.name in model.graph.initializers)
    fed = tuple(spec for spec in whole.inputs if spec not in optional)
    return FileSignature(fed, whole.outputs, whole.metadata), optional

"""Divides optimum's decoders (two graphs, or one with an If) into graphs with one purpose each.

    decoder_model_merged │ decoder_model + decoder_with_past_model
        with past ──▶ the decoder, one token per run; its past starts with no slots
        without   ──▶ for an encoder-decoder: `cross`, hidden states → cross-attention's keys and values, once

The graph with past was traced for one token: in a longer run, tokens may see later ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import onnx

from workflows.common import tensor_names
from workflows.common.errors import printable
from workflows.graph.load import load_graph
from workflows.graph.signature import signature_of
from workflows.interop.graph_edits import fix_axes, keep_outputs, rename_inputs, resolve_condition, with_known_sizes
from workflows.kvcache.geometry import has_state, layers_of, patterns_of
from workflows.runtime.program.pipeline_inference import BRANCH, CROSS_PAST
from workflows.runtime.program.signature import FileSignature

CROSS = "cross"
_DECODERS = "decoder_"
_COLUMNS = (tensor_names.IDS, tensor_names.EMBEDS, tensor_names.POSITIONS)  # [1, columns, …]
_CROSS_PRESENT = re.compile(r"present\.(\d+)\.encoder\.(key|value)")


@dataclass(frozen=True)
class LooseGraph:
    """A graph to be assembled. model: a changed copy; None for the file unchanged."""

    source: Path
    signature: FileSignature
    model: onnx.ModelProto | None = None


LooseGraphs = dict[str, LooseGraph]


def load_proto(graph: LooseGraph) -> onnx.ModelProto:
    """The graph's protobuf; external weights are not loaded."""
    return graph.model or load_graph(graph.source).proto


@dataclass
class PreparedGraphs:
    """done: changes made to the graphs; problems: why a graph cannot be used; one sentence each."""

    graphs: LooseGraphs
    done: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def prepare_graphs(files: Mapping[str, Path]) -> PreparedGraphs:
    """Loads the graphs `files`, name → file, and divides optimum's decoders. Raises GraphError for an invalid file."""
    models = {name: load_graph(path).proto for name, path in files.items()}
    prepared = PreparedGraphs({name: LooseGraph(files[name], signature_of(model)) for name, model in models.items()})
    for name in files:
        if other := _cross_input_names({spec.name for spec in prepared.graphs[name].signature.inputs}):
            models[name] = rename_inputs(models[name], other)
            prepared.graphs[name] = LooseGraph(files[name], signature_of(models[name]), models[name])
    for name, graph in [*prepared.graphs.items()]:
        if BRANCH in {spec.name for spec in graph.signature.inputs}:
            _divide_decoder(
                prepared, name, graph.source, *(resolve_condition(models[name], BRANCH, past) for past in (True, False))
            )
        elif name in prepared.graphs and (half := _first_run_graph(graph, prepared.graphs)):
            _divide_decoder(prepared, name, prepared.graphs.pop(half).source, models[name], models[half])
    return prepared


def _first_run_graph(graph: LooseGraph, graphs: LooseGraphs) -> str | None:
    """The graph for the first run: it produces the keys and values that `graph` takes, and takes none itself."""
    naming, signature = patterns_of(graph.signature.inputs), graph.signature
    present = naming.present_key % min(layers_of(signature.inputs, naming), default=0)
    if not has_state(signature.inputs, naming) or present not in {spec.name for spec in signature.outputs}:
        return None
    return next(
        (
            name
            for name, other in graphs.items()
            if not has_state(other.signature.inputs, naming)
            and present in {spec.name for spec in other.signature.outputs}
        ),
        None,
    )


def _divide_decoder(
    prepared: PreparedGraphs, name: str, source: Path, then: onnx.ModelProto, first: onnx.ModelProto
) -> None:
    """Makes `name` run for every token, and adds a session for what the first run computes. source: of `first`."""
    prepared.graphs[name] = _step_graph(prepared.graphs[name], then)
    prepared.done.append(f"{name} runs one token at a time, because its graph with past was traced for one.")
    takes = {spec.name for spec in prepared.graphs[name].signature.inputs if CROSS_PAST.fullmatch(spec.name)}
    gives = {one.name: one.name.replace("present", "past_key_values") for one in first.graph.output}
    wanted = {present: past for present, past in gives.items() if past in takes}
    if not wanted:
        return
    # one source, one token: a traced graph takes the batch size from any input, also the decoder's own states
    sizes = {(value.name, 0): 1 for value in first.graph.input} | {(name, 1): 1 for name in _COLUMNS}
    cross = keep_outputs(with_known_sizes(first, sizes), wanted, wanted)
    own = next(own for own in (CROSS, f"{CROSS}_of_{name}", f"{name}_{CROSS}") if own not in prepared.graphs)
    prepared.graphs[own] = LooseGraph(source, signature_of(cross), cross)
    prepared.done.append(
        f"{own} computes the cross-attention keys and values of {name} once: it was a part of {source.name}."
    )
    if odd := {spec.name for spec in prepared.graphs[own].signature.inputs} & {*_COLUMNS}:
        prepared.problems.append(
            f"The cross-attention's keys of {name} depend on {printable(min(odd))} in {printable(source.name)}, and "
            "must depend on the encoder's output only: build the checkpoint with `joinery build`."
        )


def _cross_input_names(inputs: set[str]) -> dict[str, str]:
    """transformers' input names of a decoder behind an encoder → the names used here.

    In transformers, the plain names are the source's, and those of the tokens begin with `decoder_`.
    """
    if f"{_DECODERS}{tensor_names.IDS}" not in inputs:
        return {}
    names_here = {name: name.removeprefix(_DECODERS) for name in inputs if name.startswith(_DECODERS)}
    names_here |= {tensor_names.MASK: tensor_names.PLAIN_SOURCE_MASK} if tensor_names.MASK in inputs else {}
    return {} if {*names_here.values()} & (inputs - names_here.keys()) else names_here


def _step_graph(graph: LooseGraph, model: onnx.ModelProto) -> LooseGraph:
    """The graph with past for one token per run, without the cross-attention's present."""
    outputs = [one.name for one in model.graph.output if not _CROSS_PRESENT.fullmatch(one.name)]
    model = fix_axes(keep_outputs(model, outputs), {(name, 1): 1 for name in (*_COLUMNS, tensor_names.LOGITS)})
    _name_axes(model)
    return replace(graph, signature=signature_of(model), model=model)


def _name_axes(model: onnx.ModelProto) -> None:
    """Copies the heads and head size of past to present, where the exporter lost them."""
    pasts = {one.name: one.type.tensor_type.shape.dim for one in model.graph.input}
    for present in model.graph.output:
        past = pasts.get(present.name.replace("present", "past_key_values"), ())
        axes = present.type.tensor_type.shape.dim
        for place in (1, 3) if len(past) == len(axes) == 4 else ():
            if past[place].HasField("dim_value"):
                axes[place].dim_value = past[place].dim_value

"""optimum's decoders in two graphs, or in one with an If: made into graphs that each have one thing to do.

    decoder_model_merged │ decoder_model + decoder_with_past_model
        with past ──▶ the decoder, for one token a run, its own past beginning with no slots
        without   ──▶ of a decoder behind an encoder: `cross`, hidden states → cross-attention's keys and values, once

The graph with past was traced for one token, so that a longer run in it may see what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import onnx
from onnx import numpy_helper
from onnx.shape_inference import InferenceError, infer_shapes

from workflows import names
from workflows.errors import printable
from workflows.graphs.load import load_graph
from workflows.graphs.signature import signature_of
from workflows.interchange.surgery import kept, resolved, sized
from workflows.kvcache.geometry import NAMINGS, names_state, patterns_of
from workflows.runtime.lacking import BRANCH, CROSS_PAST
from workflows.runtime.signature import FileSignature

CROSS = "cross"
_COLUMNS = (names.IDS, names.EMBEDS, names.POSITIONS)  # [1, columns, …]
_CROSS_PRESENT = re.compile(r"present\.(\d+)\.encoder\.(key|value)")


@dataclass(frozen=True)
class Graph:
    """A graph to be put together with others. model: a changed copy of the file's; None for the file as it is."""

    source: Path
    signature: FileSignature
    model: onnx.ModelProto | None = None


Graphs = dict[str, Graph]


def read_graphs(files: Mapping[str, Path]) -> tuple[Graphs, tuple[str, ...]]:
    """The graphs of `files`, name → file, in optimum's forms each made into what it is for; and why one was not.

    Raises GraphError for a file that is no graph.
    """
    models = {name: load_graph(path).proto for name, path in files.items()}
    found = {name: Graph(files[name], signature_of(model)) for name, model in models.items()}
    first = {name for name, graph in found.items() if _runs_first(graph.signature)}
    lacks: list[str] = []
    for name, graph in list(found.items()):
        takes = {spec.name for spec in graph.signature.inputs}
        if BRANCH in takes:
            found[name] = _stepping(graph, resolved(models[name], BRANCH, True))
            lacks += _hand_over(found, name, graph.source, resolved(models[name], BRANCH, False))
        elif found_first := sorted(one for one in first if one in found and _is_half(found[one].signature, graph)):
            other = found.pop(found_first[0])
            found[name] = _stepping(graph, models[name])
            lacks += _hand_over(found, name, other.source, models[found_first[0]])
    return found, tuple(lacks)


def _runs_first(signature: FileSignature) -> bool:
    """Whether a graph gives keys and values and takes none: a decoder's first run."""
    gives = {spec.name for spec in signature.outputs}
    return not any(names_state(signature.inputs, naming) for naming in NAMINGS) and any(
        naming.present_key % 0 in gives for naming in NAMINGS
    )


def _is_half(first: FileSignature, graph: Graph) -> bool:
    """Whether the graph goes on where `first` ends: it takes, and gives, the keys and values that `first` gives."""
    naming = patterns_of(graph.signature.inputs)
    gives = {spec.name for spec in graph.signature.outputs}
    return names_state(graph.signature.inputs, naming) and naming.present_key % 0 in gives & {
        spec.name for spec in first.outputs
    }


def _stepping(graph: Graph, model: onnx.ModelProto) -> Graph:
    """The graph with past as the machine runs it: for one token, and without the cross-attention's present."""
    outputs = [one.name for one in model.graph.output if not _CROSS_PRESENT.fullmatch(one.name)]
    model = sized(kept(model, outputs), {(name, 1): 1 for name in (*_COLUMNS, names.LOGITS)})
    _name_axes(model)
    return replace(graph, signature=signature_of(model), model=model)


def _name_axes(model: onnx.ModelProto) -> None:
    """Gives present the heads and their size that past has, where the exporter lost them on the way."""
    pasts = {one.name: one.type.tensor_type.shape.dim for one in model.graph.input}
    for present in model.graph.output:
        past = pasts.get(present.name.replace("present", "past_key_values"), ())
        axes = present.type.tensor_type.shape.dim
        for place in (1, 3) if len(past) == len(axes) == 4 else ():
            if past[place].HasField("dim_value"):
                axes[place].dim_value = past[place].dim_value


def _hand_over(found: Graphs, decoder: str, source: Path, first: onnx.ModelProto) -> Iterator[str]:
    """Puts the session beside the decoder that computes its cross-attention's keys and values, where it takes some."""
    takes = {spec.name for spec in found[decoder].signature.inputs if CROSS_PAST.fullmatch(spec.name)}
    gives = {one.name: one.name.replace("present", "past_key_values") for one in first.graph.output}
    wanted = {present: past for present, past in gives.items() if past in takes}
    if not wanted:
        return
    cross = kept(_with_known_sizes(first), wanted, wanted)
    name = next(name for name in (CROSS, f"{CROSS}_of_{decoder}") if name not in found)
    found[name] = Graph(source, signature_of(cross), cross)
    odd = {spec.name for spec in found[name].signature.inputs} & {*_COLUMNS}
    if odd:
        yield (
            f"The cross-attention's keys of {decoder} depend on {printable(min(odd))} in {printable(source.name)}, and "
            "should on the encoder's output alone: build the checkpoint with `joinery build`."
        )


def _with_known_sizes(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy for one source and one token, in which the sizes that follow from that are numbers.

    A traced graph takes the batch for its reshapes from whatever tensor is at hand, the decoder's own among them.
    """
    model = sized(model, {(value.name, 0): 1 for value in model.graph.input} | {(names.IDS, 1): 1})
    shapes = _shapes(model)
    measured: dict[str, str] = {}  # the output of a Shape → what it measures
    inline = onnx.TensorProto.DEFAULT
    numbers = {one.name: one for one in model.graph.initializer if one.data_location == inline}
    for node in model.graph.node:
        if node.op_type == "Shape" and not node.attribute:
            measured[node.output[0]] = node.input[0]
        elif node.op_type == "Constant" and node.attribute[0].name == "value":
            numbers[node.output[0]] = node.attribute[0].t
        elif node.op_type == "Gather" and node.input[0] in measured and node.input[1] in numbers:
            index = numpy_helper.to_array(numbers[node.input[1]])
            size = shapes.get(measured[node.input[0]], {}).get(int(index)) if index.ndim == 0 else None
            if size is not None:
                _become(node, size)
    return model


def _become(node: onnx.NodeProto, size: int) -> None:
    """Makes the node a constant."""
    made = onnx.helper.make_tensor("", onnx.TensorProto.INT64, [], [size])
    node.CopyFrom(onnx.helper.make_node("Constant", [], list(node.output), name=node.name, value=made))


def _shapes(model: onnx.ModelProto) -> dict[str, dict[int, int]]:
    """Value → axis → size, for the axes that are known."""
    bare = kept(model, [one.name for one in model.graph.output])
    for value in bare.graph.output:
        value.type.tensor_type.ClearField("shape")
    del bare.graph.value_info[:]
    try:
        graph = infer_shapes(bare, data_prop=True).graph
    except InferenceError:  # nothing is known then, and what depends on it is told
        return {}
    values = (*graph.input, *graph.output, *graph.value_info)
    dims = {one.name: one.type.tensor_type.shape.dim for one in values}
    return {
        name: {axis: dim.dim_value for axis, dim in enumerate(axes) if dim.HasField("dim_value")}
        for name, axes in dims.items()
    }

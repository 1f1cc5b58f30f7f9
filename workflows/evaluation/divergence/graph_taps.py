"""Graphs for inspecting a model: with additional outputs, or with some nodes only.

graph, values ──add_outputs──▶ the graph, and the names of the outputs with these values
graph, targets, leaves ──extract_nodes──▶ the nodes that compute the targets from the leaves, which become inputs
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy

import numpy as np
import onnx

from workflows.graph.dtypes import dtype_name
from workflows.graph.subgraphs import values_read

EXTRACTED_PREFIX = "joinery.own."
_TAP = "joinery.tap."


def add_outputs(model: onnx.ModelProto, values: Iterable[str]) -> tuple[bytes, dict[str, str]]:
    """Returns the serialized graph with `values` among its outputs, and output → value.

    An existing input or output is copied under another name, because the machine consumes the original.
    """
    made = deepcopy(model)
    graph = made.graph
    ends = {info.name for info in (*graph.input, *graph.output)}
    types = {info.name: info.type for info in (*graph.value_info, *graph.input, *graph.output)}
    names: dict[str, str] = {}
    for value in dict.fromkeys(values):
        output = _TAP + value if value in ends else value
        if value in ends:
            graph.node.add(op_type="Identity", name=output, input=[value], output=[output])
        graph.output.append(onnx.ValueInfoProto(name=output, type=types.get(value)))
        names[output] = value
    return bytes(made.SerializeToString()), names


class ProducerIndex:
    """The producer of each value in a graph."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model, graph = model, model.graph
        self._makers = {name: index for index, node in enumerate(graph.node) for name in node.output if name}
        self._inputs = {info.name for info in graph.input} - {tensor.name for tensor in graph.initializer}

    def segment(self, targets: Iterable[str], leaves: Collection[str]) -> tuple[list[int], list[str]]:
        """Returns the nodes that compute `targets` from `leaves`, in order, and the leaves and inputs they read."""
        needed: set[int] = set()
        read: dict[str, None] = {}
        waiting = [self._makers[name] for name in targets]
        while waiting:
            index = waiting.pop()
            if index in needed:
                continue
            needed.add(index)
            for name in values_read(self.model.graph.node[index]):
                if name in leaves or name in self._inputs:
                    read[name] = None
                elif name in self._makers:
                    waiting.append(self._makers[name])
        return sorted(needed), list(read)


def extract_nodes(
    wiring: ProducerIndex, targets: Collection[str], leaves: Collection[str], types: Mapping[str, str]
) -> onnx.ModelProto:
    """Returns the nodes that compute `targets` from leaves; their outputs are named EXTRACTED_PREFIX and the target.

    types: leaf → numpy's name of its element type.
    """
    model, graph = wiring.model, wiring.model.graph
    nodes, read = wiring.segment(targets, leaves)
    made = onnx.ModelProto(ir_version=model.ir_version, opset_import=model.opset_import, functions=model.functions)
    made.graph.name = graph.name
    copies = {index: onnx.NodeProto.FromString(graph.node[index].SerializeToString()) for index in nodes}
    for node in copies.values():
        for place, name in enumerate(node.output):
            if name in targets or name in leaves:
                node.output[place] = EXTRACTED_PREFIX + name
    made.graph.node.extend(copies.values())
    known = {info.name: info for info in (*graph.input, *graph.value_info, *graph.output)}
    made.graph.input.extend(_input(name, known.get(name), types.get(name)) for name in read)
    made.graph.output.extend(onnx.ValueInfoProto(name=EXTRACTED_PREFIX + name) for name in targets)
    used = {name for node in copies.values() for name in values_read(node)}
    made.graph.initializer.extend(tensor for tensor in graph.initializer if tensor.name in used)
    made.graph.sparse_initializer.extend(one for one in graph.sparse_initializer if one.values.name in used)
    return made


def _input(name: str, known: onnx.ValueInfoProto | None, dtype: str | None) -> onnx.ValueInfoProto:
    if known is not None and (dtype is None or dtype_name(known.type.tensor_type.elem_type) == dtype):
        return known
    assert dtype is not None  # a graph says the types of its inputs, and a leaf was seen
    code = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return onnx.helper.make_tensor_value_info(name, code, None)

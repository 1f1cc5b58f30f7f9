"""Edits of copied graphs: resolve an If, keep chosen outputs, rename inputs, fix axes.

No weights are read: an initializer is copied or dropped by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import onnx
from onnx import helper

from workflows.common.errors import GraphError, printable
from workflows.graph.subgraphs import all_graphs, values_read


def resolve_condition(model: onnx.ModelProto, condition: str, value: bool) -> onnx.ModelProto:
    """A copy in which every If on the input `condition` is replaced by its branch, and the input is removed.

    Raises GraphError where a branch redefines a name of the outer graph.
    """
    copy = _copied(model)
    graph = copy.graph
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type == "If" and list(node.input) == [condition]:
            nodes += _body(node, graph, value)
        else:
            nodes.append(node)
    _put(graph.node, nodes)
    if condition not in {name for node in nodes for name in values_read(node)}:
        _put(graph.input, [one for one in graph.input if one.name != condition])
    return copy


def _body(node: onnx.NodeProto, graph: onnx.GraphProto, value: bool) -> list[onnx.NodeProto]:
    """The nodes of one branch, plus nodes that name its outputs like the If's; its weights move to the graph."""
    name = "then_branch" if value else "else_branch"
    body = next((attribute.g for attribute in node.attribute if attribute.name == name), None)
    if body is None or len(body.output) != len(node.output):
        raise GraphError(f"The If {printable(node.name)} has no {name} with its outputs: get the graph again.")
    known = {tensor.name for tensor in graph.initializer} | {one.name for one in graph.input}
    made = {output for inner in body.node for output in inner.output} | {tensor.name for tensor in body.initializer}
    if twice := sorted(known & made):
        raise GraphError(f"The name {printable(twice[0])} is defined twice in the graph: get the graph again.")
    graph.initializer.extend(body.initializer)
    graph.sparse_initializer.extend(body.sparse_initializer)
    graph.value_info.extend(body.value_info)
    pairs = zip((one.name for one in body.output), node.output, strict=True)
    return [*body.node, *(helper.make_node("Identity", [own], [outer]) for own, outer in pairs if own != outer)]


def keep_outputs(
    model: onnx.ModelProto, outputs: Iterable[str], names: Mapping[str, str] | None = None
) -> onnx.ModelProto:
    """A copy with only these outputs and the nodes they need. names: output → new name."""
    copy, names = _copied(model), names or {}
    graph, wanted = copy.graph, list(outputs)
    _put(graph.output, [one for one in graph.output if one.name in wanted])
    _put(graph.node, _needed(graph.node, wanted))
    read = {name for node in graph.node for name in values_read(node)} | {*wanted}
    for output in graph.output:
        if output.name in names:
            graph.node.append(helper.make_node("Identity", [output.name], [names[output.name]]))
            output.name = names[output.name]
    made = {name for node in graph.node for name in node.output}
    _put(graph.input, [one for one in graph.input if one.name in read])
    _put(graph.initializer, [one for one in graph.initializer if one.name in read])
    _put(graph.sparse_initializer, [one for one in graph.sparse_initializer if one.values.name in read])
    _put(graph.value_info, [one for one in graph.value_info if one.name in made])
    return copy


def _needed(nodes: Iterable[onnx.NodeProto], wanted: Collection[str]) -> list[onnx.NodeProto]:
    """The nodes that the wanted values need, in order."""
    needed, nodes_needed = {*wanted}, []
    for node in reversed(list(nodes)):
        if needed & {*node.output}:
            nodes_needed.append(node)
            needed |= {*values_read(node)}
    return nodes_needed[::-1]


def rename_inputs(model: onnx.ModelProto, names: Mapping[str, str]) -> onnx.ModelProto:
    """A copy with renamed inputs, old → new."""
    copy = _copied(model)
    for value in copy.graph.input:
        value.name = names.get(value.name, value.name)
    for node in (node for graph in all_graphs(copy.graph) for node in graph.node):
        node.input[:] = [names.get(name, name) for name in node.input]
    return copy


def fix_axes(model: onnx.ModelProto, sizes: Mapping[tuple[str, int], int]) -> onnx.ModelProto:
    """A copy in which axes of inputs and outputs, (name, axis), have these sizes; absent ones are ignored."""
    copy = _copied(model)
    for value in (*copy.graph.input, *copy.graph.output):
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if (value.name, axis) in sizes:
                dim.dim_value = sizes[value.name, axis]
    return copy


def _copied(model: onnx.ModelProto) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


def _put(field: Any, items: list[Any]) -> None:
    """Replaces the contents of a repeated field by `items`."""
    del field[:]
    field.extend(items)

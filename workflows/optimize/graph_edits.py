"""Edits of a graph: new nodes in place of old ones, with the names of the old outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import onnx_ir as ir

from workflows.optimize.graph_checks import CONTRIB


def make_node(
    op: str,
    inputs: Sequence[ir.Value | None],
    outputs: Sequence[ir.Value],
    attributes: Mapping[str, Any] | None = None,
    *,
    like: ir.Node,
    domain: str = "",
) -> ir.Node:
    """Returns a node with the scope of the node `like`, named after its first output."""
    return ir.node(
        op,
        inputs,
        attributes,
        domain=domain,
        outputs=outputs,
        name=f"{op}.{outputs[0].name}",
        metadata_props=dict(like.metadata_props),
    )


def new_value_like(value: ir.Value, suffix: str = "", shape: ir.Shape | None = None) -> ir.Value:
    """Returns a value of the same type without a producer; without a suffix, it will take the other's name."""
    name = f"{value.name}.{suffix}" if suffix else value.name
    return ir.Value(name=name, type=value.type, shape=shape or (None if suffix else value.shape))


def replace_nodes(old: Sequence[ir.Value], new: Sequence[ir.Value], nodes: Sequence[ir.Node], at: ir.Node) -> None:
    """Inserts `nodes` after `at`, replaces `old` by `new` for all readers, and removes unused nodes."""
    graph = at.graph
    assert graph is not None  # a node that is being replaced is in a graph
    graph.insert_after(at, nodes)
    for domain in {node.domain for node in nodes} & {CONTRIB}:
        graph.opset_imports.setdefault(domain, 1)
    producers = [value.producer() for value in old]
    for before, after in zip(old, new, strict=True):
        before.replace_all_uses_with(after, replace_graph_outputs=True)
        before.name = f"{before.name}.replaced"
    for producer in producers:
        if producer is not None:
            drop_unused(producer)


def bypass(old: ir.Value, new: ir.Value) -> None:
    """Replaces `old` by the existing value `new` for all readers. `old` must not be an output of the graph."""
    producer = old.producer()
    old.replace_all_uses_with(new)
    if producer is not None:
        drop_unused(producer)


def drop_unused(node: ir.Node) -> None:
    """Removes the node if nothing reads its outputs, and then the nodes that only it read."""
    if node.graph is None or any(output.uses() or output.is_graph_output() for output in node.outputs):
        return
    sources = [value for value in dict.fromkeys(node.inputs) if value is not None]
    node.graph.remove(node, safe=True)
    for value in sources:
        producer = value.producer()
        if producer is not None:
            drop_unused(producer)
        elif value.is_initializer() and not value.uses() and not value.is_graph_output() and value.graph is not None:
            value.graph.initializers.pop(str(value.name), None)


def add_initializer(graph: ir.Graph, name: str, tensor: ir.TensorProtocol) -> ir.Value:
    """Returns the graph's initializer of that name; creates it from `tensor` if it does not exist."""
    if name in graph.initializers:
        return graph.initializers[name]
    value = ir.Value(name=name, type=ir.TensorType(tensor.dtype), shape=ir.Shape(tensor.shape), const_value=tensor)
    graph.register_initializer(value)
    return value


def add_constant(graph: ir.Graph, name: str, content: Any, dtype: ir.DataType) -> ir.Value:
    """Returns a small initializer of a list or number."""
    return add_initializer(graph, name, ir.tensor(content, dtype=dtype, name=name))

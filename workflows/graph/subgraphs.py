"""Graphs inside graphs: the branches of an If, the bodies of Loop and Scan, and what they read from around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import onnx


def subgraphs_of(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """The graphs inside a node: the branches of an If, the body of a Loop or Scan."""
    found: list[onnx.GraphProto] = []
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            found.append(attribute.g)
        elif attribute.type == onnx.AttributeProto.GRAPHS:
            found.extend(attribute.graphs)
    return found


def all_graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """The graph, and the bodies of its nodes at any depth."""
    yield graph
    for node in graph.node:
        for body in subgraphs_of(node):
            yield from all_graphs(body)


def all_tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """Every tensor of a model: initializers, and those in nodes' attributes, bodies and functions included."""
    for graph in all_graphs(model.graph):
        yield from graph.initializer
        yield from _parts_of(graph.sparse_initializer)
    for nodes in (model.graph.node, *(function.node for function in model.functions)):
        for node in all_nodes(nodes):
            for attribute in node.attribute:
                yield from (attribute.t, *attribute.tensors)
                yield from _parts_of((attribute.sparse_tensor, *attribute.sparse_tensors))


def _parts_of(sparse: Iterable[onnx.SparseTensorProto]) -> Iterator[onnx.TensorProto]:
    for one in sparse:
        yield from (one.values, one.indices)


def all_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """The nodes, and those of their bodies."""
    for node in nodes:
        yield node
        for body in subgraphs_of(node):
            yield from all_nodes(body.node)


def values_read(node: onnx.NodeProto) -> Iterator[str]:
    """What a node reads, and its bodies from around them; a body's own value may have the name of one outside."""
    yield from node.input
    for body in subgraphs_of(node):
        own = {value.name for value in body.input} | {tensor.name for tensor in body.initializer}
        own |= {tensor.values.name for tensor in body.sparse_initializer}
        own |= {name for inner in body.node for name in inner.output}
        read = (name for inner in body.node for name in values_read(inner))
        yield from (name for name in (*read, *(value.name for value in body.output)) if name not in own)

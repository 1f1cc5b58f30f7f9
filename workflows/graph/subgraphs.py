"""Subgraphs: the branches of an If, the bodies of Loop and Scan, and the outer values that they read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import onnx


def subgraphs_of(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """Returns the graphs inside a node: the branches of an If, the body of a Loop or Scan."""
    graphs: list[onnx.GraphProto] = []
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            graphs.append(attribute.g)
        elif attribute.type == onnx.AttributeProto.GRAPHS:
            graphs.extend(attribute.graphs)
    return graphs


def all_graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """Yields the graph and its subgraphs at any depth."""
    yield graph
    for node in graph.node:
        for body in subgraphs_of(node):
            yield from all_graphs(body)


def all_tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """Yields every tensor of a model: initializers, and tensors in attributes, subgraphs and functions."""
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
    """Yields the nodes and those of their subgraphs."""
    for node in nodes:
        yield node
        for body in subgraphs_of(node):
            yield from all_nodes(body.node)


def values_read(node: onnx.NodeProto) -> Iterator[str]:
    """Returns the values that a node and its subgraphs read; a subgraph's own value may hide an outer one."""
    yield from node.input
    for body in subgraphs_of(node):
        own = {value.name for value in body.input} | {tensor.name for tensor in body.initializer}
        own |= {tensor.values.name for tensor in body.sparse_initializer}
        own |= {name for inner in body.node for name in inner.output}
        read = (name for inner in body.node for name in values_read(inner))
        yield from (name for name in (*read, *(value.name for value in body.output)) if name not in own)

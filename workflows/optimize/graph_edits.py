"""Edits of a graph: new nodes in place of old ones, with the names of the old outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import onnx_ir as ir
from numpy.typing import NDArray

from workflows.optimize.graph_checks import CONTRIB

FLOAT32_KEY = "joinery.float32"  # in a node's metadata: 16 bits are too few for what it computes


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


def keeps_float32(node: ir.Node) -> bool:
    """Whether the pass that made the node requires float32, whatever the precision of the graph."""
    return FLOAT32_KEY in node.metadata_props


class NodeBuilder:
    """Collects nodes in place of the node `like`, which keep float32; their values are named after its first output.

    graph: where their constants are, also those of nodes in a subgraph. prefix: other names, for these.
    """

    def __init__(self, graph: ir.Graph, like: ir.Node, prefix: str = "") -> None:
        self.graph, self.like, self.nodes = graph, like, list[ir.Node]()
        self._prefix = prefix or str(like.outputs[0].name)
        self._dtype = like.outputs[0].dtype

    def add(self, op: str, *inputs: ir.Value, dtype: ir.DataType | None = None, **attributes: Any) -> ir.Value:
        """Adds a node with one output and returns it. dtype: the output's, None for that of the node `like`."""
        (output,) = self.add_all(op, inputs, 1, attributes)
        output.type = output.type if dtype is None else ir.TensorType(dtype)
        return output

    def add_all(
        self,
        op: str,
        inputs: Sequence[ir.Value | None],
        count: int,
        attributes: Mapping[str, Any] | None = None,
        domain: str = "",
    ) -> list[ir.Value]:
        """Adds a node with `count` outputs and returns them."""
        prefix, kind = f"{self._prefix}.{len(self.nodes)}", self.like.outputs[0].type
        outputs = [ir.Value(name=f"{prefix}.{index}", type=kind) for index in range(count)]
        node = make_node(op, inputs, outputs, attributes, like=self.like, domain=domain)
        node.metadata_props[FLOAT32_KEY] = "1"
        self.nodes.append(node)
        return outputs

    def reshape(self, value: ir.Value, *shape: int) -> ir.Value:
        """Reshapes `value`; 0 keeps an axis, -1 is what remains."""
        return self.add("Reshape", value, self.whole(*shape))

    def whole(self, *numbers: int) -> ir.Value:
        """Returns a constant of whole numbers, which equal ones share."""
        return add_constant(self.graph, f"whole.{'_'.join(map(str, numbers))}", list(numbers), ir.DataType.INT64)

    def floats(self, name: str, array: NDArray[Any]) -> ir.Value:
        """Returns the constant of that name in the type of the outputs."""
        assert self._dtype is not None  # the pass has checked it
        tensor = ir.tensor(array.astype(self._dtype.numpy()), name=name)
        return add_initializer(self.graph, name, tensor)

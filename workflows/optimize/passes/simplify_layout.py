"""Simplifies chains of Reshape and Transpose."""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Pass, PassResult
from workflows.optimize.graph_edits import bypass, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import constant_array, dimensions, find_nodes, producer


class SimplifyLayout(Pass):
    """Removes a Transpose that undoes another, a Reshape of a Reshape, and one that changes nothing."""

    name = "simplify_layout"
    title = "Shorter chains of Reshape and Transpose"

    def call(self, model: ir.Model) -> PassResult:
        modified, changing = False, True
        while changing:
            changing = False
            for node in find_nodes(model.graph, "Reshape", "Transpose"):
                simplify = _simplify_transpose if node.op_type == "Transpose" else _simplify_reshape
                changing |= node.graph is not None and simplify(node)
            modified |= changing
        return PassResult(modified)


def _simplify_transpose(node: ir.Node) -> bool:
    inner = producer(node.inputs[0], "Transpose")
    perm = node.attributes.get_ints("perm", ())
    first = inner.attributes.get_ints("perm", ()) if inner is not None else ()
    if inner is None or inner.inputs[0] is None or len(perm) != len(first) or not perm:
        return False
    both = [first[axis] for axis in perm]
    if both == sorted(both):
        return _redirect_output(node, inner.inputs[0])
    result = new_value_like(node.outputs[0])
    replacement = make_node("Transpose", [inner.inputs[0]], [result], {"perm": both}, like=node)
    replace_nodes([node.outputs[0]], [result], [replacement], node)
    return True


def _simplify_reshape(node: ir.Node) -> bool:
    """Removes the inner Reshape if the outer one copies none of its axes (0)."""
    source, target = node.inputs[0], constant_array(node.inputs[1])
    if source is None or target is None or (0 in target and not node.attributes.get_int("allowzero", 0)):
        return False
    inner = producer(source, "Reshape")
    origin = inner.inputs[0] if inner is not None else source
    if origin is None:
        return False
    if _equals(origin, [int(size) for size in target]):
        return _redirect_output(node, origin)
    if inner is None:
        return False
    result = new_value_like(node.outputs[0])
    shorter = make_node("Reshape", [origin, node.inputs[1]], [result], dict(node.attributes.items()), like=node)
    replace_nodes([node.outputs[0]], [result], [shorter], node)
    return True


def _equals(value: ir.Value, target: list[int]) -> bool:
    """Whether a value already has the target's shape; one symbolic axis may match -1."""
    axes = dimensions(value)
    if axes is None or len(axes) != len(target) or 0 in target:
        return False
    return all(axis == size or (size == -1 and isinstance(axis, str)) for axis, size in zip(axes, target, strict=True))


def _redirect_output(node: ir.Node, value: ir.Value) -> bool:
    """Replaces the node's output by `value` for all readers, unless it is an output of the graph."""
    if node.outputs[0].is_graph_output():
        return False
    bypass(node.outputs[0], value)
    return True

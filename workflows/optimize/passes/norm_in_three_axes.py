"""Computes a norm over heads of a rank-4 input on a rank-3 view whose first axis is 1.

    x [B,N,H,D] ── RMSNormalization  →  Reshape [1, B·N·H, D] ── RMSNormalization ── Reshape [B,N,H,D]

Qualcomm's HTP computes norms wrongly, by as much as the values, if the rows span more than one axis
([1,3,32,32] and [3,32,32] are wrong, [1,96,32] is right; onnxruntime-qnn 2.7.0); decode has one column and one row a
head and is hardly affected.
"""

from __future__ import annotations

from math import prod

import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_edits import add_constant, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import dimensions, find_nodes, is_last_axis

_NORMS = ("RMSNormalization", "LayerNormalization")


class NormInThreeAxes(Pass):
    """Norms over the last axis of rank-4 inputs; their outputs keep the shape."""

    name = "norm_in_three_axes"
    title = "Norms over heads on three axes"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for node in find_nodes(model.graph, *_NORMS):
            axes = dimensions(node.inputs[0])
            if axes is None or len(axes) != 4:
                continue
            if not (reason := _reason_against(node, axes)):
                _flatten(node, axes)
            yield refusal_of(node, reason)


def _reason_against(node: ir.Node, axes: tuple[int | str | None, ...]) -> str:
    if not is_last_axis(node.attributes.get_int("axis", -1), node.inputs[0]):
        return "it norms over more than the last axis"
    if len([value for value in node.outputs if value.uses() or value.is_graph_output()]) > 1:
        return "its mean or deviation is read too"
    if sum(not isinstance(axis, int) for axis in axes) > 1:
        return "two of its axes have no fixed size, and a Reshape can leave one open"
    return ""


def _flatten(node: ir.Node, axes: tuple[int | str | None, ...]) -> None:
    """[B,N,H,D] → [1,B·N·H,D] → [B,N,H,D]; the Reshape infers an axis of unknown size."""
    graph, source = node.graph, node.inputs[0]
    assert graph is not None and source is not None  # it was found in a graph
    whole = [axis if isinstance(axis, int) else -1 for axis in axes]
    *rows, size = whole
    count = -1 if -1 in rows else prod(rows)
    flat = new_value_like(source, f"{node.outputs[0].name}.flat", ir.Shape([1, count if count > 0 else None, size]))
    normed = new_value_like(node.outputs[0], "flat", ir.Shape([1, count if count > 0 else None, size]))
    result = new_value_like(node.outputs[0])
    name = node.outputs[0].name
    to_three = add_constant(graph, f"{name}.three", [1, count, size], ir.DataType.INT64)
    to_four = add_constant(graph, f"{name}.four", whole, ir.DataType.INT64)
    attributes = {key: value.value for key, value in node.attributes.items()} | {"axis": -1}
    nodes = [
        make_node("Reshape", [source, to_three], [flat], like=node),
        make_node(node.op_type, [flat, *node.inputs[1:]], [normed], attributes, like=node),
        make_node("Reshape", [normed, to_four], [result], like=node),
    ]
    replace_nodes([node.outputs[0]], [result], nodes, node)

"""Subtracts the mean before a LayerNormalization of sixteen rows.

    x ── LayerNormalization (scale, bias)  →  x − ReduceMean(x) ── RMSNormalization (scale) ── Add bias

Qualcomm's HTP computes a LayerNormalization of exactly 16 rows wrongly on 16-bit grids, by more than the values,
for all sizes (32 to 768; 1 to 15, 17, 32 and 64 rows are right; onnxruntime-qnn 2.7.0). LN(x) is the RMS norm of
x without its mean.
"""

from __future__ import annotations

from math import prod

import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_edits import add_constant, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import dimensions, find_nodes, is_last_axis

_WRONG_ROW_COUNT = 16  # rows


class MeansApart(Pass):
    """LayerNormalization over the last axis with the row count that the HTP computes wrongly."""

    name = "means_apart"
    title = "LayerNorms of 16 rows with the mean subtracted first"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for node in find_nodes(model.graph, "LayerNormalization"):
            axes = dimensions(node.inputs[0])
            rows = [axis for axis in (axes or ())[:-1] if isinstance(axis, int)]
            if axes is None or len(rows) != len(axes) - 1 or prod(rows) != _WRONG_ROW_COUNT:
                continue
            if not (reason := _reason_against(node)):
                _subtract_mean(node, [*rows, 1])
            yield refusal_of(node, reason)


def _reason_against(node: ir.Node) -> str:
    if not is_last_axis(node.attributes.get_int("axis", -1), node.inputs[0]):
        return "it norms over more than the last axis"
    if len([value for value in node.outputs if value.uses() or value.is_graph_output()]) > 1:
        return "its mean or deviation is read too"
    return ""


def _subtract_mean(node: ir.Node, rows: list[int]) -> None:
    """rows: the shape of the mean."""
    graph, source = node.graph, node.inputs[0]
    assert graph is not None and source is not None  # it was found in a graph
    name = node.outputs[0].name
    mean = new_value_like(source, f"{name}.mean", ir.Shape(rows))
    centred = new_value_like(source, f"{name}.centred", source.shape)
    result = new_value_like(node.outputs[0])
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    normed = result if bias is None else new_value_like(node.outputs[0], "normed", node.outputs[0].shape)
    kept = {"axis": -1, "epsilon": node.attributes.get_float("epsilon", 1e-5)}
    axis = add_constant(graph, f"{name}.axis", [-1], ir.DataType.INT64)
    nodes = [
        make_node("ReduceMean", [source, axis], [mean], {"keepdims": 1}, like=node),
        make_node("Sub", [source, mean], [centred], like=node),
        make_node("RMSNormalization", [centred, node.inputs[1]], [normed], kept, like=node),
    ]
    if bias is not None:
        nodes.append(make_node("Add", [normed, bias], [result], like=node))
    replace_nodes([node.outputs[0]], [result], nodes, node)

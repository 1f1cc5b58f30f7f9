"""A LayerNormalization of sixteen rows, with its mean taken away before it.

    x ── LayerNormalization (scale, bias)  →  x − ReduceMean(x) ── RMSNormalization (scale) ── Add bias

Qualcomm's HTP computes a LayerNormalization of exactly 16 rows wrongly on 16-bit grids, by more than the values are,
whatever their size (32 to 768; 1 to 15, 17, 32 and 64 rows are right; onnxruntime-qnn 2.7.0). LN(x) is the RMS norm of
what is left without the mean.
"""

from __future__ import annotations

from math import prod

import onnx_ir as ir

from workflows.optimize.base import Outcome, Refusal, Rewrite
from workflows.optimize.edit import add_constant, make_node, replace, twin
from workflows.optimize.match import is_last_axis, nodes_of, sizes

_WRONG = 16  # rows


class MeansApart(Rewrite):
    """LayerNormalization over the last axis, where its rows are as many as the HTP has wrong."""

    name = "means_apart"
    title = "LayerNorms of 16 rows with the mean apart"

    def call(self, model: ir.Model) -> Outcome:
        """See Pass."""
        modified, refused = False, []
        for node in nodes_of(model.graph, "LayerNormalization"):
            axes = sizes(node.inputs[0])
            rows = [axis for axis in (axes or ())[:-1] if isinstance(axis, int)]
            if axes is None or len(rows) != len(axes) - 1 or prod(rows) != _WRONG:
                continue
            reason = _reason_against(node)
            if reason:
                refused.append(Refusal(reason, str(node.name)))
            else:
                _take_apart(node, [*rows, 1])
                modified = True
        return Outcome(modified, tuple(refused))


def _reason_against(node: ir.Node) -> str:
    if not is_last_axis(node.attributes.get_int("axis", -1), node.inputs[0]):
        return "it norms over more than the last axis"
    if len([value for value in node.outputs if value.uses() or value.is_graph_output()]) > 1:
        return "its mean or deviation is read too"
    return ""


def _take_apart(node: ir.Node, rows: list[int]) -> None:
    """rows: the shape of the mean."""
    graph, source = node.graph, node.inputs[0]
    assert graph is not None and source is not None  # it was found in a graph
    name = node.outputs[0].name
    mean = twin(source, f"{name}.mean", ir.Shape(rows))
    centred = twin(source, f"{name}.centred", source.shape)
    result = twin(node.outputs[0])
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    normed = result if bias is None else twin(node.outputs[0], "normed", node.outputs[0].shape)
    kept = {"axis": -1, "epsilon": node.attributes.get_float("epsilon", 1e-5)}
    axis = add_constant(graph, f"{name}.axis", [-1], ir.DataType.INT64)
    nodes = [
        make_node("ReduceMean", [source, axis], [mean], {"keepdims": 1}, like=node),
        make_node("Sub", [source, mean], [centred], like=node),
        make_node("RMSNormalization", [centred, node.inputs[1]], [normed], kept, like=node),
    ]
    if bias is not None:
        nodes.append(make_node("Add", [normed, bias], [result], like=node))
    replace([node.outputs[0]], [result], nodes, node)

"""Replaces Attention's boolean mask by a float mask, which is added.

    Attention(q, k, v, mask: bool)  →  Attention(q, k, v, Where(mask, 0, lowest))

Qualcomm's HTP supports float masks only. With the finite lowest number, a fully masked row gives the mean of all
values, and never NaN.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from workflows.optimize.base import Pass, PassResult
from workflows.optimize.graph_edits import add_initializer, make_node
from workflows.optimize.queries import find_nodes, largest_finite

_MASK = 3  # Attention's input


class FloatMasks(Pass):
    """Converts the boolean masks of Attention; one node for all that share a mask."""

    name = "float_masks"
    title = "Masks of numbers for attention"

    def call(self, model: ir.Model) -> PassResult:
        made: dict[tuple[ir.Value, ir.DataType], ir.Value] = {}
        for node in find_nodes(model.graph, "Attention"):
            mask = node.inputs[_MASK] if len(node.inputs) > _MASK else None
            kind = node.inputs[0].dtype if node.inputs[0] is not None else None
            if mask is None or kind is None or mask.dtype != ir.DataType.BOOL:
                continue
            if (mask, kind) not in made:
                made[mask, kind] = _numeric_mask(node, mask, kind)
            node.replace_input_with(_MASK, made[mask, kind])
        return PassResult(bool(made))


def _numeric_mask(node: ir.Node, mask: ir.Value, kind: ir.DataType) -> ir.Value:
    graph = node.graph
    assert graph is not None  # it was found in one
    seen, hidden = (
        _number(graph, kind, end, value) for end, value in (("seen", 0.0), ("hidden", -largest_finite(kind)))
    )
    result = ir.Value(name=f"{mask.name}.{kind.name}", type=ir.TensorType(kind), shape=mask.shape)
    graph.insert_before(node, make_node("Where", [mask, seen, hidden], [result], like=node))
    return result


def _number(graph: ir.Graph, kind: ir.DataType, end: str, value: float) -> ir.Value:
    name = f"joinery.{end}.{kind.name}"
    return add_initializer(graph, name, ir.tensor(np.array(value, kind.numpy()), name=name))

"""Replaces ONNX's Gelu by the contrib operators of onnxruntime.

    Gelu  →  com.microsoft.Gelu           Gelu(approximate = "tanh")  →  com.microsoft.FastGelu

DirectML has kernels for these, and none for ONNX's own, which came with opset 20.
"""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import make_node, new_value_like, replace_nodes
from workflows.optimize.queries import find_nodes

_OPERATORS = {"none": "Gelu", "tanh": "FastGelu"}
_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16)


class ContribGelu(Pass):
    """Both forms of ONNX's Gelu; refuses types that onnxruntime's operators do not support."""

    name = "contrib_gelu"
    title = "Gelu as onnxruntime's own operator"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for node in find_nodes(model.graph, "Gelu"):
            x, result = node.inputs[0], node.outputs[0]
            if x is None or x.dtype not in _TYPES:
                yield refusal_of(node, f"its type is {x and x.dtype}")
                continue
            operator, new = _OPERATORS[node.attributes.get_string("approximate", "none")], new_value_like(result)
            replace_nodes([result], [new], [make_node(operator, [x], [new], like=node, domain=CONTRIB)], node)
            yield None

"""Gelu in the operators that onnxruntime had before ONNX had one.

    Gelu  →  com.microsoft.Gelu           Gelu(approximate = "tanh")  →  com.microsoft.FastGelu

DirectML has kernels for these, and none for ONNX's own, which came with opset 20.
"""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Outcome, Refusal, Rewrite
from workflows.optimize.edit import make_node, replace, twin
from workflows.optimize.hygiene import CONTRIB
from workflows.optimize.match import nodes_of

_OPERATORS = {"none": "Gelu", "tanh": "FastGelu"}
_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16)


class ContribGelu(Rewrite):
    """ONNX's Gelu of both kinds; refuses types that onnxruntime's own do not take."""

    name = "contrib_gelu"
    title = "Gelu as onnxruntime's own operator"

    def call(self, model: ir.Model) -> Outcome:
        """See Pass."""
        modified, refused = False, []
        for node in nodes_of(model.graph, "Gelu"):
            x, result = node.inputs[0], node.outputs[0]
            if x is None or x.dtype not in _TYPES:
                refused.append(Refusal(f"its type is {x and x.dtype}", str(node.name)))
                continue
            operator, new = _OPERATORS[node.attributes.get_string("approximate", "none")], twin(result)
            replace([result], [new], [make_node(operator, [x], [new], like=node, domain=CONTRIB)], node)
            modified = True
        return Outcome(modified, tuple(refused))

"""8-bit products for prompts: signed columns of weights, and rows of activations by their own range.

x · W + b  →  m · DynamicQuantizeMatMul(x ÷ m, q [K,N], scales [N]) + b,    m = max |x| of each row

The operator has one range for all rows of a run: without m, a token with activations a thousand times larger, as the
first token of many models has, would leave the others no bits. The head and tables of tokens keep the method of steps,
so that both graphs share them: a prompt needs the logits of one row. So do nodes that a recipe gives a precision.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from workflows.optimize.base import PassResult, Refusal
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import NodeBuilder, make_node, new_value_like, replace_nodes
from workflows.quantize.base import Method, Ranges
from workflows.quantize.int8_dynamic import SIGNED, integer_weights
from workflows.quantize.linear_layers import LinearProduct, find_head, find_linears
from workflows.recipe import QuantizeSettings


class FastPrefill(Method):
    """The products of a prompt's layers in 8 bits, and `own` for what remains of the graph."""

    name = "fast_prefill"
    title = "8-bit products for prompts"

    def __init__(self, own: Method) -> None:
        self._own = own

    def requires(self, model: ir.Model, settings: QuantizeSettings) -> Refusal | None:
        """Returns what the method of steps requires."""
        return self._own.requires(model, settings)

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        head = find_head(model.graph)
        linears = [one for one in find_linears(model, settings)[0] if one.tensor.dtype == ir.DataType.FLOAT]
        products = [one for one in linears if one.node is not head and one.node.name not in settings.nodes]
        for linear in products:
            _to_scaled_rows(linear)
        rest = self._own.call(model, settings, ranges)
        return PassResult(rest.modified or bool(products), rest.refused)


def _to_scaled_rows(linear: LinearProduct) -> None:
    node, graph, x = linear.node, linear.node.graph, linear.node.inputs[0]
    assert graph is not None and x is not None  # as find_linears gives it
    builder = NodeBuilder(graph, node)
    least = builder.floats("fast_prefill.least", np.array(np.finfo(np.float32).tiny))  # of a row of zeros
    top = builder.add("ReduceMax", builder.add("Abs", x), builder.whole(-1), keepdims=1)
    top = builder.add("Max", top, least)
    product = new_value_like(node.outputs[0], "scaled")
    inputs = [builder.add("Div", x, top), *integer_weights(linear, SIGNED)]
    integer = make_node("DynamicQuantizeMatMul", inputs, [product], like=node, domain=CONTRIB)
    integer.name = node.name  # what a person excludes, and what errors are told of
    builder.nodes.append(integer)
    result = builder.add("Mul", product, top)
    if linear.bias is not None:
        result = builder.add("Add", result, linear.bias)
    result.shape = node.outputs[0].shape
    result.name = node.outputs[0].name
    replace_nodes([node.outputs[0]], [result], builder.nodes, node)

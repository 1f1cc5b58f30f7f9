"""Eliminates common subexpressions: rotary angles of every layer, masks, lengths."""

from __future__ import annotations

import onnx_ir as ir
import onnx_ir.passes.common as common

from workflows.optimize.base import Pass, PassResult, Refusal


class CommonSubexpressions(Pass):
    """onnx_ir's elimination of equal nodes; refuses random operators that it would merge."""

    name = "common_subexpressions"
    title = "Compute what is the same once"

    def requires(self, model: ir.Model) -> Refusal | None:
        """Needs a graph without random operators other than those that onnx_ir leaves alone."""
        drawing = next((node for node in model.graph.all_nodes() if _draws(node)), None)
        if drawing is None:
            return None
        reason = f"its {drawing.op_type} draws random numbers, and two draws are not one"
        return Refusal(reason, str(drawing.name))

    def call(self, model: ir.Model) -> PassResult:
        return PassResult(common.CommonSubexpressionEliminationPass()(model).modified)


def _draws(node: ir.Node) -> bool:
    """Whether the node is random in a way that onnx_ir's pass would merge: Bernoulli, or Dropout in training mode."""
    return node.op_type == "Bernoulli" or (node.op_type == "Dropout" and len(node.inputs) > 2)

"""Replaces onnxruntime's convolution with state by ONNX's own operators, for providers without its kernel.

CausalConvWithState(x, weight, bias, past)  →  Concat(past, x) ─┬─ Conv (per channel) ─ activation ─▶ output
                                                                └─ Slice: the last columns ─▶ present
"""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import NodeBuilder, replace_nodes
from workflows.optimize.queries import dimensions, find_nodes

_DEFAULTS = {"state_window": 0, "channels_last": 0, "dilation": 1, "ndim": 1}
_ACTIVATIONS = ("none", "silu", "swish")  # the last two are the same
_LAST = (1 << 63) - 1  # the end of any axis


class PortableConvolution(Pass):
    """CausalConvWithState along one axis; refuses its further attributes."""

    name = "portable_convolution"
    title = "Convolutions with state in ONNX's own operators"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for node in find_nodes(model.graph, "CausalConvWithState", domain=CONTRIB):
            if not (reason := _reason_against(node)):
                _replace(model.graph, node)
            yield refusal_of(node, reason)


def _reason_against(node: ir.Node) -> str:
    other = next((name for name, usual in _DEFAULTS.items() if node.attributes.get_int(name, usual) != usual), "")
    axes = dimensions(node.inputs[1])
    if other:
        return f"its {other} is {node.attributes.get_int(other)}"
    activation = node.attributes.get_string("activation", "none")
    if activation not in _ACTIVATIONS:
        return f"its activation is {activation}"
    if axes is None or len(axes) != 3 or not all(isinstance(axis, int) for axis in axes):
        return "the size of its kernel is not known"
    if len(node.inputs) < 4 or node.inputs[3] is None:
        return "it keeps no columns between runs"
    return ""


def _replace(graph: ir.Graph, node: ir.Node) -> None:
    columns, weight, bias, past = node.inputs
    assert columns is not None and weight is not None and past is not None and weight.shape is not None
    builder, channels, kept = NodeBuilder(graph, node), int(weight.shape[0]), int(weight.shape[2]) - 1
    joined = builder.add("Concat", past, columns, axis=2)  # [B,C,k-1+S]
    output = builder.add("Conv", joined, weight, *([] if bias is None else [bias]), group=channels)
    if node.attributes.get_string("activation", "none") != "none":
        output = builder.add("Mul", output, builder.add("Sigmoid", output))
    bounds = (-kept, _LAST) if kept else (_LAST, _LAST)
    present = builder.add("Slice", joined, *(builder.whole(number) for number in (*bounds, 2)))
    for new, old in zip((output, present), node.outputs, strict=False):
        new.name, new.shape = old.name, old.shape
    replace_nodes(node.outputs, [output, present][: len(node.outputs)], builder.nodes, node)

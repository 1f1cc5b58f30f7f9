"""Fuses a residual sum and the norm after it into onnxruntime's SkipLayerNormalization.

skip ─┬─ Add ─┬─ norm          skip ── SkipLayerNormalization ─┬─ norm
input ┘       └─ (the next)  → input ┘ (bias)                  └─ sum, if something else reads it
"""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import make_node, new_value_like, replace_nodes
from workflows.optimize.queries import (
    dimensions,
    has_single_use,
    is_last_axis,
    last_dimension,
    producer,
    same_shape,
    weight_input,
)

FUSED = {
    "RMSNormalization": "SkipSimplifiedLayerNormalization",
    "SimplifiedLayerNormalization": "SkipSimplifiedLayerNormalization",
    "LayerNormalization": "SkipLayerNormalization",
}
_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16)
_DEFAULT_EPSILON = 1e-5  # of all three operators


class SkipLayerNorm(Pass):
    """Fuses Add + norm over the last axis, and a bias that is added to one of the operands."""

    name = "skip_layernorm"
    title = "Residual sum and norm as one node"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for norm in [node for node in model.graph if node.op_type in FUSED and node.domain == ""]:
            add = producer(norm.inputs[0], "Add")
            if add is None:
                continue
            if not (reason := _reason_against(norm, add)):
                _fuse(norm, add)
            yield refusal_of(norm, reason)


def _reason_against(norm: ir.Node, add: ir.Node) -> str:
    """Returns why Add + norm stay two nodes; empty if they can be fused."""
    one, other = add.inputs
    total = add.outputs[0]
    axes = dimensions(total) or dimensions(one)
    if not same_shape(one, other):
        return f"the summands are not known to have one shape: {dimensions(one)} and {dimensions(other)}"
    if axes is None or len(axes) not in (2, 3):
        return f"the sum has {len(axes or ())} axes, and the operator takes 2 or 3"
    if not is_last_axis(norm.attributes.get_int("axis", -1), one):
        return "the norm is not over the last axis alone"
    if norm.attributes.get_int("stash_type", 1) != 1:
        return "the norm is not computed in float32"
    if one is None or one.dtype not in _TYPES:
        return f"the operator takes no {one.dtype if one is not None else 'unknown type'}"
    for index in range(1, len(norm.inputs)):
        weight = norm.inputs[index]
        if weight is not None and (dimensions(weight) != (axes[-1],) or weight.dtype != one.dtype):
            return f"{weight.name} is no vector of the sum's last axis and type"
    if any(output.uses() for output in norm.outputs[1:]):
        return "something reads the norm's mean or variance"
    return ""


def _fuse(norm: ir.Node, add: ir.Node) -> None:
    skip, source = add.inputs
    bias: ir.Value | None = None
    for one, other in ((skip, source), (source, skip)):
        added = _bias_of(one)
        if added is not None:
            source, bias, skip = added[0], added[1], other
            break
    scale, shift = norm.inputs[1], norm.inputs[2] if len(norm.inputs) > 2 else None
    op = FUSED[norm.op_type]
    inputs = [source, skip, scale, shift, bias] if op == "SkipLayerNormalization" else [source, skip, scale, bias]
    while inputs[-1] is None:
        inputs.pop()
    result, total = new_value_like(norm.outputs[0]), new_value_like(add.outputs[0])
    read_on = len(add.outputs[0].uses()) > 1 or add.outputs[0].is_graph_output()
    empty = [ir.Value(name="") for _ in range(2)]
    node = make_node(
        op,
        inputs,
        [result, *empty, total] if read_on else [result],
        {"epsilon": norm.attributes.get_float("epsilon", _DEFAULT_EPSILON)},
        like=norm,
        domain=CONTRIB,
    )
    if read_on:  # the sum must be there before whoever reads it first
        replace_nodes([norm.outputs[0], add.outputs[0]], [result, total], [node], add)
    else:
        replace_nodes([norm.outputs[0]], [result], [node], norm)


def _bias_of(value: ir.Value | None) -> tuple[ir.Value, ir.Value] | None:
    """Returns (source, bias) if `value` is a sum with an initializer vector."""
    node = producer(value, "Add")
    if node is None or value is None or not has_single_use(value):
        return None
    for index in (0, 1):
        bias, source = weight_input(node, index), node.inputs[1 - index]
        if bias is None or source is None or bias.dtype != value.dtype:
            continue
        if dimensions(bias) == (last_dimension(value),) and same_shape(source, value):
            return source, bias
    return None

"""Packs the query, key and value projections of an attention into one MatMul."""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites
from workflows.optimize.packing import Projection, pack_projections, projections_by_input
from workflows.optimize.queries import producer, uses_through

FUSED = ("Attention", "GroupQueryAttention", "MultiHeadAttention")
# between a projection and its attention: layout, norms, rotary positions, scales, and the cache
THIN = (
    *("Reshape", "Transpose", "Unsqueeze", "Squeeze", "Cast", "Expand", "Identity", "Slice", "Split", "Concat"),
    *("RMSNormalization", "SimplifiedLayerNormalization", "LayerNormalization", "LpNormalization"),
    *("RotaryEmbedding", "Neg", "Add", "Sub", "Mul", "Div", "Clip", "TensorScatter", "ScatterND"),
)
_TO_WEIGHTS = ("Cast", "Where", "Identity", "Dropout", "Reshape")  # between Softmax and the product with the values


class PackQKV(Pass):
    """Packs three projections of one input that lead to one attention, fused or not; refuses shared weights."""

    name = "pack_qkv"
    title = "One MatMul for query, key and value"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for projections in projections_by_input(model.graph).values():
            for group in _by_attention(projections):
                yield pack_projections(model.graph, group, "qkv")


def _by_attention(projections: list[Projection]) -> list[list[Projection]]:
    found: dict[ir.Node, list[Projection]] = {}
    for projection in projections:
        attention = _attention_of(projection.output)
        if attention is not None:
            found.setdefault(attention, []).append(projection)
    return [group for group in found.values() if len(group) == 3]


def _attention_of(value: ir.Value) -> ir.Node | None:
    """Returns the attention that reads `value`: a fused node, or the product of Softmax with the values."""
    for node, index in uses_through(value, THIN):
        if node.op_type in FUSED:
            return node if index < 3 else None
        if node.op_type == "MatMul":
            return node if _is_weighting(node) else _weighting_after(node)
    return None


def _is_weighting(node: ir.Node) -> bool:
    """Whether a MatMul's first input is a Softmax."""
    value = node.inputs[0]
    while (between := producer(value, *_TO_WEIGHTS)) is not None:
        value = between.inputs[2 if between.op_type == "Where" else 0]
    return producer(value, "Softmax") is not None


def _weighting_after(scores: ir.Node) -> ir.Node | None:
    through = ("Add", "Mul", "Div", "Softmax", "Tanh", "IsNaN", "Reshape", *_TO_WEIGHTS)
    for node, _ in uses_through(scores.outputs[0], through):
        if node.op_type == "MatMul" and _is_weighting(node):
            return node
    return None

"""Translates attention to MatMul and Softmax for opsets without an attention operator.

    q · scale ── [B,Hk,G·S,D] ── · kᵀ ── [B,Hq,S,T] + mask ── softmax ── [B,Hk,G·S,T] ── · v ── [B,Hq,S,D]

Queries that share a key's head are stacked as rows, so no key is repeated; torch's own translation copies the keys for
each of them, and again to transpose them.
"""

from __future__ import annotations

import math

import onnx_ir as ir
import torch
from onnxscript import opset18 as op
from onnxscript.onnx_types import TensorType

from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS

FUSED_FROM = KERNEL_CONSTRAINTS["Attention"].since  # the first opset with the operator


def attention_translations(opset: int) -> dict[object, object] | None:
    """Custom translations for torch's exporter at `opset`; None where its own are suitable."""
    return {torch.ops.aten.scaled_dot_product_attention.default: _attention} if opset < FUSED_FROM else None


def _attention(
    query: TensorType,
    key: TensorType,
    value: TensorType,
    attn_mask: TensorType | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> TensorType:
    """[B,Hq,S,D] over [B,Hk,T,D]; Hk divides Hq. Dropout is ignored: an exported model is not trained."""
    heads, shared, size = query.shape[1], key.shape[1], query.shape[3]
    by_head, by_shared = ([0, heads, -1, 0], [0, shared, -1, 0]) if heads != shared else (None, None)
    scaled = op.Mul(query, op.CastLike(op.Constant(value_float=scale or size**-0.5), query))
    scores = op.MatMul(_shaped(scaled, by_shared), op.Transpose(key, perm=[0, 1, 3, 2]))
    masked = _masked(_shaped(scores, by_head), _causal(query, key) if is_causal else attn_mask)
    weights = _shaped(op.Softmax(masked, axis=-1), by_shared)
    return _shaped(op.MatMul(weights, value), by_head)


def _shaped(value: TensorType, target: list[int] | None) -> TensorType:
    """Reshapes to another division into heads; 0 keeps an axis."""
    return value if target is None else op.Reshape(value, op.Constant(value_ints=target))


def _masked(scores: TensorType, mask: TensorType | None) -> TensorType:
    """A boolean mask selects visible keys, a float mask is added."""
    if mask is None:
        return scores
    if mask.dtype == ir.DataType.BOOL:
        return op.Where(mask, scores, op.CastLike(op.Constant(value_float=-math.inf), scores))
    return op.Add(scores, mask)


def _causal(query: TensorType, key: TensorType) -> TensorType:
    """[S,T] of booleans: each row sees the columns up to its own."""
    size = op.Concat(op.Shape(query, start=2, end=3), op.Shape(key, start=2, end=3), axis=0)
    seen = op.Cast(op.Trilu(op.Expand(op.Constant(value_int=1), size), upper=0), to=ir.DataType.BOOL)
    seen.dtype = ir.DataType.BOOL  # not inferred by the trace
    return seen

"""Removes the guard against rows of −inf if there can be none.

    scores ─ Softmax ─┬────────────── Where(IsNaN, 0, ·) ─ values      scores ─ Softmax ─ values
                      └─ IsNaN ───────────┘                         →

Softmax gives NaN for a row of −inf. With finite masks (clamp_constant_values) the guard has no effect.
"""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_edits import bypass, replace_nodes
from workflows.optimize.queries import constant_scalar, constant_tensor, find_nodes, largest_finite, producer

_SAME = (
    *("Identity", "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Expand", "Slice", "Tile", "Trilu", "Neg", "Abs"),
    *("Gather", "GatherND", "Pad", "Clip"),
)
# sums of finite products, and functions whose values are bounded: an activation is taken to be far from overflow
_ACTIVATIONS = (
    *("MatMul", "Gemm", "FusedMatMul", "Einsum", "Conv", "RMSNormalization", "LayerNormalization"),
    *("Tanh", "Sigmoid", "Softmax", "Erf", "Cos", "Sin"),
)
_ACTIVATION = 1e4
_LIMIT = 1 << 22  # elements of a constant mask that are looked at


class RemoveIsNaNInAttentionMask(Pass):
    """Rewires Where's readers to Softmax; refuses a Where that keeps the NaN, and a possible row of −inf."""

    name = "remove_isnan_in_attention_mask"
    title = "Remove NaN guards that finite masks make dead"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for guard in find_nodes(model.graph, "Where"):
            softmax, reason = _find_guard(guard)
            if softmax is None:
                continue
            if not reason:
                _remove(guard, softmax)
            yield refusal_of(guard, reason)


def _find_guard(guard: ir.Node) -> tuple[ir.Node | None, str]:
    """Returns (the Softmax that `guard` checks, why it stays); (None, "") for a Where that is not a guard."""
    negation = producer(guard.inputs[0], "Not")
    isnan = producer(negation.inputs[0] if negation is not None else guard.inputs[0], "IsNaN")
    softmax = producer(isnan.inputs[0], "Softmax") if isnan is not None else None
    if softmax is None:
        return None, ""
    where_nan, where_not = guard.inputs[1], guard.inputs[2]
    if negation is not None:
        where_nan, where_not = where_not, where_nan
    if where_not is not softmax.outputs[0]:
        return softmax, "it gives Softmax's values where they are NaN, not where they are numbers"
    if constant_scalar(where_nan) != 0:
        return softmax, "what it puts for NaN is not the constant 0"
    return softmax, _why_infinite(softmax.inputs[0])


def _remove(guard: ir.Node, softmax: ir.Node) -> None:
    old, new = guard.outputs[0], softmax.outputs[0]
    if old.is_graph_output():
        name = old.name
        replace_nodes([old], [new], [], guard)
        new.name = name
    else:
        bypass(old, new)


def _why_infinite(scores: ir.Value | None) -> str:
    try:
        bound = _magnitude(scores, {})
    except _UnknownError as unknown:
        return str(unknown)
    return "" if math.isfinite(bound) else "a constant in front of Softmax holds −inf: run clamp_constant_values first"


class _UnknownError(Exception):
    """A value without a known bound; the text names it."""


def _magnitude(value: ir.Value | None, known: dict[ir.Value, float]) -> float:
    """Returns an upper bound of |value|; inf if an element is infinite or the type overflows. Raises _UnknownError."""
    if value is None:
        raise _UnknownError("an input of a node in front of Softmax is missing")
    if value not in known:
        known[value] = math.inf  # until it is found
        bound = _compute_magnitude(value, known)
        known[value] = math.inf if _overflows(bound, value.dtype) else bound
    return known[value]


def _overflows(bound: float, dtype: ir.DataType | None) -> bool:
    return dtype is not None and dtype.is_floating_point() and bound > largest_finite(dtype)


def _compute_magnitude(value: ir.Value, known: dict[ir.Value, float]) -> float:
    tensor = constant_tensor(value)
    if tensor is not None:
        return _constant_magnitude(tensor)
    if value.dtype is not None and not value.dtype.is_floating_point():
        return 1.0 if value.dtype == ir.DataType.BOOL else float(1 << 31)
    node = value.producer()
    if node is None:
        raise _UnknownError(f"the input {value.name} may hold −inf")
    if node.op_type in _ACTIVATIONS:
        return _ACTIVATION
    parts = node.inputs
    if node.op_type == "Cast" or node.op_type in _SAME:
        return _magnitude(parts[0], known)
    if node.op_type in ("Add", "Sub"):
        return _magnitude(parts[0], known) + _magnitude(parts[1], known)
    if node.op_type == "Mul":
        return _magnitude(parts[0], known) * _magnitude(parts[1], known)
    if node.op_type == "Div" and constant_scalar(parts[1]):
        return _magnitude(parts[0], known) / abs(constant_scalar(parts[1]) or 1)
    if node.op_type in ("Where", "Concat", "Max", "Min"):
        return max(_magnitude(part, known) for part in parts[int(node.op_type == "Where") :])
    if node.op_type == "ConstantOfShape":
        fill = node.attributes.get_tensor("value")
        return 0.0 if fill is None else _constant_magnitude(fill)
    raise _UnknownError(f"nothing is known of how small {value.name} can be, which {node.op_type} gives")


def _constant_magnitude(tensor: ir.TensorProtocol) -> float:
    if tensor.size > _LIMIT:
        raise _UnknownError(f"the constant {tensor.name} has {tensor.size:,} elements, and is not read for this")
    array = np.asarray(tensor.numpy())
    if array.size == 0:
        return 0.0
    largest = float(np.abs(array.astype(np.float64)).max())
    return math.inf if math.isnan(largest) else largest

"""int8-dynamic: 8-bit weights with a scale a column, activations quantized at every run by their own range.

x · W + b  →  DynamicQuantizeMatMul(x, q [K,N], scales [N], zero points [N], b)
"""

from __future__ import annotations

from functools import partial

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.optimize.base import PassResult, Refusal
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import add_initializer, make_node, new_value_like, replace_nodes
from workflows.quantize.base import Method, Ranges
from workflows.quantize.lazy_tensors import lazy_tensors, row_chunks
from workflows.quantize.linear_layers import LinearProduct, find_linears
from workflows.recipe import QuantizeSettings

_MIDDLE = 128  # unsigned weights: signed ones overflow a 16-bit sum on CPUs without VNNI


class Int8Dynamic(Method):
    """8-bit matrix products without calibration."""

    name = "int8-dynamic"
    title = "8-bit weights, activations quantized as they come"

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        linears, refused = find_linears(model, settings)
        modified = False
        for linear in linears:
            if linear.tensor.dtype == ir.DataType.FLOAT:
                _to_integers(linear)
                modified = True
            else:
                refused.append(Refusal("8-bit products want float32, and this is float16", str(linear.node.name)))
        return PassResult(modified, tuple(refused))


def _to_integers(linear: LinearProduct) -> None:
    node = linear.node
    inputs = [node.inputs[0], *integer_weights(linear), *([linear.bias] if linear.bias is not None else [])]
    result = new_value_like(node.outputs[0])
    new = make_node("DynamicQuantizeMatMul", inputs, [result], like=node, domain=CONTRIB)
    new.name = node.name
    replace_nodes([node.outputs[0]], [result], [new], node)


def integer_weights(linear: LinearProduct) -> list[ir.Value]:
    """Adds q [K,N], scales [N] and zero points [N] of the weight, DynamicQuantizeMatMul's inputs after the first."""
    graph = linear.node.graph
    assert graph is not None  # find_linears looks at graphs
    name = f"{linear.weight.name}.uint8"
    ends = ("", ".scales", ".zeros")
    return [add_initializer(graph, name + end, tensor) for end, tensor in zip(ends, _quantized(linear), strict=True)]


def quantize_columns(columns: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Returns (q [K,N] around 128, scales [N]) of [K,N] float32: w ≈ (q - 128) · scale."""
    scales = np.abs(columns).max(0) / np.float32(127)
    scales = np.where(scales == 0, np.float32(1), scales)
    return (np.rint(columns / scales) + _MIDDLE).astype(np.uint8), scales


def _quantized(linear: LinearProduct) -> tuple[ir.LazyTensor, ...]:
    """Returns q [K,N], scales [N] and zero points [N] of the weight."""
    name = f"{linear.tensor.name}.uint8"
    kinds = [
        (name, ir.DataType.UINT8, (linear.inner, linear.outer)),
        (f"{name}.scales", ir.DataType.FLOAT, (linear.outer,)),
        (f"{name}.zeros", ir.DataType.UINT8, (linear.outer,)),
    ]
    return lazy_tensors(linear.tensor, ("columns", linear.rows), kinds, partial(_quantize_matrix, linear.rows)).tensors


def _quantize_matrix(rows: bool, matrix: NDArray[np.generic]) -> tuple[NDArray[np.generic], ...]:
    inner, outer = matrix.shape[::-1] if rows else matrix.shape
    q, scales = np.empty((inner, outer), np.uint8), np.empty(outer, np.float32)
    for part in row_chunks(outer, inner):
        columns = matrix[part].T if rows else matrix[:, part]
        q[:, part], scales[part] = quantize_columns(np.ascontiguousarray(columns, np.float32))
    return q, scales, np.full(outer, _MIDDLE, np.uint8)

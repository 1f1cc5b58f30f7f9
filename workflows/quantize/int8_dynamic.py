"""int8-dynamic: 8-bit weights with a scale a column, activations quantized at every run by their own range.

x · W + b  →  DynamicQuantizeMatMul(x, q [K,N], scales [N], zero points [N], b)
"""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class ColumnFormat:
    """How a column of weights is stored: w ≈ (q - middle) · scale, with |q - middle| ≤ most."""

    name: str
    dtype: ir.DataType
    middle: int
    most: int

    def quantize(self, columns: NDArray[np.float32]) -> tuple[NDArray[np.integer], NDArray[np.float32]]:
        """Returns (q [K,N], scales [N]) of [K,N] float32."""
        scales = np.abs(columns).max(0) / np.float32(self.most)
        scales = np.where(scales == 0, np.float32(1), scales)
        return (np.rint(columns / scales) + self.middle).astype(self.dtype.numpy()), scales


# CPUs without VNNI multiply signed weights faster, and add two products in 16 bits: 2 · 255 · 127 overflows them, and
# 2 · 255 · 64 does not.
UNSIGNED = ColumnFormat("uint8", ir.DataType.UINT8, 128, 127)
SIGNED = ColumnFormat("int7", ir.DataType.INT8, 0, 64)


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


def integer_weights(linear: LinearProduct, how: ColumnFormat = UNSIGNED) -> list[ir.Value]:
    """Adds q [K,N], scales [N] and, but for a middle of 0, zero points [N]: DynamicQuantizeMatMul's inputs after x."""
    graph = linear.node.graph
    assert graph is not None  # find_linears looks at graphs
    name = f"{linear.weight.name}.{how.name}"
    return [add_initializer(graph, name + end, tensor) for end, tensor in _quantized(linear, how).items()]


def _quantized(linear: LinearProduct, how: ColumnFormat) -> dict[str, ir.LazyTensor]:
    """The end of a tensor's name → the tensor."""
    kinds = {
        "": (how.dtype, (linear.inner, linear.outer)),
        ".scales": (ir.DataType.FLOAT, (linear.outer,)),
        **({".zeros": (how.dtype, (linear.outer,))} if how.middle else {}),
    }
    named = [(f"{linear.tensor.name}.{how.name}{end}", *kind) for end, kind in kinds.items()]
    make = partial(_quantize_matrix, linear.rows, how)
    tensors = lazy_tensors(linear.tensor, ("columns", how.name, linear.rows), named, make).tensors
    return dict(zip(kinds, tensors, strict=True))


def _quantize_matrix(rows: bool, how: ColumnFormat, matrix: NDArray[np.generic]) -> tuple[NDArray[np.generic], ...]:
    inner, outer = matrix.shape[::-1] if rows else matrix.shape
    q, scales = np.empty((inner, outer), how.dtype.numpy()), np.empty(outer, np.float32)
    for part in row_chunks(outer, inner):
        columns = matrix[part].T if rows else matrix[:, part]
        q[:, part], scales[part] = how.quantize(np.ascontiguousarray(columns, np.float32))
    return (q, scales, np.full(outer, how.middle, q.dtype)) if how.middle else (q, scales)

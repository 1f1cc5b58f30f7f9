"""Folds the Transpose of a head's weight, as in a head tied to the embedding.

    tied    x ── MatMul(Transpose(W))  →  Reshape ── Gemm(W, transB) ── Reshape: the table stays one tensor
    alone   x ── MatMul(Transpose(W))  →  MatMul(W transposed once)

Otherwise onnxruntime makes the transposed copy at each load, and quantizers treat the weight as an activation.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from workflows.graph.described_weights import recipe_of, recipe_tensor
from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_edits import add_constant, add_initializer, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import consumers, dimensions, find_nodes, producer, weight_input


class FoldTiedHead(Pass):
    """MatMul(x, Transpose(W)) of an initializer W [N,K]: without a transposed copy if another node needs W."""

    name = "fold_tied_head"
    title = "A tied head without a transposed copy"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for matmul in find_nodes(model.graph, "MatMul"):
            transpose = producer(matmul.inputs[1], "Transpose")
            weight = weight_input(transpose, 0) if transpose is not None else None
            if transpose is None or weight is None or len(dimensions(weight) or ()) != 2:
                continue
            if tuple(transpose.attributes.get_ints("perm", (1, 0))) != (1, 0):
                continue
            reason = ""
            if len(consumers(weight)) == 1:
                _transpose_once(matmul, transpose, weight)
            elif not (reason := _reason_against(matmul, weight)):
                _to_gemm(matmul, weight)
            yield refusal_of(matmul, reason)


def _reason_against(matmul: ir.Node, weight: ir.Value) -> str:
    axes = dimensions(matmul.inputs[0])
    if axes is None or len(axes) not in (2, 3):
        return f"the head's input has {len(axes) if axes else 'unknown'} axes, and Gemm can serve 2 or 3"
    if len(axes) == 3 and not isinstance(axes[0], int):
        return (
            f"Gemm would lose the symbolic batch axis, and a transposed copy of {weight.name} costs "
            f"{weight.const_value.nbytes:,} bytes"
        )
    return ""


def _transpose_once(matmul: ir.Node, transpose: ir.Node, weight: ir.Value) -> None:
    tensor, name = weight.const_value, f"{weight.name}.transposed"
    assert matmul.graph is not None and tensor is not None  # it was found in a graph, as an initializer with data

    def turned() -> ir.TensorProtocol:
        return ir.tensor(np.ascontiguousarray(tensor.numpy().T), dtype=tensor.dtype)

    recipe = own.transposed((1, 0)) if (own := recipe_of(tensor)) is not None else None
    shape = ir.Shape([tensor.shape[1], tensor.shape[0]])
    lazy = recipe_tensor(recipe, name) if recipe else ir.LazyTensor(turned, tensor.dtype, shape, name=name)
    folded = add_initializer(matmul.graph, name, lazy)
    result = new_value_like(matmul.outputs[0])
    node = make_node("MatMul", [matmul.inputs[0], folded], [result], like=matmul)
    replace_nodes([matmul.outputs[0]], [result], [node], matmul)


def _to_gemm(matmul: ir.Node, weight: ir.Value) -> None:
    """[1,S,K] → [S,K] → [S,N] → [1,S,N]."""
    source, result, graph = matmul.inputs[0], new_value_like(matmul.outputs[0]), matmul.graph
    axes = dimensions(source)
    assert axes is not None and graph is not None and source is not None  # see _reason_against
    if len(axes) == 2:
        nodes = [make_node("Gemm", [source, weight], [result], {"transB": 1}, like=matmul)]
    else:
        rows, product = new_value_like(source, "rows"), new_value_like(result, "rows")
        wide, narrow = [int(size) for size in weight.const_value.shape]
        flat = add_constant(graph, f"{result.name}.flat", [-1, narrow], ir.DataType.INT64)
        whole = add_constant(graph, f"{result.name}.whole", [axes[0], -1, wide], ir.DataType.INT64)
        nodes = [
            make_node("Reshape", [source, flat], [rows], like=matmul),
            make_node("Gemm", [rows, weight], [product], {"transB": 1}, like=matmul),
            make_node("Reshape", [product, whole], [result], like=matmul),
        ]
    replace_nodes([matmul.outputs[0]], [result], nodes, matmul)

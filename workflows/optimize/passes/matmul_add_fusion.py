"""Fuses a MatMul of two matrices and the bias added to it into a Gemm."""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_edits import make_node, new_value_like, replace_nodes
from workflows.optimize.queries import consumers, dimensions, find_nodes, has_single_use, weight_input

_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.DOUBLE, ir.DataType.BFLOAT16)


class MatMulAddFusion(Pass):
    """Fuses products of two matrices; refuses batches of matrices, because Gemm has no batch axes."""

    name = "matmul_add_fusion"
    title = "MatMul and bias as Gemm"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for matmul in find_nodes(model.graph, "MatMul"):
            match = _bias_add(matmul)
            if match is None:
                continue
            add, bias = match
            if not (reason := _reason_against(matmul, bias)):
                result = new_value_like(add.outputs[0])
                gemm = make_node("Gemm", [*matmul.inputs, bias], [result], like=add)
                replace_nodes([add.outputs[0]], [result], [gemm], add)
            yield refusal_of(matmul, reason)


def _bias_add(matmul: ir.Node) -> tuple[ir.Node, ir.Value] | None:
    """Returns (Add, its other operand) if only the Add reads the product and the operand is an initializer."""
    product = matmul.outputs[0]
    if not has_single_use(product):
        return None
    (add,) = consumers(product)
    if add.op_type != "Add":
        return None
    bias = weight_input(add, 1 if add.inputs[0] is product else 0)
    return (add, bias) if bias is not None else None


def _reason_against(matmul: ir.Node, bias: ir.Value) -> str:
    for value in matmul.inputs:
        axes = dimensions(value)
        if axes is None:
            return f"the rank of {value.name if value else 'an input'} is not known, and Gemm takes matrices"
        if len(axes) != 2:
            return f"{value.name if value else 'an input'} has {len(axes)} axes, and Gemm takes 2"
    width = (dimensions(matmul.inputs[1]) or (None,))[-1]
    if dimensions(bias) not in ((width,), (1, width), (1,), ()) or width is None:
        return f"{bias.name} of the shape {dimensions(bias)} is no bias of {width} columns"
    if bias.dtype not in _TYPES or bias.dtype != matmul.inputs[0].dtype:
        return f"Gemm takes no {bias.dtype} with these factors"
    return ""

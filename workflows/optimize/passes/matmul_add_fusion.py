"""MatMul of two matrices and the bias added to it, as Gemm."""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Outcome, Refusal, Rewrite
from workflows.optimize.edit import make_node, replace, twin
from workflows.optimize.match import is_private, nodes_of, sizes, users, weight_of

_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.DOUBLE, ir.DataType.BFLOAT16)


class MatMulAddFusion(Rewrite):
    """Fuses where both factors are matrices; Gemm takes no more axes, so batches of matrices are refused."""

    name = "matmul_add_fusion"
    title = "MatMul and bias as Gemm"

    def call(self, model: ir.Model) -> Outcome:
        """See Pass."""
        modified, refused = False, []
        for matmul in nodes_of(model.graph, "MatMul"):
            found = _bias(matmul)
            if found is None:
                continue
            add, bias = found
            reason = _reason_against(matmul, bias)
            if reason:
                refused.append(Refusal(reason, str(matmul.name)))
                continue
            result = twin(add.outputs[0])
            replace([add.outputs[0]], [result], [make_node("Gemm", [*matmul.inputs, bias], [result], like=add)], add)
            modified = True
        return Outcome(modified, tuple(refused))


def _bias(matmul: ir.Node) -> tuple[ir.Node, ir.Value] | None:
    """(Add, its other summand) where that is all that reads the product, and the summand is an initializer."""
    product = matmul.outputs[0]
    if not is_private(product):
        return None
    (add,) = users(product)
    if add.op_type != "Add":
        return None
    bias = weight_of(add, 1 if add.inputs[0] is product else 0)
    return (add, bias) if bias is not None else None


def _reason_against(matmul: ir.Node, bias: ir.Value) -> str:
    for value in matmul.inputs:
        axes = sizes(value)
        if axes is None:
            return f"the rank of {value.name if value else 'an input'} is not known, and Gemm takes matrices"
        if len(axes) != 2:
            return f"{value.name if value else 'an input'} has {len(axes)} axes, and Gemm takes 2"
    width = (sizes(matmul.inputs[1]) or (None,))[-1]
    if sizes(bias) not in ((width,), (1, width), (1,), ()) or width is None:
        return f"{bias.name} of the shape {sizes(bias)} is no bias of {width} columns"
    if bias.dtype not in _TYPES or bias.dtype != matmul.inputs[0].dtype:
        return f"Gemm takes no {bias.dtype} with these factors"
    return ""

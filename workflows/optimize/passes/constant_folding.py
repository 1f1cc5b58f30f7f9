"""Computes nodes that depend on constants only."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from workflows.optimize.base import Pass, PassResult, Refusal
from workflows.optimize.queries import constant_tensor, same_domain

LIMIT = 1 << 13  # elements of an input or a result: larger ones are cheaper to compute than to store and load
_NEVER_FOLDED = ("If", "Loop", "Scan", "SequenceMap", "Constant")


class ConstantFolding(Pass):
    """onnxscript's folding of small constants; larger ones stay and are reported."""

    name = "constant_folding"
    title = "Compute constants once"

    def call(self, model: ir.Model) -> PassResult:
        from onnxscript.optimizer import FOLDED_FROM_KEY, fold_constants_ir  # slow to import, and lists need only names

        known = {*model.graph.initializers}
        folded = fold_constants_ir(
            model,
            onnx_shape_inference=False,
            input_size_limit=LIMIT,
            output_size_limit=LIMIT,
            should_fold=lambda node: False if _size(node) > LIMIT else None,
        )
        for name in model.graph.initializers.keys() - known:
            value = model.graph.initializers[name]
            if (tensor := value.const_value) is not None:  # a transposed weight is a view of the file: copy it
                value.const_value = ir.Tensor(np.array(tensor.numpy()), tensor.dtype, name=tensor.name)
        values = [output for node in model.graph.all_nodes() for output in node.outputs]
        for noted in (*model.graph.all_nodes(), *values, *model.graph.initializers.values()):
            noted.metadata_props.pop(FOLDED_FROM_KEY, None)  # onnxscript's own note
        refused = [
            Refusal(
                f"its constants have {_size(node):,} elements, and no more than {LIMIT:,} are folded", str(node.name)
            )
            for node in model.graph
            if _is_constant(node) and _size(node) > LIMIT
        ]
        return PassResult(folded.modified, tuple(refused))


def _is_constant(node: ir.Node) -> bool:
    """Whether all inputs of the node are constant."""
    if not node.inputs or not same_domain(node.domain, "") or node.op_type in _NEVER_FOLDED:
        return False
    return all(value is None or constant_tensor(value) is not None for value in node.inputs)


def _size(node: ir.Node) -> int:
    """Returns the number of elements of the node's largest constant input."""
    return max((tensor.size for value in node.inputs if (tensor := constant_tensor(value)) is not None), default=0)

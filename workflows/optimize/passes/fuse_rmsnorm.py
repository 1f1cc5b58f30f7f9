"""Fuses RMS norm (Zhang & Sennrich 2019), which exporters decompose, into one node.

x ─ x² ─ ReduceMean ─ Add ε ─ Sqrt ─ (x / · | x · Reciprocal | x · 1/·) ─ Mul scale
  → RMSNormalization; below opset 23 SimplifiedLayerNormalization, which onnxruntime has in the same domain
"""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS
from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_edits import add_initializer, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import (
    constant_array,
    consumers,
    dimensions,
    find_nodes,
    has_single_use,
    is_last_axis,
    is_near_scalar,
    last_dimension,
    producer,
    split_scalar_operand,
)

_RMS_OPSET = KERNEL_CONSTRAINTS["RMSNormalization"].since
_FLOAT = ir.DataType.FLOAT
_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.BFLOAT16)


@dataclass(frozen=True)
class _Norm:
    """A decomposed norm x · rsqrt(mean(x²) + ε): its input, its last node's output, and ε."""

    x: ir.Value
    output: ir.Value
    epsilon: float


class FuseRMSNorm(Pass):
    """Fuses the chain with its scale, and the casts around a norm that computes float16 values in float32."""

    name = "fuse_rmsnorm"
    title = "RMS norm as one node"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        standard = model.opset_imports.get("", 0) >= _RMS_OPSET
        for node in find_nodes(model.graph, "Sqrt", "Pow"):
            norm = _find(node)
            if norm is not None:
                yield refusal_of(node, _fuse(norm, standard) if isinstance(norm, _Norm) else norm)


def _find(root: ir.Node) -> _Norm | str | None:
    """Returns the norm around a square root, why it cannot be fused, or None if it is not a norm."""
    if root.op_type == "Pow" and not is_near_scalar(root.inputs[1], -0.5):
        return None
    added = producer(root.inputs[0], "Add")
    parts = split_scalar_operand(added) if added is not None else None
    mean = producer(parts[0], "ReduceMean") if parts is not None else None
    x = _squared(mean.inputs[0]) if mean is not None else None
    if parts is None or mean is None or x is None:
        return None
    output = _divided(root, x)
    if output is None:
        return None
    if not _over_last_axis(mean):
        return "the mean is not over the last axis alone, or drops it"
    if x.dtype not in _TYPES:
        return f"its type is {x.dtype}"
    return _Norm(x, output, parts[1])


def _squared(value: ir.Value | None) -> ir.Value | None:
    """Returns x if `value` is x² or x·x."""
    power = producer(value, "Pow")
    if power is not None:
        return power.inputs[0] if is_near_scalar(power.inputs[1], 2) else None
    product = producer(value, "Mul")
    return product.inputs[0] if product is not None and product.inputs[0] is product.inputs[1] else None


def _over_last_axis(mean: ir.Node) -> bool:
    axes = mean.attributes.get_ints("axes")
    if axes is None and len(mean.inputs) > 1:
        constant = constant_array(mean.inputs[1])
        axes = constant.reshape(-1).tolist() if constant is not None else None
    keeps_axis = mean.attributes.get_int("keepdims", 1) == 1
    return keeps_axis and axes is not None and len(axes) == 1 and is_last_axis(axes[0], mean.inputs[0])


def _divided(root: ir.Node, x: ir.Value) -> ir.Value | None:
    """Returns x / root in any of its forms; for Pow(-0.5) it is x · root."""
    value = root.outputs[0]
    if not has_single_use(value):
        return None
    (user,) = consumers(value)
    if root.op_type == "Sqrt":
        if user.op_type == "Div" and user.inputs[0] is x:
            return user.outputs[0]
        inverse = user.op_type == "Reciprocal" or (user.op_type == "Div" and is_near_scalar(user.inputs[0], 1))
        value = user.outputs[0]
        if not inverse or not has_single_use(value):
            return None
        (user,) = consumers(value)
    return user.outputs[0] if user.op_type == "Mul" and set(user.inputs) == {x, value} else None


def _fuse(norm: _Norm, standard: bool) -> str:
    """Inserts the fused node, or returns why it cannot."""
    x, output = norm.x, norm.output
    width = last_dimension(x)
    producer = output.producer()
    assert producer is not None and producer.graph is not None  # it was found in a graph
    narrowed = _narrowed(norm)
    if narrowed is not None:
        x, output = narrowed
    scale, result = _scaled(output, width)
    if scale is None:
        if width is None:
            return "it has no scale, and the last axis has no fixed size"
        ones = f"{x.dtype.name.lower()}.ones.{width}"
        tensor = ir.tensor([1.0] * width, dtype=x.dtype, name=ones)
        scale, result = add_initializer(producer.graph, ones, tensor), output
    last = result.producer()
    assert last is not None  # a found value has a node
    fused = new_value_like(result)
    attributes = {"axis": -1, "epsilon": norm.epsilon, "stash_type": 1}
    op = "RMSNormalization" if standard else "SimplifiedLayerNormalization"
    replace_nodes([result], [fused], [make_node(op, [x, scale], [fused], attributes, like=last)], last)
    return ""


def _narrowed(norm: _Norm) -> tuple[ir.Value, ir.Value] | None:
    """Returns (float16 x, float16 output) of a float32 norm between casts; the fused node computes in float32."""
    widened = producer(norm.x, "Cast")
    if widened is None or norm.x.dtype != _FLOAT or not has_single_use(norm.output):
        return None
    (user,) = consumers(norm.output)
    narrow = widened.inputs[0]
    if user.op_type != "Cast" or narrow is None or user.outputs[0].dtype != narrow.dtype or narrow.dtype not in _TYPES:
        return None
    return narrow, user.outputs[0]


def _scaled(output: ir.Value, width: int | None) -> tuple[ir.Value | None, ir.Value]:
    """Returns (scale [width], the product) if the only reader multiplies by such a vector of the same type."""
    if has_single_use(output):
        (user,) = consumers(output)
        if user.op_type == "Mul":
            scale = user.inputs[1] if user.inputs[0] is output else user.inputs[0]
            if scale is not None and width and dimensions(scale) == (width,) and scale.dtype == output.dtype:
                return scale, user.outputs[0]
    return None, output

"""Replaces −inf in masks by finite numbers: fully masked rows do not give NaN, and quantizers find a range.

The floor is a quarter of the least number of the type, so that two masks and a score can be added and stay finite.
A value that is cast to float16 later gets float16's floor.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from workflows.common.tensors import Array
from workflows.graph.described_weights import recipe_of
from workflows.optimize.base import Pass, Refusal, Rewrites, refusal_of
from workflows.optimize.graph_edits import add_initializer, drop_unused
from workflows.optimize.queries import constant_tensor, largest_finite, uses_through

FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.BFLOAT16, ir.DataType.DOUBLE)
# a mask comes through these on its way to the scores
SHAPES = (
    *("Identity", "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Expand", "Slice", "Concat", "Tile", "Trilu"),
    *("Where", "Cast", "ScatterND", "ConstantOfShape", "Pad", "Gather", "GatherND"),
)
# here −inf is not a small number but a sign
COMPARISONS = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "IsInf", "IsNaN")
# here a constant is a weight, which may be large and is no mask
WEIGHTED = ("MatMul", "Gemm", "Conv", "ConvTranspose", "MatMulInteger", "FusedMatMul", "RMSNormalization", "Gather")


def finite_floor(dtype: ir.DataType) -> float:
    """Returns a quarter of the lowest finite number of `dtype`: −16,376 for float16, about −8.5e37 for float32."""
    return -largest_finite(dtype) / 4


class ClampConstantValues(Pass):
    """Replaces −inf in initializers, Constant nodes and ConstantOfShape; refuses +inf and compared constants."""

    name = "clamp_constant_values"
    title = "Finite masks instead of −inf"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for value in _candidates(model):
            tensor = constant_tensor(value)
            assert tensor is not None  # a candidate is a constant
            array = np.asarray(tensor.numpy())
            where = str(value.name)
            if not array.size or (np.isfinite(array.min()) and np.isfinite(array.max())):
                continue  # six times as fast as checking each element
            if np.isposinf(array).any():
                yield Refusal(f"{where} holds +inf, which no mask does", where)
            if not np.isneginf(array).any():
                continue
            comparers = _comparers(value)
            if comparers:
                yield refusal_of(comparers[0], f"{where} holds −inf that {comparers[0].op_type} compares with")
            if _clamp(model.graph, value, array, tensor.dtype, comparers):
                yield None
        for node in [node for node in model.graph.all_nodes() if node.op_type == "ConstantOfShape"]:
            if _clamp_fill(node):
                yield None


def _candidates(model: ir.Model) -> Iterator[ir.Value]:
    """Returns float constants that are not weights; their data is read.

    A checkpoint's weight is finite, for it is refused otherwise wherever it is read.
    """
    constants = list(model.graph.initializers.values())
    for graph in model.graphs():
        if graph is not model.graph:
            constants += graph.initializers.values()
        constants += [n.outputs[0] for n in graph if n.op_type == "Constant" and n.domain == ""]
    for value in constants:
        tensor = constant_tensor(value)
        if tensor is None or tensor.dtype not in FLOATS:
            continue
        if (recipe := recipe_of(tensor)) is not None and not recipe.is_constant:
            continue
        if any(use.node.op_type not in WEIGHTED for use in value.uses()):
            yield value


def _comparers(value: ir.Value) -> list[ir.Node]:
    """Returns the direct readers of `value` that lead to a comparison."""
    comparers = []
    for use in value.uses():
        ends = [use.node] if use.node.op_type not in SHAPES else []
        for output in use.node.outputs if not ends else []:
            ends += [node for node, _ in uses_through(output, SHAPES)]
        if any(node.op_type in COMPARISONS for node in ends) and use.node not in comparers:
            comparers.append(use.node)
    return comparers


def _clamp(graph: ir.Graph, value: ir.Value, array: Array, dtype: ir.DataType, but: list[ir.Node]) -> bool:
    """Replaces the constant by a clamped copy for all readers except `but`, in subgraphs too."""
    readers = [use for use in value.uses() if use.node not in but]
    if not readers:
        return False
    finite = np.where(np.isneginf(array), np.asarray(_floor_for(value, dtype), array.dtype), array)
    producer = value.producer()
    name = f"{value.name}.finite"
    clamped = add_initializer(graph, name, ir.tensor(finite.astype(array.dtype), dtype=dtype, name=name))
    for use in readers:
        use.node.replace_input_with(use.idx, clamped)
    if producer is not None:
        drop_unused(producer)
    return True


def _floor_for(value: ir.Value, dtype: ir.DataType) -> float:
    """Returns the floor of the narrowest type to which the value is cast."""
    floors, seen, waiting = [finite_floor(dtype)], {value}, [value]
    while waiting:
        for use in waiting.pop().uses():
            if use.node.op_type not in SHAPES:
                continue
            for output in use.node.outputs:
                if output in seen:
                    continue
                seen.add(output)
                waiting.append(output)
                target = ir.DataType(use.node.attributes.get_int("to", 0)) if use.node.op_type == "Cast" else None
                if target in FLOATS:
                    floors.append(finite_floor(target))
    return max(floors)


def _clamp_fill(node: ir.Node) -> bool:
    """Clamps ConstantOfShape's value."""
    fill = node.attributes.get_tensor("value")
    if fill is None or fill.dtype not in FLOATS or not np.isneginf(np.asarray(fill.numpy())).all():
        return False
    if any(end.op_type in COMPARISONS for end, _ in uses_through(node.outputs[0], SHAPES)):
        return False
    floor = ir.tensor([_floor_for(node.outputs[0], fill.dtype)], dtype=fill.dtype)
    node.attributes["value"] = ir.AttrTensor("value", floor)
    return True

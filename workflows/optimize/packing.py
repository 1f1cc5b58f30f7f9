"""Packs MatMuls of one input into one: concatenates their weights and splits the product.

x ─┬─ MatMul(a) ─ Add(p)        x ── MatMul(a|b) ── Add(p|q) ── Split ─┬─
   └─ MatMul(b) ─ Add(q)   →                                          └─
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from workflows.graph.described_weights import join_recipes, recipe_of, recipe_tensor
from workflows.optimize.base import Refusal
from workflows.optimize.graph_edits import add_constant, add_initializer, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import constant_tensor, consumers, dimensions, has_single_use, weight_input

PACKED_KEY = "joinery.packed"  # in the metadata of a packed product: the outputs of those that it stands for


@dataclass(frozen=True)
class Projection:
    """x [.., K] · weight [K,N] (+ bias [N]), of `width` N; output: the value that the graph reads."""

    matmul: ir.Node
    weight: ir.Value
    bias: ir.Value | None
    output: ir.Value

    @property
    def depth(self) -> int:
        return int(self.weight.const_value.shape[0])

    @property
    def width(self) -> int:
        return int(self.weight.const_value.shape[1])


def projections_by_input(graph: ir.Graph) -> dict[ir.Value, list[Projection]]:
    """Maps each value to the projections that read it, in the graph's order; two or more each."""
    found: dict[ir.Value, list[Projection]] = {}
    for node in graph:
        projection = projection_of(node)
        if projection is not None:
            found.setdefault(node.inputs[0], []).append(projection)
    return {value: group for value, group in found.items() if len(group) > 1}


def _packing_refusal(group: Sequence[Projection]) -> Refusal | None:
    """Returns why these projections cannot be packed, or None."""
    first = group[0].matmul
    for projection in group:
        if len(consumers(projection.weight)) > 1 or projection.weight.is_graph_output():
            return Refusal(f"the weight {projection.weight.name} is shared with another node", str(first.name))
    for what in ("weight", "bias"):
        types = {value.dtype for p in group if (value := getattr(p, what)) is not None}
        if len(types) > 1:
            return Refusal(f"the {what}s are of different types", str(first.name))
    if len({p.weight.const_value.shape[0] for p in group}) > 1:
        return Refusal("the weights have different numbers of rows", str(first.name))
    return None


def pack_projections(graph: ir.Graph, group: Sequence[Projection], suffix: str) -> Refusal | None:
    """Replaces the group's nodes, or returns why not. New tensors are named after the first weight."""
    if refusal := _packing_refusal(group):
        return refusal
    first = group[0]
    name = f"{first.weight.name}.{suffix}"
    packed = new_value_like(first.output, suffix)
    nodes = []
    weight = add_initializer(graph, name, _concatenated_weights([p.weight for p in group], name))
    product = packed if all(p.bias is None for p in group) else new_value_like(packed, "product")
    matmul = make_node("MatMul", [first.matmul.inputs[0], weight], [product], like=first.matmul)
    matmul.metadata_props[PACKED_KEY] = json.dumps([p.output.name for p in group])
    nodes.append(matmul)
    if product is not packed:
        bias = add_initializer(graph, f"{name}.bias", _biases(group, f"{name}.bias"))
        nodes.append(make_node("Add", [product, bias], [packed], like=first.matmul))
    parts = [new_value_like(p.output) for p in group]
    widths = add_constant(graph, f"{name}.widths", [p.width for p in group], ir.DataType.INT64)
    nodes.append(make_node("Split", [packed, widths], parts, {"axis": -1}, like=first.matmul))
    replace_nodes([p.output for p in group], parts, nodes, first.matmul)
    return None


def projection_of(node: ir.Node) -> Projection | None:
    """Returns the product of a matrix of weights, with the bias that is added to it alone; None for another node."""
    if node.op_type != "MatMul" or node.domain not in ("", "ai.onnx") or node.inputs[0] is None:
        return None
    weight = weight_input(node)
    if weight is None or weight.const_value is None or len(weight.const_value.shape) != 2:
        return None
    output = node.outputs[0]
    if has_single_use(output):
        (use,) = output.uses()
        if use.node.op_type == "Add" and use.node.domain == "":
            bias = weight_input(use.node, 1 - use.idx)
            if bias is not None and dimensions(bias) == (weight.const_value.shape[1],):
                return Projection(node, weight, bias, use.node.outputs[0])
    return Projection(node, weight, None, output)


def _concatenated_weights(weights: Sequence[ir.Value], name: str) -> ir.TensorProtocol:
    """Returns [K, ΣN], computed when it is read."""
    tensors = [tensor for weight in weights if (tensor := constant_tensor(weight)) is not None]
    recipe = join_recipes([recipe_of(tensor) for tensor in tensors], 1)
    if recipe is not None:
        return recipe_tensor(recipe, name)
    shape = ir.Shape([tensors[0].shape[0], sum(int(t.shape[1]) for t in tensors)])

    def joined() -> ir.TensorProtocol:
        return ir.tensor(np.concatenate([np.asarray(t.numpy()) for t in tensors], 1), dtype=tensors[0].dtype)

    return ir.LazyTensor(joined, tensors[0].dtype, shape, name=name)


def _biases(group: Sequence[Projection], name: str) -> ir.TensorProtocol:
    """Returns [ΣN] with zeros for a projection without a bias. It is small, so it is computed at once."""
    dtype = next(p.bias.const_value.dtype for p in group if p.bias is not None)
    rows = [np.zeros(p.width, dtype.numpy()) if p.bias is None else p.bias.const_value.numpy() for p in group]
    return ir.tensor(np.concatenate(rows), dtype=dtype, name=name)

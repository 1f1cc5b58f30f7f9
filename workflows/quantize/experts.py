"""Quantizes the experts of com.microsoft.MoE in blocks, for com.microsoft.QMoE.

    weights [E,N,K] of each product ──expert by expert──▶ q [E,N,K·bits/8], scales and zero points [E,N,blocks]

Both products have one block size, which must divide the inputs of both. MoE weighs the selected experts by their share
of all scores, QMoE by their share of the selected ones' scores unless it is given the shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.common.tensors import Array
from workflows.optimize.base import PassReport, Refusal
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import add_initializer, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import find_nodes, weight_input
from workflows.quantize.block_quantization import quantize_rows
from workflows.quantize.grids import BlockFormat
from workflows.quantize.lazy_tensors import lazy_tensors
from workflows.recipe.schema import BLOCK_SIZES

FLOAT, QUANTIZED = "MoE", "QMoE"
_WEIGHTS, _BIASES = (2, 4), (3, 5)  # inputs of MoE
_ZEROS, _SHARES = 11, 14  # inputs of QMoE: the zero points of both weights; what the experts are weighted by


@dataclass(frozen=True)
class Experts:
    """A MoE node; weights: [E,N,K] of its two products."""

    node: ir.Node
    weights: tuple[ir.Value, ir.Value]

    @property
    def inner(self) -> tuple[int, int]:
        """The inputs of each product."""
        first, second = (weight.const_value for weight in self.weights)
        assert first is not None and second is not None  # as they are found
        return int(first.shape[2]), int(second.shape[2])


def find_experts(graph: ir.Graph, excluded: tuple[str, ...]) -> tuple[list[Experts], list[Refusal]]:
    """The experts to quantize, in the graph's order, and why others are refused."""
    found: list[Experts] = []
    refused: list[Refusal] = []
    for node in find_nodes(graph, FLOAT, domain=CONTRIB):
        first, second = (weight_input(node, place) for place in _WEIGHTS)
        if node.name in excluded:
            refused.append(Refusal("the recipe excludes it", str(node.name)))
        elif node.attributes.get_int("normalize_routing_weights", 0) or len(node.inputs) > max(*_WEIGHTS, *_BIASES) + 1:
            refused.append(Refusal("experts of this form have no quantized operator", str(node.name)))
        elif first is None or second is None:
            refused.append(Refusal("the weights of its experts are computed", str(node.name)))
        else:
            found.append(Experts(node, (first, second)))
    return found, refused


def float_experts(component: str, graph: ir.Graph, done: Sequence[PassReport]) -> str:
    """A sentence on experts, most of a model's weights, that `done` left in float32; empty where there are none.

    A Gather has the experts that a token selects, where the operator lacks their activation.
    """
    sizes = {
        node: _float_bytes(node) for node in find_nodes(graph, FLOAT, domain=CONTRIB) + find_nodes(graph, "Gather")
    }
    first = next((node for node, size in sizes.items() if size), None)
    if first is None or not done:
        return ""
    how = "whose weights are gathered for each token" if first.op_type == "Gather" else "of any kind"
    reasons = {one.node: one.reason for step in done for one in step.refused}
    why = reasons.get(str(first.name), f"{done[0].name} quantizes no experts {how}")
    return f"The experts of {component} stay in float32, {sum(sizes.values()) / 1e6:,.1f} MB: {why}."


def _float_bytes(node: ir.Node) -> int:
    places = _WEIGHTS if node.op_type == FLOAT else (0,)
    tensors = [value.const_value for place in places if (value := weight_input(node, place)) is not None]
    return sum(one.nbytes for one in tensors if one and len(one.shape) == 3 and one.dtype == ir.DataType.FLOAT)


def expert_format(experts: Experts, how: BlockFormat) -> BlockFormat | None:
    """The format with the largest block, up to the one of `how`, that divides the inputs of both products; or None."""
    sizes = [size for size in BLOCK_SIZES if size <= how.size and not any(inner % size for inner in experts.inner)]
    return replace(how, size=max(sizes)) if sizes else None


def quantize_experts(
    experts: Experts, how: BlockFormat, mark: str, level: int, made: Sequence[Sequence[ir.Value]] = ()
) -> None:
    """Replaces the node by QMoE. level: onnxruntime's accuracy_level. made: the initializers of each weight, if they
    are there already.
    """
    node, graph = experts.node, experts.node.graph
    assert graph is not None  # find_experts looks at graphs
    inputs: list[ir.Value | None] = [*node.inputs[:2]]
    zeros: list[ir.Value | None] = []
    own = made or [_initializers(graph, weight, how, mark) for weight in experts.weights]
    for (packed, scales, *middles), bias in zip(own, _BIASES, strict=True):
        inputs += [packed, scales, node.inputs[bias] if bias < len(node.inputs) else None]
        zeros += middles
    shares = new_value_like(node.inputs[1], f"{node.outputs[0].name}.shares")
    inputs += [*[None] * (_ZEROS - len(inputs)), *zeros]
    inputs += [*[None] * (_SHARES - len(inputs)), shares]
    facts = {name: attribute.value for name, attribute in node.attributes.items()}
    facts |= {"expert_weight_bits": how.bits, "block_size": how.size, "accuracy_level": level}
    result = new_value_like(node.outputs[0])
    new = make_node(QUANTIZED, inputs, [result], facts, like=node, domain=CONTRIB)
    new.name = node.name
    softmax = make_node("Softmax", [node.inputs[1]], [shares], {"axis": -1}, like=node)
    replace_nodes([node.outputs[0]], [result], [softmax, new], node)


def _initializers(graph: ir.Graph, weight: ir.Value, how: BlockFormat, mark: str) -> list[ir.Value]:
    """Adds q, scales and the zero points of asymmetric blocks."""
    source = weight.const_value
    assert source is not None  # as find_experts gives it
    count, outer, inner = (int(axis) for axis in source.shape)
    packed, scales, zeros = how.shapes(outer, inner)
    name = f"{weight.name}.int{how.bits}{mark}"
    kinds = [
        (name, ir.DataType.UINT8, (count, outer, packed[1] * packed[2])),
        (f"{name}.scales", source.dtype, (count, *scales)),
        (f"{name}.zeros", ir.DataType.UINT8, (count, *zeros)),
    ][: 2 if how.symmetric else 3]

    def make(experts: Array) -> tuple[NDArray[np.generic], ...]:
        made = [np.empty(shape, dtype.numpy()) for _, dtype, shape in kinds]
        for index, rows in enumerate(experts):
            for whole, part in zip(made, quantize_rows(rows, how), strict=False):
                whole[index] = part.reshape(whole.shape[1:])
        return tuple(made)

    group = lazy_tensors(source, ("experts", how), kinds, make)
    return [add_initializer(graph, str(tensor.name), tensor) for tensor in group.tensors]

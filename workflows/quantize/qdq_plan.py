"""Plans static quantization: the products' inputs only, or everything that a provider computes in integers.

    products ──▶ their inputs              w8a8: eight bits are too few for sums of residuals and for norms
    flow: values computed from tokens ──▶ the inputs and outputs of products, elementwise and layout nodes      w8a16

These stay in floating point: attention and its caches, fused norms and rotary embeddings, which providers compute in
16-bit floats; recurrences and their convolutions, whose state gathers errors; statistics of a row (a mean of squares
has the squared range); values computed from positions and masks, whose range grows with the length beyond any
calibration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import onnx_ir as ir

from workflows.optimize.base import Refusal
from workflows.optimize.graph_edits import keeps_float32
from workflows.optimize.queries import (
    DEFAULT_DOMAINS,
    constant_tensor,
    find_nodes,
    last_dimension,
    producer,
    weight_input,
)
from workflows.quantize.linear_layers import find_linears, find_tables
from workflows.recipe import QuantizeSettings

# Nodes that move numbers and leave them as they are: their output is on the grid of their input.
LAYOUT = frozenset({"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Slice", "Split", "Flatten"})
ELEMENTWISE = frozenset(
    {"Add", "Sub", "Mul", "Div", "Sigmoid", "Tanh", "Gelu", "Relu", "Pad", "Concat", "LpNormalization"}
)
COMPONENT_INPUTS = ("inputs_embeds", "hidden_states")  # of the transformer-only variant
FLOAT = ir.DataType.FLOAT


@dataclass(frozen=True)
class QdqProduct:
    """A node that multiplies by a constant weight. axis: that of the weight's output channels."""

    node: ir.Node
    weight: ir.Value
    axis: int
    bias: ir.Value | None

    @property
    def tensor(self) -> ir.TensorProtocol:
        """The weight's tensor."""
        assert self.weight.const_value is not None  # as it is found
        return self.weight.const_value


@dataclass(frozen=True)
class QdqPlan:
    """The products and other nodes in integers, in the graph's order. outputs: whether those of products are, too."""

    products: list[QdqProduct]
    others: list[ir.Node]
    outputs: bool
    refused: list[Refusal]

    def values(self) -> list[ir.Value]:
        """The values whose ranges are needed."""
        found = [product.node.inputs[0] for product in self.products]
        if self.outputs:
            found += [product.node.outputs[0] for product in self.products]
        found += [value for node in self.others for value in float_values(node)]
        return list(dict.fromkeys(layout_root(value) for value in found if value is not None))


def make_plan(model: ir.Model, settings: QuantizeSettings, *, flow: bool) -> QdqPlan:
    """Returns the plan. flow: whether more than the products is quantized."""
    products, refused = _products(model, settings)
    if not flow:
        return QdqPlan(products, [], False, refused)
    moving = _token_values(model.graph, products)
    taken = {product.node for product in products}
    others = [
        node
        for node in model.graph
        if node not in taken and node.name not in settings.exclude and _is_integer_node(node, moving)
        if not keeps_float32(node) and (settings.heads or not _has_heads(node))
    ]
    return QdqPlan(products, others, True, refused)


def _has_heads(node: ir.Node) -> bool:
    """Whether it reads or writes values of four axes, as between projections and attention."""
    return any(value.shape is not None and len(value.shape) > 3 for value in float_values(node))


def float_values(node: ir.Node) -> Iterator[ir.Value]:
    """Returns the node's float inputs and outputs without constants."""
    for value in (*node.inputs, *node.outputs):
        if value is not None and value.dtype == FLOAT and constant_tensor(value) is None:
            yield value


def layout_root(value: ir.Value) -> ir.Value:
    """Returns the value before layout nodes, which share its range."""
    while (node := producer(value, *LAYOUT)) is not None and node.inputs[0] is not None:
        if constant_tensor(node.inputs[0]) is not None:
            break
        value = node.inputs[0]
    return value


def _products(model: ir.Model, settings: QuantizeSettings) -> tuple[list[QdqProduct], list[Refusal]]:
    linears, refused = find_linears(model, settings)
    found = {one.node: QdqProduct(one.node, one.weight, 0 if one.rows else 1, one.bias) for one in linears}
    convolutions = [node for node in find_nodes(model.graph, "Conv") if not keeps_float32(node)]
    names = {str(node.name) for node in convolutions}
    refused = [refusal for refusal in refused if refusal.node not in names]
    for node in convolutions:
        weight = weight_input(node)
        if weight is None or weight.dtype != FLOAT:
            continue
        if node.name in settings.exclude:
            refused.append(Refusal("the recipe excludes it", str(node.name)))
        else:
            found[node] = QdqProduct(node, weight, 0, node.inputs[2] if len(node.inputs) > 2 else None)
    for node, product in list(found.items()):
        if node.inputs[0].dtype == product.tensor.dtype == FLOAT:
            continue
        del found[node]
        refused.append(Refusal("it computes in half precision already", str(node.name)))
    order = {node: index for index, node in enumerate(model.graph)}
    return sorted(found.values(), key=lambda product: order[product.node]), refused


def _token_values(graph: ir.Graph, products: list[QdqProduct]) -> set[ir.Value]:
    """Returns the values computed from tokens, not only from positions and masks."""
    moving = {value for value in graph.inputs if value.name in COMPONENT_INPUTS}
    starts = {product.node for product in products} | {gather for gather, _ in find_tables(graph)}
    for node in graph:
        if node in starts or any(value in moving for value in node.inputs):
            moving.update(node.outputs)
    return moving


def _is_integer_node(node: ir.Node, moving: set[ir.Value]) -> bool:
    """Whether a provider computes the node in integers: an elementwise or layout node on token values."""
    if node.domain not in DEFAULT_DOMAINS or node.outputs[0].dtype != FLOAT:
        return False
    if node.op_type in LAYOUT:
        return node.inputs[0] in moving and node.inputs[0].dtype == FLOAT
    if node.op_type not in ELEMENTWISE:
        return False
    given = [
        value for value in node.inputs if value is not None and value.dtype == FLOAT and constant_tensor(value) is None
    ]
    flows = [value in moving for value in given]
    if not any(flows) or (node.op_type == "Concat" and not all(flows)):  # a cache that grows
        return False
    return not any(last_dimension(value) == 1 for value in (*given, *node.outputs))

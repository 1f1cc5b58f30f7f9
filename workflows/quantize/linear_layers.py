"""Finds the weights that methods quantize: constant matrices by which a graph multiplies its activations.

x [.., K] · W [K,N]      MatMul, Gemm
x [.., K] · Wᵀ, W [N,K]  Gemm transB, MatMul(Transpose(W))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import onnx_ir as ir

from workflows.common import tensor_names
from workflows.optimize.base import Refusal
from workflows.optimize.graph_edits import keeps_float32
from workflows.optimize.queries import DEFAULT_DOMAINS, consumers, dimensions, producer, weight_input
from workflows.recipe import QuantizeSettings

LOGITS = "logits"
_FLOATS = (ir.DataType.FLOAT, ir.DataType.FLOAT16)
_ATTENTION = ("Attention", "GroupQueryAttention", "MultiHeadAttention")
_MOVING = ("Cast", "Identity", "Reshape", "Transpose")
_RESHAPING = ("Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze")
_PLACES = (tensor_names.POSITIONS, "token_type_ids")
_CHOICES = ("TopK", "ArgMax")
_BEFORE_CHOICE = ("Reshape", "Cast", "Softmax", "Sigmoid", "Add", "Sub", "Mul", "Div", "Clip", "Tanh", "Where", "Sqrt",
                  "Softplus")  # fmt: skip
_AFTER_HEAD = frozenset({"Reshape", "Slice", "Cast", "Add", "Mul", "Div", "Tanh", "Squeeze", "Unsqueeze", "Identity"})


@dataclass(frozen=True)
class LinearProduct:
    """A product with a constant matrix: `inner` is K, `outer` is N.

    rows: `weight` is stored [N,K], else [K,N]. bias: [N], within a Gemm.
    """

    node: ir.Node
    weight: ir.Value
    rows: bool
    bias: ir.Value | None = None

    @property
    def tensor(self) -> ir.TensorProtocol:
        """The weight's tensor."""
        assert self.weight.const_value is not None  # as it is found
        return self.weight.const_value

    @property
    def inner(self) -> int:
        return int(self.tensor.shape[1 if self.rows else 0])

    @property
    def outer(self) -> int:
        return int(self.tensor.shape[0 if self.rows else 1])


def find_linears(model: ir.Model, settings: QuantizeSettings) -> tuple[list[LinearProduct], list[Refusal]]:
    """Returns the products to quantize, in the graph's order, and why others with a constant weight are refused."""
    found: list[LinearProduct] = []
    refused: list[Refusal] = []
    head = find_head(model.graph)
    for node in model.graph.all_nodes():
        linear = _linear(node)
        if isinstance(linear, LinearProduct):
            reason = _reason_against(linear, model.graph, settings, head)
            linear = Refusal(reason, str(node.name)) if reason else linear
        if isinstance(linear, Refusal):
            refused.append(linear)
        elif linear is not None:
            found.append(linear)
    return found, refused


def find_head(graph: ir.Graph) -> ir.Node | None:
    """Returns the product that computes the logits."""
    value: ir.Value | None = next((value for value in graph.outputs if value.name == LOGITS), None)
    while value is not None and (node := value.producer()) is not None:
        if node.op_type in ("MatMul", "Gemm"):
            return node
        if node.op_type not in _AFTER_HEAD:
            return None
        value = next((source for source in node.inputs if source is not None and not source.is_initializer()), None)
    return None


def is_behind_attention(node: ir.Node) -> bool:
    """Whether the product's input is the output of attention: of a fused operator, or of scores by values."""
    value = node.inputs[0]
    while value is not None and (mover := producer(value, *_MOVING)) is not None:
        value = mover.inputs[0]
    source = value.producer() if value is not None else None
    if source is None:
        return False
    return source.op_type in _ATTENTION or (source.op_type == "MatMul" and weight_input(source) is None)


def is_router(node: ir.Node) -> bool:
    """Whether the product's result selects experts: a choice reads it, behind what happens to each number of it."""
    pending, seen = [node], {node}
    while pending:
        for reader in consumers(pending.pop().outputs[0]):
            if reader.op_type in _CHOICES:
                return True
            if reader.op_type in _BEFORE_CHOICE and reader not in seen:
                seen.add(reader)
                pending.append(reader)
    return False


def find_tables(graph: ir.Graph) -> Iterator[tuple[ir.Node, ir.Value]]:
    """Returns (Gather, table) of the float matrices that are indexed by tokens."""
    for node in graph:
        table = weight_input(node, 0) if node.op_type == "Gather" and node.domain in DEFAULT_DOMAINS else None
        if table is not None and len(dimensions(table) or ()) == 2 and table.dtype in _FLOATS:
            yield node, table


def is_token_lookup(gather: ir.Node) -> bool:
    """Whether the rows are chosen by an input, and not by computed positions."""
    value = gather.inputs[1]
    while value is not None and (node := producer(value, *_RESHAPING)) is not None:
        value = node.inputs[0]
    return value is not None and value.is_graph_input() and value.name not in _PLACES


def _linear(node: ir.Node) -> LinearProduct | Refusal | None:
    if node.domain not in DEFAULT_DOMAINS or keeps_float32(node):
        return None
    if node.op_type == "MatMul":
        return _of_matmul(node)
    if node.op_type == "Gemm":
        return _of_gemm(node)
    if node.op_type in ("Conv", "ConvTranspose") and weight_input(node) is not None:
        return Refusal(f"a {node.op_type}'s weight is no matrix that integer products take", str(node.name))
    return None


def _of_matmul(node: ir.Node) -> LinearProduct | Refusal | None:
    transpose = producer(node.inputs[1], "Transpose")
    weight = weight_input(node) if transpose is None else weight_input(transpose, 0)
    if weight is None:
        if weight_input(node, 0) is None:
            return None
        return Refusal("the weight is the left operand, and only right operands are quantized", str(node.name))
    axes = len(weight.const_value.shape) if weight.const_value is not None else 0
    if axes != 2:
        return Refusal(f"the weight has {axes} axes, and only matrices are quantized", str(node.name))
    if transpose is not None and tuple(transpose.attributes.get_ints("perm", (1, 0))) != (1, 0):
        return None
    return LinearProduct(node, weight, transpose is not None)


def _of_gemm(node: ir.Node) -> LinearProduct | Refusal | None:
    weight = weight_input(node)
    if weight is None:
        return None
    scaled = any(node.attributes.get_float(name, 1.0) != 1.0 for name in ("alpha", "beta"))
    if scaled or node.attributes.get_int("transA", 0):
        return Refusal("this Gemm scales or turns its input, which integer products do not", str(node.name))
    rows = bool(node.attributes.get_int("transB", 0))
    linear = LinearProduct(node, weight, rows, node.inputs[2] if len(node.inputs) > 2 else None)
    if linear.bias is not None and dimensions(linear.bias) != (linear.outer,):
        return Refusal("this Gemm's bias is not one number a column", str(node.name))
    return linear


def _reason_against(linear: LinearProduct, graph: ir.Graph, settings: QuantizeSettings, head: ir.Node | None) -> str:
    if linear.node.name in settings.exclude:
        return "the recipe excludes it"
    if linear.node is head and settings.head == "fp32":
        return "it is the head, which the recipe leaves alone"
    if is_router(linear.node):
        return "it selects experts, which rounding would tip"
    if linear.node.graph is not graph:
        return "it stands within control flow"
    if linear.tensor.dtype not in _FLOATS:
        return f"the weight is {linear.tensor.dtype.name.lower()}"
    return ""

"""Gives a graph the low-rank factors of adapters as inputs: which adapter runs is then the caller's choice.

x ── MatMul(W) ── y   →   x ─┬─ MatMul(W) ───────────────────── Add ── y
                             └─ MatMul(A [K,r]) ─ MatMul(B [r,N]) ┘

r is any number, 0 for none. Products that are packed into one have factors of their own each, whose products are
concatenated. Nodes are found by the names of their inputs and outputs, which passes and quantization keep.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import onnx_ir as ir

from workflows.common.tensor_names import ADAPTER_LEFT, ADAPTER_RIGHT
from workflows.graph.scopes import SCOPES_KEY, scope_of_names
from workflows.optimize.graph_edits import make_node
from workflows.optimize.packing import PACKED_KEY, projection_of
from workflows.optimize.queries import weight_input

_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16)


@dataclass(frozen=True)
class AdaptedModule:
    """A linear layer of the checkpoint, by its path: weights [outputs, inputs]."""

    path: str
    inputs: int
    outputs: int

    @property
    def names(self) -> tuple[str, str]:
        """The graph's inputs for A [inputs, r] and B [r, outputs]."""
        return ADAPTER_RIGHT.format(self.path), ADAPTER_LEFT.format(self.path)


@dataclass(frozen=True)
class AdaptedProduct:
    """A product x · W of a graph, by the names of its input and its output; several modules if it is packed."""

    input: str
    output: str
    modules: tuple[AdaptedModule, ...]


def find_products(exported: ir.Model, optimized: ir.Model, root: str) -> list[AdaptedProduct]:
    """The products of the optimized graph that are those of linear layers of the exported one.

    root: the path of the checkpoint's model in the scopes of the exported graph.
    """
    modules = dict(_modules_by_output(exported.graph, f"{root}."))
    products = []
    for node in optimized.graph:
        if node.op_type not in ("MatMul", "Gemm") or node.inputs[0] is None or node.attributes.get_int("transA", 0):
            continue
        packed = node.metadata_props.get(PACKED_KEY)
        members = json.loads(packed) if packed else [node.outputs[0].name]
        if all(name in modules for name in members):
            own = tuple(modules[name] for name in members)
            products.append(AdaptedProduct(str(node.inputs[0].name), str(node.outputs[0].name), own))
    return products


def _modules_by_output(graph: ir.Graph, prefix: str) -> Iterator[tuple[str, AdaptedModule]]:
    """Yields (output, module) of each product of a linear layer, without a bias and with it.

    A path with several weights is that of a module that computes more than a linear layer.
    """
    found: dict[str, list[tuple[ir.Value, AdaptedModule, set[str]]]] = {}
    for node in graph:
        path = scope_of_names(node.metadata_props.get(SCOPES_KEY, "")).replace("/", ".")
        linear = _linear(node, path.removeprefix(prefix)) if path.startswith(prefix) else None
        if linear is not None:
            found.setdefault(path, []).append(linear)
    for products in found.values():
        if len({weight for weight, _, _ in products}) == 1:
            yield from ((name, module) for _, module, names in products for name in names)


def _linear(node: ir.Node, path: str) -> tuple[ir.Value, AdaptedModule, set[str]] | None:
    """Returns (weight, module, the names of its outputs) of the product of a matrix of weights; None for others."""
    projection = projection_of(node)
    if projection is not None:
        outputs = {str(projection.matmul.outputs[0].name), str(projection.output.name)}
        return projection.weight, AdaptedModule(path, projection.depth, projection.width), outputs
    weight = weight_input(node) if node.op_type == "Gemm" else None
    if weight is None or weight.const_value is None:
        return None
    sizes = [int(size) for size in weight.const_value.shape]
    if node.attributes.get_int("transB", 0):
        sizes.reverse()
    return weight, AdaptedModule(path, *sizes), {str(node.outputs[0].name)}


def add_adapter_inputs(model: ir.Model, products: Iterable[AdaptedProduct]) -> dict[str, ir.DataType]:
    """Adds the inputs and their products; returns the types of the inputs by module. Raises KeyError for a product
    that the graph does not have.
    """
    graph, values = model.graph, _values(model.graph)
    types: dict[str, ir.DataType] = {}
    for product in products:
        x, y = values[product.input], values[product.output]
        dtype = y.dtype if y.dtype in _TYPES else x.dtype
        if dtype not in _TYPES:
            raise KeyError(product.output)
        factors = [_inputs(graph, one, dtype) for one in product.modules]
        types |= {one.path: dtype for one in product.modules}
        _add_products(y, x, factors)
    return types


def _values(graph: ir.Graph) -> dict[str, ir.Value]:
    """All values that nodes give, and the graph's inputs, by name."""
    given = (value for node in graph for value in node.outputs)
    return {str(value.name): value for value in (*graph.inputs, *given) if value.name}


def _inputs(graph: ir.Graph, module: AdaptedModule, dtype: ir.DataType) -> tuple[ir.Value, ir.Value]:
    """The inputs A and B of a module; the same ones where it is used twice."""
    right, left = module.names
    present = {str(value.name): value for value in graph.inputs}
    if right in present:
        return present[right], present[left]
    rank = f"rank.{module.path}"  # one of its own: memory is planned by the symbols
    pair = (
        ir.Value(name=right, type=ir.TensorType(dtype), shape=ir.Shape([module.inputs, rank])),
        ir.Value(name=left, type=ir.TensorType(dtype), shape=ir.Shape([rank, module.outputs])),
    )
    graph.inputs.extend(pair)
    return pair


def _add_products(y: ir.Value, x: ir.Value, factors: list[tuple[ir.Value, ir.Value]]) -> None:
    """Adds x·A·B to y; those of several factors one beside the other."""
    node = y.producer()
    assert node is not None and node.graph is not None  # a product of the graph
    nodes, parts = list[ir.Node](), list[ir.Value]()
    for place, (right, left) in enumerate(factors):
        inner, part = (_value_like(y, f"lora.{place}.{name}") for name in ("inner", "product"))
        nodes += [make_node("MatMul", [x, right], [inner], like=node), make_node("MatMul", [inner, left], [part],
                                                                                 like=node)]  # fmt: skip
        parts.append(part)
    if len(parts) > 1:
        joined = _value_like(y, "lora")
        nodes.append(make_node("Concat", parts, [joined], {"axis": -1}, like=node))
        parts = [joined]
    adapted = ir.Value(name=y.name, type=y.type, shape=y.shape)
    y.replace_all_uses_with(adapted, replace_graph_outputs=True)
    y.name = f"{y.name}.base"
    nodes.append(make_node("Add", [y, parts[0]], [adapted], like=node))
    node.graph.insert_after(node, nodes)


def _value_like(y: ir.Value, suffix: str) -> ir.Value:
    return ir.Value(name=f"{y.name}.{suffix}", type=y.type)

"""Stores single weights as fp16 and computes in float32; the weights keep 11 bits of precision.

    x · W  →  x · Cast(W16)        Gather(W, ids)  →  Cast(Gather(W16, ids))

A runtime casts W16 when it opens the graph, so the speed is float32's: only the file is smaller.
"""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import PassResult
from workflows.optimize.graph_edits import add_initializer, drop_unused, make_node, replace_nodes
from workflows.quantize.base import Method, Ranges
from workflows.quantize.half_precision import to_half
from workflows.quantize.linear_layers import LinearProduct, find_linears, find_tables
from workflows.recipe import QuantizeSettings

FLOAT, HALF = ir.DataType.FLOAT, ir.DataType.FLOAT16


class HalfStorage(Method):
    """`fp16` for single nodes of a float32 graph."""

    name = "fp16"
    title = "Weights stored in 16 bits"

    def call(self, model: ir.Model, settings: QuantizeSettings, ranges: Ranges | None) -> PassResult:
        linears, refused = find_linears(model, settings)
        taken = [linear for linear in linears if linear.tensor.dtype == FLOAT]
        for linear in taken:
            _store_weight(linear)
        tables = [(gather, table) for gather, table in find_tables(model.graph) if gather.name not in settings.exclude]
        for gather, table in tables if settings.embedding != "fp32" else ():
            store_table(gather, _half(model.graph, table))
        return PassResult(bool(taken or (tables and settings.embedding != "fp32")), tuple(refused))


def _store_weight(linear: LinearProduct) -> None:
    node, graph = linear.node, linear.node.graph
    assert graph is not None  # find_linears looks at graphs
    stored, name = _half(graph, linear.weight), f"{linear.weight.name}.{linear.node.name}"
    weight = ir.Value(name=f"{name}.float", type=ir.TensorType(FLOAT), shape=linear.weight.shape)
    nodes = [make_node("Cast", [stored], [weight], {"to": int(FLOAT)}, like=node)]
    if linear.rows and node.op_type == "MatMul":  # the Transpose before it may be of others too
        turned = ir.Value(name=f"{name}.turned", type=weight.type)
        nodes.append(make_node("Transpose", [weight], [turned], {"perm": [1, 0]}, like=node))
        weight = turned
    before = node.inputs[1].producer()
    graph.insert_before(node, nodes)
    node.replace_input_with(1, weight)
    if before is not None:
        drop_unused(before)


def store_table(gather: ir.Node, stored: ir.Value) -> None:
    """Makes the node look up its rows in `stored`, a table of 16 bits, and converts them."""
    old = gather.outputs[0]
    rows = ir.Value(name=f"{old.name}.half", type=stored.type, shape=old.shape)
    result = ir.Value(name=old.name, type=old.type, shape=old.shape)
    new = make_node("Gather", [stored, gather.inputs[1]], [rows], {"axis": 0}, like=gather)
    cast = make_node("Cast", [rows], [result], {"to": int(FLOAT)}, like=gather)
    new.name = gather.name
    replace_nodes([old], [result], [new, cast], gather)


def _half(graph: ir.Graph, weight: ir.Value) -> ir.Value:
    assert weight.const_value is not None
    name = f"{weight.name}.float16"
    return add_initializer(graph, name, to_half(weight.const_value, HALF, name))

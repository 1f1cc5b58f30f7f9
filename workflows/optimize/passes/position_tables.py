"""Replaces computations on positions by tables with one row a position.

    position_ids ── Cast … Cos  →  Gather(cos of 0 … P-1, position_ids)

If a provider computes angles in half precision, the error of a key at position 4,000 is a third of its value
(onnxruntime-qnn 2.7.0); a table is exact everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime as ort
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from workflows.common import tensor_names
from workflows.common.tensor_names import POSITIONS_KEY
from workflows.optimize.base import Pass, Refusal, Rewrites
from workflows.optimize.graph_edits import add_initializer, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import constant_tensor, dimensions

_CURVES = ("Cos", "Sin")
_LARGEST = 1 << 28  # bytes of one table


class PositionTables(Pass):
    """Cosines and sines of positions as tables; each [1, columns, size]."""

    name = "position_tables"
    title = "Rotary angles from tables"

    def requires(self, model: ir.Model) -> Refusal | None:
        """Needs a graph with an input of positions and a known number of them."""
        if not any(value.name == tensor_names.POSITIONS for value in model.graph.inputs):
            return Refusal(f"the graph takes no {tensor_names.POSITIONS}")
        if POSITIONS_KEY not in model.metadata_props:
            return Refusal(f"the graph does not say how many positions the model has ({POSITIONS_KEY})")
        return None

    def _rewrites(self, model: ir.Model) -> Rewrites:
        positions = next(value for value in model.graph.inputs if value.name == tensor_names.POSITIONS)
        count = int(model.metadata_props[POSITIONS_KEY])
        own = _position_nodes(model.graph, positions)
        tables: list[tuple[ir.Value, NDArray[np.generic]]] = []
        for value in _curve_outputs(own):
            axes = dimensions(value)
            width = axes[-1] if axes and len(axes) == 3 else None
            if not isinstance(width, int):
                yield Refusal("what it makes of positions is not [1, columns, size]", str(value.name))
            elif count * width * 4 > _LARGEST:
                yield Refusal(f"a table of {count:,} rows would take too much memory", str(value.name))
            else:
                tables.append((value, _table(model, value, own, count)))
        for value, table in tables:  # the first that is replaced may take what others are made of along
            _gather_table(model, value, positions, table)
            yield None


def _position_nodes(graph: ir.Graph, positions: ir.Value) -> list[ir.Node]:
    """Returns the nodes that depend on positions and constants only, in the graph's order."""
    known = {positions}
    nodes = []
    for node in graph:
        read = [value for value in node.inputs if value is not None]
        own = [value in known for value in read]
        if any(own) and all(mine or constant_tensor(value) is not None for mine, value in zip(own, read, strict=True)):
            known |= set(node.outputs)
            nodes.append(node)
    return nodes


def _curve_outputs(nodes: Iterable[ir.Node]) -> list[ir.Value]:
    """Returns the outputs of these nodes that others read, if a cosine or sine is on the way."""
    inside = set(nodes)
    curved: set[ir.Value] = set()
    for node in nodes:
        if node.op_type in _CURVES or any(value in curved for value in node.inputs):
            curved |= set(node.outputs)
    return [
        value
        for node in nodes
        for value in node.outputs
        if value in curved and (value.is_graph_output() or any(use.node not in inside for use in value.uses()))
    ]


def _table(model: ir.Model, value: ir.Value, nodes: Iterable[ir.Node], count: int) -> NDArray[np.generic]:
    """Returns [P, size]: the values at positions 0 … P-1, computed by the CPU provider.

    A graph of fixed shapes may hold constants for its number of columns, so it computes as many positions per run.
    """
    own = list(nodes)
    axes = dimensions(
        next(read for node in own for read in node.inputs if read and read.name == tensor_names.POSITIONS)
    )
    columns = axes[1] if axes and isinstance(axes[1], int) else count
    constants = {read.name: constant_tensor(read) for node in own for read in node.inputs if read is not None}
    graph = helper.make_graph(
        [ir.serde.serialize_node(node) for node in own],
        "positions",
        [helper.make_tensor_value_info(tensor_names.POSITIONS, onnx.TensorProto.INT64, [1, columns])],
        [helper.make_empty_tensor_value_info(value.name)],
        [numpy_helper.from_array(tensor.numpy(), name) for name, tensor in constants.items() if tensor is not None],
    )
    opsets = [helper.make_opsetid(domain, version) for domain, version in model.opset_imports.items()]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=model.ir_version)
    session = ort.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    rows = [
        session.run(None, {tensor_names.POSITIONS: np.arange(start, start + columns, dtype=np.int64)[None]})[0][0]
        for start in range(0, count, columns)
    ]
    return np.concatenate(rows)[:count]


def _columns(nodes: Iterable[ir.Node]) -> int | None:
    """The columns of the positions that these nodes read; None for any number."""
    inputs = (value for node in nodes for value in node.inputs if value is not None)
    axes = dimensions(next(value for value in inputs if value.name == tensor_names.POSITIONS))
    return axes[1] if axes and len(axes) > 1 and isinstance(axes[1], int) else None


def _gather_table(model: ir.Model, value: ir.Value, positions: ir.Value, table: NDArray[np.generic]) -> None:
    """[P, size] → [1, columns, size] by positions."""
    tensor = ir.tensor(np.ascontiguousarray(table), name=f"{value.name}.table")
    rows = add_initializer(model.graph, f"{value.name}.table", tensor)
    result, maker = new_value_like(value), value.producer()
    assert maker is not None  # a node made it
    node = make_node("Gather", [rows, positions], [result], {"axis": 0}, like=maker)
    replace_nodes([value], [result], [node], maker)

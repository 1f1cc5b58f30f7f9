"""Packs the gate and up projections of a gated feed-forward (Shazeer 2020, GLU variants) into one MatMul."""

from __future__ import annotations

import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites
from workflows.optimize.packing import Projection, pack_projections, projections_by_input
from workflows.optimize.queries import uses_through

# what an activation is made of
ACTIVATION = (
    *("Sigmoid", "Gelu", "FastGelu", "QuickGelu", "BiasGelu", "Swish", "Relu", "Tanh", "Erf", "Pow", "Cast"),
    *("Add", "Sub", "Div", "Max", "Min", "Clip", "Softplus", "Elu", "LeakyRelu", "HardSwish"),
)


class PackGateUp(Pass):
    """Packs two projections of one input that are multiplied, one of them activated; refuses shared weights."""

    name = "pack_gate_up"
    title = "One MatMul for gate and up"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for projections in projections_by_input(model.graph).values():
            if group := _gated(projections):
                yield pack_projections(model.graph, group, "gate_up")


def _gated(projections: list[Projection]) -> list[Projection]:
    """Returns the two projections that are the factors of one product."""
    meeting: dict[ir.Node, list[Projection]] = {}
    for projection in projections:
        for node in dict.fromkeys(_products(projection.output)):
            meeting.setdefault(node, []).append(projection)
    return next((pair for pair in meeting.values() if len(pair) == 2 and pair[0].width == pair[1].width), [])


def _products(value: ir.Value) -> list[ir.Node]:
    """Returns the nearest products of `value` outside its own activation (x · sigmoid(x))."""
    products = list(dict.fromkeys(node for node, _ in uses_through(value, ACTIVATION) if node.op_type == "Mul"))
    inner = [p for p in products if all(part is None or _comes_of(part, value) for part in p.inputs)]
    return [p for p in products if p not in inner] + [p for own in inner for p in _products(own.outputs[0])]


def _comes_of(part: ir.Value, value: ir.Value) -> bool:
    if part is value or part.is_initializer():
        return True
    node = part.producer()
    if node is None or node.op_type not in (*ACTIVATION, "Mul", "Constant"):
        return False
    return all(source is None or _comes_of(source, value) for source in node.inputs)

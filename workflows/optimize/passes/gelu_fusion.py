"""Fuses Gelu (Hendrycks & Gimpel 2016) and its tanh approximation, which exporters decompose, into one node.

0.5 · x · (1 + erf(x / √2))                        → Gelu
0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))  → Gelu(approximate="tanh"), FastGelu below opset 20
"""

from __future__ import annotations

import math

import onnx_ir as ir

from workflows.optimize.base import Pass, Refusal, Rewrites
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import make_node, new_value_like, replace_nodes
from workflows.optimize.queries import (
    constant_scalar,
    consumers,
    find_nodes,
    is_near_scalar,
    producer,
    product_factors,
    split_scalar_operand,
)

_SLOPE, _CUBE = math.sqrt(2 / math.pi), 0.044715
_GELU_OPSET = 20


class GeluFusion(Pass):
    """Fuses both forms with their products in any order; refuses other constants."""

    name = "gelu_fusion"
    title = "Gelu as one node"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        opset = model.opset_imports.get("", 0)
        for node in find_nodes(model.graph, "Erf", "Tanh"):
            match = _find(node)
            if isinstance(match, tuple):
                _fuse(*match, tanh=node.op_type == "Tanh", standard=opset >= _GELU_OPSET)
                yield None
            elif match is not None:
                yield match


def _find(bend: ir.Node) -> tuple[ir.Node, ir.Value] | Refusal | None:
    """Returns (the last product, x) of a Gelu around its Erf or Tanh; None if that belongs to something else."""
    shifted = _only_user(bend.outputs[0], "Add")
    constant = split_scalar_operand(shifted) if shifted is not None else None
    if shifted is None or constant is None or constant[1] != 1:
        return None
    inner = bend.inputs[0]
    product = shifted.outputs[0]
    while (last := _only_user(product, "Mul")) is not None:
        product = last.outputs[0]
        rest = product_factors(product)
        rest.remove(shifted.outputs[0])
        halves = [part for part in rest if is_near_scalar(part, 0.5)]
        others = [part for part in rest if part not in halves]
        if len(halves) == 1 and len(others) == 1 and inner is not None:
            x = others[0]
            argument = _is_scaled(inner, x) if bend.op_type == "Erf" else _is_cubic(inner, x)
            return (last, x) if argument else Refusal("its constants are not those of Gelu", str(bend.name))
    return None


def _only_user(value: ir.Value, op: str) -> ir.Node | None:
    users = consumers(value)
    return users[0] if len(users) == 1 and users[0].op_type == op and not value.is_graph_output() else None


def _is_scaled(value: ir.Value, x: ir.Value) -> bool:
    """x / √2."""
    division = producer(value, "Div")
    if division is not None:
        return division.inputs[0] is x and is_near_scalar(division.inputs[1], math.sqrt(2))
    return _is_product(value, [x], math.sqrt(0.5))


def _is_cubic(value: ir.Value, x: ir.Value) -> bool:
    """√(2/π) · (x + 0.044715 · x³), or √(2/π) · x · (1 + 0.044715 · x²)."""
    for part in product_factors(value):
        total = producer(part, "Add")
        if total is None:
            continue
        one, other = total.inputs
        for first, second in ((one, other), (other, one)):
            if first is None or second is None:
                continue
            if first is x and _is_product(value, [part], _SLOPE) and _is_power(second, x, 3):
                return True
            if is_near_scalar(first, 1) and _is_product(value, [part, x], _SLOPE) and _is_power(second, x, 2):
                return True
    return False


def _is_power(value: ir.Value, x: ir.Value, exponent: int) -> bool:
    """0.044715 · x^exponent, as Pow or as a product."""
    if _is_product(value, [x] * exponent, _CUBE):
        return True
    powers = [p for part in product_factors(value) if (p := producer(part, "Pow")) is not None]
    if len(powers) == 1 and powers[0].inputs[0] is x:
        return is_near_scalar(powers[0].inputs[1], exponent) and _is_product(value, [powers[0].outputs[0]], _CUBE)
    squares = [
        m for part in product_factors(value) if (m := producer(part, "Mul")) is not None and set(m.inputs) == {x}
    ]
    if len(squares) == 1:  # x·x that something else reads too
        return _is_product(value, [squares[0].outputs[0], *[x] * (exponent - 2)], _CUBE)
    return False


def _is_product(value: ir.Value, values: list[ir.Value], number: float) -> bool:
    """Whether `value` is the product of these values and of constants whose product is `number`."""
    missing, constant = list(values), 1.0
    for part in product_factors(value):
        if part in missing:
            missing.remove(part)
        elif (factor := constant_scalar(part)) is not None:
            constant *= factor
        else:
            return False
    return not missing and math.isclose(constant, number, rel_tol=2e-3)


def _fuse(last: ir.Node, x: ir.Value, *, tanh: bool, standard: bool) -> None:
    result = new_value_like(last.outputs[0])
    if standard:
        node = make_node("Gelu", [x], [result], {"approximate": "tanh"} if tanh else None, like=last)
    else:
        node = make_node("FastGelu" if tanh else "Gelu", [x], [result], like=last, domain=CONTRIB)
    replace_nodes([last.outputs[0]], [result], [node], last)

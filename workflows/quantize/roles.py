"""Finds the nodes of each role in a graph, and gives them the precision that the recipe has for the role.

graph ──find_roles──▶ node → its roles ──settings_by_role──▶ quantize.nodes and quantize.exclude of this graph
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import onnx_ir as ir

from workflows.graph.scopes import SCOPES_KEY, scope_of_name, scope_of_names
from workflows.optimize.base import Refusal
from workflows.optimize.queries import producer
from workflows.quantize.grids import BlockFormat
from workflows.quantize.linear_layers import (
    LinearProduct,
    find_head,
    find_linears,
    find_tables,
    is_behind_attention,
    is_token_lookup,
)
from workflows.recipe import QuantizeSettings
from workflows.recipe.schema import NodePrecision, Role

_LAYER = re.compile(r"(?:^|/)(\d+)(?:/|$)")
# between the first and the second product of a feed-forward block
_BETWEEN = ("Mul", "Add", "Sigmoid", "Tanh", "Gelu", "FastGelu", "QuickGelu", "BiasGelu", "Relu", "Silu", "Swish",
            "Erf", "Div", "Pow", "Sqrt", "HardSwish", "Elu", "Clip", "Split", "Slice", "Cast", "Reshape")  # fmt: skip
_BITS = {"int4": 4, "int8": 8, "fp16": 16}


def settings_by_role(
    model: ir.Model, settings: QuantizeSettings, precision: str
) -> tuple[QuantizeSettings, list[Refusal]]:
    """Returns the settings with the roles' nodes among `nodes` and `exclude`, and roles that the graph does not have.

    precision: of the other weights. Of several roles of a node the most exact one counts; what the recipe says of a
    node by its name comes first.
    """
    float_tables = {role for role in ("head", "embedding") if getattr(settings, role) == "fp32"}
    wanted = {role: one for role, one in settings.roles.items() if role not in float_tables}  # which every method knows
    if not wanted:
        return settings, []
    found = find_roles(model)
    missing = [role for role in wanted if role not in {role for roles in found.values() for role in roles}]
    if "head" in wanted and settings.embedding is None and precision in ("int4", "int8"):
        # a table that is tied to such a head has a copy of its own
        size = settings.block_size if precision == "int8" else settings.fine_block_size or settings.block_size
        wanted["embedding"] = NodePrecision.model_validate({"precision": precision, "block_size": size})
    nodes, exclude = dict(settings.nodes), list(settings.exclude)
    widths = {str(gather.name): int(table.shape[1]) for gather, table in find_tables(model.graph) if table.shape}
    for node, roles in found.items():
        own = [wanted[role] for role in roles if role in wanted]
        if not own or node in nodes or node in exclude:
            continue
        most = None if None in own else max(own, key=lambda one: _BITS[one.precision] if one else 32)
        if most is None:
            exclude.append(node)
        else:
            nodes[node] = _fitted(most, widths.get(node))
    changes = {"nodes": nodes, "exclude": tuple(exclude)}
    refused = [Refusal(f"the graph has no node in the role {role}", "") for role in missing]
    return settings.model_copy(update=changes), refused


def _fitted(own: NodePrecision, width: int | None) -> NodePrecision:
    """The precision with blocks that divide the rows of a table; width: None for a product, which has them anyway."""
    if width is None or own.precision not in ("int4", "int8"):
        return own
    size = BlockFormat(_BITS[own.precision], own.block_size, False).fitted(width).size
    return own.model_copy(update={"block_size": size})


def find_roles(model: ir.Model) -> dict[str, list[Role]]:
    """Returns node → its roles, of the products and token tables that can be quantized."""
    every = QuantizeSettings(embedding=None)
    linears, head = find_linears(model, every)[0], find_head(model.graph)
    layers = {linear.node: _layer_of(linear.node) for linear in linears if linear.node is not head}
    numbers = sorted({number for number in layers.values() if number is not None})
    found: dict[str, list[Role]] = {}
    for linear in linears:
        roles = found.setdefault(str(linear.node.name), [])
        if linear.node is head:
            roles.append("head")
            continue
        if is_behind_attention(linear.node):
            roles.append("attention_output")
        elif _is_down_projection(linear, linears):
            roles.append("down_projection")
        if numbers and layers[linear.node] == numbers[0]:
            roles.append("first_layer")
        if numbers and layers[linear.node] == numbers[-1]:
            roles.append("last_layer")
    for gather, _ in find_tables(model.graph):
        if is_token_lookup(gather):
            found[str(gather.name)] = ["embedding"]
    return found


def _layer_of(node: ir.Node) -> int | None:
    """Returns the first number in the node's module path, which counts layers: 3 of `model/layers/3/mlp/up_proj`."""
    noted = node.metadata_props.get(SCOPES_KEY)
    scope = scope_of_names(noted) if noted is not None else scope_of_name(str(node.name))
    number = _LAYER.search(scope)
    return int(number[1]) if number else None


def _is_down_projection(linear: LinearProduct, linears: Iterable[LinearProduct]) -> bool:
    """Whether the input comes from other products by an activation: of the second half of a feed-forward block."""
    products = {one.node for one in linears}
    pending, seen, first = [linear.node.inputs[0]], set[ir.Node](), 0
    while pending:
        value = pending.pop()
        node = value.producer() if value is not None else None
        if node is None or node in seen:
            if value is not None and node is None and not value.is_initializer():
                return False  # an input of the graph
            continue
        seen.add(node)
        if node in products:
            first += 1
        elif node.op_type in _BETWEEN or producer(value, "Constant") is not None:
            pending += node.inputs
        else:
            return False
    return 0 < first <= 2

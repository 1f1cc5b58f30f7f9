"""Fuses rotary embeddings (Su et al. 2021), which exporters decompose below opset 23 and in 24, into one node.

    x ┬───────────────────── · cos ┐          x ─────────────────────┐
      └ (−second half, first half) · sin ┴ +  →   angles ┬ Cos ┬ RotaryEmbedding
    angles ─ Concat twice ┬ Cos ─ Unsqueeze             └ Sin ┘
                          └ Sin ─ Unsqueeze

The operator takes half of the cosines and sines, because both halves of a head rotate by the same angles.
"""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS
from workflows.optimize.base import Pass, Refusal, Rewrites, refusal_of
from workflows.optimize.graph_edits import make_node, new_value_like, replace_nodes
from workflows.optimize.queries import (
    constant_array,
    constant_scalar,
    dimensions,
    find_nodes,
    has_single_use,
    is_last_axis,
    last_dimension,
    producer,
)

_OPSET = KERNEL_CONSTRAINTS["RotaryEmbedding"].since
_BY_ELEMENT = ("Cos", "Sin", "Cast", "Identity")
_TYPES = (ir.DataType.FLOAT, ir.DataType.FLOAT16, ir.DataType.BFLOAT16)


@dataclass(frozen=True)
class _Rotary:
    """x · cos + rotate_half(x) · sin [1,H,S,D], and the two tables [1,S,D] without the axis of heads."""

    x: ir.Value
    cos: ir.Value
    sin: ir.Value


class FuseRotary(Pass):
    """Fuses the sum if cosines and sines are computed from angles concatenated with themselves."""

    name = "fuse_rotary"
    title = "Rotary positions as one node"

    def requires(self, model: ir.Model) -> Refusal | None:
        """Needs an operator set that has RotaryEmbedding."""
        opset = model.opset_imports.get("", 0)
        return None if opset >= _OPSET else Refusal(f"opset {opset} has no RotaryEmbedding, which came with {_OPSET}")

    def _rewrites(self, model: ir.Model) -> Rewrites:
        halves: dict[ir.Value, ir.Value] = {}
        for node in find_nodes(model.graph, "Add"):
            rotary = _find(node)
            if rotary is None:
                continue
            if not (reason := _reason_against(rotary)):
                _fuse(node, rotary, halves)
            yield refusal_of(node, reason)


def _find(add: ir.Node) -> _Rotary | None:
    for first, second in (add.inputs, add.inputs[::-1]):
        products = [producer(value, "Mul") for value in (first, second)]
        if any(product is None or not has_single_use(product.outputs[0]) for product in products):
            return None
        straight, turned = (product.inputs for product in products if product is not None)
        for index in (0, 1):
            x = _unrotated(turned[index])
            if x is None or x not in straight:
                continue
            cos, sin = straight[1 - straight.index(x)], turned[1 - index]
            tables = [_without_heads(value) for value in (cos, sin)]
            if tables[0] is not None and tables[1] is not None:
                return _Rotary(x, tables[0], tables[1])
    return None


def _unrotated(value: ir.Value | None) -> ir.Value | None:
    """Returns x if `value` is (−second half of x, first half of x) along the last axis."""
    joined = producer(value, "Concat")
    if joined is None or len(joined.inputs) != 2 or not is_last_axis(joined.attributes.get_int("axis", 0), value):
        return None
    negative = producer(joined.inputs[0], "Neg")
    halves = (negative.inputs[0] if negative is not None else None), joined.inputs[1]
    split = producer(halves[0], "Split")
    if split is not None and list(split.outputs) == [halves[1], halves[0]]:
        whole, even = split.inputs[0], last_dimension(halves[0]) == last_dimension(halves[1])
        along = is_last_axis(split.attributes.get_int("axis", 0), whole)
        return whole if even and along else None
    second, first = (_sliced(half) for half in halves)
    if first is None or second is None or first[0] is not second[0]:
        return None
    size = last_dimension(first[0])
    bounds = (first[1], (second[1][0], min(second[1][1], size or 0)))
    return first[0] if size and bounds == ((0, size // 2), (size // 2, size)) and size % 2 == 0 else None


def _sliced(value: ir.Value | None) -> tuple[ir.Value, tuple[int, int]] | None:
    """Returns (source, bounds) of a Slice of the last axis with step 1."""
    node = producer(value, "Slice")
    if node is None or len(node.inputs) < 4 or node.inputs[0] is None:
        return None
    numbers = [constant_array(part, 1) for part in node.inputs[1:]]
    found = [int(number.item()) for number in numbers if number is not None and number.size == 1]
    if len(found) != len(numbers) or not is_last_axis(found[2], node.inputs[0]) or found[3:] not in ([], [1]):
        return None
    return node.inputs[0], (found[0], found[1])


def _without_heads(value: ir.Value | None) -> ir.Value | None:
    """Returns [1,S,D] if `value` is that with an axis for the heads."""
    node = producer(value, "Unsqueeze")
    axes = constant_array(node.inputs[1]) if node is not None and len(node.inputs) > 1 else None
    source = node.inputs[0] if node is not None else None
    return source if axes is not None and axes.tolist() in ([1], [-3]) and len(dimensions(source) or ()) == 3 else None


def _reason_against(rotary: _Rotary) -> str:
    """Returns why the sum stays unchanged."""
    axes, width = dimensions(rotary.x), last_dimension(rotary.x)
    if axes is None or len(axes) != 4 or rotary.x.dtype not in _TYPES or not isinstance(axes[1], int):
        return f"what it turns is {axes}, and the operator takes [B,H,S,D] of floating-point numbers"
    for table in (rotary.cos, rotary.sin):
        lead = dimensions(table) or ()
        if lead[:2] != (axes[0], axes[2]) or lead[-1] != width or table.dtype != rotary.x.dtype:
            return f"{table.name} is {lead} and no table of {axes}"
        if not _is_doubled(table):
            return f"the halves of {table.name} are not known to be equal"
    return ""


def _angles(value: ir.Value) -> ir.Value | None:
    """Returns the angles if `value` is Concat(angles, angles) along the last axis."""
    joined = producer(value, "Concat")
    if joined is None or len(joined.inputs) != 2 or joined.inputs[0] is not joined.inputs[1]:
        return None
    return joined.inputs[0] if is_last_axis(joined.attributes.get_int("axis", 0), value) else None


def _source(value: ir.Value) -> ir.Value | None:
    """Returns the value from which `value` is computed elementwise, without another table."""
    step = producer(value, *_BY_ELEMENT, "Mul")
    tables = [v for v in step.inputs if constant_scalar(v) is None] if step is not None else []
    whole = tables[0] if len(tables) == 1 else None
    return whole if whole is not None and dimensions(whole) == dimensions(value) else None


def _is_doubled(value: ir.Value) -> bool:
    """Whether both halves of a table are equal by construction."""
    source = _source(value)
    return _angles(value) is not None or (source is not None and _is_doubled(source))


def _half(value: ir.Value, made: dict[ir.Value, ir.Value]) -> ir.Value:
    """Returns one half of a doubled table: its nodes over the angles alone; `made` caches the halves so far."""
    angles, source, step = _angles(value), _source(value), value.producer()
    if angles is not None:
        return angles
    if value not in made:
        assert source is not None and step is not None and step.graph is not None  # see _is_doubled
        half = _half(source, made)
        made[value] = new_value_like(value, "half", half.shape)
        inputs = [half if part is source else part for part in step.inputs]
        node = make_node(step.op_type, inputs, [made[value]], dict(step.attributes), like=step)
        step.graph.insert_after(step, [node])
    return made[value]


def _fuse(add: ir.Node, rotary: _Rotary, halves: dict[ir.Value, ir.Value]) -> None:
    inputs = [rotary.x, _half(rotary.cos, halves), _half(rotary.sin, halves)]
    result = new_value_like(add.outputs[0])
    node = make_node("RotaryEmbedding", inputs, [result], {"interleaved": 0}, like=add)
    replace_nodes([add.outputs[0]], [result], [node], add)

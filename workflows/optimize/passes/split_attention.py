"""Computes attention over a host's cache without concatenating past and new rows.

    Concat(past, new) ─ Attention        q·pastᵀ ┐                         ┌ ·past values ┐
                                     →   q·newᵀ  ┴ + mask ─ Softmax ─ Split┴ ·new values  ┴ +

Concat copies the whole cache at every step, for one new row; this pass concatenates the scores only. Queries that share
a key's head become rows, so that no key is repeated: [1,Hq,S,D] is read as [1,H,Hq/H·S,D].
"""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import add_constant, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import dimensions, find_nodes, has_single_use, producer

_INT64 = ir.DataType.INT64
_NARROW = 64  # numbers in a row of all heads: below, and up to some 400 slots, the copy costs less than ten more nodes


@dataclass(frozen=True)
class _CacheParts:
    """Past and new rows of keys and values, [1,H,C,D] and [1,H,S,D], and the Concats that join them."""

    keys: ir.Node
    values: ir.Node

    @property
    def rows(self) -> tuple[ir.Value, ...]:
        """Past keys, new keys, past values, new values."""
        return tuple(value for node in (self.keys, self.values) for value in node.inputs if value is not None)


class SplitAttention(Pass):
    """Rewrites Attention(23) with a float mask over two concatenated parts; refuses further attributes."""

    name = "split_attention"
    title = "Attention over past and new rows without joining them"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        lengths: dict[tuple[int | str, ...], ir.Value] = {}
        for attention in find_nodes(model.graph, "Attention"):
            parts = _parts(attention)
            if parts is None:
                continue
            if not (reason := _reason_against(attention, parts)):
                key = _length_key(attention, parts)
                if key not in lengths:
                    lengths[key] = _lengths(model.graph, parts, attention, len(lengths))
                _split(attention, parts, lengths[key])
            yield refusal_of(attention, reason)


def _parts(attention: ir.Node) -> _CacheParts | None:
    keys, values = (producer(attention.inputs[index], "Concat") for index in (1, 2))
    if keys is None or values is None or len(keys.inputs) != 2 or len(values.inputs) != 2:
        return None
    return _CacheParts(keys, values)


def _reason_against(attention: ir.Node, parts: _CacheParts) -> str:
    """Returns why the attention stays one node."""
    flags = ("is_causal", "qk_matmul_output_mode")
    query, mask = attention.inputs[0], attention.inputs[3] if len(attention.inputs) > 3 else None
    shapes = [dimensions(value) for value in (query, *parts.rows)]
    known = [shape for shape in shapes if shape is not None and len(shape) == 4]
    if len(known) < len(shapes) or not all(isinstance(shape[1], int) and isinstance(shape[3], int) for shape in known):
        return "its query, keys and values are not all [1,H,S,D] with known H and D"
    if any(node.attributes.get_int("axis", 0) not in (2, -2) for node in (parts.keys, parts.values)):
        return "past and new rows are not joined along the slots"
    if not all(has_single_use(node.outputs[0]) for node in (parts.keys, parts.values)):
        return "something else reads the joined rows"
    if mask is None or mask.dtype != ir.DataType.FLOAT or query is None or query.dtype != ir.DataType.FLOAT:
        return "it has no float32 mask, or is not in float32"
    if attention.attributes.get_float("softcap", 0) or any(attention.attributes.get_int(flag, 0) for flag in flags):
        return "it caps its scores, masks by itself, or gives them out"
    if isinstance(known[0][2], int) and known[0][2] > 1:
        return f"it is fixed to {known[0][2]} queries, for which one product over joined rows is faster"
    width = _known_size(parts.rows[1], 1) * _known_size(parts.rows[1], 3)
    if width < _NARROW:
        return f"its cache has rows of {width} numbers, and copying less than {_NARROW} costs less than it saves"
    if len(attention.outputs) > 1 or any(value is not None for value in attention.inputs[4:]):
        return "it has a cache of its own"
    return ""


def _length_key(attention: ir.Node, parts: _CacheParts) -> tuple[int | str, ...]:
    """Layers with the same key divide their slots alike: they have the same axes C and S, which the graph names."""
    axes = tuple((dimensions(rows) or ())[2] for rows in parts.rows[:2])
    known = tuple(axis for axis in axes if axis is not None)
    return known if len(known) == len(axes) else (str(attention.name), str(attention.outputs[0].name))


def _lengths(graph: ir.Graph, parts: _CacheParts, first: ir.Node, index: int) -> ir.Value:
    """Adds [C,S] int64 before the first layer that reads it. index: of these lengths, 0 for the first in the graph."""
    suffix = f".{index}" if index else ""
    lengths = []
    for name, rows in zip(("past", "new"), parts.keys.inputs, strict=True):
        length = ir.Value(name=f"attention.{name}_rows{suffix}", type=ir.TensorType(_INT64), shape=ir.Shape([1]))
        graph.insert_before(first, make_node("Shape", [rows], [length], {"start": 2, "end": 3}, like=first))
        lengths.append(length)
    both = ir.Value(name=f"attention.rows{suffix}", type=ir.TensorType(_INT64), shape=ir.Shape([2]))
    graph.insert_before(first, make_node("Concat", lengths, [both], {"axis": 0}, like=first))
    return both


def _split(attention: ir.Node, parts: _CacheParts, lengths: ir.Value) -> None:
    query, result = attention.inputs[0], new_value_like(attention.outputs[0])
    past_keys, new_keys, past_values, new_values = parts.rows
    heads, kv_heads, size = _known_size(query, 1), _known_size(new_keys, 1), _known_size(query, 3)
    steps = _NodeBuilder(attention, result)
    by_head, by_kv_head = ([1, count, -1, 0] if heads != kv_heads else None for count in (heads, kv_heads))
    against = {"alpha": attention.attributes.get_float("scale") or size**-0.5, "transB": 1}
    rows = steps.shaped(query, by_kv_head, "rows")  # [1,H,Hq/H·S,D]
    past = steps.add("FusedMatMul", [rows, past_keys], "past_scores", against)
    new = steps.add("FusedMatMul", [rows, new_keys], "new_scores", against)
    scores = steps.shaped(steps.add("Concat", [past, new], "scores", {"axis": 3}), by_head, "by_head")  # [1,Hq,S,C+S]
    masked = steps.add("Add", [scores, attention.inputs[3]], "masked")
    weights = steps.shaped(steps.add("Softmax", [masked], "weights", {"axis": -1}), by_kv_head, "by_kv_head")
    on_past, on_new = (ir.Value(name=f"{result.name}.{name}", type=result.type) for name in ("on_past", "on_new"))
    steps.nodes.append(make_node("Split", [weights, lengths], [on_past, on_new], {"axis": 3}, like=attention))
    of_past = steps.add("MatMul", [on_past, past_values], "of_past")
    of_new = steps.add("MatMul", [on_new, new_values], "of_new")
    total = steps.shaped(steps.add("Add", [of_past, of_new], "total"), by_head, "back")
    assert total is not None  # a step gave it
    total.name, total.shape = result.name, result.shape
    replace_nodes([attention.outputs[0]], [total], steps.nodes, attention)


class _NodeBuilder:
    """Collects the nodes that replace an attention; their values are named after its result."""

    def __init__(self, attention: ir.Node, result: ir.Value) -> None:
        self.attention, self.result, self.nodes = attention, result, list[ir.Node]()

    def add(
        self, op: str, inputs: list[ir.Value | None], name: str, attributes: dict[str, float | int] | None = None
    ) -> ir.Value:
        """Adds a node and returns its value."""
        value = ir.Value(name=f"{self.result.name}.{name}", type=self.result.type)
        domain = CONTRIB if op == "FusedMatMul" else ""
        self.nodes.append(make_node(op, inputs, [value], attributes, like=self.attention, domain=domain))
        return value

    def shaped(self, value: ir.Value | None, target: list[int] | None, name: str) -> ir.Value | None:
        """Reshapes `value` to other heads; returns it unchanged without a target. 0 keeps the last axis."""
        graph = self.attention.graph
        if target is None or graph is None:
            return value
        shape = add_constant(graph, "attention.heads." + str(target[1]), target, _INT64)
        return self.add("Reshape", [value, shape], name)


def _known_size(value: ir.Value | None, axis: int) -> int:
    """Returns a size that _reason_against found to be known."""
    size = (dimensions(value) or ())[axis]
    assert isinstance(size, int)
    return size

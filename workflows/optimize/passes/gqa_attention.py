"""Moves rotary embeddings into com.microsoft GroupQueryAttention, which rotates queries and keys when it reads them.

    position_ids ─ … ─ cos, sin ─┐                        position_ids ┬ cos_cache, sin_cache: tables by position
    q ─ Transpose ─ RotaryEmbedding ─ Transpose ─ GQA  →  q ────────── GQA(do_rotary)

Only for the gqa layout, in which the operator itself writes its cache by its inputs seqlens_k and
total_sequence_length. In every other layout the attention stays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.common.kernel_constraints import KERNEL_CONSTRAINTS
from workflows.common.tensor_names import POSITIONS_KEY
from workflows.optimize.base import Pass, Refusal, Rewrites, refusal_of
from workflows.optimize.graph_checks import CONTRIB
from workflows.optimize.graph_edits import add_initializer, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import dimensions, find_nodes, producer

GQA = "GroupQueryAttention"
_DRIVERS = ("seqlens_k", "total_sequence_length")
_HEADS_FIRST = (0, 2, 1, 3)
_TABLE_LIMIT = 1 << 26  # bytes of cos and sin together


@dataclass(frozen=True)
class _RotatedInput:
    """A query or key before its rotary embedding: [1,S,H,D], the rotary node, and the Reshape to [1,S,H·D] after it."""

    rows: ir.Value
    rotary: ir.Node
    flatten: ir.Node


class GqaAttention(Pass):
    """Sets do_rotary if query and key have one rotary embedding; refuses other layouts and computed tables."""

    name = "gqa_attention"
    title = "Rotary positions within GroupQueryAttention"

    def requires(self, model: ir.Model) -> Refusal | None:
        """Needs the gqa layout's inputs."""
        names = {value.name for value in model.graph.inputs}
        missing = next((name for name in (*_DRIVERS, "position_ids") if name not in names), None)
        if missing is None:
            return None
        if "write_indices" in names:
            return Refusal("the cache is of the scatter layout, whose TensorScatter writes the rows: build with gqa")
        if not any(str(name).startswith("past") for name in names):
            return Refusal("the graph keeps no cache")
        return Refusal(
            f"the graph has no input {missing}: in the static and window layouts the host writes the rows, and masks "
            "tell which slots are valid; build with --cache gqa"
        )

    def _rewrites(self, model: ir.Model) -> Rewrites:
        tables: dict[tuple[ir.Value, ...], tuple[ir.Value, ir.Value] | str] = {}
        for node in find_nodes(model.graph, GQA, domain=CONTRIB):
            query, key = _rotated_input(node.inputs[0]), _rotated_input(node.inputs[1])
            if node.attributes.get_int("do_rotary", 0) or (query is None and key is None):
                continue
            reason = _reason_against(query, key, node)
            if not reason and query is not None and key is not None:
                made = _tables(model, query.rotary, tables)
                if isinstance(made, str):
                    reason = made
                else:
                    _fuse(node, query, key, made)
            yield refusal_of(node, reason)
        for node in find_nodes(model.graph, "Attention"):
            yield refusal_of(node, "it attends over no shared buffer that GroupQueryAttention could write")


def _rotated_input(value: ir.Value | None) -> _RotatedInput | None:
    flatten = producer(value, "Reshape")
    back = producer(flatten.inputs[0], "Transpose") if flatten is not None else None
    rotary = producer(back.inputs[0], "RotaryEmbedding") if back is not None else None
    forth = producer(rotary.inputs[0], "Transpose") if rotary is not None else None
    if flatten is None or back is None or rotary is None or forth is None or forth.inputs[0] is None:
        return None
    if any(tuple(t.attributes.get_ints("perm", ())) != _HEADS_FIRST for t in (back, forth)):
        return None
    return _RotatedInput(forth.inputs[0], rotary, flatten)


def _reason_against(query: _RotatedInput | None, key: _RotatedInput | None, node: ir.Node) -> str:
    if query is None or key is None:
        return "its query and key are not both turned by a RotaryEmbedding"
    if any(len(turned.rotary.inputs) > 3 and turned.rotary.inputs[3] is not None for turned in (query, key)):
        return "its rotary reads a table by position already"
    one, other = query.rotary.attributes, key.rotary.attributes
    if any(one.get_int(name, 0) != other.get_int(name, 0) for name in ("interleaved", "rotary_embedding_dim")):
        return "its query and key are turned in two ways"
    pairs = (dimensions(query.rotary.inputs[1]) or (None,))[-1] or _pairs(query)
    head = (dimensions(query.rows) or (None,))[-1]
    if not isinstance(pairs, int) or not isinstance(head, int):
        return "the size of its heads is not known"
    return KERNEL_CONSTRAINTS["GroupQueryAttention with rotary positions"].violation(
        head_size=head, rotary_size=2 * pairs
    )


def _pairs(turned: _RotatedInput) -> int | None:
    width = turned.rotary.attributes.get_int("rotary_embedding_dim", 0) or (dimensions(turned.rows) or (None,))[-1]
    return width // 2 if isinstance(width, int) else None


def _rows(model: ir.Model) -> int | None:
    """Returns the number of positions: the fixed capacity of the cache, or what the exporter noted."""
    pasts = (dimensions(node.inputs[3]) for node in find_nodes(model.graph, GQA, domain=CONTRIB))
    slots = next((axes[2] for axes in pasts if axes is not None and len(axes) == 4), None)
    if isinstance(slots, int):
        return slots
    limit = model.metadata_props.get(POSITIONS_KEY, "")
    return int(limit) if limit.isdecimal() else None


def _tables(
    model: ir.Model, rotary: ir.Node, made: dict[tuple[ir.Value, ...], tuple[ir.Value, ir.Value] | str]
) -> tuple[ir.Value, ir.Value] | str:
    """Returns cos_cache and sin_cache [rows, pairs] as initializers, which the graph computes, or why not."""
    ends = (rotary.inputs[1], rotary.inputs[2])
    expressions = tuple(_expression(end) for end in ends if end is not None)
    if expressions not in made:
        made[expressions] = _make_tables(model, [end for end in ends if end is not None])
    return made[expressions]


def _expression(value: ir.Value) -> str:
    """Returns the value's expression as a text, so that layers that compute the same angles share one table."""
    node = value.producer()
    if node is None:
        return str(value.name)
    attributes = sorted(f"{name}={attribute.value}" for name, attribute in node.attributes.items())
    inputs = [_expression(part) for part in node.inputs if part is not None]
    return f"{node.op_type}({', '.join([*inputs, *attributes])})"


def _make_tables(model: ir.Model, ends: list[ir.Value]) -> tuple[ir.Value, ir.Value] | str:
    positions = next(value for value in model.graph.inputs if value.name == "position_ids")
    if positions.shape is None or len(positions.shape) != 2:
        return "a position has several numbers, and the operator's tables have a row for one"
    rows = _rows(model)
    if rows is None:
        return "how many positions its tables would need is not known"
    width = (dimensions(ends[0]) or (None,))[-1]
    if isinstance(width, int) and 2 * rows * width * 4 > _TABLE_LIMIT:
        return f"its tables for {rows:,} positions would be larger than {_TABLE_LIMIT >> 20} MiB"
    nodes = _subgraph_from_positions(ends, positions)
    if isinstance(nodes, str):
        return nodes
    every = np.arange(rows)[None]
    some = np.unique(np.linspace(0, rows // 2, 5, dtype=np.int64))[::-1][None]
    tables = []
    for end in ends:
        whole, part = (_evaluate(nodes, end, positions, at, model.opset_imports) for at in (every, some))
        if whole.ndim != 3 or whole.shape[:2] != (1, rows) or not np.array_equal(whole[:, some[0]], part):
            return "the angle of a position depends on more than the position"
        name = f"{end.name}.table"
        tables.append(add_initializer(model.graph, name, ir.tensor(np.ascontiguousarray(whole[0]), name=name)))
    return tables[0], tables[1]


def _subgraph_from_positions(ends: list[ir.Value], positions: ir.Value) -> list[ir.Node] | str:
    """Returns the nodes between positions and `ends` in order, or on which other value they depend."""
    found: set[ir.Node] = set()
    waiting = list(ends)
    while waiting:
        value = waiting.pop()
        node = value.producer()
        if node is None and value is not positions and value.const_value is None:
            return f"its angles depend on {value.name} besides the positions"
        if node is not None and node not in found:
            found.add(node)
            waiting += [part for part in node.inputs if part is not None]
    graph = next(iter(found)).graph if found else None
    return [node for node in graph or () if node in found]


def _evaluate(
    nodes: list[ir.Node], end: ir.Value, positions: ir.Value, at: NDArray[np.int64], opsets: dict[str, int]
) -> NDArray[np.generic]:
    """Computes `end` at these positions [1,N]."""
    from onnx.reference import ReferenceEvaluator  # slow to import

    known = {positions: at}
    for node in nodes:
        inputs = [value for value in dict.fromkeys(node.inputs) if value is not None]
        arrays = {v.name: known[v] if v in known else v.const_value.numpy() for v in inputs}
        results = ReferenceEvaluator(ir.to_proto(node), opsets=opsets).run(None, arrays)
        known |= dict(zip(node.outputs, results, strict=True))
    return np.asarray(known[end])


def _fuse(node: ir.Node, query: _RotatedInput, key: _RotatedInput, tables: tuple[ir.Value, ir.Value]) -> None:
    graph = node.graph
    assert graph is not None  # it was found in one
    new, flat = [], []
    for turned in (query, key):
        result = new_value_like(turned.flatten.outputs[0], "unturned", turned.flatten.outputs[0].shape)
        new.append(make_node("Reshape", [turned.rows, turned.flatten.inputs[1]], [result], like=turned.flatten))
        flat.append(result)
    positions = next(value for value in graph.inputs if value.name == "position_ids")
    rest = list(node.inputs[9:])  # attention_bias and what is newer
    inputs = [*flat, *node.inputs[2:7], *tables, positions, *rest[1:]]
    interleaved = query.rotary.attributes.get_int("interleaved", 0)
    attributes = {**node.attributes, "do_rotary": ir.AttrInt64("do_rotary", 1)}
    attributes["rotary_interleaved"] = ir.AttrInt64("rotary_interleaved", interleaved)
    outputs = [new_value_like(output) for output in node.outputs]
    fused = make_node(GQA, inputs, outputs, attributes, like=node, domain=CONTRIB)
    replace_nodes(list(node.outputs), outputs, [*new, fused], node)

"""Transposes the heads of packed projections once, before the split.

    qkv ─ Split ┬ Reshape ─ norm ─ Transpose      qkv ─ Reshape ─ Transpose ─ Split ┬ norm
                ├ Reshape ─ norm ─ Transpose   →      [1,S,ΣH·D]    [1,ΣH,S,D]      ├ norm
                └ Reshape ─ Transpose                                               └

This removes two thirds of the Reshapes and Transposes, and the Split copies contiguous blocks. A norm over the size of
a head is independent of the axis of the heads.
"""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from workflows.optimize.base import Pass, Rewrites, refusal_of
from workflows.optimize.graph_edits import add_constant, make_node, new_value_like, replace_nodes
from workflows.optimize.queries import (
    constant_array,
    consumers,
    dimensions,
    find_nodes,
    has_single_use,
    is_last_axis,
    same_domain,
)

_HEADS_FIRST = (0, 2, 1, 3)
_NORMS = ("RMSNormalization", "SimplifiedLayerNormalization", "LayerNormalization")


@dataclass(frozen=True)
class _Branch:
    """One part of a Split [B,S,H·D]: its Reshape to [B,S,H,D] with its target, a norm, and the Transpose."""

    reshape: ir.Node
    target: tuple[int, ...]
    norm: ir.Node | None
    transpose: ir.Node
    width: int

    @property
    def heads(self) -> int:
        return self.width // self.target[3]


class HeadsFirst(Pass):
    """Puts Reshape and Transpose before a Split if every part goes through both; refuses heads of different sizes."""

    name = "heads_first"
    title = "Query, key and value heads turned in one go"

    def _rewrites(self, model: ir.Model) -> Rewrites:
        for split in find_nodes(model.graph, "Split"):
            found = [_branch(part) for part in split.outputs]
            branches = [branch for branch in found if branch is not None]
            if len(branches) < max(2, len(found)) or len(dimensions(split.inputs[0]) or (None,) * 3) != 3:
                continue
            if not is_last_axis(split.attributes.get_int("axis", 0), split.outputs[0]):
                continue
            if not (reason := _reason_against(branches)):
                _transpose_before_split(split, branches)
            yield refusal_of(split, reason)


def _branch(part: ir.Value) -> _Branch | None:
    axes, reshape = dimensions(part), _reader(part, "Reshape")
    target = constant_array(reshape.inputs[1]) if reshape is not None else None
    if reshape is None or target is None or target.shape != (4,) or axes is None or len(axes) != 3:
        return None
    norm = _reader(reshape.outputs[0], *_NORMS)
    transpose = _reader((norm or reshape).outputs[0], "Transpose")
    if transpose is None or tuple(transpose.attributes.get_ints("perm", ())) != _HEADS_FIRST:
        return None
    if norm is not None and not _is_by_head(norm, int(target[3])):
        return None
    width = axes[-1]
    if not isinstance(width, int) or target[3] < 1 or int(target[2]) not in (-1, width // int(target[3])):
        return None
    return _Branch(reshape, tuple(int(size) for size in target), norm, transpose, width)


def _reader(value: ir.Value, *ops: str) -> ir.Node | None:
    """Returns the only node that reads `value`, as its first input, if it is one of `ops`."""
    node = consumers(value)[0] if has_single_use(value) else None
    known = node is not None and node.op_type in ops and same_domain(node.domain, "") and node.inputs[0] is value
    return node if known else None


def _is_by_head(norm: ir.Node, size: int) -> bool:
    """Whether the norm is over the last axis only, with a scale and bias that all heads share."""
    vectors = [value for value in norm.inputs[1:] if value is not None]
    shared = all(dimensions(value) == (size,) and value.producer() is None for value in vectors)
    return shared and len(norm.outputs) == 1 and norm.attributes.get_int("axis", -1) in (-1, 3)


def _reason_against(branches: list[_Branch]) -> str:
    """Returns why the parts stay unchanged."""
    of_heads = sorted({branch.target[3] for branch in branches})
    if len(of_heads) > 1:
        return f"its heads are of several sizes: {', '.join(map(str, of_heads))}"
    ways = {(b.target[:2], b.target[2] == -1, b.reshape.attributes.get_int("allowzero", 0)) for b in branches}
    return "its parts are brought into heads in several ways" if len(ways) > 1 else ""


def _transpose_before_split(split: ir.Node, branches: list[_Branch]) -> None:
    packed, first, graph = split.inputs[0], branches[0], split.graph
    assert packed is not None and graph is not None  # the Split was found in a graph, and has an input
    heads = [branch.heads for branch in branches]
    target = [*first.target[:2], -1 if first.target[2] == -1 else sum(heads), first.target[3]]
    shape = add_constant(graph, "heads." + ".".join(map(str, target)), target, ir.DataType.INT64)
    counts = add_constant(graph, "heads.of." + ".".join(map(str, heads)), heads, ir.DataType.INT64)
    rows, turned = new_value_like(packed, "heads"), new_value_like(packed, "turned")
    results = [new_value_like(branch.transpose.outputs[0]) for branch in branches]
    parts = [
        result if b.norm is None else new_value_like(result, "part", result.shape)
        for b, result in zip(branches, results, strict=True)
    ]
    nodes = [
        make_node("Reshape", [packed, shape], [rows], dict(first.reshape.attributes), like=first.reshape),
        make_node("Transpose", [rows], [turned], {"perm": _HEADS_FIRST}, like=first.transpose),
        make_node("Split", [turned, counts], parts, {"axis": 1}, like=split),
    ]
    for branch, part, result in zip(branches, parts, results, strict=True):
        if branch.norm is not None:
            attributes = {**branch.norm.attributes, "axis": ir.AttrInt64("axis", -1)}
            nodes.append(
                make_node(branch.norm.op_type, [part, *branch.norm.inputs[1:]], [result], attributes, like=branch.norm)
            )
    replace_nodes([branch.transpose.outputs[0] for branch in branches], results, nodes, split)

"""A KV cache in 8-bit integers, for graphs in which GroupQueryAttention writes it.

    few tokens   past ─ GroupQueryAttention, which takes integers and scales ─────────────────────────────────── present
    many         past ─ valid rows · scale ─ GroupQueryAttention in float32 ─ new rows ÷ scale ─ TensorScatter ─ present
                                                                                                 or Concat

An If chooses by the number of tokens: over integers the operator reads a cache fastest for a token, and takes three
times as long for a prompt. Both branches store the same integers, round(element ÷ scale) between -128 and 127, with a
scale for each channel of a head.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.common.errors import JoineryError
from workflows.common.tensor_names import CACHE_SCALE, EMBEDS, IDS
from workflows.common.tensors import Array
from workflows.optimize.base import PassReport
from workflows.optimize.graph_checks import CONTRIB, find_fault, graph_interface
from workflows.optimize.graph_edits import (
    NodeBuilder,
    add_constant,
    add_initializer,
    make_node,
    new_value_like,
    replace_nodes,
)
from workflows.optimize.queries import find_nodes, producer

NAME = "int8-cache"
TITLE = "KV cache in 8-bit integers"
FEW = 12
"""Tokens up to which the operator reads integers, so that a run of drafts is computed as a single token is."""
_HEADROOM = 1.1  # of the largest element that calibration saw, beyond which one is clipped
_LARGEST = 127
_GQA = "GroupQueryAttention"
_KEY, _VALUE, _TOTAL, _COS, _KEY_SCALE = 3, 4, 6, 7, 12  # inputs of the operator

Scales = Mapping[str, NDArray[np.float32]]  # past input → [1, kv_heads, 1, head_dim]


@dataclass(frozen=True)
class KeyRotation:
    """The channels of keys that a rotation by position mixes in pairs.

    size: the first channels of a head, paired with their neighbours where `interleaved`, else with the other half; 0
    for a rotation outside the operator, which may pair any of a head.
    """

    size: int
    interleaved: bool = False

    def reach(self, keys: Array) -> NDArray[np.float32]:
        """The largest elements [1, H, 1, D] that keys [1, H, N, D] may have at any position.

        A rotation keeps the length of a pair. In low frequencies a pair turns within thousands of tokens, so that the
        elements of short texts do not show it.
        """
        rows = np.asarray(keys, np.float32)
        top: NDArray[np.float32] = np.abs(rows).max(2, keepdims=True)
        if not self.size:
            widest: NDArray[np.float32] = np.sqrt(np.float32(2)) * top.max(3, keepdims=True)
            return np.broadcast_to(widest, top.shape)
        channels = np.arange(self.size)
        halves = channels[: self.size // 2], channels[self.size // 2 :]
        first, second = (channels[0::2], channels[1::2]) if self.interleaved else halves
        lengths = np.hypot(rows[..., first], rows[..., second]).max(2, keepdims=True)
        top[..., first] = top[..., second] = lengths
        return top


def key_rotations(model: ir.Model) -> dict[str, KeyRotation]:
    """Past input of keys → their rotation."""
    return {str(node.inputs[_KEY].name): _rotation(node) for node in _attentions(model) if len(node.outputs) > 1}


def _rotation(node: ir.Node) -> KeyRotation:
    angles = node.inputs[_COS] if node.attributes.get_int("do_rotary", 0) else None
    pairs = angles.shape[1] if angles is not None and angles.shape is not None else 0
    return KeyRotation(2 * int(pairs), bool(node.attributes.get_int("rotary_interleaved", 0)))


def scale_of(reach: NDArray[np.float32]) -> NDArray[np.float32]:
    """The scales for elements up to `reach`; a channel of zeros has a small one."""
    return np.maximum(reach, np.float32(1e-6)) * np.float32(_HEADROOM / _LARGEST)


def quantize_cache(model: ir.Model, scales: Scales) -> PassReport:
    """Stores the cache of every attention in integers, in place. scales: of all past inputs of keys and values.

    Raises JoineryError for a graph with a fault afterwards.
    """
    before, began, ends = model.graph.num_nodes(), time.monotonic(), graph_interface(model)
    nodes = _attentions(model)
    sources = [(_source(node, _KEY), _source(node, _VALUE)) for node in nodes]
    if nodes:
        tokens = _TokenCounts.add_to(model.graph, nodes[0])
        for node, (key, value) in zip(nodes, sources, strict=True):
            _replace(node, {key: scales[key], value: scales[value]}, tokens)
        own = {name: end for name, end in graph_interface(model).items() if end[1] == ir.DataType.INT8}
        if fault := find_fault(model, ends | own):
            raise JoineryError(f"The cache in integers left a broken graph: {fault}; leave kv_dtype out.")
    seconds = round(time.monotonic() - began, 3)
    return PassReport(NAME, bool(nodes), before, model.graph.num_nodes(), [], seconds)


def _attentions(model: ir.Model) -> list[ir.Node]:
    return find_nodes(model.graph, _GQA, domain=CONTRIB)


def _source(node: ir.Node, index: int) -> str:
    """The past input of the graph whose rows the attention reads: its own, or that of an earlier attention."""
    value = node.inputs[index]
    while (earlier := producer(value, _GQA, domain=CONTRIB)) is not None:
        value = earlier.inputs[index]
    assert value is not None  # an attention with a cache reads its keys and values from it
    return str(value.name)


@dataclass(frozen=True)
class _TokenCounts:
    """Values of a run that all attentions share: tokens before it and after it [1], whether it feeds few of them, and
    whether the past has slots for them.
    """

    before: ir.Value
    after: ir.Value
    few: ir.Value
    fits: ir.Value

    @classmethod
    def add_to(cls, graph: ir.Graph, attention: ir.Node) -> _TokenCounts:
        """Computes them at the beginning of the graph."""
        first = next(iter(graph))
        ids = next(value for value in graph.inputs if value.name in (IDS, EMBEDS))
        total, past = attention.inputs[_TOTAL], attention.inputs[_KEY]
        assert total is not None and past is not None  # the operator needs both
        builder, whole = NodeBuilder(graph, attention, prefix="int8_cache"), ir.DataType.INT64
        fed = builder.add("Shape", ids, dtype=whole, start=1, end=2)
        length = builder.add("Cast", total, dtype=whole, to=whole)
        after = builder.add("Reshape", length, builder.whole(1), dtype=whole)
        before = builder.add("Sub", after, fed, dtype=whole)
        few = builder.add("LessOrEqual", fed, builder.whole(FEW), dtype=ir.DataType.BOOL)
        slots = builder.add("Shape", past, dtype=whole, start=2, end=3)
        fits = builder.add("GreaterOrEqual", slots, after, dtype=ir.DataType.BOOL)
        graph.insert_before(first, builder.nodes)
        return cls(before, after, few, fits)


def _replace(node: ir.Node, scales: Scales, tokens: _TokenCounts) -> None:
    """Puts both branches in place of an attention that stores rows, the one in float of one that reads them again."""
    graph = node.graph
    assert graph is not None  # it was found in one
    for value in (node.inputs[_KEY], node.inputs[_VALUE], *node.outputs[1:]):
        assert value is not None  # see _source
        value.type = ir.TensorType(ir.DataType.INT8)
    named = {CACHE_SCALE.format(past): array for past, array in scales.items()}
    constants = [add_initializer(graph, name, ir.tensor(array, name=name)) for name, array in named.items()]
    floats, results = _in_float(node, constants, tokens)
    if len(results) == 1:  # over integers the operator writes its cache again, into a copy
        results[0].name = node.outputs[0].name
        replace_nodes(list(node.outputs), results, floats, node)
        return
    outputs = [new_value_like(output) for output in node.outputs]
    branches = {
        "then_branch": _over_integers(node, constants),
        "else_branch": ir.Graph([], results, nodes=floats, name="many_tokens"),
    }
    graphs = {name: ir.AttrGraph(name, branch) for name, branch in branches.items()}
    replace_nodes(list(node.outputs), outputs, [make_node("If", [tokens.few], outputs, graphs, like=node)], node)


def _over_integers(node: ir.Node, scales: Sequence[ir.Value]) -> ir.Graph:
    """The operator over the integers themselves."""
    inputs = [*node.inputs, *(None,) * (_KEY_SCALE - len(node.inputs)), *scales]
    outputs = [new_value_like(output, "few", output.shape) for output in node.outputs]
    kinds = {f"{kind}_quant_type": ir.AttrString(f"{kind}_quant_type", "PER_CHANNEL") for kind in ("k", "v")}
    attributes = {**node.attributes, **kinds, "kv_cache_bit_width": ir.AttrInt64("kv_cache_bit_width", 8)}
    attention = make_node(_GQA, inputs, outputs, attributes, like=node, domain=CONTRIB)
    return ir.Graph([], outputs, nodes=[attention], name="few_tokens")


def _in_float(node: ir.Node, scales: Sequence[ir.Value], tokens: _TokenCounts) -> tuple[list[ir.Node], list[ir.Value]]:
    """The operator over the valid rows in float32, and the cache with its new rows in integers, if it stores any."""
    assert node.graph is not None  # it was found in one
    builder = NodeBuilder(node.graph, node, f"{node.outputs[0].name}.many")
    begin, axis, stores = builder.whole(0), builder.whole(2), len(node.outputs) > 1
    held = tokens.before if stores else tokens.after
    pasts = [value for value in (node.inputs[_KEY], node.inputs[_VALUE]) if value is not None]
    valid = [builder.add("Slice", past, begin, held, axis, dtype=ir.DataType.INT8) for past in pasts]
    floats = [
        builder.add("Mul", builder.add("Cast", rows, to=ir.DataType.FLOAT), scale)
        for rows, scale in zip(valid, scales, strict=True)
    ]
    inputs = [*node.inputs[:_KEY], *floats, *node.inputs[_VALUE + 1 :]]
    result, *presents = builder.add_all(_GQA, inputs, len(node.outputs), node.attributes, domain=CONTRIB)
    results = [result]
    if stores:
        fresh = [builder.add("Slice", present, tokens.before, tokens.after, axis) for present in presents]
        one = add_constant(builder.graph, "int8_cache.one", 1.0, ir.DataType.FLOAT)
        zero = add_constant(builder.graph, "int8_cache.zero", 0, ir.DataType.INT8)
        integers = [
            builder.add("QuantizeLinear", builder.add("Div", rows, scale), one, zero, dtype=ir.DataType.INT8)
            for rows, scale in zip(fresh, scales, strict=True)
        ]
        results += _joined(builder, (pasts, valid, integers), tokens)
    for value, output in zip(results, node.outputs, strict=True):
        value.shape = output.shape
    return builder.nodes, results


def _joined(
    builder: NodeBuilder, rows: tuple[Sequence[ir.Value], Sequence[ir.Value], Sequence[ir.Value]], tokens: _TokenCounts
) -> list[ir.Value]:
    """Keys and values with the new ones: in the buffer of the past, or behind them where it has no slots left.

    As the operator itself does: a caller may give a buffer of past and present, or a past that grows. rows: by key and
    value the past, its valid rows, and the new ones.
    """
    kind, branches = ir.DataType.INT8, {}
    for name, label in (("then_branch", "written"), ("else_branch", "appended")):
        own = NodeBuilder(builder.graph, builder.like, f"{builder.like.outputs[0].name}.{label}")
        joined = [
            own.add("TensorScatter", past, new, tokens.before, dtype=kind, axis=2)
            if name == "then_branch"
            else own.add("Concat", valid, new, dtype=kind, axis=2)
            for past, valid, new in zip(*rows, strict=True)
        ]
        branches[name] = ir.AttrGraph(name, ir.Graph([], joined, nodes=own.nodes, name=label))
    stored = builder.add_all("If", [tokens.fits], 2, branches)
    for value in stored:
        value.type = ir.TensorType(kind)
    return stored

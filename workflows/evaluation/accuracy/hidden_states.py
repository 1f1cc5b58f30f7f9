"""Where a graph's layers end: the value that each hands to the next, found by the scopes that the export noted.

    nodes in "…layers.1…" ──last value that leaves them──▶ the hidden state after layer 1

Where a normalization was fused with the addition before it, the hidden state is that operator's fourth output.
A graph without scopes has no layers that could be told apart, and no taps.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import onnx

from workflows.graph.scopes import SCOPES_KEY, scope_of

_LAYER = re.compile(r"(.*?)/(\d+)(?:/|$)")
_PASSING = {"QuantizeLinear", "DequantizeLinear", "Cast", "Identity"}
_FUSED = {"SkipSimplifiedLayerNormalization", "SkipLayerNormalization"}
_SUM = 3  # the output of a fused normalization that holds the sum of its inputs

Layer = tuple[str, int]  # the stack's scope, the layer's number in it


@dataclass(frozen=True)
class LayerOutput:
    """The hidden state [1, N, D] after `layer`, as the value `value`."""

    layer: int
    value: str


def add_layer_outputs(model: onnx.ModelProto) -> tuple[LayerOutput, ...]:
    """Makes outputs of the graph's hidden states, in the order of the layers; none where it has no layers."""
    graph = model.graph
    layers = _layers(graph)
    counts = Counter(layer[0] for layer in layers if layer is not None)
    if not counts:
        return ()
    stack = counts.most_common(1)[0][0]  # an encoder also has the projections of the decoder's cross-attention
    users: dict[str, list[int]] = {}
    for index, node in enumerate(graph.node):
        for name in node.input:
            users.setdefault(name, []).append(index)
    taps = [
        LayerOutput(number, _layer_output(graph, layers, users, last))
        for number, last in _last_values(graph, layers, users, stack)
    ]
    types = {info.name: info.type for info in graph.value_info}
    known = {info.name for info in graph.output}
    for tap in taps:
        if tap.value not in known:
            graph.output.append(onnx.ValueInfoProto(name=tap.value, type=types.get(tap.value)))
    return tuple(taps)


def _layers(graph: onnx.GraphProto) -> list[Layer | None]:
    """Node → its layer; one that a pass made without a scope is where its first input was made."""
    made: dict[str, Layer | None] = {}
    found: list[Layer | None] = []
    for node in graph.node:
        match = _LAYER.match(scope_of(node))
        layer = (match[1], int(match[2])) if match else None
        if layer is None and not _has_scope(node):
            layer = next((made[name] for name in node.input if name in made), None)
        found.append(layer)
        made.update(dict.fromkeys(node.output, layer))
    return found


def _has_scope(node: onnx.NodeProto) -> bool:
    """Whether the node says where it is, even if that is in no layer."""
    return "/" in node.name or any(entry.key == SCOPES_KEY for entry in node.metadata_props)


def _last_values(
    graph: onnx.GraphProto, layers: list[Layer | None], users: dict[str, list[int]], stack: str
) -> Iterator[tuple[int, str]]:
    """(layer, the last of its values that is used outside it), by layer."""
    last: dict[int, str] = {}
    for node, layer in zip(graph.node, layers, strict=True):
        if layer is not None and layer[0] == stack:
            for name in node.output:
                if any(layers[user] != layer for user in users.get(name, ())):
                    last[layer[1]] = name
    yield from sorted(last.items())


def _layer_output(graph: onnx.GraphProto, layers: list[Layer | None], users: dict[str, list[int]], name: str) -> str:
    """`name`, or the sum that a fused normalization makes of it."""
    for index in users.get(name, ()):
        node = graph.node[index]
        if node.op_type in _PASSING and node.output:
            end = _layer_output(graph, layers, users, node.output[0])
            if end != node.output[0]:
                return end
        if node.op_type in _FUSED and name in node.input[:2]:
            while len(node.output) <= _SUM:
                node.output.append("")
            node.output[_SUM] = node.output[_SUM] or f"{node.output[0]}.sum"
            return str(node.output[_SUM])
    return name

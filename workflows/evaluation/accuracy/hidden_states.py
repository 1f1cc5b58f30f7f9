"""Finds the hidden state after each layer of a graph by the scopes that the exporter noted.

    nodes in "…layers.1…" ──last value that leaves them──▶ the hidden state after layer 1

If a normalization is fused with the addition before it, the hidden state is that operator's fourth output.
A graph without scopes has no distinguishable layers.
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
    """Adds the hidden states to the graph's outputs, in the order of the layers; none without layers."""
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
    """Maps each node to its layer; a node that a pass added without a scope belongs to the layer of its first input."""
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
    """Whether the node has a scope, in a layer or not."""
    return "/" in node.name or any(entry.key == SCOPES_KEY for entry in node.metadata_props)


def _last_values(
    graph: onnx.GraphProto, layers: list[Layer | None], users: dict[str, list[int]], stack: str
) -> Iterator[tuple[int, str]]:
    """Returns (layer, its last value that is used outside it) by layer."""
    last: dict[int, str] = {}
    for node, layer in zip(graph.node, layers, strict=True):
        if layer is not None and layer[0] == stack:
            for name in node.output:
                if any(layers[user] != layer for user in users.get(name, ())):
                    last[layer[1]] = name
    yield from sorted(last.items())


def _layer_output(graph: onnx.GraphProto, layers: list[Layer | None], users: dict[str, list[int]], name: str) -> str:
    """Returns `name`, or the sum from which a fused normalization computes it."""
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

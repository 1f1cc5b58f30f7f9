"""Exports a decoder with repeated layers: traces the first layers and copies the graph of one for the others.

    layers 0 … p-1 ──trace──▶ graph ──simplified, weights kept as inputs──▶ the last layer of each kind
         ──copied for layers p … n-1, with the weights, cache and names of each──▶ the whole decoder

Tracing takes a second or more per layer, and the time of onnxscript's optimizer grows faster than the graph. Layers are
compared beforehand (layer_kinds.py), two graphs of each copied kind are compared here, and the result is compared with
the model's own logits like every export.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import onnx_ir as ir
import torch
from transformers import PreTrainedModel

from workflows.common.errors import RecipeError
from workflows.export.attention import MODEL_ERRORS, LayerFacts
from workflows.export.early_exit import with_first_layers
from workflows.export.experts import arrange_experts
from workflows.export.layer_kinds import find_layer_list, hidden_output, layer_kinds
from workflows.export.signature import CACHE_NAMES, ExportSignature, cache_names
from workflows.export.stand_ins import StandInProducts, turn_weights, weight_initializer, weights_as_inputs
from workflows.export.trace import export_program, quiet_exporter, trace
from workflows.kvcache.geometry import FACTS_KEY

MakeDecoder = Callable[[Sequence[LayerFacts]], tuple[torch.nn.Module, ExportSignature]]
_AFTER = "after_layer_%d"  # an output of the traced graph, and a value of the finished one
_INSTANCES = 2  # compared graphs of a kind before one is copied
_WORTH = 2  # the fewest untraced layers for which copying pays


@dataclass(frozen=True)
class RepeatedLayers:
    """path: of the ModuleList in the module. kinds: a number per layer, equal for layers that compute the same.

    traced: the number of first layers that contain every copied kind.
    """

    path: str
    kinds: tuple[int, ...]
    traced: int


def trace_decoder(model: PreTrainedModel, layers: Sequence[LayerFacts], make: MakeDecoder, opset: int) -> ir.Model:
    """The graph of `make(layers)`; only as many layers are traced as differ.

    make: the module over the given first layers of `model`, and its signature. Raises as `trace`.
    """
    module, signature = make(layers)
    path = find_layer_list(module, len(layers))
    repeat = _find_repeat(model, path, layers, make) if path else None
    graph = None if repeat is None else _trace_partially(model, layers, make, opset, repeat)
    return trace(module, signature, opset) if graph is None else graph


def _find_repeat(
    model: PreTrainedModel, path: str, layers: Sequence[LayerFacts], make: MakeDecoder
) -> RepeatedLayers | None:
    """The repetition of the layers at `path`; None where all layers must be traced."""
    try:
        kinds = _kinds(path, layers, make)
        traced = _first(kinds) if kinds else None
        if kinds is None or traced is None:
            return None
        alone = with_first_layers(model, len(layers), traced, partial(_kinds, path, layers[:traced], make))
    except (RecipeError, *MODEL_ERRORS):  # runs only in a trace, or not with fewer layers
        return None
    return RepeatedLayers(path, kinds, traced) if alone == kinds[:traced] else None


def _kinds(path: str, layers: Sequence[LayerFacts], make: MakeDecoder) -> tuple[int, ...] | None:
    """The kinds of the layers at `path`, run with the signature's example inputs."""
    module, signature = make(layers)
    inputs = signature.inputs
    caches = [tuple(inputs[past % i] for past, _ in names) for i, names in enumerate(cache_names(layers))]
    with StandInProducts():
        return layer_kinds(list(module.get_submodule(path)), layers, caches, lambda: module(*inputs.values()))


def _first(kinds: Sequence[int]) -> int | None:
    """The number of first layers that contain each later kind often enough; None where copying does not pay.

    The first layer is not counted: its graph includes values computed once for all layers.
    """
    for count in range(1, len(kinds) - _WORTH + 1):
        if all(kinds[1:count].count(kind) >= _INSTANCES for kind in kinds[count:]):
            return count
    return None


def _trace_partially(
    model: PreTrainedModel, layers: Sequence[LayerFacts], make: MakeDecoder, opset: int, repeat: RepeatedLayers
) -> ir.Model | None:
    """The whole graph; None where two layers of a kind have different graphs."""

    def first() -> ir.Model:
        module, signature = make(layers[: repeat.traced])
        with _exposed_hidden_states(module, repeat.path, signature):
            program = export_program(module, signature, opset)
        with quiet_exporter(), weights_as_inputs(program.model, f"{repeat.path}."):
            program.optimize()
        return program.model

    graph = with_first_layers(model, len(layers), repeat.traced, first)
    module, signature = make(layers)
    return graph if _LayerCopier(graph, repeat).run(module.get_submodule(repeat.path), signature) else None


@contextmanager
def _exposed_hidden_states(module: torch.nn.Module, path: str, signature: ExportSignature) -> Iterator[None]:
    """Within it, the output of each layer is an additional output of the module."""
    hidden: list[torch.Tensor | None] = []
    hooks = [module.register_forward_hook(lambda _, args, output: (*output, *hidden))]
    layers = list(module.get_submodule(path))
    for layer in layers:
        hooks.append(layer.register_forward_hook(lambda _, args, output: hidden.append(hidden_output(output))))
    hooks.append(module.register_forward_pre_hook(lambda *_: hidden.clear()))
    before = [*signature.outputs]
    signature.outputs = [*before, *(_AFTER % i for i in range(len(layers)))]
    try:
        yield
    finally:
        signature.outputs = before
        for hook in hooks:
            hook.remove()


@dataclass(frozen=True)
class _LayerGraph:
    """The graph of one layer: its nodes in order, and the roles of its inputs from outside.

    roles: a weight's name within the layer, the pattern of a cache tensor, or _AFTER for the preceding hidden states;
    values shared by all layers have none.
    """

    layer: int
    nodes: tuple[ir.Node, ...]
    roles: Mapping[ir.Value, str]

    def is_equivalent(self, other: _LayerGraph) -> bool:
        """Whether both compute the same, each with its own weights and cache."""
        places = [{value: (i, k) for i, node in enumerate(part.nodes) for k, value in enumerate(node.outputs)}
                  for part in (self, other)]  # fmt: skip

        def comparable(node: ir.Node, part: _LayerGraph, place: Mapping[ir.Value, tuple[int, int]]) -> object:
            inputs = [part.roles.get(value) or place.get(value, value) if value is not None else None
                      for value in node.inputs]  # fmt: skip
            return node.op_identifier(), inputs, len(node.outputs), _comparable(node.attributes)

        mine, others = ([comparable(node, part, place) for node in part.nodes]
                        for part, place in zip((self, other), places, strict=True))  # fmt: skip
        return mine == others


def _comparable(attributes: Mapping[str, ir.Attr]) -> object:
    """Attributes as comparable values; a subgraph equals only itself."""
    return {
        name: (attr.type, attr.value.tobytes() if attr.type == ir.AttributeType.TENSOR else attr.value)
        for name, attr in attributes.items()
    }


class _LayerCopier:
    """Copies layers into the graph of the traced layers."""

    def __init__(self, model: ir.Model, repeat: RepeatedLayers) -> None:
        self._model, self._graph, self._repeat = model, model.graph, repeat
        self._ends = {str(value.name): value for value in (*self._graph.inputs, *self._graph.outputs)}

    def run(self, layers: torch.nn.ModuleList, whole: ExportSignature) -> bool:
        """Extends the graph to all `layers`, with the signature `whole`; False where two layers of a kind differ."""
        kinds, traced = self._repeat.kinds, self._repeat.traced
        templates = {}
        for kind in sorted({*kinds[traced:]}):
            *others, last = (self._part(i) for i in range(1, traced) if kinds[i] == kind)
            if not all(last.is_equivalent(other) for other in others):
                return False
            templates[kind] = last
        hidden = first = self._ends[_AFTER % (traced - 1)]
        behind = [(node, place) for node, place in first.uses()]
        for index in range(traced, len(kinds)):
            hidden = self._copy(templates[kinds[index]], index, layers[index], hidden)
        for node, place in behind:
            node.replace_input_with(place, hidden)
        self._finish(whole)
        return True

    def _part(self, layer: int) -> _LayerGraph:
        """The nodes of the layer: they compute its outputs, and are neither part of an earlier layer nor what the first
        layer of a kind computes for all of them, such as its angles and its mask.
        """
        kept = (present % layer for _, present in CACHE_NAMES)
        ends = [_AFTER % layer, *(name for name in kept if name in self._ends)]
        mine = _ancestors(self._ends[name] for name in ends) - _ancestors([self._ends[_AFTER % (layer - 1)]])
        mine -= self._shared([node for node in self._graph if node in mine], layer)
        nodes = tuple(node for node in self._graph if node in mine)
        inputs = dict.fromkeys(value for node in nodes for value in node.inputs if value is not None)
        return _LayerGraph(layer, nodes, {value: role for value in inputs if (role := self._role(value, layer))})

    def _shared(self, nodes: Sequence[ir.Node], layer: int) -> set[ir.Node]:
        """The nodes that compute of nothing of the layer what nodes outside take, too."""
        own = set[ir.Node]()
        for node in nodes:
            if any(value and (self._role(value, layer) or value.producer() in own) for value in node.inputs):
                own.add(node)
        free = {*nodes} - own
        outward = (value for node in free for value in node.outputs if any(one not in nodes for one, _ in value.uses()))
        return _ancestors(outward) & free

    def _role(self, value: ir.Value, layer: int) -> str:
        name, own = str(value.name), f"{self._repeat.path}.{layer}."
        if name == _AFTER % (layer - 1):
            return _AFTER
        if name.startswith(own):
            return name.removeprefix(own)
        return next((past for past, _ in CACHE_NAMES if name == past % layer), "")

    def _copy(self, part: _LayerGraph, index: int, layer: torch.nn.Module, hidden: ir.Value) -> ir.Value:
        """Adds layer `index`, a copy of `part`, after `hidden`; returns its output."""
        weights = dict(layer.named_parameters(remove_duplicate=False)) | dict(layer.named_buffers())
        values: dict[ir.Value | None, ir.Value] = {}
        for value, role in part.roles.items():
            if role == _AFTER:
                values[value] = hidden
            elif role in weights:
                values[value] = weight_initializer(self._graph, f"{self._repeat.path}.{index}.{role}", weights[role])
            else:
                name = role % index
                values[value] = self._ends[name] = ir.Value(name=name, shape=value.shape, type=value.type)
        for node in part.nodes:
            inputs = [values.get(value, value) for value in node.inputs]
            copy = ir.Node(
                node.domain, node.op_type, inputs, node.attributes.values(), overload=node.overload,
                num_outputs=len(node.outputs), version=node.version, name=f"{node.name}_layer_{index}",
                metadata_props=self._renamed(node.metadata_props, part.layer, index))  # fmt: skip
            for value, copied in zip(node.outputs, copy.outputs, strict=True):
                copied.name, copied.shape, copied.type = self._name(value, part.layer, index), value.shape, value.type
                values[value] = self._ends[copied.name] = copied
            self._graph.append(copy)
        return self._ends[_AFTER % index]

    def _name(self, value: ir.Value, old: int, new: int) -> str:
        """The name of a value's copy: the layer number of a graph output changes."""
        patterns = [_AFTER, *(present for _, present in CACHE_NAMES)]
        own = next((pattern for pattern in patterns if value.name == pattern % old), None)
        return own % new if own else f"{value.name}_layer_{new}"

    def _renamed(self, metadata: Mapping[str, str], old: int, new: int) -> dict[str, str]:
        """The metadata with the new layer's path instead of the old one's."""
        path = re.escape(self._repeat.path)
        return {key: re.sub(rf"({path}\.){old}(?![0-9])", rf"\g<1>{new}", text) for key, text in metadata.items()}

    def _finish(self, whole: ExportSignature) -> None:
        graph = self._graph
        for ends, names in ((graph.inputs, whole.inputs), (graph.outputs, whole.outputs)):
            ends.clear()
            ends.extend(self._ends[name] for name in names)
        graph.sort()
        arrange_experts(graph)
        turn_weights(graph, f"{self._repeat.path}.")
        if whole.facts is not None:
            self._model.metadata_props[FACTS_KEY] = whole.facts.to_json()


def _ancestors(values: Iterable[ir.Value]) -> set[ir.Node]:
    """The nodes from which the values are computed."""
    ancestors = set[ir.Node]()
    pending = [value.producer() for value in values]
    while pending:
        node = pending.pop()
        if node is not None and node not in ancestors:
            ancestors.add(node)
            pending += [value.producer() for value in node.inputs if value is not None]
    return ancestors

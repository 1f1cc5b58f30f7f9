"""A decoder of many layers that do the same: the first are traced, and the graph of one stands for the others.

    layers 0 … p-1 ──trace──▶ graph ──simplified, their weights kept apart──▶ the last of each kind
         ──copied for layers p … n-1, with the weights, the cache and the names of each──▶ the whole decoder

Tracing takes a second and more a layer, and onnxscript's optimizer time that grows faster than the graph. What layers
do is compared beforehand (alike.py); two graphs of each kind that is copied are compared here; and what comes of it is
held against the model's own logits as every export is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import onnx_ir as ir
import torch
from onnx_ir.tensor_adapters import TorchTensor

from workflows.common.errors import RecipeError
from workflows.export.attention import MODEL_ERRORS, LayerFacts
from workflows.export.early_exit import with_first_layers
from workflows.export.layer_kinds import find_layer_list, hidden_output, layer_kinds
from workflows.export.signature import PATTERNS, ExportSignature
from workflows.export.trace import export_program, quiet_exporter, trace
from workflows.kvcache.geometry import FACTS_KEY

MakeDecoder = Callable[[Sequence[LayerFacts]], tuple[torch.nn.Module, ExportSignature]]
_AFTER = "after_layer_%d"  # an output of the traced graph, and a value of the finished one
_INSTANCES = 2  # graphs of a kind that are compared before one of them is copied
_WORTH = 2  # layers that are not traced, below which all are


@dataclass(frozen=True)
class RepeatedLayers:
    """path: of the list of layers in the module. kinds: a number by layer, equal where two do the same.

    traced: how many of the first layers hold all that is copied.
    """

    path: str
    kinds: tuple[int, ...]
    traced: int


def trace_decoder(model: Any, layers: Sequence[LayerFacts], make: MakeDecoder, opset: int) -> ir.Model:
    """The graph of `make(layers)`, in which no more layers are traced than do something of their own.

    make: the module over so many of the first layers of `model`, and its signature. Raises as `trace`.
    """
    module, signature = make(layers)
    path = find_layer_list(module, len(layers))
    repeat = _find_repeat(model, path, layers, make) if path else None
    graph = None if repeat is None else _trace_partially(model, layers, make, opset, repeat)
    return trace(module, signature, opset) if graph is None else graph


def _find_repeat(model: Any, path: str, layers: Sequence[LayerFacts], make: MakeDecoder) -> RepeatedLayers | None:
    """How the decoder repeats itself, whose layers are at `path`; None where tracing all of them is what is left."""
    try:
        kinds = _kinds(path, layers, make)
        traced = _first(kinds) if kinds else None
        if kinds is None or traced is None:
            return None
        alone = with_first_layers(model, len(layers), traced, partial(_kinds, path, layers[:traced], make))
    except (RecipeError, *MODEL_ERRORS):  # it runs in a trace alone, or not with fewer
        return None
    return RepeatedLayers(path, kinds, traced) if alone == kinds[:traced] else None


def _kinds(path: str, layers: Sequence[LayerFacts], make: MakeDecoder) -> tuple[int, ...] | None:
    """The kinds of the layers at `path`, as they are with the example inputs of the signature."""
    module, signature = make(layers)
    inputs = signature.inputs
    caches = [(inputs[PATTERNS.past_key % i], inputs[PATTERNS.past_value % i]) for i in range(len(layers))]
    return layer_kinds(list(module.get_submodule(path)), layers, caches, lambda: module(*inputs.values()))


def _first(kinds: Sequence[int]) -> int | None:
    """How many of the first layers hold each kind of those behind them often enough; None where it is not worth it.

    The first layer of all is not counted: its graph has what is computed once for all of them.
    """
    for count in range(1, len(kinds) - _WORTH + 1):
        if all(kinds[1:count].count(kind) >= _INSTANCES for kind in kinds[count:]):
            return count
    return None


def _trace_partially(
    model: Any, layers: Sequence[LayerFacts], make: MakeDecoder, opset: int, repeat: RepeatedLayers
) -> ir.Model | None:
    """The whole graph; None where the graphs of two layers that do the same differ."""

    def first() -> ir.Model:
        module, signature = make(layers[: repeat.traced])
        with _exposed_hidden_states(module, repeat.path, signature):
            program = export_program(module, signature, opset, simplified=False)
        with quiet_exporter(), _weights_as_inputs(program.model, f"{repeat.path}."):
            program.optimize()
        return program.model

    graph = with_first_layers(model, len(layers), repeat.traced, first)
    module, signature = make(layers)
    return graph if _LayerCopier(graph, repeat).run(module.get_submodule(repeat.path), signature) else None


@contextmanager
def _exposed_hidden_states(module: torch.nn.Module, path: str, signature: ExportSignature) -> Iterator[None]:
    """Within it, what each layer gives is an output of the module too, behind its own."""
    given: list[torch.Tensor | None] = []
    hooks = [module.register_forward_hook(lambda _, args, output: (*output, *given))]
    layers = list(module.get_submodule(path))
    for layer in layers:
        hooks.append(layer.register_forward_hook(lambda _, args, output: given.append(hidden_output(output))))
    hooks.append(module.register_forward_pre_hook(lambda *_: given.clear()))
    before = [*signature.outputs]
    signature.outputs = [*before, *(_AFTER % i for i in range(len(layers)))]
    try:
        yield
    finally:
        signature.outputs = before
        for hook in hooks:
            hook.remove()


@contextmanager
def _weights_as_inputs(model: ir.Model, prefix: str) -> Iterator[None]:
    """Within it, the layers' weights are inputs: nothing is computed from what stands for those of other layers."""
    graph = model.graph
    weights = {name: value for name, value in graph.initializers.items() if name.startswith(prefix)}
    tensors = {name: value.const_value for name, value in weights.items()}
    for name, value in weights.items():
        del graph.initializers[name]
        value.const_value = None
        graph.inputs.append(value)
    try:
        yield
    finally:
        kept = [value for value in graph.inputs if value.name not in weights]
        graph.inputs.clear()
        graph.inputs.extend(kept)
        for name, value in weights.items():
            value.const_value = tensors[name]
            graph.initializers[name] = value


@dataclass(frozen=True)
class _LayerGraph:
    """The graph of one layer: its nodes in order, and what its own inputs from outside are to it.

    roles: a weight's name within the layer, the pattern of a cache's name, or _AFTER for the hidden states before it;
    values that all layers share have none.
    """

    layer: int
    nodes: tuple[ir.Node, ...]
    roles: Mapping[ir.Value, str]

    def is_like(self, other: _LayerGraph) -> bool:
        """Whether the two compute the same, each of its own."""
        places = [{value: (i, k) for i, node in enumerate(part.nodes) for k, value in enumerate(node.outputs)}
                  for part in (self, other)]  # fmt: skip

        def told(node: ir.Node, part: _LayerGraph, place: Mapping[ir.Value, tuple[int, int]]) -> object:
            inputs = [part.roles.get(value) or place.get(value, value) if value is not None else None
                      for value in node.inputs]  # fmt: skip
            return node.op_identifier(), inputs, len(node.outputs), _comparable(node.attributes)

        mine, others = ([told(node, part, place) for node in part.nodes]
                        for part, place in zip((self, other), places, strict=True))  # fmt: skip
        return mine == others


def _comparable(attributes: Mapping[str, ir.Attr]) -> object:
    """In values that can be compared; a graph within an operator is only equal to itself."""
    return {
        name: (attr.type, attr.value.tobytes() if attr.type == ir.AttributeType.TENSOR else attr.value)
        for name, attr in attributes.items()
    }


class _LayerCopier:
    """Writes into the graph of the traced layers those that are copies of them."""

    def __init__(self, model: ir.Model, repeat: RepeatedLayers) -> None:
        self._model, self._graph, self._repeat = model, model.graph, repeat
        self._ends = {str(value.name): value for value in (*self._graph.inputs, *self._graph.outputs)}

    def run(self, layers: torch.nn.ModuleList, whole: ExportSignature) -> bool:
        """Makes it the graph of all `layers`, with the signature `whole`; False where two of a kind differ."""
        kinds, traced = self._repeat.kinds, self._repeat.traced
        templates = {}
        for kind in sorted({*kinds[traced:]}):
            *others, last = (self._part(i) for i in range(1, traced) if kinds[i] == kind)
            if not all(last.is_like(other) for other in others):
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
        """What computes the layer's outputs of its inputs, and was not computed for what is before it."""
        ends = [_AFTER % layer, *(present % layer for _, _, present in PATTERNS.pairs())]
        mine = _ancestors(self._ends[name] for name in ends) - _ancestors([self._ends[_AFTER % (layer - 1)]])
        nodes = tuple(node for node in self._graph if node in mine)
        inputs = {value for node in nodes for value in node.inputs if value is not None}
        return _LayerGraph(layer, nodes, {value: role for value in inputs if (role := self._role(value, layer))})

    def _role(self, value: ir.Value, layer: int) -> str:
        name, own = str(value.name), f"{self._repeat.path}.{layer}."
        if name == _AFTER % (layer - 1):
            return _AFTER
        if name.startswith(own):
            return name.removeprefix(own)
        return next((past for _, past, _ in PATTERNS.pairs() if name == past % layer), "")

    def _copy(self, part: _LayerGraph, index: int, layer: torch.nn.Module, hidden: ir.Value) -> ir.Value:
        """Adds the layer `index`, which does what `part` does, behind `hidden`; what it gives."""
        weights = dict(layer.named_parameters(remove_duplicate=False)) | dict(layer.named_buffers())
        values: dict[ir.Value | None, ir.Value] = {}
        for value, role in part.roles.items():
            if role == _AFTER:
                values[value] = hidden
            elif role in weights:
                values[value] = _initializer(self._graph, f"{self._repeat.path}.{index}.{role}", weights[role])
            else:
                values[value] = self._input(role % index, value)
        for node in part.nodes:
            inputs = [values.get(value, value) for value in node.inputs]
            copy = ir.Node(
                node.domain, node.op_type, inputs, node.attributes.values(), overload=node.overload,
                num_outputs=len(node.outputs), version=node.version, name=f"{node.name}_layer_{index}",
                metadata_props=self._renamed(node.metadata_props, part.layer, index))  # fmt: skip
            for given, made in zip(node.outputs, copy.outputs, strict=True):
                made.name, made.shape, made.type = self._name(given, part.layer, index), given.shape, given.type
                values[given] = self._ends[made.name] = made
            self._graph.append(copy)
        return self._ends[_AFTER % index]

    def _input(self, name: str, like: ir.Value) -> ir.Value:
        self._ends[name] = ir.Value(name=name, shape=like.shape, type=like.type)
        return self._ends[name]

    def _name(self, value: ir.Value, old: int, new: int) -> str:
        """That of the copy of a value: an end's has a number to change."""
        patterns = [_AFTER, *(present for _, _, present in PATTERNS.pairs())]
        own = next((pattern for pattern in patterns if value.name == pattern % old), None)
        return own % new if own else f"{value.name}_layer_{new}"

    def _renamed(self, metadata: Mapping[str, str], old: int, new: int) -> dict[str, str]:
        """With the path of the other layer where the old one's was."""
        path = re.escape(self._repeat.path)
        return {key: re.sub(rf"({path}\.){old}(?![0-9])", rf"\g<1>{new}", text) for key, text in metadata.items()}

    def _finish(self, whole: ExportSignature) -> None:
        graph = self._graph
        for ends, names in ((graph.inputs, whole.inputs), (graph.outputs, whole.outputs)):
            ends.clear()
            ends.extend(self._ends[name] for name in names)
        graph.sort()
        _turn_weights(graph, f"{self._repeat.path}.")
        if whole.facts is not None:
            self._model.metadata_props[FACTS_KEY] = whole.facts.to_json()


def _turn_weights(graph: ir.Graph, prefix: str) -> None:
    """Stores the layers' weights as they are multiplied, as the optimizer does with what is not kept apart from it.

    A product with a Transpose is none that passes pack, and onnxruntime would turn the weight at every opening.
    """
    for node in list(graph):
        weight = node.inputs[0] if node.op_type == "Transpose" and node.domain == "" else None
        tensor = weight.const_value if weight is not None and weight.is_initializer() else None
        if weight is None or not str(weight.name).startswith(prefix):
            continue
        assert isinstance(tensor, ir.Tensor) and isinstance(tensor.raw, torch.Tensor)  # as the exporter and we make it
        axes = tuple(node.attributes.get_ints("perm", tuple(range(len(tensor.shape)))[::-1]))
        name = f"{weight.name}.turned.{''.join(map(str, axes))}"
        turned = graph.initializers.get(name) or _initializer(graph, name, tensor.raw.permute(axes))
        node.outputs[0].replace_all_uses_with(turned)
        graph.remove(node, safe=True)
        if not weight.uses():
            del graph.initializers[str(weight.name)]


def _initializer(graph: ir.Graph, name: str, weight: torch.Tensor) -> ir.Value:
    tensor = TorchTensor(weight, name=name)
    value = ir.Value(name=name, shape=ir.Shape(tensor.shape), type=ir.TensorType(tensor.dtype), const_value=tensor)
    graph.register_initializer(value)
    return value


def _ancestors(values: Iterable[ir.Value]) -> set[ir.Node]:
    """The nodes of which the values are computed."""
    found = set[ir.Node]()
    waiting = [value.producer() for value in values]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += [value.producer() for value in node.inputs if value is not None]
    return found

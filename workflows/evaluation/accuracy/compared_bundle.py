"""One of the two bundles that are compared: opens it, and has it read texts and tokens that it is fed.

    read(prompt) ──▶ ReadBlock: the logits after each token, and the hidden states there    greedy ──▶ its own tokens
    follow(prompt, tokens) ──▶ ReadBlock: the same after the prompt and after tokens that another bundle chose

    nodes in "…layers.1…" ──last value that leaves them──▶ the hidden state after layer 1

The exporter noted the scopes; a graph without them has no distinguishable layers. Where a normalization is fused with
the addition before it, the hidden state is that operator's fourth output.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from workflows.bundle import Bundle
from workflows.common.errors import Cancelled, RequestError
from workflows.common.tensor_names import CACHE_SCALE
from workflows.common.tensors import Array, TensorSpec
from workflows.evaluation.accuracy.compared_side import Logits, ReadBlock, Rows
from workflows.evaluation.accuracy.media_questions import transcribes, transcript
from workflows.evaluation.accuracy.tasks import DemoTask, FileTask
from workflows.generate import Engine, GenerateOptions
from workflows.generate.logits import all_logits
from workflows.generate.prefill import feed_rows, feed_tokens, start_prompt
from workflows.generate.prompt_sets import HeldOutQuestion
from workflows.graph.load import load_graph
from workflows.graph.scopes import SCOPES_KEY, scope_of
from workflows.recipe.cut import ComponentRole
from workflows.runtime import device_named, open_machine
from workflows.runtime.execution.prompt_inputs import NamedInputs
from workflows.runtime.loading.memory_plan import mapped_options
from workflows.wire.events import GenerationDone

_LAYER = re.compile(r"(.*?)/(\d+)(?:/|$)")
_PASSING = {"QuantizeLinear", "DequantizeLinear", "Cast", "Identity"}
_FUSED = {"SkipSimplifiedLayerNormalization", "SkipLayerNormalization"}
_SUM = 3  # the output of a fused normalization that holds the sum of its inputs
Layer = tuple[str, int]  # the stack's scope, the layer's number in it


class ComparedBundle:
    """An open bundle. encoded: the output of each layer of an encoder for the last source, layer → [n, D].

    scales: what the integers of a cache are multiplied by, [1, H, 1, D] by the name of the scale.
    """

    def __init__(self, engine: Engine, scales: Mapping[str, Array] | None = None) -> None:
        self.engine, self._scales = engine, scales or {}
        self.encoded: dict[int, NDArray[np.float32]] = {}
        self._hidden: dict[int, NDArray[np.float32]] = {}  # of the last run's columns
        self.has_layer_outputs = False

    @classmethod
    def open(cls, bundle: Bundle) -> ComparedBundle:
        """Opens a bundle; weights of float32 stay in their file, so that two models take the memory of one.

        Raises RequestError for a bundle without a cache, and as open_machine does.
        """
        if bundle.pipeline.route == "single":
            raise RequestError(
                f"{bundle.folder} is one graph without a KV cache, which generates no tokens to compare: give a bundle "
                "that generates text."
            )
        taps, graphs, scales = _tapped(bundle)
        side: ComparedBundle | None = None

        def observe(session: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
            if side is not None:
                side.note(taps[session], outputs)

        options = mapped_options(bundle)
        machine = open_machine(bundle, device_named("cpu"), session_options=options, graphs=graphs, observer=observe)
        side = cls(Engine(bundle, machine, 0.0), scales)
        side.has_layer_outputs = any(taps.values())
        return side

    def note(self, taps: Mapping[str, tuple[str, int]], outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """Stores the hidden states [1, N, D] among a run's outputs."""
        for name, (part, layer) in taps.items():
            if name in outputs:
                states = np.asarray(outputs[name], np.float32)
                rows = states.reshape(states.shape[1 if states.ndim > 2 else 0], -1)
                (self.encoded if part == ComponentRole.ENCODER else self._hidden)[layer] = rows

    @property
    def has_source(self) -> bool:
        return self.engine.machine.has_source

    @property
    def vocabulary(self) -> int:
        return self.engine.machine.vocabulary

    @property
    def room(self) -> int:
        """The most tokens that a sequence can have; a number beyond every text for no limit."""
        return self.engine.machine.cache.longest or 1 << 30

    def greedy(
        self, ids: Sequence[int], steps: int, cancelled: Callable[[], bool], inputs: NamedInputs | None = None
    ) -> list[int]:
        """Generates at most `steps` tokens after `ids` greedily; what the cache holds of `ids` is not read again.

        inputs: of the encoders. Raises Cancelled.
        """
        options = GenerateOptions(max_new_tokens=steps)
        *_, done = self.engine.generate(ids, options, cancelled, inputs=inputs or None)
        assert isinstance(done, GenerationDone)  # the last event always is
        return _uncancelled(done).token_ids

    def answer(
        self, ids: Sequence[int], steps: int, cancelled: Callable[[], bool], inputs: NamedInputs | None = None
    ) -> GenerationDone:
        """Returns the whole generation. Raises Cancelled."""
        self.engine.reset()
        options = GenerateOptions(max_new_tokens=steps)
        *_, done = self.engine.generate(ids, options, cancelled, inputs=inputs or None)
        assert isinstance(done, GenerationDone)
        return _uncancelled(done)

    def reply(
        self, task: FileTask | DemoTask, question: HeldOutQuestion, cancelled: Callable[[], bool]
    ) -> GenerationDone:
        """Answers a task's question. Raises Cancelled, and PromptError for one that the bundle cannot take."""
        if transcribes(self.engine):
            return _uncancelled(transcript(self.engine, question, task.tokens, cancelled))
        prompt = task.prompt(self.engine, question)
        return self.answer(prompt.ids, task.tokens, cancelled, prompt.inputs)

    def read(self, ids: Sequence[int], inputs: NamedInputs | None = None) -> Iterator[ReadBlock]:
        """Reads a prompt in chunks; yields the positions of its tokens except the last, none if an encoder reads it."""
        if self.has_source:
            return
        self.engine.reset()
        self._start(ids, inputs)
        self.engine.resume(ids)
        for logits in feed_rows(self.engine.machine, ids[:-1]):
            yield self._block(logits)

    def follow(
        self, ids: Sequence[int], tokens: Sequence[int], inputs: NamedInputs | None = None
    ) -> Iterator[ReadBlock]:
        """Yields the positions of the prompt's last token and of each of `tokens` except the last.

        What the cache holds of the prompt is not read again. One run takes as many tokens as it can where a prompt and
        new tokens run the same graph; else they go one by one, as in a generation.
        """
        machine = self.engine.machine
        if self.has_source or inputs:
            self.engine.reset()
        fed = self._start(ids, inputs)
        held = 0 if self.has_source else self.engine.resume(fed)
        for _ in feed_tokens(machine, fed[held:-1]):
            pass
        answered = [fed[-1], *tokens[:-1]]
        if machine.program.prefill is machine.program.decode:
            runs = feed_rows(machine, answered)
        else:
            runs = (all_logits(machine, (token,), "decode") for token in answered)
        for logits in runs:
            yield self._block(logits)

    def _start(self, ids: Sequence[int], inputs: NamedInputs | None) -> list[int]:
        """Reads what comes with the prompt, and returns the tokens that the decoder is fed."""
        if not inputs:
            return start_prompt(self.engine.machine, self.engine.bundle.pipeline, ids)
        self.engine.machine.start(inputs, ids)
        return list(ids)

    def _block(self, logits: Logits) -> ReadBlock:
        """The last run's positions: the real ones of its columns."""
        count = len(logits)
        real = slice(-count, None) if self.engine.machine.program.pad_left else slice(count)
        return ReadBlock(logits, {layer: rows[real] for layer, rows in self._hidden.items() if len(rows) >= count})

    def rows(self) -> tuple[NDArray[np.int64], Rows]:
        """Returns the positions [n] in the cache, and the keys or values of each, [n, H·D], by layer and role."""
        cache = self.engine.machine.cache
        positions, rows = cache.rows()
        by_layer: Rows = {}
        for name, tensor in cache.tensors.items():
            floats = TensorSpec(name, tensor.shape, tensor.dtype).as_float32(rows[name])
            scaled = floats * self._scales.get(CACHE_SCALE.format(name), np.float32(1))
            values = np.moveaxis(scaled[0], tensor.slot_axis - 1, 0)
            by_layer[tensor.layer, tensor.role] = values.reshape(len(positions), -1)
        return positions, by_layer


def _uncancelled(done: GenerationDone) -> GenerationDone:
    """The generation. Raises Cancelled for one that was stopped."""
    if done.finish_reason == "cancelled":
        raise Cancelled("The comparison was cancelled.")
    return done


def layer_stack(bundle: Bundle, session: str) -> ComponentRole:
    """Returns which layers a session contains: the encoder's if it reads the source, else the decoder's."""
    return ComponentRole.ENCODER if session in bundle.pipeline.pipeline.outline().run_once else ComponentRole.DECODER


def _tapped(bundle: Bundle) -> tuple[dict[str, dict[str, tuple[str, int]]], dict[str, bytes], dict[str, Array]]:
    """Returns output → (part, layer) by session, the graphs with these outputs, and the scales of the cache."""
    scales: dict[str, Array] = {}
    taps: dict[str, dict[str, tuple[str, int]]] = {}
    graphs: dict[str, bytes] = {}
    for name, session in bundle.pipeline.pipeline.sessions.items():
        model = load_graph(bundle.file(session.file)).proto
        part = layer_stack(bundle, name)
        taps[name] = {tap.value: (part, tap.layer) for tap in add_layer_outputs(model)}
        if taps[name]:
            graphs[name] = model.SerializeToString()
        named = {CACHE_SCALE.format(value.name) for value in model.graph.input}
        scales |= {one.name: numpy_helper.to_array(one) for one in model.graph.initializer if one.name in named}
    return taps, graphs, scales


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
    layers: list[Layer | None] = []
    for node in graph.node:
        match = _LAYER.match(scope_of(node))
        layer = (match[1], int(match[2])) if match else None
        if layer is None and not _has_scope(node):
            layer = next((made[name] for name in node.input if name in made), None)
        layers.append(layer)
        made.update(dict.fromkeys(node.output, layer))
    return layers


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

"""One of the two bundles that are compared: opens it and feeds it token by token."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workflows.bundle import Bundle
from workflows.common.errors import Cancelled, RequestError
from workflows.common.tensors import TensorSpec
from workflows.evaluation.accuracy.hidden_states import add_layer_outputs
from workflows.evaluation.accuracy.tasks import DemoTask, FileTask
from workflows.generate import Engine, GenerateOptions
from workflows.generate.logits import last_logits
from workflows.generate.prefill import feed_tokens, start_prompt
from workflows.generate.prompt_sets import HeldOutQuestion
from workflows.graph.load import load_graph
from workflows.recipe.cut import ComponentRole
from workflows.runtime import device_named, open_machine
from workflows.wire.events import GenerationDone

Logits = NDArray[np.float32]
Rows = dict[tuple[int, str], NDArray[np.float32]]


class ComparedBundle:
    """An open bundle. hidden: the output of each layer in the last step, (part, layer) → [n, D]."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.hidden: dict[tuple[str, int], NDArray[np.float32]] = {}
        self.tapped = False

    @classmethod
    def open(cls, bundle: Bundle) -> ComparedBundle:
        """Opens a bundle. Raises RequestError for a bundle without a cache, and as open_machine does."""
        if bundle.pipeline.route == "single":
            raise RequestError(
                f"{bundle.folder} is one graph without a KV cache, which generates no tokens to compare: give a bundle "
                "that generates text."
            )
        taps, graphs = _tapped(bundle)
        side: ComparedBundle | None = None

        def observe(session: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
            if side is not None:
                side.note(taps[session], outputs)

        machine = open_machine(bundle, device_named("cpu"), graphs=graphs, observer=observe)
        side = cls(Engine(bundle, machine, 0.0))
        side.tapped = any(taps.values())
        return side

    def note(self, taps: Mapping[str, tuple[str, int]], outputs: Mapping[str, NDArray[np.generic]]) -> None:
        """Stores the hidden states among a run's outputs."""
        for name, layer in taps.items():
            if name in outputs:
                found = np.asarray(outputs[name], np.float32)
                columns = (
                    found.shape[-2] if layer[0] == ComponentRole.ENCODER else 1
                )  # a decoder is looked at token by token
                self.hidden[layer] = found.reshape(columns, -1)

    @property
    def has_source(self) -> bool:
        """Whether an encoder reads the prompt."""
        return self.engine.machine.has_source

    @property
    def room(self) -> int:
        """The number of tokens that fit into the cache; unlimited if it drops the oldest."""
        cache = self.engine.machine.cache
        return 1 << 30 if cache.layout.evicts else cache.capacity

    def greedy(self, ids: Sequence[int], steps: int, cancelled: Callable[[], bool]) -> list[int]:
        """Generates at most `steps` tokens after `ids` greedily. Raises Cancelled."""
        return self.answer(ids, steps, cancelled).token_ids

    def answer(self, ids: Sequence[int], steps: int, cancelled: Callable[[], bool]) -> GenerationDone:
        """Returns the whole generation. Raises Cancelled."""
        self.engine.reset()
        *_, done = self.engine.generate(ids, GenerateOptions(max_new_tokens=steps), cancelled)
        assert isinstance(done, GenerationDone)  # the last event always is
        if done.finish_reason == "cancelled":
            raise Cancelled("The comparison was cancelled.")
        return done

    def reply(
        self, task: FileTask | DemoTask, question: HeldOutQuestion, cancelled: Callable[[], bool]
    ) -> GenerationDone:
        """Answers a task's question. Raises Cancelled."""
        return self.answer(task.ids(self.engine, question), task.tokens, cancelled)

    def read(self, ids: Sequence[int]) -> Iterator[tuple[Logits, int]]:
        """Yields (logits, next token) over a prompt, token by token; nothing if an encoder reads it."""
        if self.has_source:
            return
        self.engine.reset()
        for token, following in pairwise(ids):
            yield last_logits(self.engine.machine, [token], "decode"), following

    def follow(self, ids: Sequence[int], tokens: Sequence[int]) -> Iterator[tuple[Logits, int]]:
        """Yields (logits, next token) after the prompt and after each of `tokens` except the last."""
        machine = self.engine.machine
        self.engine.reset()
        *before, last = start_prompt(machine, self.engine.bundle.pipeline, ids)
        for _ in feed_tokens(machine, before):
            pass
        for fed, following in zip([last, *tokens], tokens, strict=False):
            yield last_logits(machine, [fed], "decode"), following
            self.hidden.clear()  # an encoder's are compared once

    def rows(self) -> tuple[NDArray[np.int64], Rows]:
        """Returns the positions [n] in the cache, and the keys or values of each, [n, H·D], by layer and role."""
        cache = self.engine.machine.cache
        positions, rows = cache.rows()
        found: Rows = {}
        for name, tensor in cache.tensors.items():
            by_position = np.moveaxis(rows[name][0], tensor.slot_axis - 1, 0)
            values = TensorSpec(name, tensor.shape, tensor.dtype).as_float32(by_position)
            found[tensor.layer, tensor.role] = values.reshape(len(positions), -1)
        return positions, found


def layer_stack(bundle: Bundle, session: str) -> ComponentRole:
    """Returns which layers a session contains: the encoder's if it reads the source, else the decoder's."""
    return ComponentRole.ENCODER if session in bundle.pipeline.pipeline.outline().once else ComponentRole.DECODER


def _tapped(bundle: Bundle) -> tuple[dict[str, dict[str, tuple[str, int]]], dict[str, bytes]]:
    """Returns output → (part, layer) by session, and the graph with these outputs."""
    taps: dict[str, dict[str, tuple[str, int]]] = {}
    graphs: dict[str, bytes] = {}
    for name, session in bundle.pipeline.pipeline.sessions.items():
        model = load_graph(bundle.file(session.file)).proto
        part = layer_stack(bundle, name)
        taps[name] = {tap.value: (part, tap.layer) for tap in add_layer_outputs(model)}
        if taps[name]:
            graphs[name] = model.SerializeToString()
    return taps, graphs

"""Runs a pipeline's flow for the next tokens, with every tensor bound once and nothing copied but the tokens.

    tokens ──cache.plan──▶ Step ──▶ session 1 ──dataflow──▶ session 2 … ──▶ logits
                                       ▲ past (the cache's memory)   │ present
                                       └─────────cache.commit────────┘

Prompt tokens go through the flow's `init` sessions that hold the cache where there are such (prefill), in chunks of
their fixed width; every other run goes through the `step` sessions.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from workflows.bundle import Bundle
from workflows.bundle.schema import Edge, Pipeline
from workflows.errors import BundleError, Cancelled, GraphError, JoineryError, RecipeError, printable
from workflows.kvcache import KVCache, StateTensor, Step, find_state
from workflows.kvcache.geometry import StatePatterns
from workflows.kvcache.layouts import layout_named
from workflows.runtime.devices import Device
from workflows.runtime.sessions import ORT_ERRORS, OpenSession, open_session
from workflows.tensors import TensorSpec

IDS, POSITIONS, MASK, LOGITS = "input_ids", "position_ids", "attention_mask", "logits"


class _Bound:
    """The sessions of one phase at one width, inputs and outputs bound to memory that lives as long as they do."""

    def __init__(self, sessions: Sequence[OpenSession], edges: Sequence[Edge], cache: KVCache, width: int) -> None:
        self.width, self.generation = width, cache.generation
        self.inputs: dict[str, NDArray[Any]] = {}
        self.outputs: dict[str, NDArray[Any]] = {}
        self._runs: list[tuple[ort.InferenceSession, ort.IOBinding]] = []
        feeds = {edge.target: edge.source for edge in edges}
        for opened in sessions:
            binding = opened.session.io_binding()
            symbols = _symbols(opened, cache, width)
            state = {spec.name for spec in opened.inputs} & set(cache.names)
            for spec in opened.inputs:
                source = feeds.get(f"{opened.name}.{spec.name}")
                array = self._input(spec, source, symbols, cache, spec.name in state)
                binding.bind_input(spec.name, "cpu", 0, _element(spec), array.shape, array.ctypes.data)
            for spec in opened.outputs:
                if spec.name in cache.fresh_names:
                    array = cache.fresh(spec.name, width)
                else:
                    array = np.empty(spec.resolve(symbols), spec.numpy_dtype)
                self.outputs[f"{opened.name}.{spec.name}"] = array
                binding.bind_output(spec.name, "cpu", 0, _element(spec), array.shape, array.ctypes.data)
            self._runs.append((opened.session, binding))
        self.logits = next(a for name, a in self.outputs.items() if name.split(".", 1)[1] == LOGITS)

    def _input(
        self, spec: TensorSpec, source: str | None, symbols: Mapping[str, int], cache: KVCache, is_state: bool
    ) -> NDArray[Any]:
        if is_state:
            return cache.past(spec.name)
        if source is not None:
            return self.outputs[source]
        if spec.name not in (IDS, POSITIONS, MASK):
            raise GraphError(f"Nothing feeds the input {spec.name}: the pipeline's dataflow must name its source.")
        if spec.name not in self.inputs:
            self.inputs[spec.name] = np.zeros(spec.resolve(symbols), spec.numpy_dtype)
        return self.inputs[spec.name]

    def run(self, step: Step, options: ort.RunOptions | None) -> None:
        """Runs every session once on `step`, whose width is this one's; `options` can end it half-way."""
        values = {IDS: step.ids, POSITIONS: step.positions, MASK: step.masks["all"]}
        for name, array in self.inputs.items():
            array[...] = values[name]
        for session, binding in self._runs:
            session.run_with_iobinding(binding, options)


class Executor:
    """A composite model that is open: its sessions, its one cache, and the way through them.

    `chunk` is the number of prompt tokens that one run takes. Not for use by two threads at once, but for `stop`.
    """

    def __init__(self, pipeline: Pipeline, sessions: Mapping[str, OpenSession], cache: KVCache, provider: str) -> None:
        self.cache, self.provider, self.vocabulary = cache, provider, pipeline.metadata.vocabulary
        self.chunk = pipeline.metadata.chunk
        self._edges = pipeline.pipeline.dataflow
        self._phases = _phases(pipeline, sessions)
        self._widths = {phase: _fixed_width(opened) for phase, opened in self._phases.items()}
        self._bound: dict[tuple[str, int], _Bound] = {}
        self._options = ort.RunOptions()
        self._stopped = threading.Event()

    def run(self, tokens: Sequence[int], phase: str) -> NDArray[Any]:
        """Feeds `tokens` (at most `chunk`) and gives the logits [V] that follow the last of them; advances the cache.

        phase: `prefill` or `decode`. Raises CapacityError where the cache is full, Cancelled after `stop`, and
        JoineryError where onnxruntime fails; the cache is then as it was before.
        """
        if self._stopped.is_set():
            raise Cancelled("The generation was cancelled.")
        width = self._widths[phase] or len(tokens)
        step = self.cache.plan(tokens, width)
        bound = self._binding(phase, width)
        try:
            # a single token ends by itself soon enough, and onnxruntime takes 40 µs to look at its options
            bound.run(step, self._options if len(tokens) > 1 else None)
        except ORT_ERRORS as error:
            if self._stopped.is_set():
                raise Cancelled("The generation was cancelled.") from None
            raise JoineryError(f"onnxruntime failed in the {phase} step: {printable(error, 200)}") from error
        self.cache.commit(step)
        logits: NDArray[Any] = bound.logits[0, step.tokens - 1]
        return logits

    def stop(self) -> None:
        """Ends the run that is under way between two nodes; may be called from any thread."""
        self._stopped.set()
        self._options.terminate = True

    def resume(self) -> None:
        """Makes runs possible again after `stop`."""
        self._stopped.clear()
        self._options.terminate = False

    def _binding(self, phase: str, width: int) -> _Bound:
        kept = self._bound.get((phase, width))
        if kept is None or kept.generation != self.cache.generation:
            kept = _Bound(self._phases[phase], self._edges, self.cache, width)
            if width in (1, self.chunk):  # an odd last chunk's binding is not worth its memory
                self._bound[phase, width] = kept
        return kept


def open_executor(
    bundle: Bundle,
    device: Device,
    *,
    cache: str | None = None,
    capacity: int | None = None,
    device_options: Mapping[str, str] | None = None,
) -> Executor:
    """Opens every session of `bundle` on `device` around one cache.

    cache, capacity: other than the bundle's own. Raises BundleError, GraphError, DeviceError, and RecipeError for a
    layout that there is not.
    """
    flow = bundle.pipeline.pipeline
    layout = layout_named(cache or bundle.pipeline.metadata.layout)
    by_file: dict[str, OpenSession] = {}
    sessions: dict[str, OpenSession] = {}
    for name, session in flow.sessions.items():
        if session.file not in by_file:  # sessions over one file are one session: weights exist once
            by_file[session.file] = open_session(name, bundle.file(session.file), device, device_options or {})
        opened = by_file[session.file]
        sessions[name] = OpenSession(name, opened.session, opened.inputs, opened.outputs)
    state = _state(bundle.pipeline, sessions)
    slots = state[0].capacity
    wanted = capacity or min(bundle.pipeline.generation.max_length, slots or bundle.pipeline.generation.max_length)
    if capacity is not None and slots is not None and capacity > slots:
        raise RecipeError(f"The bundle's graphs have {slots:,} slots: a capacity of {capacity:,} needs another build.")
    mask = next(spec for opened in sessions.values() for spec in opened.inputs if spec.name == MASK)
    return Executor(bundle.pipeline, sessions, KVCache(state, layout, wanted, mask.dtype), device.name)


def _state(pipeline: Pipeline, sessions: Mapping[str, OpenSession]) -> tuple[StateTensor, ...]:
    kv = pipeline.pipeline.state.kv_cache
    if kv is None:
        raise BundleError("The pipeline declares no KV cache, so it cannot generate text.")
    patterns = StatePatterns(
        kv.past_key_pattern, kv.past_value_pattern, kv.present_key_pattern, kv.present_value_pattern
    )
    found = [state for s in sessions.values() if (state := find_state(s.inputs, s.outputs, patterns))]
    if not found:
        raise GraphError(f"No session has inputs named like {patterns.past_key % 0}, so there is no cache to share.")
    shapes = [[(tensor.past, tensor.shape, tensor.dtype) for tensor in state] for state in found]
    if any(one != shapes[0] for one in shapes):
        raise GraphError("The sessions disagree on the shape of the cache that they share: build the bundle anew.")
    # with one slot a fixed decode graph looks like a graph writer; the widest session tells
    return max(found, key=lambda state: state[0].writer == "host")


def _phases(pipeline: Pipeline, sessions: Mapping[str, OpenSession]) -> dict[str, list[OpenSession]]:
    """phase → its sessions in flow order; a prompt takes the `init` sessions where the flow has them."""
    flow = pipeline.pipeline.flow
    step = [sessions[stage.run] for stage in flow if stage.when == "step"]
    init = [sessions[stage.run] for stage in flow if stage.when == "init"]
    return {"prefill": init or step, "decode": step}


def _fixed_width(opened: Sequence[OpenSession]) -> int | None:
    """The number of columns that the phase's graphs are fixed to, or None where it is symbolic."""
    axis = next(spec.shape[1] for session in opened for spec in session.inputs if spec.name == IDS)
    return axis if isinstance(axis, int) else None


def _symbols(opened: OpenSession, cache: KVCache, width: int) -> dict[str, int]:
    """The sizes of the graph's symbolic axes at this width, told from the axes whose meaning is known."""
    sizes: dict[str, int] = {}
    known: dict[str, tuple[int, ...]] = {
        IDS: (1, width),
        POSITIONS: (1, width),
        MASK: (1, 1, width, cache.allocated + width),
    }
    known |= {name: cache.past(name).shape for name in cache.names}
    for spec in opened.inputs:
        for axis, size in zip(spec.shape, known.get(spec.name, ()), strict=False):
            if isinstance(axis, str):
                sizes[axis] = size
    return sizes


def _element(spec: TensorSpec) -> Any:
    """What onnxruntime's binding wants as an element type; numpy has no bfloat16, ONNX calls it 16."""
    return 16 if spec.dtype == "bfloat16" else spec.numpy_dtype

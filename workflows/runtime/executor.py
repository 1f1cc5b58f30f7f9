"""Runs a pipeline's flow for the next tokens, with every tensor bound once and nothing copied but the tokens.

    tokens ──cache.plan──▶ Step ──▶ session 1 ──dataflow──▶ session 2 … ──▶ logits
                                       ▲ past (the cache's memory)   │ present
                                       └─────────cache.commit────────┘

Prompt tokens go through the flow's `init` sessions that hold the cache where there are such (prefill), in chunks of
their fixed width; every other run goes through the `step` sessions. `init` sessions without a cache (an encoder) run
once, on the source, and what they give stays for the whole generation.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from workflows.bundle import Bundle
from workflows.bundle.schema import Edge, Pipeline
from workflows.errors import BundleError, Cancelled, GraphError, JoineryError, PromptError, RecipeError, printable
from workflows.events import Phase
from workflows.kvcache import KVCache, StateTensor, find_state
from workflows.kvcache.cross import cross_view
from workflows.kvcache.drivers import DRIVERS, IDS
from workflows.kvcache.geometry import SOURCE_MASK, StateFacts, StatePatterns
from workflows.kvcache.infer import infer_facts
from workflows.kvcache.layouts import layout_for
from workflows.kvcache.views import GroupView
from workflows.recipe.schema import DEFAULT_CAPACITY
from workflows.runtime.devices import Device
from workflows.runtime.sessions import ORT_ERRORS, OpenSession, open_session
from workflows.tensors import TensorSpec

LOGITS, EMBEDS = "logits", "inputs_embeds"
EMULATED = "w8a16"  # the precision for which the CPU provider has no integer products
_EMULATION = (
    "w8a16 is made for NPUs: the CPU provider computes it in float32 with every number on its 16-bit grid, so answers "
    "are those of the quantized model, and speed and memory are not."
)
Observer = Callable[[str, Mapping[str, NDArray[Any]]], None]
"""Told after each run of a session: its name, and copies of the outputs that nothing else takes."""


class _Bound:
    """Sessions bound once: their inputs and outputs are memory that lives as long as this does.

    shapes: the known inputs' shapes, from which the graphs' symbolic axes are told. given: arrays that inputs and
    outputs of that name use, whatever the session (the cache's); fed: "session.tensor" → the array that another phase
    made for it. observer: gets what is neither given, nor fed to another session, nor logits, sized by onnxruntime.
    """

    def __init__(
        self,
        sessions: Sequence[OpenSession],
        edges: Sequence[Edge],
        shapes: Mapping[str, tuple[int, ...]],
        given: Mapping[str, NDArray[Any]],
        fed: Mapping[str, NDArray[Any]],
        observer: Observer | None = None,
    ) -> None:
        self._observer = observer
        self.inputs: dict[str, NDArray[Any]] = {}
        self.outputs: dict[str, NDArray[Any]] = {}
        self.generation = 0
        self._runs: list[tuple[ort.InferenceSession, ort.IOBinding]] = []
        taken = {LOGITS, *given, *(edge.source for edge in edges)} if observer else None
        self._sessions = tuple(sessions)
        for opened in sessions:
            binding = opened.session.io_binding()
            from_sessions = self._from_sessions(opened, edges, fed)
            symbols = _symbols(opened, {**shapes, **{name: array.shape for name, array in from_sessions.items()}})
            for spec in opened.inputs:
                if spec.name in from_sessions:
                    array = from_sessions[spec.name]
                elif spec.name in given:
                    array = given[spec.name]
                else:
                    array = self._driver(spec, shapes)
                binding.bind_input(spec.name, "cpu", 0, _element(spec), array.shape, array.ctypes.data)
            for spec in opened.outputs:
                if taken is not None and not taken & {spec.name, f"{opened.name}.{spec.name}"}:
                    binding.bind_output(spec.name, "cpu")
                    continue
                array = given[spec.name] if spec.name in given else np.empty(spec.resolve(symbols), spec.numpy_dtype)
                self.outputs[f"{opened.name}.{spec.name}"] = array
                binding.bind_output(spec.name, "cpu", 0, _element(spec), array.shape, array.ctypes.data)
            self._runs.append((opened.session, binding))
        self._keep = (dict(given), dict(fed))  # bindings hold addresses alone

    def _from_sessions(
        self, opened: OpenSession, edges: Sequence[Edge], fed: Mapping[str, NDArray[Any]]
    ) -> dict[str, NDArray[Any]]:
        """Input → what another session gives it; of two that could (prefill and decode) the one that runs here."""
        made = {**fed, **self.outputs}
        ends = [(edge.target.split(".", 1), edge.source) for edge in edges if edge.source in made]
        return {name: made[source] for (session, name), source in ends if session == opened.name}

    def _driver(self, spec: TensorSpec, shapes: Mapping[str, tuple[int, ...]]) -> NDArray[Any]:
        if spec.name not in shapes:
            raise GraphError(f"Nothing feeds the input {spec.name}: the pipeline's dataflow must name its source.")
        shape = shapes[spec.name]
        if len(shape) != len(spec.shape) or any(
            isinstance(axis, int) and axis != size for axis, size in zip(spec.shape, shape, strict=True)
        ):
            raise GraphError(f"The input {spec.name} is {list(spec.shape)}, and a step feeds {list(shape)}.")
        if spec.name not in self.inputs:
            self.inputs[spec.name] = np.zeros(shape, spec.numpy_dtype)
        return self.inputs[spec.name]

    @cached_property
    def logits_type(self) -> TensorSpec:
        """The logits' name and type."""
        return next(spec for opened in self._sessions for spec in opened.outputs if spec.name == LOGITS)

    @cached_property
    def logits(self) -> NDArray[Any]:
        """[1, N, V]."""
        return next(array for name, array in self.outputs.items() if name.split(".", 1)[1] == LOGITS)

    def run(self, inputs: Mapping[str, NDArray[Any]], options: ort.RunOptions | None) -> None:
        """Runs every session once; `options` can end it half-way."""
        for name, array in self.inputs.items():
            array[...] = inputs[name]
        for opened, (session, binding) in zip(self._sessions, self._runs, strict=True):
            session.run_with_iobinding(binding, options)
            if self._observer:
                self._tell(self._observer, opened, binding)

    def _tell(self, observer: Observer, opened: OpenSession, binding: ort.IOBinding) -> None:
        """Bound outputs come back in the order in which they were bound, which is the graph's."""
        found = zip(opened.outputs, binding.get_outputs(), strict=True)
        own = {spec.name: value for spec, value in found if f"{opened.name}.{spec.name}" not in self.outputs}
        observer(opened.name, {name: value.numpy() for name, value in own.items()})


class Executor:
    """A composite model that is open: its sessions, its one cache, and the way through them.

    `chunk` is the number of prompt tokens that one run takes; `note` says why the graph's cache is not run as it asks
    to be, empty where it is; `emulation` that the provider computes in another way than the graph was made for. Not
    for use by two threads at once, but for `stop`.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        sessions: Mapping[str, OpenSession],
        cache: KVCache,
        provider: str,
        note: str = "",
        observer: Observer | None = None,
    ) -> None:
        self._observer, self.emulation = observer, ""
        self.cache, self.provider, self.vocabulary = cache, provider, pipeline.metadata.vocabulary or 0
        self.chunk, self._source_limit = pipeline.metadata.chunk, pipeline.metadata.source_limit
        self.note, self._pad_left = note, _last_logits(sessions)
        self._edges = pipeline.pipeline.dataflow
        self._phases = _phases(pipeline, sessions)
        self._widths = {phase: _fixed_width(opened) for phase, opened in self._phases.items() if opened}
        self._bound: dict[tuple[str, int], _Bound] = {}
        self._source: dict[str, NDArray[Any]] = {}  # what the encoder gave, by "session.tensor"
        self._source_mask = np.zeros((1, 1, 1, 0), np.float32)
        self._options = ort.RunOptions()
        self._stopped = threading.Event()

    @property
    def has_source(self) -> bool:
        """Whether an encoder reads a source before the decoder begins."""
        return bool(self._phases["source"])

    def source_view(self) -> tuple[GroupView, ...]:
        """What the encoder handed over, as the window draws it; none before the first source."""
        handed = {name.split(".", 1)[1]: array for name, array in self._source.items()}
        return cross_view(handed, int(np.count_nonzero(self._source_mask == 0)))

    def encode(self, source: Sequence[int]) -> None:
        """Runs the encoder on `source` and forgets what the decoder had of another one.

        A source shorter than the encoder's fixed length is padded on the right, and so is its mask. Raises PromptError
        for one that is longer than the encoder can read, Cancelled after `stop`.
        """
        width = self._widths["source"]
        self._check_source(len(source), width)
        width = width or len(source)
        ids = np.zeros((1, width), np.int64)
        ids[0, : len(source)] = source
        mask = np.full((1, 1, 1, width), np.finfo(np.float32).min, np.float32)
        mask[..., : len(source)] = 0
        inputs: dict[str, NDArray[Any]] = {IDS: ids, SOURCE_MASK: mask}
        shapes = {name: array.shape for name, array in inputs.items()}
        bound = _Bound(self._phases["source"], self._edges, shapes, {}, {}, self._observer)
        self._guarded(bound, inputs, "encoder", self._options)
        self._source, self._source_mask = bound.outputs, mask
        self._bound.clear()
        self.cache.reset()

    def _check_source(self, tokens: int, width: int | None) -> None:
        limit = min((limit for limit in (width, self._source_limit) if limit), default=tokens)
        if tokens <= limit:
            return
        remedy = f"shorten it or build with source_length={tokens} or more" if width else "shorten it"
        raise PromptError(f"The source has {tokens:,} tokens and the encoder reads {limit:,} at most: {remedy}.")

    def chunks(self, prompt: Sequence[int]) -> Iterator[tuple[Sequence[int], Phase]]:
        """The runs that take `prompt`: chunks through prefill, the rest padded.

        What the cache takes no chunk for goes token by token, and so does the rest where padding would come first:
        that would see nothing, which some graphs answer with NaN.
        """
        width, before, start = self._widths["prefill"], self.cache.length, 0
        by_token = self._pad_left and self._widths["decode"] in (None, 1)
        while start < len(prompt):
            wanted = min(self.chunk, len(prompt) - start)
            padded = width is not None and wanted < width
            count = 0 if padded and by_token else self.cache.takes(before + start, wanted, width)
            yield prompt[start : start + (count or 1)], "prefill" if count else "decode"
            start += count or 1

    def run(self, tokens: Sequence[int], phase: Phase) -> NDArray[Any]:
        """Feeds `tokens` (at most `chunk`), advances the cache, gives the logits [V] float32 that follow the last one.

        phase: `prefill` or `decode`. Raises CapacityError where the cache is full, Cancelled after `stop`, and
        JoineryError where onnxruntime fails; the cache is then as it was before.
        """
        if self._stopped.is_set():
            raise Cancelled("The generation was cancelled.")
        width = self._widths[phase] or len(tokens)
        step = self.cache.plan(tokens, width)
        bound = self._binding(phase, width)
        # a single token ends by itself soon enough, and onnxruntime takes 40 µs to look at its options
        self._guarded(bound, step.inputs, phase, self._options if len(tokens) > 1 else None)
        self.cache.commit(step)
        last = min(step.real.stop, bound.logits.shape[1]) - 1  # some graphs give the last column's alone
        return bound.logits_type.as_float32(bound.logits[0, last])

    def _guarded(
        self, bound: _Bound, inputs: Mapping[str, NDArray[Any]], what: str, options: ort.RunOptions | None
    ) -> None:
        try:
            bound.run(inputs, options)
        except ORT_ERRORS as error:
            if self._stopped.is_set():
                raise Cancelled("The generation was cancelled.") from None
            raise JoineryError(f"onnxruntime failed in the {what} step: {printable(error, 200)}") from error

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
            shapes = self.cache.shapes(width) | {SOURCE_MASK: self._source_mask.shape}
            shapes |= {name.split(".", 1)[1]: array.shape for name, array in self._source.items()}
            given = {name: self.cache.past(name) for name in self.cache.names}
            given |= {name: self.cache.fresh(name, width) for name in self.cache.fresh_names}
            given |= {SOURCE_MASK: self._source_mask}
            kept = _Bound(self._phases[phase], self._edges, shapes, given, self._source, self._observer)
            kept.generation = self.cache.generation
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
    graphs: Mapping[str, bytes] | None = None,
    observer: Observer | None = None,
) -> Executor:
    """Opens every session of `bundle` on `device` around one cache.

    cache, capacity: other than the bundle's own. graphs: by session, a serialized graph to open in place of the file,
    over the same weight files. observer: told of the outputs that such a graph has besides the file's. Raises
    BundleError, GraphError, DeviceError, and RecipeError for a layout that there is not.
    """
    _refuse_single(bundle.pipeline)
    flow = bundle.pipeline.pipeline
    emulated = bundle.pipeline.metadata.precision == EMULATED and device.name == "cpu"
    by_file: dict[str, OpenSession] = {}
    sessions: dict[str, OpenSession] = {}
    for name, session in flow.sessions.items():
        if session.file not in by_file:  # sessions over one file are one session: weights exist once
            graph = (graphs or {}).get(name)
            file = bundle.file(session.file)
            by_file[session.file] = open_session(
                name, file, device, device_options or {}, graph=graph, emulated=emulated
            )
        sessions[name] = replace(by_file[session.file], name=name)
    executor = make_executor(bundle.pipeline, sessions, device, cache=cache, capacity=capacity, observer=observer)
    executor.emulation = _EMULATION if emulated else ""
    return executor


def make_executor(
    pipeline: Pipeline,
    sessions: Mapping[str, OpenSession],
    device: Device,
    *,
    cache: str | None = None,
    capacity: int | None = None,
    observer: Observer | None = None,
) -> Executor:
    """Open sessions around one cache; see open_executor."""
    state, facts = _state(pipeline, sessions)
    layout = layout_for(cache, pipeline.metadata.layout, facts)
    slots = state[0].capacity
    if capacity is not None and slots is not None and capacity > slots:
        raise RecipeError(f"The bundle's graphs have {slots:,} slots: a capacity of {capacity:,} needs another build.")
    built = pipeline.capacity or DEFAULT_CAPACITY
    wanted = capacity or min(built, slots or built, facts.positions or built)
    if facts.positions is not None and wanted > facts.positions:
        raise RecipeError(
            f"The bundle's graphs know {facts.positions:,} positions: a capacity of {wanted:,} needs another build."
        )
    names = {*DRIVERS, *(group.mask for group in facts.groups)}
    phases = _phases(pipeline, sessions)
    stepping = [*phases["prefill"], *phases["decode"]]
    drivers = {spec.name: spec for session in stepping for spec in session.inputs if spec.name in names}
    batch = drivers[IDS].shape[0]
    if isinstance(batch, int) and batch != 1:
        raise GraphError(f"{IDS} is {list(drivers[IDS].shape)}: batch must be 1, so export the graph anew with that.")
    kept = KVCache(state, layout, wanted, facts, drivers, pad_left=_last_logits(sessions))
    return Executor(pipeline, sessions, kept, device.name, facts.note, observer)


def _last_logits(sessions: Mapping[str, OpenSession]) -> bool:
    """Whether a graph of several columns gives the last one's logits alone, so that padding must come first."""
    return any(
        spec.name == LOGITS and spec.shape[1] == 1 and (_fixed_width([session]) or 1) > 1
        for session in sessions.values()
        for spec in session.outputs
    )


def _refuse_single(pipeline: Pipeline) -> None:
    if pipeline.pipeline.state.kv_cache is None:
        facts = pipeline.metadata
        raise BundleError(
            f"This bundle is a {printable(facts.model_type)} model for {printable(facts.task) or 'one run'} without a "
            "KV cache, so it generates no text: run it with workflows.runtime.run_single, or look at it with "
            "`joinery inspect`."
        )


def _state(pipeline: Pipeline, sessions: Mapping[str, OpenSession]) -> tuple[tuple[StateTensor, ...], StateFacts]:
    kv = pipeline.pipeline.state.kv_cache
    assert kv is not None  # others were refused before
    patterns = StatePatterns(
        kv.past_key_pattern, kv.past_value_pattern, kv.present_key_pattern, kv.present_value_pattern
    )
    found = [(state, s) for s in sessions.values() if (state := find_state(s.inputs, s.outputs, patterns))]
    if not found:
        raise GraphError(f"No session has inputs named like {patterns.past_key % 0}, so there is no cache to share.")
    state, facts = _facts(*found[0])
    for other, session in found[1:]:
        agreed = [(t.past, t.shape, t.dtype) for t in other] == [(t.past, t.shape, t.dtype) for t in state]
        if not agreed or _facts(other, session)[1] != facts:
            raise GraphError("The sessions disagree on the shape of the cache that they share: build the bundle anew.")
    return state, facts


def _facts(state: tuple[StateTensor, ...], session: OpenSession) -> tuple[tuple[StateTensor, ...], StateFacts]:
    """The graph's own word on its cache, or what its inputs tell; and the state with the writer that follows."""
    said = StateFacts.of_metadata(session.metadata)
    facts = said or infer_facts(state, session.inputs)
    if facts.writer != "host":
        return tuple(replace(tensor, writer="graph") for tensor in state), facts
    state = tuple(replace(tensor, writer="host") for tensor in state)
    return tuple(replace(tensor, gives="rows") for tensor in state) if said else state, facts


def _phases(pipeline: Pipeline, sessions: Mapping[str, OpenSession]) -> dict[str, list[OpenSession]]:
    """phase → its sessions in flow order; a prompt takes the `init` sessions where the flow has them.

    A session that runs at init alone and keeps no state reads the source.
    """
    at = {when: [stage.run for stage in pipeline.pipeline.flow if stage.when == when] for when in ("init", "step")}
    source = [name for name in at["init"] if name not in at["step"] and not _has_state(pipeline, sessions[name])]
    prefill = [name for name in at["init"] if name not in source] or at["step"]
    names = {"source": source, "prefill": prefill, "decode": at["step"]}
    return {phase: [sessions[name] for name in phase_names] for phase, phase_names in names.items()}


def _has_state(pipeline: Pipeline, session: OpenSession) -> bool:
    kv = pipeline.pipeline.state.kv_cache
    return kv is not None and kv.past_key_pattern % 0 in {spec.name for spec in session.inputs}


def _fixed_width(opened: Sequence[OpenSession]) -> int | None:
    """The number of columns that the phase's graphs are fixed to, or None where it is symbolic."""
    axes = [spec.shape[1] for session in opened for spec in session.inputs if spec.name in (IDS, EMBEDS)]
    return next((axis for axis in axes if isinstance(axis, int)), None)


def _symbols(opened: OpenSession, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """The sizes of the graph's symbolic axes, told from the inputs whose shapes are known."""
    sizes: dict[str, int] = {}
    for spec in opened.inputs:
        for axis, size in zip(spec.shape, shapes.get(spec.name, ()), strict=False):
            if isinstance(axis, str):
                sizes[axis] = size
    return sizes


def _element(spec: TensorSpec) -> Any:
    """What onnxruntime's binding wants as an element type; numpy has no bfloat16, ONNX calls it 16."""
    return 16 if spec.dtype == "bfloat16" else spec.numpy_dtype

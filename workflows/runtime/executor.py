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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from workflows.bundle import Bundle
from workflows.bundle.flow import Fault, Port
from workflows.bundle.read import PIPELINE
from workflows.bundle.schema import Pipeline
from workflows.errors import BundleError, Cancelled, JoineryError, PromptError, RecipeError, printable
from workflows.kvcache import KVCache, Layout
from workflows.kvcache.cross import cross_view
from workflows.kvcache.drivers import IDS
from workflows.kvcache.geometry import SOURCE_MASK, StateFacts
from workflows.kvcache.layouts import layout_for
from workflows.recipe.schema import DEFAULT_CAPACITY
from workflows.runtime.binding import Binding, Observer
from workflows.runtime.emulation import emulation_note, is_emulated
from workflows.runtime.program import Program, Run, compile_program
from workflows.runtime.sessions import ORT_ERRORS, OpenSession, open_session
from workflows.wire.events import GroupView, Phase
from workflows.wire.reports.devices import Device


class Executor:
    """A composite model that is open: its sessions, its one cache, and the way through them.

    `chunk` is the number of prompt tokens that one run takes; `note` says why the graph's cache is not run as it asks
    to be, empty where it is; `emulation` that the provider computes in another way than the graph was made for. Not
    for use by two threads at once, but for `stop`.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        program: Program,
        sessions: Mapping[str, OpenSession],
        cache: KVCache,
        device: Device,
        observer: Observer | None = None,
    ) -> None:
        self.program, self.cache, self.provider = program, cache, device.name
        self.chunk, self.vocabulary = pipeline.chunk, pipeline.metadata.vocabulary or 0
        self.note, self.emulation = program.facts.note, emulation_note(pipeline, device)
        self._sessions, self._observer = sessions, observer
        self._source_limit = pipeline.metadata.source_limit
        self._bound: dict[tuple[str, int], Binding] = {}
        self._source: dict[Port, NDArray[Any]] = {}  # what the encoder gave
        self._source_tokens, self._source_width = 0, 0
        self._options = ort.RunOptions()
        self._stopped = threading.Event()

    @property
    def has_source(self) -> bool:
        """Whether an encoder reads a source before the decoder begins."""
        return self.program.source is not None

    def source_view(self) -> tuple[GroupView, ...]:
        """What the encoder handed over, as the window draws it; none before the first source."""
        return cross_view({name: array for (_, name), array in self._source.items()}, self._source_tokens)

    def encode(self, source: Sequence[int]) -> None:
        """Runs the encoder on `source` and forgets what the decoder had of another one.

        A source shorter than the encoder's fixed length is padded on the right, and so is its mask. Raises PromptError
        for one that is longer than the encoder can read, Cancelled after `stop`.
        """
        run = self.program.source
        if run is None:
            raise PromptError("The model has no encoder that reads a source: give the text as a prompt.")
        self._check_source(len(source), run.columns)
        width = run.columns or len(source)
        ids = np.zeros((1, width), np.int64)
        ids[0, : len(source)] = source
        given = self._masks(run, len(source), width)
        bound = Binding(run, self._sessions, {IDS: ids.shape}, given, self.program.taken, self._observer)
        self._guarded(bound, {IDS: ids}, "encoder", self._options)
        self._source, self._source_tokens, self._source_width = bound.outputs, len(source), width
        self._bound.clear()
        self.cache.reset()

    def _masks(self, run: Run, tokens: int, width: int) -> dict[Port, NDArray[Any]]:
        """The masks [1, 1, 1, width] of a source that has `tokens`, for every session of the run that takes one."""
        found: dict[Port, NDArray[Any]] = {}
        for name in run.sessions:
            for spec in self._sessions[name].inputs:
                if spec.name == SOURCE_MASK and run.feeds[name, spec.name].kind == "given":
                    mask = found[name, spec.name] = np.full((1, 1, 1, width), spec.lowest, spec.numpy_dtype)
                    mask[..., :tokens] = 0
        return found

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
        width, before, start = self.program.prefill.columns, self.cache.length, 0
        by_token = self.program.pad_left and self.program.decode.columns in (None, 1)
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
        width = self.program.runs[phase].columns or len(tokens)
        step = self.cache.plan(tokens, width)
        bound = self._binding(phase, width)
        # a single token ends by itself soon enough, and onnxruntime takes 40 µs to look at its options
        self._guarded(bound, step.inputs, phase, self._options if len(tokens) > 1 else None)
        self.cache.commit(step)
        last = min(step.real.stop, bound.logits.shape[1]) - 1  # some graphs give the last column's alone
        return bound.logits_type.as_float32(bound.logits[0, last])

    def _guarded(
        self, bound: Binding, inputs: Mapping[str, NDArray[Any]], what: str, options: ort.RunOptions | None
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

    def _binding(self, phase: Phase, width: int) -> Binding:
        kept = self._bound.get((phase, width))
        if kept is None or kept.generation != self.cache.generation:
            run = self.program.runs[phase]
            given = self._source | self._masks(run, self._source_tokens, self._source_width) | self._state(run, width)
            kept = Binding(run, self._sessions, self.cache.shapes(width), given, self.program.taken, self._observer)
            kept.generation = self.cache.generation
            if width in (1, self.chunk):  # an odd last chunk's binding is not worth its memory
                self._bound[phase, width] = kept
        return kept

    def _state(self, run: Run, width: int) -> dict[Port, NDArray[Any]]:
        """The cache's memory, as the inputs and outputs of the session that keeps it."""
        assert run.state is not None  # a run of tokens has one
        past = {(run.state, name): self.cache.past(name) for name in self.cache.names}
        return past | {(run.state, name): self.cache.fresh(name, width) for name in self.cache.fresh_names}


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
    where = str(bundle.folder / PIPELINE)
    _refuse_single(bundle.pipeline, where)
    by_file: dict[str, OpenSession] = {}
    sessions: dict[str, OpenSession] = {}
    for name, session in bundle.pipeline.pipeline.sessions.items():
        if session.file not in by_file:  # sessions over one file are one session: weights exist once
            by_file[session.file] = open_session(
                name,
                bundle.file(session.file),
                device,
                device_options or {},
                graph=(graphs or {}).get(name),
                emulated=is_emulated(bundle.pipeline, name, device),
            )
        sessions[name] = replace(by_file[session.file], name=name)
    return make_executor(
        bundle.pipeline, sessions, device, cache=cache, capacity=capacity, observer=observer, where=where
    )


def make_executor(
    pipeline: Pipeline,
    sessions: Mapping[str, OpenSession],
    device: Device,
    *,
    cache: str | None = None,
    capacity: int | None = None,
    observer: Observer | None = None,
    where: str = "The pipeline",
) -> Executor:
    """Open sessions around one cache; see open_executor. where: the pipeline's file, for messages."""
    program = compile_program(pipeline, sessions, where)
    layout = _layout(pipeline, cache, program.facts, where)
    slots = _slots(pipeline, program, layout, capacity)
    kept = KVCache(program.state, layout, slots, program.facts, program.drivers, pad_left=program.pad_left)
    return Executor(pipeline, program, sessions, kept, device, observer)


def _layout(pipeline: Pipeline, asked: str | None, facts: StateFacts, where: str) -> Layout:
    """The layout that a person asked for, or that the file says: a sliding window wins over the plain one."""
    slides = pipeline.window is not None
    built = "window" if slides and pipeline.metadata.layout == "static" else pipeline.metadata.layout
    try:
        layout = layout_for(asked, built, facts)
    except RecipeError as error:
        if asked:
            raise
        raise Fault(pipeline.path_of_setting("sliding_window"), str(error).removesuffix(".")).error(where) from None
    if slides and not asked and not layout.evicts:
        message = f"the {layout.name} cache gets full and slides no window"
        raise Fault(pipeline.path_of_setting("sliding_window"), message).error(where)
    return layout


def _slots(pipeline: Pipeline, program: Program, layout: Layout, asked: int | None) -> int:
    """The capacity: as asked for, else what the file says, as far as graphs and model allow it."""
    slots, positions = program.state[0].capacity, program.facts.positions
    if asked is not None and slots is not None and asked > slots:
        raise RecipeError(f"The bundle's graphs have {slots:,} slots: a capacity of {asked:,} needs another build.")
    built = (pipeline.window if layout.evicts else None) or pipeline.capacity or DEFAULT_CAPACITY
    wanted = asked or min(built, slots or built, positions or built)
    if positions is not None and wanted > positions:
        raise RecipeError(
            f"The bundle's graphs know {positions:,} positions: a capacity of {wanted:,} needs another build."
        )
    return wanted


def _refuse_single(pipeline: Pipeline, where: str) -> None:
    if pipeline.pipeline.state.kv_cache is None:
        facts = pipeline.metadata
        raise BundleError(
            f"{where} has no pipeline.state.kv_cache: this bundle is a {printable(facts.model_type)} model for "
            f"{printable(facts.task) or 'one run'} without a KV cache, so it generates no text: run it with "
            "workflows.runtime.run_single, or look at it with `joinery inspect`."
        )

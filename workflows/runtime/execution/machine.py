"""Runs a program for the next tokens; every tensor is bound once, and only tokens are copied.

    start(given) ──▶ what runs once per prompt, kept
    tokens ──cache.plan──▶ Step ──▶ session 1 ──edges──▶ session 2 … ──▶ logits
                                       ▲ past (the cache's memory)   │ present
                                       └─────────cache.commit────────┘
    finish() ──▶ what runs after the last token

    Machine ─┬─ PromptInputs   what came with the prompt           ├─ RunControl     runs a binding, stops it
             ├─ BindingCache   arrays bound to sessions            └─ DraftCapacity  how many drafted tokens fit a run

Prompt tokens go through the prefill's sessions where there are any, in chunks of their fixed width; all other runs
go through the decode sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.schema import Pipeline
from workflows.common.errors import GraphError, PromptError, RequestError
from workflows.common.tensors import Array
from workflows.kvcache import KVCache, Step
from workflows.kvcache.cache import cross_view
from workflows.kvcache.cache_inputs import IDS
from workflows.kvcache.incremental_step import IncrementalStep, incremental_step
from workflows.kvcache.token_blocks import TokenBlocks
from workflows.runtime.execution.active_adapter import ActiveAdapter
from workflows.runtime.execution.binding import Binding, Observer, bind_last
from workflows.runtime.execution.binding_cache import BindingCache
from workflows.runtime.execution.device_memory import DeviceMemory
from workflows.runtime.execution.logits_rows import LogitsRowSelector
from workflows.runtime.execution.prompt_inputs import NamedInputs, PromptInputs, check_source
from workflows.runtime.execution.run_control import RunControl
from workflows.runtime.loading.sessions import OpenSession, emulation_note, widest_chunk
from workflows.runtime.program.program import Program, ProgramPhase
from workflows.wire.events import GroupView, Phase
from workflows.wire.reports.devices import Device

HiddenStates = NDArray[np.float32]


class HiddenStateListener(Protocol):
    """Receives the hidden states of the tokens that a machine's cache takes; extra heads draft from them."""

    def on_hidden_states(self, start: int, rows: HiddenStates) -> None:
        """The hidden states [n, H] of the tokens from position `start` on; earlier rows of later positions are void."""
        ...


def hidden_rows(run: ProgramPhase, bound: Binding, step: Step) -> HiddenStates | None:
    """The hidden states [n, H] of a step's tokens, or of the last one where the graph gives no more; None for none."""
    if run.hidden is None:
        return None
    port, spec = run.hidden
    rows = spec.as_float32(bound.outputs[port][0])
    if len(rows) == step.width:
        return rows[step.real]
    return rows[-1:] if step.parents is None else None


class DraftCapacity:
    """How many drafted tokens one run can verify. enabled: False where chunks are wrong on the device: then none.

    phase: the run that gives the logits of each of several tokens; None where all runs give the last token's alone.
    """

    def __init__(self, program: Program, cache: KVCache, *, enabled: bool) -> None:
        self._cache, self._enabled = cache, enabled
        phases: tuple[Phase, ...] = ("decode", "prefill")
        rows = (phase for phase in phases if program.runs[phase].gives_rows)
        self.phase = None if program.final is not None or program.pad_left else next(rows, None)
        self._width = None if self.phase is None else program.runs[self.phase].columns

    def chain(self, chunk: int) -> int:
        """How many tokens beyond the next one a run can take now and take back again. chunk: tokens of one run.

        0 where that run would evict tokens, and where the cache cannot be rewound.
        """
        cache = self._cache
        if self.phase is None or not self._enabled or cache.carried:
            return 0
        ends = [end for end in (cache.capacity, cache.positions) if end is not None]
        wanted = min(chunk, min(ends) - cache.length)
        return max(cache.fitting_tokens(cache.length, wanted, self._width) - 1, 0) if wanted > 1 else 0

    def tree(self, chunk: int) -> int:
        """How many branching tokens beyond the next one a run takes, `chain` of them on one path; 0 for none."""
        cache = self._cache
        if not cache.can_branch or not self.chain(chunk):
            return 0
        return max(cache.fitting_tokens(cache.length, min(chunk, self._width or chunk), self._width) - 1, 0)


Logits = NDArray[np.float32]


class Machine:
    """An open composite model: its sessions, its one cache, and the runs through them.

    provider: where the sessions run, as messages name it. chunk: prompt tokens per run. run_limit: the same for the run
    from a place on in a prompt of some length, where others wait for it; None for `chunk` always. note: why the
    declared cache of the graph is not used; empty where it is. emulation: what the provider computes otherwise than the
    graph was built for; placement: nodes that the provider leaves to another; memory_note: what is done since memory is
    short; all for the person, empty where there is nothing to say. verify_phase: the phase that gives the logits of
    each of several tokens; None where there is none. too_wide: whether prompts go token by token, because chunks of the
    graph's width are wrong on this device. adapter: which one runs, shared with the machines over the same sessions.
    memory: the cache's rows in a provider's own memory. Not for use by two threads at once, except for `stop`.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        program: Program,
        sessions: Mapping[str, OpenSession],
        cache: KVCache,
        device: Device,
        observer: Observer | None = None,
        provider: str = "",
        adapter: ActiveAdapter | None = None,
    ) -> None:
        self.adapter = adapter or ActiveAdapter(program, sessions, pipeline.metadata.adapters)
        self.pipeline, self.program, self.cache, self.device = pipeline, program, cache, device
        self.provider = provider or device.name
        self.vocabulary, self.rounds = pipeline.metadata.vocabulary or 0, pipeline.uses_integers
        providers = {name: opened.provider.name for name, opened in sessions.items()}
        self.note, self.emulation = program.facts.note, emulation_note(pipeline, providers)
        self.placement = self.memory_note = ""
        self._sessions, self._observer = dict(sessions), observer
        own = any(one.provider.has_memory for one in sessions.values()) and cache.in_place
        self.memory = DeviceMemory(cache) if own else None
        if set(providers.values()) == {"cpu"}:  # others may copy whole buffers
            cache.buffers.reserve()
        widest = widest_chunk(self._sessions[name] for name in program.prefill.keepers) if own else None
        self.chunk = min(pipeline.chunk, widest or pipeline.chunk)
        self.run_limit: Callable[[int, int], int] | None = None
        self.too_wide = widest is not None and (program.prefill.columns or 0) > widest
        self._control = RunControl(self.provider)
        self._draft_capacity = DraftCapacity(program, cache, enabled=not self.too_wide)
        self.verify_phase = self._draft_capacity.phase
        self.bindings = BindingCache(program, self._sessions, cache, observer, self.memory, self.adapter)
        self._row_selector = LogitsRowSelector(program, self._sessions, every=observer is not None)
        self._prompt = PromptInputs(program, self._sessions)
        self._position_map = self._prompt.position_map()
        self._blocks: TokenBlocks | None = None
        self._last: Binding | None = None  # the final sessions run on its outputs
        self._next: tuple[Binding, IncrementalStep] | None = None  # for a single token after the last one
        self._branched: tuple[Step, HiddenStates | None] | None = None  # the last step; see commit_path
        self._listener: HiddenStateListener | None = None

    # -- opening and closing -----------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Releases the sessions and their memory; a later run raises RequestError."""
        self._control.close()
        self.bindings.clear()
        self._sessions.clear()
        self._last = self._next = None

    @property
    def sessions(self) -> Mapping[str, OpenSession]:
        """The sessions by name; empty after `close`."""
        return self._sessions

    # -- what comes with a prompt ------------------------------------------------------------------------------

    @property
    def has_source(self) -> bool:
        """Whether an encoder reads a text before the decoder starts."""
        return self.program.has_encoder

    def source_view(self) -> tuple[GroupView, ...]:
        """The cross-attention cache as the window draws it; empty before the first source."""
        source = self._prompt.source
        return cross_view({name: array for (_, name), array in source.outputs.items()}, source.tokens)

    def start(self, given: NamedInputs | None = None, prompt: Sequence[int] = ()) -> None:
        """Reads what comes with a prompt, and resets the cache of an earlier one; feeds no token.

        given: by input: the `input_ids` of a source, pictures … prompt: the tokens that will be fed, among them the
        placeholders of features. A source shorter than the encoder's fixed length is padded on the right. Raises
        PromptError for inputs that do not fit, such as a source longer than the encoder reads, Cancelled after `stop`.
        """
        self._control.check_open()
        if given and IDS in given:
            check_source(np.shape(given[IDS])[-1], self.program.source, self.pipeline.metadata.source_limit)
        inputs = PromptInputs(self.program, self._sessions, prompt)
        inputs.source.read(given or {}, self._control, self._observer)
        inputs.check_places()
        self._position_map = inputs.position_map()
        self._blocks = inputs.blocks(self.cache.planner.mutual)
        self._prompt, self._last, self._next = inputs, None, None
        self.bindings.clear()
        if given:
            self.cache.reset()

    def encode(self, source: Sequence[int]) -> None:
        """Has the encoder read a text; see start. Raises PromptError for a model without an encoder."""
        if not self.has_source:
            raise PromptError("The model has no encoder that reads a source: give the text as a prompt.")
        self.start({IDS: np.asarray(source, np.int64)[None]})

    # -- tokens ------------------------------------------------------------------------------------------------

    def chunks(self, prompt: Sequence[int]) -> Iterator[tuple[Sequence[int], Phase]]:
        """The runs that take `prompt`: chunks through prefill, the last one padded.

        Tokens that the cache takes no chunk for go one by one; so does the last chunk where padding would come first,
        for the padding would attend to nothing, which some graphs answer with NaN. Final sessions need a decode step.
        Raises PromptError where the tokens of a picture that attend to each other do not fit a run.
        """
        width, before, start = self.program.prefill.columns, self.cache.length, 0
        by_token = self.program.pad_left and self.program.decode.columns in (None, 1)
        self.cache.buffers.expect(len(prompt), self.cache.slots)
        last = len(prompt) - int(self.program.final is not None and self.program.prefill is not self.program.decode)
        while start < len(prompt):
            limit = self.run_limit(start, len(prompt)) if self.run_limit else self.chunk
            wanted = min(limit, last - start)
            padded = width is not None and wanted < width
            single = wanted < 1 or self.too_wide or (padded and by_token)
            count = 0 if single else self.cache.fitting_tokens(before + start, wanted, width)
            if self._blocks is not None:
                count = _undivided(self._blocks, self.cache, before + start, count, width)
            yield prompt[start : start + (count or 1)], "prefill" if count else "decode"
            start += count or 1

    def step(
        self, tokens: Sequence[int], phase: Phase = "decode", rows: int = 1, parents: Sequence[int] | None = None
    ) -> Logits:
        """Feeds `tokens` (at most `chunk`), advances the cache, and returns the logits [rows, V] of the last of them.

        parents: for branching tokens, the index of each token's parent, -1 for the cache's last token; commit_path then
        advances the cache, and each token's logits are those after its path.

        Raises CapacityError where the cache is full, GraphError for more rows than the graphs give, Cancelled after
        `stop`, and JoineryError where onnxruntime fails; the cache is then unchanged.
        """
        self._control.check_running()
        self._branched = None
        single = len(tokens) == 1 and phase == "decode" and parents is None and self._listener is None
        repeated = self._next if single else None
        if repeated and repeated[1].is_valid() and repeated[0].generation[1] == self.adapter.generation:
            return self._repeat(*repeated, tokens[0])
        self._next = None
        run = self.program.runs[phase]
        width = run.columns or len(tokens)
        step = self.cache.plan(tokens, width, parents, self._position_map, self._blocks)
        selection = self._row_selector.inputs(phase, step, rows)
        bound = self.bindings.get(
            phase, tokens, self._prompt, width=width, rows=rows, chunk=self.chunk, selects_rows=bool(selection)
        )
        self._control.run_tokens(bound, step.inputs | selection, phase, len(tokens))
        end = min(step.real.stop, bound.logits.shape[1])  # some graphs give the last ones alone
        if rows > min(end, len(tokens)):
            raise GraphError(f"The graphs give the logits of {end} of {len(tokens)} tokens, and {rows} were requested.")
        hidden = hidden_rows(run, bound, step) if self._listener else None
        if parents is None:
            self.cache.commit(step)
            self._notify(step.start + step.tokens, hidden)
        else:
            self._branched = step, hidden
        if phase == "decode":
            self._last = bound if self.program.final is not None else None
            countable = width == 1 and not run.features and self._position_map is None
            if countable and (following := incremental_step(self.cache, bound.drivers)):
                self._next = bound, following
        return bound.logits_type.as_float32(bound.logits[0, end - rows : end])

    def _repeat(self, bound: Binding, step: IncrementalStep, token: int) -> Logits:
        """A single token after a single token: on the same arrays, without planning."""
        step.put(token)
        self._control.run_tokens(bound, None, "decode", 1)
        step.commit()
        self._last = bound if self.program.final is not None else None
        return bound.logits_type.as_float32(bound.logits[0])

    def commit_path(self, path: Sequence[int]) -> None:
        """Advances the cache by the tokens at `path` of the last, branching step: each a child of the one before.

        Raises RequestError where the last step did not branch or was committed, and GraphError for a path that is none.
        """
        if self._branched is None:
            raise RequestError("The last step did not branch, so there is no path to commit: give parents to step.")
        step, hidden = self._branched
        self.cache.commit(step, path)
        self._branched = None
        self._notify(step.start + len(path), None if hidden is None else hidden[list(path)])

    def listen(self, listener: HiddenStateListener | None) -> HiddenStateListener | None:
        """Sends hidden states to `listener` from now on, where the graphs give some; returns the one before."""
        before, self._listener = self._listener, listener
        return before

    def _notify(self, end: int, hidden: HiddenStates | None) -> None:
        if self._listener is not None and hidden is not None and len(hidden):
            self._listener.on_hidden_states(end - len(hidden), hidden)

    @property
    def draft_room(self) -> int:
        """How many tokens beyond the next one a run can verify now; see DraftCapacity.chain."""
        return self._draft_capacity.chain(self.chunk)

    @property
    def tree_room(self) -> int:
        """How many branching tokens beyond the next one a run can verify now; see DraftCapacity.tree."""
        return self._draft_capacity.tree(self.chunk)

    def finish(self) -> dict[str, Array]:
        """Runs the final sessions once, on the outputs of the last step; output → array, empty without such sessions.

        Raises RequestError where no step came before.
        """
        run = self.program.final
        if run is None:
            return {}
        self._control.check_open()
        if self._last is None:
            raise RequestError("Final sessions run on the outputs of a step, and there was none: feed a token first.")
        outputs = self._last.outputs | self._prompt.source.outputs
        bound = bind_last(run, self._sessions, outputs, self._observer)
        self._control.run(bound, None, "final")
        self._last = None
        return {name: array for (_, name), array in bound.outputs.items()}

    def stop(self) -> None:
        """Ends the current run between two nodes; may be called from any thread."""
        self._control.stop()

    def resume(self) -> None:
        """Allows runs again after `stop`."""
        self._control.resume()


def _undivided(blocks: TokenBlocks, cache: KVCache, start: int, count: int, width: int | None) -> int:
    """`count` tokens from position `start` on, or as many as divide no picture; 0 for one that goes alone."""
    whole = blocks.undivided(start, max(count, 1))
    if whole <= max(count, 1):
        return min(whole, count)
    fits = count and (width is None or whole <= width)
    if not fits or cache.fitting_tokens(start, whole, width) < whole:
        owner = "The prompt" if blocks.is_whole else "A picture"
        raise PromptError(
            f"{owner}'s {whole:,} tokens attend to each other, and a run takes {max(count, 1):,} of them here: "
            f"use another provider, or build the model with a chunk of {whole:,} or more."
        )
    return whole

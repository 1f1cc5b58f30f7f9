"""Runs a program for the next tokens, with every tensor bound once and nothing copied but the tokens.

    start(given) ──▶ what runs once, kept
    tokens ──cache.plan──▶ Step ──▶ session 1 ──edges──▶ session 2 … ──▶ logits
                                       ▲ past (the cache's memory)   │ present
                                       └─────────cache.commit────────┘
    finish() ──▶ what runs after the last token

Prompt tokens go through the prefill's sessions where there are such, in chunks of their fixed width; every other run
goes through those of the steps.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import Self

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from workflows.bundle.outline import Port
from workflows.bundle.schema import Pipeline
from workflows.common.errors import Cancelled, GraphError, JoineryError, PromptError, RequestError, printable
from workflows.common.tensors import Array
from workflows.kvcache import KVCache, Step
from workflows.kvcache.cache_inputs import IDS
from workflows.kvcache.cross_attention import cross_view
from workflows.kvcache.incremental_step import IncrementalStep, incremental_step
from workflows.runtime.binding import Binding, Observer, bind_last
from workflows.runtime.device_memory import DeviceMemory
from workflows.runtime.hidden_states import HiddenStates, hidden_rows
from workflows.runtime.loading.emulation import emulation_note
from workflows.runtime.loading.sessions import ORT_ERRORS, OpenSession, widest_chunk
from workflows.runtime.logits_rows import ROW_INPUT_SHAPES, LogitsRowSelector, logits_memory, with_row_inputs
from workflows.runtime.program.program import Program, ProgramPhase
from workflows.runtime.prompt_inputs import NamedInputs, PromptInputs, check_source
from workflows.wire.events import GroupView, Phase
from workflows.wire.reports.devices import Device

Logits = NDArray[np.float32]
_QUICK_S = 0.02
_Key = tuple[str, int, int]  # of what is bound: its run, its columns, and of how many it gives logits
_NARROW = 17  # columns of a run that looks at a draft, whose binding is kept; of wider ones the last alone is


class Machine:
    """A composite model that is open: its sessions, its one cache, and the way through them.

    `chunk` is the number of prompt tokens that one run takes; `note` says why the graph's cache is not run as it asks
    to be, empty where it is; `emulation` that the provider computes in another way than the graph was made for. `hear`
    is told the hidden states [n, H] of the tokens that the cache took, from a position on, where the graphs give some.
    Not for use by two threads at once, but for `stop`.
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
        self.pipeline, self.program, self.cache, self.provider = pipeline, program, cache, device.name
        self.device = device
        self.chunk, self.vocabulary, self.rounds = pipeline.chunk, pipeline.metadata.vocabulary or 0, pipeline.rounds
        providers = {name: opened.provider.name for name, opened in sessions.items()}
        self.note, self.emulation = program.facts.note, emulation_note(pipeline, providers)
        self.placement = ""  # of nodes that the provider leaves to another, what a person should know
        self._sessions, self._observer = dict(sessions), observer
        self._source_limit = pipeline.metadata.source_limit
        self._rows = LogitsRowSelector(program, self._sessions, every=observer is not None)
        self._bound: dict[_Key, Binding] = {}
        self._wide: _Key = "", 0, 0  # which of them is a wide tree's
        self._last: Binding | None = None
        self._next: tuple[Binding, IncrementalStep] | None = None  # of a token behind the last one, if it comes alone
        self._branched: tuple[Step, HiddenStates | None] | None = None  # of which nothing is kept yet
        self.hear: Callable[[int, HiddenStates], None] | None = None
        self._prompt = PromptInputs(program, self._sessions)
        self.cache.told = self._prompt.positions()
        own = any(one.provider.has_memory for one in sessions.values()) and cache.in_place
        self.memory = DeviceMemory(cache) if own else None
        if set(providers.values()) == {"cpu"}:  # others may copy whole buffers
            cache.reserve()
        self._widest = widest_chunk(self._sessions[name] for name in program.prefill.keepers) if own else None
        self.chunk = min(self.chunk, self._widest or self.chunk)
        self._options, self._stopped = ort.RunOptions(), threading.Event()
        self._slow = True  # whether the last token alone took so long that a person would wait for its end

    # -- opening and closing -----------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the sessions and their memory; a run after it raises RequestError."""
        self._bound.clear()
        self._sessions.clear()
        self._last = self._next = None

    def _check_open(self) -> None:
        if not self._sessions:
            raise RequestError("The model is closed: open the bundle again.")

    @property
    def sessions(self) -> Mapping[str, OpenSession]:
        """By name; empty once it is closed."""
        return self._sessions

    def state(self, name: str) -> KVCache:
        """The state of that name in the pipeline file. Raises RequestError for one that is not written by steps."""
        if name != "kv_cache":
            raise RequestError(f"The pipeline's steps keep no state {printable(name)}: there is kv_cache.")
        return self.cache

    # -- what comes with a prompt ------------------------------------------------------------------------------

    @property
    def has_source(self) -> bool:
        """Whether an encoder reads a text before the decoder begins."""
        return self.program.reads

    def source_view(self) -> tuple[GroupView, ...]:
        """What the encoder handed over, as the window draws it; none before the first source."""
        return cross_view({name: array for (_, name), array in self._prompt.kept.items()}, self._prompt.tokens)

    def start(self, given: NamedInputs | None = None, prompt: Sequence[int] = ()) -> None:
        """Reads what comes with a prompt, and forgets what the cache has of another; `prompt` itself is not fed.

        given: by input, `input_ids` of a source, pictures … prompt: the tokens that will be fed, among them the places
        of features. A source shorter than the encoder's fixed length is padded on the right, and so is its mask. Raises
        PromptError for what does not fit, a source longer than the encoder can read among it, Cancelled after `stop`.
        """
        self._check_open()
        if given and IDS in given:
            check_source(np.shape(given[IDS])[-1], self.program.source, self._source_limit)
        found = PromptInputs(self.program, self._sessions, prompt)
        found.read(given or {}, lambda bound: self._guarded(bound, {}, "encoder", self._options), self._observer)
        found.check_places()
        self.cache.told = found.positions()
        self._prompt, self._last, self._next = found, None, None
        self._bound.clear()
        if given:
            self.cache.reset()

    def encode(self, source: Sequence[int]) -> None:
        """Has the encoder read a text; see start. Raises PromptError for a model without one."""
        if not self.has_source:
            raise PromptError("The model has no encoder that reads a source: give the text as a prompt.")
        self.start({IDS: np.asarray(source, np.int64)[None]})

    # -- tokens ------------------------------------------------------------------------------------------------

    def chunks(self, prompt: Sequence[int]) -> Iterator[tuple[Sequence[int], Phase]]:
        """The runs that take `prompt`: chunks through prefill, the rest padded.

        What the cache takes no chunk for goes token by token, and so does the rest where padding would come first:
        that would see nothing, which some graphs answer with NaN. What runs at the end needs a step to run on.
        """
        width, before, start = self.program.prefill.columns, self.cache.length, 0
        by_token = self.program.pad_left and self.program.decode.columns in (None, 1)
        self.cache.expect(len(prompt))
        alone = len(prompt) - int(self.program.final is not None and self.program.prefill is not self.program.decode)
        while start < len(prompt):
            wanted = min(self.chunk, alone - start)
            padded = width is not None and wanted < width
            alone_only = wanted < 1 or self.too_wide or (padded and by_token)
            count = 0 if alone_only else self.cache.takes(before + start, wanted, width)
            yield prompt[start : start + (count or 1)], "prefill" if count else "decode"
            start += count or 1

    @property
    def too_wide(self) -> bool:
        """Whether prompts go token by token because chunks of the graph's width are wrong where it runs."""
        return self._widest is not None and (self.program.prefill.columns or 0) > self._widest

    def step(
        self, tokens: Sequence[int], phase: Phase = "decode", rows: int = 1, parents: Sequence[int] | None = None
    ) -> Logits:
        """Feeds `tokens` (at most `chunk`), advances the cache, gives the logits [rows, V] after the last of them.

        parents: of tokens that branch, for each the one that it follows, -1 for the cache's last; the cache is advanced
        by `keep` then, and the logits after each are those behind the tokens on its path.

        Raises CapacityError where the cache is full, GraphError for more rows than the graphs give, Cancelled after
        `stop`, and JoineryError where onnxruntime fails; the cache is then as it was before.
        """
        self._check_open()
        if self._stopped.is_set():
            raise Cancelled("The generation was cancelled.")
        self._branched = None
        alone = len(tokens) == 1 and phase == "decode" and parents is None and self.hear is None
        if alone and self._next is not None and self._next[1].goes_on():
            return self._one_more(*self._next, tokens[0])
        self._next = None
        width = self.program.runs[phase].columns or len(tokens)
        step = self.cache.plan(tokens, width, parents)
        asked = self._rows.asked(phase, step, rows)
        bound = self._binding(phase, width, tokens, rows, told=bool(asked))
        self._timed(bound, step.inputs | asked, phase, len(tokens))
        end = min(step.real.stop, bound.logits.shape[1])  # some graphs give the last ones alone
        if rows > min(end, len(tokens)):
            raise GraphError(f"The graphs give the logits of {end} of {len(tokens)} tokens, and {rows} were asked for.")
        hidden = hidden_rows(self.program.runs[phase], bound, step) if self.hear else None
        if parents is None:
            self.cache.commit(step)
            self._tell(step.start + step.tokens, hidden)
        else:
            self._branched = step, hidden
        if phase == "decode":
            self._last = bound if self.program.final is not None else None
            if (
                width == 1
                and not self.program.decode.features
                and (next_one := incremental_step(self.cache, bound.drivers))
            ):
                self._next = bound, next_one
        return bound.logits_type.as_float32(bound.logits[0, end - rows : end])

    def _one_more(self, bound: Binding, step: IncrementalStep, token: int) -> Logits:
        step.put(token)
        self._timed(bound, None, "decode", 1)
        step.commit()
        self._last = bound if self.program.final is not None else None
        return bound.logits_type.as_float32(bound.logits[0])

    def _timed(self, bound: Binding, inputs: Mapping[str, Array] | None, phase: Phase, tokens: int) -> None:
        # a quick token ends by itself soon enough, and onnxruntime takes 40 µs to look at its options
        began = time.perf_counter()
        self._guarded(bound, inputs, phase, self._options if tokens > 1 or self._slow else None)
        self._slow = time.perf_counter() - began > _QUICK_S if tokens == 1 else self._slow

    def keep(self, path: Sequence[int]) -> None:
        """Advances the cache by the tokens at `path` of the last step, which branched: each a child of the one before.

        Raises RequestError where the last step did not branch or was kept, and GraphError for what is no path.
        """
        if self._branched is None:
            raise RequestError("Tokens are kept of a step that branched, and the last one did not: step with parents.")
        step, hidden = self._branched
        self.cache.commit(step, path)
        self._branched = None
        self._tell(step.start + len(path), None if hidden is None else hidden[list(path)])

    def _tell(self, end: int, hidden: HiddenStates | None) -> None:
        if self.hear is not None and hidden is not None and len(hidden):
            self.hear(end - len(hidden), hidden)

    @cached_property
    def verifier(self) -> Phase | None:
        """The run that gives the logits of each of several tokens; None where all give the last one's alone."""
        if self.program.final is not None or self.program.pad_left:
            return None
        phases: tuple[Phase, ...] = ("decode", "prefill")
        return next((phase for phase in phases if self.program.runs[phase].gives_rows), None)

    @property
    def drafts(self) -> int:
        """How many tokens beyond the next one can be fed in one run and taken back again, now.

        0 where that run would drop what the cache holds, and where the cache knows no way back.
        """
        if self.verifier is None or self.too_wide or self.cache.carried:
            return 0
        cache, width = self.cache, self.program.runs[self.verifier].columns
        ends = [end for end in (cache.capacity, cache.positions) if end is not None]
        wanted = min(self.chunk, min(ends) - cache.length)
        return max(cache.takes(cache.length, wanted, width) - 1, 0) if wanted > 1 else 0

    @property
    def branches(self) -> int:
        """How many tokens beyond the next one a run takes that branch, `drafts` of them on one path; 0 for none."""
        if self.verifier is None or not self.cache.branches or not self.drafts:
            return 0
        width = self.program.runs[self.verifier].columns
        return max(self.cache.takes(self.cache.length, min(self.chunk, width or self.chunk), width) - 1, 0)

    def finish(self) -> dict[str, Array]:
        """Runs what the flow has at `final`, once, on what the last step gave; output → array, empty without such.

        Raises RequestError where no step was before it.
        """
        run = self.program.final
        if run is None:
            return {}
        self._check_open()
        if self._last is None:
            raise RequestError("What runs at the end runs on what a step gave, and there was none: feed a token first.")
        bound = bind_last(run, self._sessions, self._last.outputs | self._prompt.kept, self._observer)
        self._guarded(bound, None, "final", self._options)
        self._last = None
        return {name: array for (_, name), array in bound.outputs.items()}

    def _guarded(
        self, bound: Binding, inputs: Mapping[str, Array] | None, what: str, options: ort.RunOptions | None
    ) -> None:
        try:
            bound.run(inputs, options)
        except ORT_ERRORS as error:
            if self._stopped.is_set():
                raise Cancelled("The generation was cancelled.") from None
            raise JoineryError(
                f"The {what} step failed on {self.provider}: {printable(error, 200).rstrip('.')}; open the bundle "
                "again, or use another provider."
            ) from error

    def stop(self) -> None:
        """Ends the run that is under way between two nodes; may be called from any thread."""
        self._stopped.set()
        self._options.terminate = True

    def resume(self) -> None:
        """Makes runs possible again after `stop`."""
        self._stopped.clear()
        self._options.terminate = False

    # -- memory ------------------------------------------------------------------------------------------------

    def _binding(self, phase: Phase, width: int, tokens: Sequence[int], rows: int, told: bool) -> Binding:
        run, sessions, key = self.program.runs[phase], self._sessions, (phase, width, rows if told else width)
        moving = self._prompt.moving(run, self.cache.length, tokens)
        kept = None if moving else self._bound.get(key)
        if kept is None or kept.generation != self.cache.generation:
            # the others would keep buffers alive that the cache has left
            self._bound = {key: one for key, one in self._bound.items() if one.generation == self.cache.generation}
            run, sessions = with_row_inputs(run, sessions) if told else (run, sessions)
            given = self._prompt.arrays(run, self.cache.length, tokens) | self._state(run, width)
            shapes, taken = {**self.cache.shapes(width), **ROW_INPUT_SHAPES}, self.program.taken
            given |= logits_memory(run, key[2])
            kept = Binding(run, sessions, shapes, given, taken, self._observer, self.memory)
            kept.generation = self.cache.generation
            if (width in (1, self.chunk) or rows > 1) and not moving:  # an odd last chunk's is not worth its memory
                if width > _NARROW and width != self.chunk:
                    self._bound.pop(self._wide, None)
                    self._wide = key
                self._bound[key] = kept
        return kept

    def _state(self, run: ProgramPhase, width: int) -> dict[Port, Array]:
        """The cache's memory, as the inputs and outputs of the sessions that keep it."""
        found: dict[Port, Array] = {}
        for name in run.sessions:
            for past, present in self.program.memory_of(name):
                found[name, past] = self.cache.buffer(past)
                found[name, present] = self.cache.fresh(present, width)
        return found

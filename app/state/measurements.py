"""What was measured while bundles generated: one row a step, in memory, cheap enough for 200 steps a second.

    Session ──opened──▶ Owner ┐
    Session ──chunk, token, memory──▶ Measurements ──snapshot(what)──▶ charts, figures, CSV

Every step belongs to a run, which has an owner. A run that ends without a token was refused, or cancelled before its
reply began: it is taken out again, and the one before it is the last one. Within a run a step ends at the sum of the
latencies before it, as the engine measured them; arrival over the pipe is not what is shown.

Rows live in `array` slabs that numpy views without a copy, so recording a step does not need numpy; numpy is
imported when something first asks for a series.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.state.column_store import ColumnStore
from app.state.measured_runs import RUN_KINDS, MeasuredRuns
from app.state.measurement_snapshot import (
    CHUNK,
    DECODE,
    FIRST,
    MEMORY_KINDS,
    STEP_KINDS,
    MeasurementRecord,
    MeasurementSnapshot,
    What,
    lay_out,
    rate,
    select_runs,
)
from app.state.run_configuration import RunConfiguration, run_configuration
from app.state.speculation_steps import SPECULATION_KINDS
from workflows.wire.events import ChunkEvent, ReadyEvent, SpeculationEvent, TokenEvent

if TYPE_CHECKING:
    from app.state.bundle_session import BundleSession

NO_CONFIGURATION = RunConfiguration("", "", "", "", "", 0)
MEMORY_SAMPLES = 3600
SPECULATION_STEPS = 20_000
"""Runs of the model with drafts that are kept."""
RUNS = 20_000
"""Replies that are kept."""


@dataclass(slots=True)
class _Tally:
    """Of the run that is running, or the last one: what it took so far. rows, samples: its steps and memory samples.

    sampled_s: when the last of those was taken.
    """

    number: int = 0
    started: float = 0.0
    elapsed_s: float = 0.0
    running: bool = False
    rows: int = 0
    samples: int = 0
    sampled_s: float = 0.0
    prompt_tokens: int = 0
    prefill_ms: float = 0.0
    decoded: int = 0
    decode_ms: float = 0.0
    ttft_ms: float | None = None
    occupancy: tuple[int, int] | None = None


class Measurements:
    """Records steps. `revision` grows with each change, so a view on a timer knows when to draw."""

    def __init__(
        self,
        size: int = 100_000,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._steps = ColumnStore(STEP_KINDS, size)
        self._memory = ColumnStore(MEMORY_KINDS, MEMORY_SAMPLES)
        self._looks = ColumnStore(SPECULATION_KINDS, SPECULATION_STEPS)
        self._texts: list[str] = []  # of tokens: most come again, and a step has the number of its own
        self._numbers: dict[str, int] = {}
        self._clock, self._now = clock, now
        self._runs = ColumnStore(RUN_KINDS, RUNS)
        self._owners: list[RunConfiguration] = []
        self._run = self._before = _Tally()
        self._frozen: MeasurementRecord | None = None
        self._rss = 0
        self._chat_left = False
        self._ready: ReadyEvent | None = None
        self.owner = NO_CONFIGURATION
        """Whose the next run is: that of the bundle that was opened last."""
        self.revision = 0

    def follow(self, session: BundleSession, describe: Callable[[str], Mapping[str, object]]) -> None:
        """Records what a session does from now on. describe: what a bundle's own files say of it."""

        def own(_ready: object = None) -> None:
            ready = session.ready_for(session.bundle)
            if ready is not None and ready is not self._ready:
                self._ready = ready
                self.owner = run_configuration(session.bundle, ready, describe(session.bundle))

        session.opened.connect(own)
        session.started.connect(own)  # what began a run may have heard of the bundle first
        session.started.connect(self.begin)
        session.chunk.connect(self.add_chunk)
        session.token.connect(self.add_token)
        session.speculation.connect(self.add_speculation)
        session.memory.connect(self.add_memory)
        session.finished.connect(self.end)
        session.failed.connect(self.end)

    # -- recording -------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A run of the owner starts."""
        self.end()
        self._before = self._run
        self._run = _Tally(number=self._run.number + 1, started=self._clock(), running=True)
        if self.owner not in self._owners:
            self._owners.append(self.owner)
        self._runs.append(self._run.number, self._owners.index(self.owner), self._now())
        self._note_memory()
        self.revision += 1

    def end(self, _outcome: object = None) -> None:
        """The run ended, well or not; one that gave no token is forgotten."""
        run = self._run
        if not run.running:
            return
        run.running = False
        if run.ttft_ms is None and not run.decoded:
            self._take_out()
        else:
            self._note_memory()
        if self._chat_left:
            self.start_chat()
        self.revision += 1

    def _take_out(self) -> None:
        self._steps.take_back(self._run.rows)
        self._memory.take_back(self._run.samples)
        self._runs.take_back(1)
        self._run = self._before

    def add_chunk(self, event: ChunkEvent) -> None:
        """A prefill chunk ran."""
        run = self._run
        run.prompt_tokens += event.tokens
        run.prefill_ms += event.latency_ms
        run.elapsed_s += event.latency_ms / 1000
        self._add(CHUNK, event.tokens, event, -1, "")

    def add_token(self, event: TokenEvent) -> None:
        """A token came out."""
        run = self._run
        if event.phase == "prefill":
            run.ttft_ms = event.latency_ms
            run.elapsed_s = max(run.elapsed_s, event.latency_ms / 1000)
        else:
            run.decoded += 1
            run.decode_ms += event.latency_ms
            run.elapsed_s += event.latency_ms / 1000
        self._add(FIRST if event.phase == "prefill" else DECODE, 1, event, event.id, event.text)

    def add_speculation(self, event: SpeculationEvent) -> None:
        """A run of the model with drafts ended; its tokens came before it."""
        run = self._run
        self._looks.append(
            run.number, run.elapsed_s, event.latency_ms, event.drafted, event.accepted, event.kept
        )  # fmt: skip
        self.revision += 1

    def _add(self, kind: int, tokens: int, event: ChunkEvent | TokenEvent, ident: int, text: str) -> None:
        run = self._run
        run.rows += 1
        run.occupancy = event.cache_used, event.cache_capacity
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
            if number > 2 * self._steps.size:
                self._forget_texts()
                number = self._numbers[text]
        self._steps.append(
            run.number, run.elapsed_s, event.latency_ms, kind, tokens, *run.occupancy, ident, number
        )  # fmt: skip
        self.revision += 1

    def _forget_texts(self) -> None:
        """Those that no step has any more, but for the last."""
        import numpy as np

        *_, words = self._steps.columns()
        used, words[:] = np.unique(words, return_inverse=True)
        self._texts = [*(self._texts[number] for number in used), self._texts[-1]]
        self._numbers = {text: number for number, text in enumerate(self._texts)}

    def add_memory(self, rss: int) -> None:
        """The worker holds `rss` bytes; kept while it generates, and at the begin and end of each reply."""
        self._rss = rss
        if self._run.running:
            self._note_memory()

    def _note_memory(self) -> None:
        if self._rss:
            run = self._run
            run.sampled_s = max(run.sampled_s, run.elapsed_s, self._clock() - run.started if run.running else 0.0)
            self._memory.append(run.number, run.sampled_s, self._rss)
            run.samples += 1
            self.revision += 1

    # -- the running or last reply ---------------------------------------------------------------------------

    @property
    def live(self) -> bool:
        """Whether a generation is running."""
        return self._run.running

    @property
    def ttft_ms(self) -> float | None:
        """Time to the first token of the running or last reply."""
        return self._run.ttft_ms

    @property
    def decode_rate(self) -> float | None:
        """Decoded tokens per second of the running or last reply."""
        return rate(self._run.decoded, self._run.decode_ms)

    @property
    def occupancy(self) -> tuple[int, int] | None:
        """(used, capacity) after the last step of the running or last reply."""
        return self._run.occupancy

    def start_chat(self) -> None:
        """Another chat: the running or last reply and its figures are none of it. The series stay."""
        self._chat_left = self._run.running  # it ends soon
        if not self._run.running:
            self._run = _Tally(number=self._run.number)
            self.revision += 1

    # -- what others read ------------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self._frozen.runs if self._frozen else len(self._steps))

    @property
    def frozen(self) -> bool:
        """Whether `snapshot` stands still; recording goes on."""
        return self._frozen is not None

    def freeze(self, on: bool) -> None:
        """Lets `snapshot` stand still, or go on with all that was recorded meanwhile."""
        self._frozen = self._record(copy=True) if on else None
        self.revision += 1

    def reset(self) -> None:
        """Forgets everything that was measured; a run that is running goes on as the first one."""
        running = self._run.running
        its = self._runs.newest()[1:] if running else ()
        for slab in (self._steps, self._memory, self._looks, self._runs):
            slab.clear()
        if running:
            self._runs.append(1, *its)
        self._texts, self._numbers = [], {}  # a record may still read from the old ones
        self._frozen = None
        self._before = _Tally()
        self._run = _Tally(number=int(running), started=self._clock(), running=running)
        self.revision += 1

    def snapshot(self, what: What = "all", bundle: tuple[str, str] | None = None) -> MeasurementSnapshot:
        """The series of some runs, as they are or as they were when frozen. bundle: whose; see `Owner.bundle`."""
        record = self._frozen or self._record(copy=False)
        return lay_out(record, select_runs(record, what, bundle))

    def _record(self, copy: bool) -> MeasurementRecord:
        parts = (self._steps, self._memory, self._looks, self._runs)
        steps, memory, looks, runs = (slab.columns() for slab in parts)
        if copy:
            kept = (tuple(column.copy() for column in columns) for columns in (steps, memory, looks, runs))
            steps, memory, looks, runs = kept
        return MeasurementRecord(steps, memory, looks, self._texts, MeasuredRuns(runs, self._owners))

"""Measurements while bundles generate: one row a step, in memory, cheap enough for 200 steps a second.

    BundleSession ──opened──▶ RunConfiguration ┐
    BundleSession ──chunk, token, memory──▶ Measurements ──snapshot(what)──▶ charts, figures, CSV

Every step belongs to a run, which has a configuration. A run that ends without a token (refused or cancelled) is
removed, and the one before it is the last one again. Within a run, a step ends at the sum of the latencies so far, as
the engine measured them; the time of arrival over the pipe is not used.

Rows are stored in `array` columns that numpy views without a copy. Recording does not need numpy; it is imported when
a series is first requested.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.state.bundle_session import BundleSession
from app.state.column_store import ColumnStore
from app.state.measured_runs import RUN_KINDS, MeasuredRuns, RunConfiguration, run_configuration
from app.state.measurement_snapshot import (
    CHUNK,
    DECODE,
    FIRST,
    MEMORY_KINDS,
    SPECULATION_KINDS,
    STEP_KINDS,
    MeasurementRecord,
    MeasurementSnapshot,
    What,
    lay_out,
    rate,
    select_runs,
)
from workflows.wire.events import STATE, ChunkEvent, ReadyEvent, SpeculationEvent, TokenEvent

NO_CONFIGURATION = RunConfiguration("", "", "", "", "", 0)
MEMORY_SAMPLES = 3600
SPECULATION_STEPS = 20_000
"""Model runs with drafts that are kept."""
RUNS = 20_000
"""Replies that are kept."""


@dataclass(slots=True)
class ReplyTally:
    """What one reply took so far. rows, samples: its steps and memory samples; sampled_s: the time of the last sample.

    ttft_ms: time to the first token. occupancy: (used, capacity) of the cache after its last step; the capacity is 0
    for a cache without slots.
    """

    number: int = 0
    started: float = 0.0
    elapsed_s: float = 0.0
    running: bool = False
    rows: int = 0
    samples: int = 0
    sampled_s: float = 0.0
    prompt_tokens: int = 0
    decoded: int = 0
    decode_ms: float = 0.0
    ttft_ms: float | None = None
    occupancy: tuple[int, int] | None = None

    @property
    def decode_rate(self) -> float | None:
        """Decoded tokens per second; None before the first."""
        return rate(self.decoded, self.decode_ms)


class Measurements:
    """Records steps. `revision` grows with each change, so that a view on a timer knows when to draw."""

    def __init__(
        self, size: int = 100_000, clock: Callable[[], float] = time.perf_counter, now: Callable[[], float] = time.time
    ) -> None:
        self._steps = ColumnStore(STEP_KINDS, size)
        self._memory = ColumnStore(MEMORY_KINDS, MEMORY_SAMPLES)
        self._speculation = ColumnStore(SPECULATION_KINDS, SPECULATION_STEPS)
        self._texts: list[str] = []  # the distinct texts of tokens; a step has the index of its text
        self._numbers: dict[str, int] = {}
        self._clock, self._now = clock, now
        self._runs = ColumnStore(RUN_KINDS, RUNS)
        self._owners: list[RunConfiguration] = []
        self.reply = self._before = ReplyTally()
        """The running or last reply."""
        self._frozen: MeasurementRecord | None = None
        self._rss = 0
        self._chat_left = False
        self._ready: ReadyEvent | None = None
        self.owner = NO_CONFIGURATION
        """The configuration of the next run: that of the bundle that was opened last."""
        self.revision = 0

    def record_session(self, session: BundleSession, describe: Callable[[str], Mapping[str, object]]) -> None:
        """Records the steps of a session from now on. describe: returns the summary of a bundle."""

        def set_owner(_ready: object = None) -> None:
            ready = session.ready_for(session.bundle)
            if ready is not None and ready is not self._ready:
                self._ready = ready
                self.owner = run_configuration(session.bundle, ready, describe(session.bundle))

        session.opened.connect(set_owner)
        session.started.connect(set_owner)  # a run may start before this slot receives `opened`
        session.started.connect(self.begin)
        session.chunk.connect(self.add_chunk)
        session.token.connect(self.add_token)
        session.speculation.connect(self.add_speculation)
        session.memory.connect(self.add_memory)
        session.finished.connect(self.end)
        session.failed.connect(self.end)

    def begin(self) -> None:
        """Starts a run of the current configuration."""
        self.end()
        self._before = self.reply
        self.reply = ReplyTally(number=self.reply.number + 1, started=self._clock(), running=True)
        if self.owner not in self._owners:
            self._owners.append(self.owner)
        self._runs.append(self.reply.number, self._owners.index(self.owner), self._now())
        self._note_memory()
        self.revision += 1

    def end(self, _outcome: object = None) -> None:
        """Ends the run; removes it if it gave no token."""
        run = self.reply
        if not run.running:
            return
        run.running = False
        if run.ttft_ms is None and not run.decoded:
            self._remove_reply()
        else:
            self._note_memory()
        if self._chat_left:
            self.start_chat()
        self.revision += 1

    def _remove_reply(self) -> None:
        self._steps.remove_last(self.reply.rows)
        self._memory.remove_last(self.reply.samples)
        self._runs.remove_last(1)
        self.reply = self._before

    def add_chunk(self, event: ChunkEvent) -> None:
        """Records a prefill chunk."""
        run = self.reply
        run.prompt_tokens += event.tokens
        run.elapsed_s += event.latency_ms / 1000
        self._add(CHUNK, event.tokens, event, -1, "")

    def add_token(self, event: TokenEvent) -> None:
        """Records a token."""
        run = self.reply
        if event.phase == "prefill":
            run.ttft_ms = event.latency_ms
            run.elapsed_s = max(run.elapsed_s, event.latency_ms / 1000)
        else:
            run.decoded += 1
            run.decode_ms += event.latency_ms
            run.elapsed_s += event.latency_ms / 1000
        self._add(FIRST if event.phase == "prefill" else DECODE, 1, event, event.id, event.text)

    def add_speculation(self, event: SpeculationEvent) -> None:
        """Records a model run with drafts, after its tokens."""
        run = self.reply
        self._speculation.append(run.number, run.elapsed_s, event.latency_ms, event.drafted, event.accepted, event.kept)
        self.revision += 1

    def _add(self, kind: int, tokens: int, event: ChunkEvent | TokenEvent, ident: int, text: str) -> None:
        run = self.reply
        run.rows += 1
        run.occupancy = event.cache_used, 0 if self.owner.layout == STATE else event.cache_capacity
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
            if number > 2 * self._steps.size:
                self._forget_texts()
                number = self._numbers[text]
        self._steps.append(run.number, run.elapsed_s, event.latency_ms, kind, tokens, *run.occupancy, ident, number)
        self.revision += 1

    def _forget_texts(self) -> None:
        """Drops the texts that no step has any more, except the last one."""
        import numpy as np

        *_, text_numbers = self._steps.columns()
        used, text_numbers[:] = np.unique(text_numbers, return_inverse=True)
        self._texts = [*(self._texts[number] for number in used), self._texts[-1]]
        self._numbers = {text: number for number, text in enumerate(self._texts)}

    def add_memory(self, rss: int) -> None:
        """Records the worker's resident bytes: while it generates, and at the begin and end of each reply."""
        self._rss = rss
        if self.reply.running:
            self._note_memory()

    def _note_memory(self) -> None:
        if self._rss:
            run = self.reply
            run.sampled_s = max(run.sampled_s, run.elapsed_s, self._clock() - run.started if run.running else 0.0)
            self._memory.append(run.number, run.sampled_s, self._rss)
            run.samples += 1
            self.revision += 1

    def start_chat(self) -> None:
        """Starts another chat: the figures of the last reply are not its own. The series stay."""
        self._chat_left = self.reply.running  # it ends soon
        if not self.reply.running:
            self.reply = ReplyTally(number=self.reply.number)
            self.revision += 1

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self._frozen.runs if self._frozen else len(self._steps))

    @property
    def frozen(self) -> bool:
        """Whether `snapshot` returns a frozen state; recording goes on."""
        return self._frozen is not None

    def freeze(self, on: bool) -> None:
        """Freezes the state that `snapshot` returns, or resumes with all that was recorded meanwhile."""
        self._frozen = self._record(copy=True) if on else None
        self.revision += 1

    def reset(self) -> None:
        """Removes all measurements; a running reply continues as the first run."""
        running = self.reply.running
        configuration = self._runs.newest()[1:] if running else ()
        for store in (self._steps, self._memory, self._speculation, self._runs):
            store.clear()
        if running:
            self._runs.append(1, *configuration)
        self._texts, self._numbers = [], {}  # a record may still read from the old ones
        self._frozen = None
        self._before = ReplyTally()
        self.reply = ReplyTally(number=int(running), started=self._clock(), running=running)
        self.revision += 1

    def snapshot(self, what: What = "all", bundle: tuple[str, str] | None = None) -> MeasurementSnapshot:
        """The series of some runs, current or frozen. bundle: see `RunConfiguration.bundle`."""
        record = self._frozen or self._record(copy=False)
        return lay_out(record, select_runs(record, what, bundle))

    def _record(self, copy: bool) -> MeasurementRecord:
        stores = [store.columns() for store in (self._steps, self._memory, self._speculation, self._runs)]
        if copy:
            stores = [tuple(column.copy() for column in columns) for columns in stores]
        steps, memory, speculation, runs = stores
        return MeasurementRecord(steps, memory, speculation, self._texts, MeasuredRuns(runs, self._owners))

"""What was measured while bundles generated: one row a step, in memory, cheap enough for 200 steps a second.

    Session ──chunk, token, memory──▶ Measurements ──snapshot()──▶ charts, statistics, CSV

The time axis counts generation alone: seconds since the first prompt with the idle time between replies left
out, so that a conversation with pauses still reads as one line. A step ends at the sum of the latencies before
it, as the engine measured them; arrival over the pipe is not what is shown.

Rows live in `array` slabs that numpy views without a copy, so recording a step does not need numpy; numpy is
imported when something first asks for a series.
"""

from __future__ import annotations

import csv
import io
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workflows.wire.events import ChunkEvent, TokenEvent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.state.session import Session

    Floats = NDArray[np.float64]

CHUNK, FIRST, DECODE = 0, 1, 2
"""Kinds of a step: a prefill chunk; the first token, whose latency is the TTFT; a decoded token."""

KINDS = ("chunk", "first", "decode")
GAP_S = 0.25
"""The most that an idle pause between two generations is drawn as; a seventh of the one before where that is less."""

CSV_COLUMNS = (
    "generation",
    "kind",
    "phase",
    "time_s",
    "latency_ms",
    "tokens",
    "cache_used",
    "cache_capacity",
    "token_id",
    "text",
)


class Slab:
    """The last `size` rows of `columns` floats each, always contiguous: when full, the newest half moves down."""

    def __init__(self, columns: int, size: int) -> None:
        self.size = size
        self._data = tuple(array("d", bytes(16 * size)) for _ in range(columns))
        self._end = 0
        self._begin = 0

    def __len__(self) -> int:
        return self._end - self._begin

    def append(self, *row: float) -> int:
        """Adds a row; says how many old rows were dropped (0 or 1)."""
        if self._end == 2 * self.size:
            for column in self._data:
                memoryview(column)[: self.size] = memoryview(column)[self._begin : self._end]
            self._begin, self._end = 0, self.size
        for column, value in zip(self._data, row, strict=True):
            column[self._end] = value
        self._end += 1
        dropped = int(self._end - self._begin > self.size)
        self._begin += dropped
        return dropped

    def last(self, column: int) -> float:
        """The newest value of a column."""
        return self._data[column][self._end - 1]

    def column(self, index: int) -> Floats:
        """The rows of a column, oldest first, as a view [n] float64: valid until the next append."""
        import numpy as np

        return np.frombuffer(self._data[index], dtype=np.float64)[self._begin : self._end]

    def clear(self) -> None:
        """Forgets every row."""
        self._begin = self._end = 0


@dataclass(frozen=True, slots=True)
class Percentiles:
    """p50, p95 and p99 of a latency in ms, linear between ranks; None without a sample."""

    count: int = 0
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None

    @classmethod
    def of(cls, latencies: Floats) -> Percentiles:
        """Those of an array [n] of ms."""
        if not len(latencies):
            return cls()
        import numpy as np

        p50, p95, p99 = (float(v) for v in np.percentile(latencies, (50, 95, 99)))
        return cls(len(latencies), p50, p95, p99)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything at one moment. Arrays have one entry a step; of a live snapshot they are views."""

    time_s: Floats
    latency_ms: Floats
    kind: Floats
    tokens: Floats
    used: Floats
    capacity: Floats
    generation: Floats
    token_ids: list[int]
    texts: list[str]
    memory_s: Floats
    memory_bytes: Floats
    ttft_ms: float | None
    prefill_rate: float | None
    decode_rate: float | None

    @property
    def prefill(self) -> Percentiles:
        """Of the prefill chunks."""
        return Percentiles.of(self.latency_ms[self.kind == CHUNK])

    @property
    def decode(self) -> Percentiles:
        """Of the decoded tokens, the first one left out: its latency is the TTFT."""
        return Percentiles.of(self.latency_ms[self.kind == DECODE])

    @property
    def prompt_tokens(self) -> int:
        """Tokens that went through prefill chunks."""
        return int(self.tokens[self.kind == CHUNK].sum())

    @property
    def generated_tokens(self) -> int:
        """Tokens that came out."""
        return int((self.kind != CHUNK).sum())

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(slots=True)
class _Run:
    """The generation that is running, or the last one."""

    number: int = 0
    started: float = 0.0
    origin_s: float = 0.0
    elapsed_s: float = 0.0
    running: bool = False
    steps: int = 0
    prompt_tokens: int = 0
    prefill_ms: float = 0.0
    decoded: int = 0
    decode_ms: float = 0.0
    ttft_ms: float | None = None


class Measurements:
    """Records steps. `revision` grows with each change, so a view on a timer knows when to draw."""

    def __init__(self, size: int = 100_000, clock: Callable[[], float] = time.perf_counter) -> None:
        self._steps = Slab(7, size)
        self._memory = Slab(2, 3600)
        self._ids: list[int] = []
        self._texts: list[str] = []
        self._dropped = 0
        self._clock = clock
        self._run = _Run()
        self._frozen: Snapshot | None = None
        self._rss = 0
        self.revision = 0

    def follow(self, session: Session) -> None:
        """Records what a session does from now on."""
        session.started.connect(self.begin)
        session.chunk.connect(self.add_chunk)
        session.token.connect(self.add_token)
        session.memory.connect(self.add_memory)
        session.finished.connect(self.end)
        session.failed.connect(self.end)

    def begin(self) -> None:
        """A generation starts."""
        self.end()
        run = self._run
        gap = min(GAP_S, max(run.elapsed_s / 7, 0.001)) if run.number else 0.0
        origin = max(self._now(), self._memory.last(0) if len(self._memory) else 0.0) + gap
        self._run = _Run(number=self._run.number + 1, started=self._clock(), origin_s=origin, running=True)
        self._note_memory()
        self.revision += 1

    def end(self, _outcome: object = None) -> None:
        """The generation ended, well or not."""
        if self._run.running:
            if not self._run.steps:
                self._run.elapsed_s = self._clock() - self._run.started
            self._run.running = False
            self._note_memory()
            self.revision += 1

    def add_chunk(self, event: ChunkEvent) -> None:
        """A prefill chunk ran."""
        run = self._run
        run.prompt_tokens += event.tokens
        run.prefill_ms += event.latency_ms
        run.elapsed_s += event.latency_ms / 1000
        self._add(CHUNK, event.latency_ms, event.tokens, event, -1, "")

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
        kind = FIRST if event.phase == "prefill" else DECODE
        self._add(kind, event.latency_ms, 1, event, event.id, event.text)

    def add_memory(self, rss: int) -> None:
        """The worker holds `rss` bytes; kept while it generates, and at the begin and end of each reply."""
        self._rss = rss
        if self._run.running or not len(self._memory):
            self._note_memory()

    def _note_memory(self) -> None:
        if self._rss:
            last = self._memory.last(0) if len(self._memory) else 0.0
            self._memory.append(max(self._now(), last), self._rss)
            self.revision += 1

    @property
    def live(self) -> bool:
        """Whether a generation is running."""
        return self._run.running

    @property
    def ttft_ms(self) -> float | None:
        """Time to the first token of the running or last generation."""
        return self._run.ttft_ms

    @property
    def decode_rate(self) -> float | None:
        """Decoded tokens per second of the running or last generation."""
        return _rate(self._run.decoded, self._run.decode_ms)

    @property
    def prefill_rate(self) -> float | None:
        """Prompt tokens per second of the running or last generation."""
        return _rate(self._run.prompt_tokens, self._run.prefill_ms)

    @property
    def occupancy(self) -> tuple[int, int] | None:
        """(used, capacity) after the last step."""
        if not len(self._steps):
            return None
        return int(self._steps.last(4)), int(self._steps.last(5))

    @property
    def frozen(self) -> bool:
        """Whether `snapshot` stands still; recording goes on."""
        return self._frozen is not None

    def freeze(self, on: bool) -> None:
        """Lets `snapshot` stand still, or go on with all that was recorded meanwhile."""
        self._frozen = self._take(copy=True) if on else None
        self.revision += 1

    def reset(self) -> None:
        """Forgets everything that was measured."""
        running = self._run.running
        self._steps.clear()
        self._memory.clear()
        self._ids.clear()
        self._texts.clear()
        self._frozen = None
        self._run = _Run(number=int(running), started=self._clock(), running=running)
        self.revision += 1

    def snapshot(self) -> Snapshot:
        """All series, as they are or as they were when frozen."""
        return self._frozen or self._take(copy=False)

    def to_csv(self) -> str:
        """The snapshot's steps as CSV with a header, CSV_COLUMNS."""
        s = self.snapshot()
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(CSV_COLUMNS)
        for i in range(len(s)):
            kind = int(s.kind[i])
            writer.writerow(
                (
                    int(s.generation[i]),
                    "chunk" if kind == CHUNK else "token",
                    "decode" if kind == DECODE else "prefill",
                    f"{s.time_s[i]:.6f}",
                    f"{s.latency_ms[i]:.3f}",
                    int(s.tokens[i]),
                    int(s.used[i]),
                    int(s.capacity[i]),
                    "" if kind == CHUNK else s.token_ids[i],
                    s.texts[i],
                )
            )
        return out.getvalue()

    def _now(self) -> float:
        run = self._run
        elapsed = max(run.elapsed_s, self._clock() - run.started) if run.running else run.elapsed_s
        return run.origin_s + elapsed

    def _add(self, kind: int, latency: float, tokens: int, event: ChunkEvent | TokenEvent, id: int, text: str) -> None:
        run = self._run
        run.steps += 1
        time_s = run.origin_s + run.elapsed_s
        row = (time_s, latency, kind, tokens, event.cache_used, event.cache_capacity, run.number)
        dropped = self._steps.append(*row)
        self._ids.append(id)
        self._texts.append(text)
        self._dropped += dropped
        if self._dropped > self._steps.size:
            del self._ids[: self._dropped], self._texts[: self._dropped]
            self._dropped = 0
        self.revision += 1

    def _take(self, copy: bool) -> Snapshot:
        columns = [self._steps.column(i) for i in range(7)]
        memory = [self._memory.column(i) for i in range(2)]
        if copy:
            columns = [c.copy() for c in columns]
            memory = [c.copy() for c in memory]
        time_s, latency, kind, tokens, used, capacity, generation = columns
        return Snapshot(
            time_s,
            latency,
            kind,
            tokens,
            used,
            capacity,
            generation,
            self._ids[self._dropped :],
            self._texts[self._dropped :],
            memory[0],
            memory[1],
            self.ttft_ms,
            self.prefill_rate,
            self.decode_rate,
        )


def _rate(tokens: int, milliseconds: float) -> float | None:
    return tokens * 1000 / milliseconds if milliseconds > 0 else None

"""The steps of chosen runs at one moment, laid out along one time axis, and their figures.

    MeasurementRecord (each run in its own time) ──lay_out(runs)──▶ MeasurementSnapshot ──figures(left, right)──▶ …

The axis counts generation only: idle time between replies, and runs that were not chosen, become a short gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Literal

from app.state.measured_runs import MeasuredRun, MeasuredRuns
from workflows.wire.events import SpeculationUse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.state.column_store import Numbers

    Floats = NDArray[np.float64]
    Ints = NDArray[np.intp]
    Mask = NDArray[np.bool_]

SPECULATION_KINDS = "iddiii"
"""Run, time in the run at its end (s), latency (ms), drafted, accepted and kept tokens: see ColumnStore."""


@dataclass(frozen=True, slots=True)
class SpeculationSteps:
    """Arrays have one entry a model run, [n]. run: index of the reply."""

    time_s: Floats
    latency_ms: Floats
    drafted: Floats
    accepted: Floats
    kept: Floats
    run: Ints

    def __len__(self) -> int:
        return len(self.time_s)

    def seen(self, left: float = -inf, right: float = inf) -> Mask:
        """A mask [n] of the steps within two times; each is a bar as wide as its latency."""
        mask: Mask = (self.time_s >= left) & (self.time_s - self.latency_ms / 1000 <= right)
        return mask

    def use(self, which: Mask) -> SpeculationUse | None:
        """The use of drafts in some of the steps; None if there are none."""
        if not which.any():
            return None
        drafted, accepted, kept = (int(one[which].sum()) for one in (self.drafted, self.accepted, self.kept))
        return SpeculationUse(drafted=drafted, accepted=accepted, steps=int(which.sum()), kept=kept)

    def at(self, second: float) -> int:
        """The index of the step at a time, or -1."""
        import numpy as np

        index = int(np.searchsorted(self.time_s, second - 1e-9))
        begins = self.time_s[index] - self.latency_ms[index] / 1000 if index < len(self) else inf
        return index if begins <= second + 1e-9 else -1


def rows_of_runs(columns: Sequence[Numbers], numbers: Numbers, begins: Floats) -> tuple[Ints, Ints]:
    """(run index, row index) of the rows of the runs `numbers` [r] from `begins` [r] on. columns: number, time …"""
    import numpy as np

    rows = np.flatnonzero(np.isin(columns[0], numbers))
    run = np.searchsorted(numbers, columns[0][rows])
    selected = columns[1][rows] >= begins[run] - 1e-9
    return run[selected], rows[selected]


CHUNK, FIRST, DECODE = 0, 1, 2
"""Kinds of a step: a prefill chunk; the first token, whose latency is the TTFT; a decoded token."""
What = Literal["bundle", "reply", "all"]
"""Which runs: those of one bundle, the last one, or all."""
GAP_S = 0.25
"""The longest gap drawn between two runs; a seventh of the run before if that is less."""
STEP_KINDS = "iddbiiiii"
"""Run, time in the run (s), latency (ms), kind, tokens, used, capacity, token id, text index: see ColumnStore."""
MEMORY_KINDS = "idq"
"""Run, time in the run (s), bytes."""


@dataclass(frozen=True, slots=True)
class LatencyPercentiles:
    """p50, p95 and p99 of a latency in ms, linear between ranks; None without a sample."""

    count: int = 0
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None

    @classmethod
    def of(cls, latencies: Floats) -> LatencyPercentiles:
        """The percentiles of an array [n] of ms."""
        if not len(latencies):
            return cls()
        import numpy as np

        p50, p95, p99 = (float(v) for v in np.percentile(latencies, (50, 95, 99)))
        return cls(len(latencies), p50, p95, p99)


@dataclass(frozen=True, slots=True)
class MeasurementFigures:
    """Figures of some steps, as app/text/figures.py defines them; ttft_ms and the rates are medians of the runs."""

    runs: MeasuredRuns
    ttft_ms: float | None
    prefill_rate: float | None
    decode_rate: float | None
    prompt_tokens: int
    generated_tokens: int
    prefill: LatencyPercentiles
    decode: LatencyPercentiles
    drafts: SpeculationUse | None


@dataclass(frozen=True, slots=True)
class MeasurementRecord:
    """All measurements, in columns [n] by STEP_KINDS, MEMORY_KINDS and SPECULATION_KINDS. texts: of tokens."""

    steps: Sequence[Numbers]
    memory: Sequence[Numbers]
    speculation: Sequence[Numbers]
    texts: Sequence[str]
    runs: MeasuredRuns


@dataclass(frozen=True, slots=True)
class MeasurementSnapshot:
    """Arrays have one entry a step, `starts` and `ends` one a run; time_s is that of the end of a step.

    run: index into `runs`. ids: token ids, -1 for a chunk. text_numbers: indices into `texts`.
    """

    time_s: Floats
    latency_ms: Floats
    kind: Floats
    tokens: Floats
    used: Floats
    capacity: Floats
    run: Ints
    memory_s: Floats
    memory_bytes: Floats
    memory_run: Ints
    speculation: SpeculationSteps
    runs: MeasuredRuns
    starts: Floats
    ends: Floats
    ids: Numbers
    text_numbers: Numbers
    texts: Sequence[str]

    def __len__(self) -> int:
        return len(self.time_s)

    def copy(self) -> MeasurementSnapshot:
        """A copy that stays as it is while more is measured."""
        names = ("latency_ms", "kind", "tokens", "used", "capacity", "ids", "text_numbers")
        return replace(self, **{name: getattr(self, name).copy() for name in names})

    def text(self, index: int) -> str:
        """The text of a step's token; empty for a chunk."""
        return self.texts[int(self.text_numbers[index])]

    def token_id(self, index: int) -> int:
        """The id of a step's token; -1 for a chunk."""
        return int(self.ids[index])

    def run_of(self, index: int) -> MeasuredRun:
        """The run of a step."""
        return self.runs[int(self.run[index])]

    def seen(self, left: float = -inf, right: float = inf) -> Mask:
        """A mask [n] of the steps within two times: a chunk is a block as wide as its latency, a token a point."""
        begins = self.time_s - self.latency_ms / 1000 * (self.kind == CHUNK)
        mask: Mask = (self.time_s >= left) & (begins <= right)
        return mask

    def _runs_of(self, steps: Mask) -> Ints:
        """The runs of those steps, as indices."""
        import numpy as np

        return np.flatnonzero(np.bincount(self.run[steps], minlength=len(self.runs)))

    def _median_rate(self, counted: Mask, timed: Mask) -> float | None:
        """The median over the runs of tokens of the steps `counted` per second of the steps `timed`."""
        import numpy as np

        tokens, took_ms = (
            np.bincount(self.run[which], weights=column[which], minlength=len(self.runs))
            for column, which in ((self.tokens, counted), (self.latency_ms, timed))
        )
        measured = (tokens > 0) & (took_ms > 0)
        return float(np.median(tokens[measured] * 1000 / took_ms[measured])) if measured.any() else None

    def figures(self, left: float = -inf, right: float = inf) -> MeasurementFigures:
        """The figures of exactly the steps within two times."""
        import numpy as np

        seen = self.seen(left, right)
        chunks, first, decode = ((self.kind == kind) & seen for kind in (CHUNK, FIRST, DECODE))
        latency = self.latency_ms
        return MeasurementFigures(
            runs=self.runs.some(self._runs_of(seen)),
            ttft_ms=float(np.median(latency[first])) if first.any() else None,
            prefill_rate=self._median_rate((self.kind == CHUNK) & np.isin(self.run, self.run[first]), first),
            decode_rate=self._median_rate(decode, decode),
            prompt_tokens=int(self.tokens[chunks].sum()),
            generated_tokens=int(decode.sum()) + int(first.sum()),
            prefill=LatencyPercentiles.of(latency[chunks]),
            decode=LatencyPercentiles.of(latency[decode]),
            drafts=self.speculation.use(self.speculation.seen(left, right)),
        )


def select_runs(record: MeasurementRecord, what: What, bundle: tuple[str, str] | None) -> MeasuredRuns:
    """The chosen runs of a record. bundle: see `RunConfiguration.bundle`."""
    if what == "bundle":
        return record.runs.of_bundle(bundle)
    if what == "reply" and len(record.steps[0]):
        return record.runs.some(record.runs.numbers == record.steps[0][-1])
    return record.runs


def lay_out(record: MeasurementRecord, wanted: MeasuredRuns) -> MeasurementSnapshot:
    """Lays out the steps of the wanted runs one after the other; runs without a step are left out."""
    import numpy as np

    edges = [np.searchsorted(record.steps[0], wanted.numbers, side) for side in ("left", "right")]
    runs = wanted.some(edges[1] > edges[0])
    first, after = (edge[edges[1] > edges[0]] for edge in edges)
    run = np.repeat(np.arange(len(runs)), after - first)
    rows = np.arange(len(run)) + (first - np.cumsum(after - first) + after - first)[run]
    whole = len(rows) == len(record.steps[0])
    _number, *shown, ids, text_numbers = (column if whole else column[rows] for column in record.steps)
    time_s, latency_ms, kind, tokens, used, capacity = (_floats(column) for column in shown)
    begins = _floats(record.steps[1][first] - record.steps[2][first] / 1000)
    ends = _floats(record.steps[1][after - 1])
    memory_run, samples = rows_of_runs(record.memory, runs.numbers, begins)
    memory_s, memory_bytes = (_floats(record.memory[column][samples]) for column in (1, 2))
    step_run, step_rows = rows_of_runs(record.speculation, runs.numbers, begins)
    np.maximum.at(ends, memory_run, memory_s)
    lengths = ends - begins
    starts = np.zeros(len(runs))
    np.cumsum(lengths[:-1] + np.clip(lengths[:-1] / 7, 0.001, GAP_S), out=starts[1:])
    shift = starts - begins  # seconds from each run's own time to the axis [r]
    _number, ended_s, run_ms, drafted, accepted, kept = (_floats(column[step_rows]) for column in record.speculation)
    return MeasurementSnapshot(
        time_s=time_s + shift[run],
        latency_ms=latency_ms,
        kind=kind,
        tokens=tokens,
        used=used,
        capacity=capacity,
        run=run,
        memory_s=memory_s + shift[memory_run],
        memory_bytes=memory_bytes,
        memory_run=memory_run,
        speculation=SpeculationSteps(ended_s + shift[step_run], run_ms, drafted, accepted, kept, step_run),
        runs=runs,
        starts=starts,
        ends=starts + lengths,
        ids=ids,
        text_numbers=text_numbers,
        texts=record.texts,
    )


def _floats(column: Numbers) -> Floats:
    return column.astype("float64", copy=False)


def rate(tokens: int, milliseconds: float) -> float | None:
    """Tokens a second; None where no time passed."""
    return tokens * 1000 / milliseconds if tokens and milliseconds > 0 else None

"""The steps of a snapshot as CSV: configuration, time and latency of each."""

from __future__ import annotations

import csv
import io
from collections.abc import Generator
from math import inf

from app.state.measurement_snapshot import CHUNK, DECODE, MeasurementSnapshot

RUN_COLUMNS = ("bundle", "path", "built_at", "provider", "precision", "layout", "capacity", "run", "began")
STEP_COLUMNS = ("kind", "phase", "time_s", "latency_ms", "tokens", "cache_used", "cache_capacity", "token_id", "text")
COLUMNS = RUN_COLUMNS + STEP_COLUMNS
ROWS_PER_SLICE = 200
"""Rows between two pauses: a few milliseconds."""


def csv_in_steps(s: MeasurementSnapshot, left: float = -inf, right: float = inf) -> Generator[None, None, str]:
    """The steps within two times as CSV with a header; pauses after every few rows."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    seen = s.seen(left, right).nonzero()[0]
    for first in range(0, len(seen), ROWS_PER_SLICE):
        writer.writerows(_row(s, int(index)) for index in seen[first : first + ROWS_PER_SLICE])
        yield
    return out.getvalue()


def _row(s: MeasurementSnapshot, index: int) -> tuple[object, ...]:
    run, kind = s.run_of(index), int(s.kind[index])
    owner = run.owner
    return (
        owner.name,
        owner.path,
        owner.built_at,
        owner.provider,
        owner.precision,
        owner.layout,
        owner.capacity,
        run.number,
        run.began,
        "chunk" if kind == CHUNK else "token",
        "decode" if kind == DECODE else "prefill",
        f"{s.time_s[index]:.6f}",
        f"{s.latency_ms[index]:.3f}",
        int(s.tokens[index]),
        int(s.used[index]),
        int(s.capacity[index]),
        "" if kind == CHUNK else s.token_id(index),
        s.text(index),
    )

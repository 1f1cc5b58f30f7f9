"""Runs by hand."""

from __future__ import annotations

from collections.abc import Sequence

from workflows.wire.reports.runs import Figure, Kind, RunRecord, RunReport, RunStep


def run(
    ident: str,
    kind: Kind = "bench",
    bundle: str = "/b/demo-int4",
    digest: str = "d1",
    provider: str = "cpu",
    precision: str = "int4",
    minute: int = 0,
    **figures: Figure,
) -> RunRecord:
    """A run of the minute after 2026-01-02 03:00."""
    when = f"2026-01-02T03:{minute:02d}:00.000+00:00"
    made = ("demo", digest, precision, "static", provider, "onnxruntime 1", "here")
    return RunRecord(ident, kind, when, bundle, *made, figures)


def generation(ident: str, latencies: Sequence[float], **changes: Figure) -> RunReport:
    """A run with a step a latency, the first of them the prompt's."""
    steps = [RunStep(n, "decode" if n else "prefill", ms, n, 64) for n, ms in enumerate(latencies)]
    return RunReport(run(ident, "generate", **changes), steps)  # type: ignore[arg-type]

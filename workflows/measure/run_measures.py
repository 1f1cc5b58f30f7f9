"""The measures by which runs of all kinds are compared.

Run.figures ──measure_value(run, measure)──▶ a number in the measure's unit, or None ──▶ MeasureSpread over several runs
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Literal

from workflows.wire.reports.runs import Figure, RunRecord, RunReport

Better = Literal["higher", "lower"]
Unit = Literal["tok/s", "ms", "bytes", "share", "nats", "×", ""]
MIB = 2**20


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure. figures: the run's figures that give it, the first present one, each with its factor to `unit`."""

    key: str
    title: str
    unit: Unit
    better: Better
    figures: Mapping[str, float]

    @property
    def axis_unit(self) -> str:
        """The unit of an axis: percent for shares, MiB for bytes."""
        return {"share": "%", "bytes": "MiB"}.get(self.unit, self.unit)

    def on_axis(self, value: float) -> float:
        """A value in the axis's unit."""
        return value * 100 if self.unit == "share" else value / MIB if self.unit == "bytes" else value


def _measure(key: str, title: str, unit: Unit, better: Better, **figures: float) -> Measure:
    return Measure(key, title, unit, better, MappingProxyType(figures))


MEASURES: Mapping[str, Measure] = MappingProxyType({
    one.key: one
    for one in (
        _measure("decode", "decode", "tok/s", "higher", decode_tokens_per_s=1),
        _measure("prefill", "prefill", "tok/s", "higher", prefill_tokens_per_s=1),
        _measure("roofline", "roofline share", "share", "higher", roofline_share=1),
        _measure("accept", "accept rate", "share", "higher", accept_rate=1),
        _measure("per_step", "tokens per step", "", "higher", tokens_per_step=1),
        _measure("speedup", "beside plain", "×", "higher", speedup=1),
        _measure("ttft", "TTFT", "ms", "lower", ttft_ms=1),
        _measure("p50", "p50", "ms", "lower", p50_ms=1),
        _measure("p95", "p95", "ms", "lower", p95_ms=1),
        _measure("p99", "p99", "ms", "lower", p99_ms=1),
        _measure("memory", "peak memory", "bytes", "lower", peak_rss_bytes=1, peak_mib=MIB),
        _measure("resident", "resident memory", "bytes", "lower", rss_bytes=1),
        _measure("size", "size", "bytes", "lower", bytes=1),
        _measure("top1", "top-1", "share", "higher", top1_agreement=1),
        _measure("kl", "KL", "nats", "lower", kl_mean=1),
        _measure("perplexity", "perplexity", "", "lower", perplexity=1),
        _measure("task", "task", "share", "higher", task=1),
    )
})  # fmt: skip
"""Key → measure, in the order of table columns."""
ACCURACY = ("top1", "kl", "perplexity", "task")
SPEED = ("decode", "p50", "p95", "ttft", "prefill", "size")


def measure_value(run: RunRecord, measure: Measure) -> float | None:
    """The run's value in the measure's unit; None where it has none, or no finite one."""
    for name, factor in measure.figures.items():
        figure = run.figures.get(name)
        if isinstance(figure, int | float) and math.isfinite(figure):
            return figure * factor
    return None


@dataclass(frozen=True, slots=True)
class MeasureSpread:
    """A measure over several runs, in its unit."""

    median: float
    lowest: float
    highest: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> MeasureSpread | None:
        """The spread of values [n]; None without any."""
        return cls(median(values), min(values), max(values), len(values)) if values else None


def work_of(run: RunRecord, measure: Measure) -> tuple[Figure, ...]:
    """The work that a run's value is of: only values of equal work can be compared for the best."""
    names = ("against", "positions") if measure.key in ACCURACY else ("prompt_tokens", "new_tokens")
    return run.kind, *(run.figures.get(name) for name in names)


def is_equal_work(runs: Iterable[RunRecord], measure: Measure) -> bool:
    """Whether all of the runs that have the measure did the same work for it."""
    works = (work_of(run, measure) for run in runs if measure_value(run, measure) is not None)
    first = next(works, None)
    return all(work == first for work in works)


def best_indices(values: Sequence[float | None], better: Better) -> set[int]:
    """The indices of the best values, ties included; empty where fewer than two values differ."""
    known = [one for one in values if one is not None]
    if len(set(known)) < 2:
        return set()
    top = max(known) if better == "higher" else min(known)
    return {index for index, one in enumerate(values) if one == top}


def bundle_name(run: RunRecord) -> str:
    """The name of the bundle's folder, else of the model."""
    return _folder_name(run.bundle) or run.name


@lru_cache(1024)
def _folder_name(path: str) -> str:
    return Path(path).name


def drafts_of(run: RunRecord) -> str:
    """The proposer of its drafts: ngram, draft_model, a bundle's name; empty for a run without drafts."""
    return str(run.figures.get("drafts") or "")


def run_label(run: RunRecord) -> str:
    """The label of a run in charts: bundle, precision, provider, drafts and id."""
    parts = (bundle_name(run), run.precision, run.provider, drafts_of(run), run.id)
    return " · ".join(part for part in parts if part)


def decode_latencies(report: RunReport) -> list[float]:
    """Latencies in milliseconds of all tokens but the first, whose latency includes the prompt."""
    return [step.latency_ms for step in report.steps if step.phase == "decode"]

"""Runs as rows of a table: the texts, the sort values, and the words that a filter finds.

Run ──run_row──▶ RunRow(texts, values, words)          made in a thread: no widgets here
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLocale

from app.text.formatting import format_bytes, format_local_time, format_number
from app.text.translatable import tr
from workflows.measure.run_measures import MEASURES, Measure, bundle_name, drafts_of, measure_value
from workflows.wire.reports.runs import RunRecord

OWNER = ("time", "kind", "bundle", "precision", "layout", "provider", "drafts")
WHERE = ("version", "machine", "id")
COLUMNS = (*OWNER, *MEASURES, *WHERE)
"""The keys of the columns, in order."""
Value = float | str | None


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run. texts, values: one a column. searched_text: all texts, in lower case."""

    run: RunRecord
    texts: tuple[str, ...]
    values: tuple[Value, ...]
    searched_text: str


def run_row(run: RunRecord) -> RunRow:
    """The row of one run."""
    owner = (kind_title(run.kind), bundle_name(run), run.precision, run.layout, run.provider, drafts_of(run))
    where = (run.version, run.machine, run.id)
    figures = [measure_value(run, one) for one in MEASURES.values()]
    values: tuple[Value, ...] = (run.time, *owner, *figures, *where)
    measures = (measure_text(value, one, "") for value, one in zip(figures, MEASURES.values(), strict=True))
    texts = (format_local_time(run.time), *owner, *measures, *where)
    return RunRow(run, texts, values, " ".join(texts).casefold())


def titles() -> dict[str, str]:
    """The heading of each column."""
    return {
        "time": tr("time"),
        "kind": tr("kind"),
        "bundle": tr("bundle"),
        "precision": tr("precision"),
        "layout": tr("cache"),
        "provider": tr("provider"),
        "drafts": tr("drafts"),
        "version": tr("version"),
        "machine": tr("machine"),
        "decode": tr("decode"),
        "prefill": tr("prefill"),
        "roofline": tr("roofline"),
        "accept": tr("accept rate"),
        "per_step": tr("tokens per step"),
        "speedup": tr("beside plain"),
        "ttft": tr("TTFT"),
        "p50": "p50",
        "p95": "p95",
        "p99": "p99",
        "memory": tr("peak memory"),
        "resident": tr("resident memory"),
        "size": tr("size"),
        "top1": tr("top-1"),
        "kl": tr("KL"),
        "perplexity": tr("perplexity"),
        "task": tr("task"),
        "id": tr("run"),
    }


def kind_title(name: str) -> str:
    """The kind of a run, translated."""
    return {
        "build": tr("build"),
        "generate": tr("generation"),
        "bench": tr("measurement"),
        "eval": tr("evaluation"),
    }.get(name, name)


def measure_text(value: float | None, measure: Measure, nothing: str = "–") -> str:
    """A measure with its unit in the system's locale."""
    if value is None:
        return nothing
    if measure.unit == "share":
        return f"{format_number(100 * value, 2)} %"
    if measure.unit == "bytes":
        return format_bytes(value)
    digits = format_number(value) if abs(value) >= 1000 else QLocale().toString(float(value), "g", 4)
    return f"{digits} {measure.unit}".strip()


def axis_title(measure: Measure) -> str:
    """The name and unit of a measure, for an axis or a column."""
    name = titles()[measure.key]
    return f"{name} ({measure.axis_unit})" if measure.unit else name

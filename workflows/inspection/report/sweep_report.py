"""The report on a sweep: how far it is, accuracy against speed, every bundle's figures, and what failed.

SweepSnapshot ──report_on_sweep──▶ Document ──write_sweep──▶ report.html, replaced in one piece
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from workflows.common.files import write_atomically
from workflows.inspection.report.document import (
    Document,
    DocumentPart,
    Heading,
    Paragraph,
    ReportTable,
    format_measure,
    html_of,
)
from workflows.inspection.report.runs_report import accuracy_against_speed
from workflows.measure.run_measures import MEASURES, measure_value
from workflows.measure.sweep_folder import SweepSnapshot, place_of
from workflows.wire.reports.runs import RunRecord
from workflows.wire.reports.sweep import StepResult, SweepStep

_COLUMNS = ("decode", "prefill", "ttft", "p50", "memory", "size", "top1", "kl", "perplexity", "task")
"""Measures with a column, where a step has them."""
_REFRESH_S = 10
_LONGEST_LIST = 200


def report_on_sweep(sweep: SweepSnapshot) -> Document:
    """Returns the report on the present state."""
    counts = sweep.counts
    parts: list[DocumentPart] = [
        Paragraph(f"Plan: {sweep.plan.plan}"),
        ReportTable(
            ["steps", "done", "failed", "blocked", "running", "waiting"],
            [[str(one) for one in (counts.total, counts.done, counts.failed, counts.blocked, counts.running,
                                   counts.waiting)]],
        ),
        *accuracy_against_speed(sweep.runs),
        *_bundles(sweep),
        *_failures(sweep),
        *_pending(sweep),
    ]  # fmt: skip
    return Document("Joinery: sweep", parts)


def write_sweep(sweep: SweepSnapshot, out: Path) -> None:
    """Writes the report; a browser loads it again while the sweep is not finished. Raises OSError."""
    counts = sweep.counts
    refresh = _REFRESH_S if counts.running or counts.waiting else None
    write_atomically(out, html_of(report_on_sweep(sweep), refresh).encode("utf-8", "backslashreplace"))


def _bundles(sweep: SweepSnapshot) -> list[DocumentPart]:
    """Returns the table with a row for each bundle and provider that something is known of."""
    steps = defaultdict[str, list[SweepStep]](list)
    for step in sweep.plan.steps:
        steps[step.bundle].append(step)
    rows = [row for own in steps.values() for row in _rows_of(own, sweep.results)]
    known = [key for at, key in enumerate(_COLUMNS) if any(row[1][at] is not None for row in rows)]
    if not rows:
        return []
    table = [
        [*head, *(format_measure(values[_COLUMNS.index(key)], MEASURES[key]) for key in known)] for head, values in rows
    ]
    titles = [MEASURES[key].title for key in known]
    return [Heading("Bundles"), ReportTable(["source", "recipe", "layout", "provider", *titles], table)]


def _rows_of(
    steps: Sequence[SweepStep], results: Mapping[str, StepResult]
) -> list[tuple[list[str], list[float | None]]]:
    """Returns (source, recipe, layout, provider) and the measures of each benchmark, or of the bundle without one."""
    runs = {step.id: results[step.id].runs for step in steps if step.id in results}
    shared = [run for step in steps if step.kind != "bench" for run in runs.get(step.id, [])]
    measured = [(place_of(step), runs[step.id]) for step in steps if step.kind == "bench" and runs.get(step.id)]
    if not measured and not shared:
        return []
    first = steps[0]
    layout = first.layout or next((run.layout for run in shared), "")
    return [
        ([first.source, first.recipe, layout, provider], _values([*own, *shared]))
        for provider, own in measured or [("–", [])]
    ]


def _values(runs: Sequence[RunRecord]) -> list[float | None]:
    """Returns each measure from the first run that has it."""
    values = ([measure_value(run, MEASURES[key]) for run in runs] for key in _COLUMNS)
    return [next((value for value in of_runs if value is not None), None) for of_runs in values]


def _failures(sweep: SweepSnapshot) -> list[DocumentPart]:
    rows = [
        (step.id, sweep.results[step.id].reason, sweep.results[step.id].machine)
        for step in sweep.plan.steps
        if sweep.states[step.id] == "failed"
    ]
    return [Heading("Failed"), ReportTable(["step", "why", "machine"], rows)] if rows else []


def _pending(sweep: SweepSnapshot) -> list[DocumentPart]:
    """Returns the steps that have not ended, the running ones first."""
    rows = [
        (step.id, state)
        for state in ("running", "blocked", "waiting")
        for step in sweep.plan.steps
        if sweep.states[step.id] == state
    ]
    if not rows:
        return []
    more = [Paragraph(f"And {len(rows) - _LONGEST_LIST} more.")] if len(rows) > _LONGEST_LIST else []
    return [Heading("Not ended"), ReportTable(["step", "state"], rows[:_LONGEST_LIST]), *more]

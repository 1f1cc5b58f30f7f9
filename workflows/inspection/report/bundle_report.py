"""The report on one bundle: its build, its passes, and the accuracy and speed of its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from workflows.bundle import Bundle
from workflows.bundle.read import read_cost
from workflows.inspection.build_stages import read_evidence
from workflows.inspection.report.document import (
    CodeListing,
    Document,
    DocumentPart,
    Heading,
    Paragraph,
    ReportTable,
    with_unit,
)
from workflows.inspection.report.runs_report import environment, latency_curves, side_by_side
from workflows.measure.history import short_digest
from workflows.measure.run_measures import drafts_of
from workflows.wire.events import STAGES
from workflows.wire.reports.inspection import BuiltPass, BuiltStage, ParityReport
from workflows.wire.reports.runs import RunReport
from workflows.wire.stage_times import stage_times

MAX_RUNS = 4
"""Runs of a kind that are shown at most, the newest."""


def report_on_bundle(bundle: Bundle, runs: Sequence[RunReport]) -> Document:
    """Returns the report. runs: those of this digest, the newest first. Raises BundleError for damaged evidence."""
    builds = [one for one in runs if one.run.kind == "build"]
    evals = [one for one in runs if one.run.kind == "eval"][:MAX_RUNS]
    speeds = _newest(one for one in runs if one.run.kind not in ("build", "eval"))
    stages = read_evidence(bundle)
    parts = [_overview(bundle), *_recipe(bundle), *_timing(builds[:1]), *_stages(stages), *_passes(stages)]
    parts += [Heading("Accuracy"), *_run_tables(evals, "The history has no evaluation of this bundle.")]
    parts += [Heading("Speed"), *_run_tables(speeds, "The history has no generation or measurement of this bundle.")]
    parts += [*latency_curves(speeds), *environment([one.run for one in (*builds[:1], *evals, *speeds)])]
    return Document(f"Joinery: {bundle.folder.resolve().name}", parts)


def _newest(runs: Iterable[RunReport]) -> list[RunReport]:
    """Returns the last measurement and the last generation on each provider, with each kind of drafts and without."""
    newest = dict[tuple[str, str, str], RunReport]()
    for one in runs:
        newest.setdefault((one.run.kind, one.run.provider, drafts_of(one.run)), one)
    return list(newest.values())


def _run_tables(runs: Sequence[RunReport], none: str) -> list[DocumentPart]:
    return [side_by_side([one.run for one in runs])] if runs else [Paragraph(none)]


def _overview(bundle: Bundle) -> ReportTable:
    facts = bundle.pipeline.metadata
    rows = [
        ("model", " · ".join(filter(None, (facts.name, facts.model_type)))),
        ("task", facts.task),
        ("precision", facts.precision),
        ("cache", f"{facts.layout} {bundle.pipeline.capacity or ''}".strip()),
        ("route", bundle.pipeline.route),
        ("components", ", ".join(bundle.pipeline.pipeline.sessions)),
        ("quantizing cost", _cost(bundle)),
        ("size", with_unit(bundle.bytes, "bytes")),
        ("built", facts.built_at),
        ("folder", str(bundle.folder.resolve())),
        ("digest", short_digest(bundle.digest)),
    ]
    return ReportTable(["", "this bundle"], [(name, value or "–") for name, value in rows])


def _cost(bundle: Bundle) -> str:
    """What quantizing cost; empty where nothing states it."""
    cost = read_cost(bundle)
    return f"{cost.summary()}. {cost.advice()}".rstrip() if cost else ""


def _recipe(bundle: Bundle) -> list[DocumentPart]:
    text = bundle.text("recipe.json")
    return [Heading("Recipe"), CodeListing(text.strip()) if text else Paragraph("This bundle has no recipe.")]


def _timing(builds: Sequence[RunReport]) -> list[DocumentPart]:
    """Returns seconds and peak memory of each stage of the last recorded build."""
    if not builds:
        return [Heading("Build"), Paragraph("The history has no build of this bundle, so its times are unknown.")]
    run = builds[0].run
    figures = {name: value for name, value in run.figures.items() if isinstance(value, int | float)}
    whole = figures.get("seconds", 0.0)
    times = stage_times({name: figures[f"{name}_s"] for name in STAGES if f"{name}_s" in figures}, whole)
    rows = [
        (f"of it {one.title}" if one.inner else one.title, f"{one.seconds:,.1f} s", _mebibytes(figures, one.stage))
        for one in times
    ]
    total = ("whole build", f"{whole:,.1f} s", _mebibytes(figures))
    return [Heading("Build"), ReportTable(["stage", "time", "peak memory"], [*rows, total])]


def _mebibytes(figures: Mapping[str, float], stage: str = "") -> str:
    """The peak memory of a stage, or of the build."""
    peak = figures.get(f"{stage}_peak_mib" if stage else "peak_mib")
    return "–" if peak is None else f"{peak:,.0f} MiB"


def _stages(stages: Sequence[BuiltStage]) -> list[DocumentPart]:
    if not stages:
        return [Heading("Stages"), Paragraph("This bundle has no record of its stages.")]
    rows, timed = list[tuple[str, ...]](), set[str]()
    for one in stages:
        time = "" if one.name in timed else f"{one.seconds:,.1f} s"  # that of all its components
        timed.add(one.name)
        name, size = f"{one.name}: {one.component}", with_unit(one.bytes, "bytes")
        rows.append((name, f"{one.nodes:,}", size, time, _parity(one.parity)))
    return [Heading("Stages"), ReportTable(["stage", "nodes", "weights", "time", "against the stage before"], rows)]


def _parity(parity: ParityReport | None) -> str:
    if parity is None or parity.max_abs_diff is None:
        return "–"
    return f"off by {parity.max_abs_diff:.3g}, {parity.greedy_equal} of {parity.greedy_tokens} tokens alike"


def _passes(stages: Sequence[BuiltStage]) -> list[DocumentPart]:
    rows = [_pass(stage.component, one) for stage in stages for one in stage.passes]
    head = ["pass", "component", "what it did", "refused"]
    return [Heading("Passes"), ReportTable(head, rows)] if rows else []


def _pass(component: str, one: BuiltPass) -> tuple[str, str, str, str]:
    did = f"applied: {one.nodes_before:,} to {one.nodes_after:,} nodes" if one.modified else "nothing to change"
    reasons = Counter(refused.reason for refused in one.refused)
    refusals = "; ".join(f"{reason} (× {count})" if count > 1 else reason for reason, count in reasons.items())
    return one.title or one.name, component, did, refusals or "–"

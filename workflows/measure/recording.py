"""Records builds, generations, measurements and evaluations in the history, for window and command line.

    events ──record_generation──▶ the same events;  report ──record_bench, record_eval, record_build──▶ RunHistory

A run that cannot be saved is reported, and the command continues. Where another machine asked for the run, it goes to
that machine's history (process/run_outbox.py).
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import psutil

from workflows.bundle import Bundle, read_bundle
from workflows.common.errors import JoineryError, printable
from workflows.measure.history import RunHistory, current_time, new_id, short_digest
from workflows.process.run_outbox import outbox, post_run
from workflows.wire.codec import dumps
from workflows.wire.events import (
    BuildDone,
    Event,
    GenerationDone,
    SpeculationEvent,
    SpeculationUse,
    StageEvent,
    TokenEvent,
)
from workflows.wire.reports.accuracy import EvalReport
from workflows.wire.reports.bench import CompositeRow, DraftFigures, Row, SingleRow
from workflows.wire.reports.harness import HarnessReport
from workflows.wire.reports.runs import Figure, Kind, RunRecord, RunReport, RunStep

ReportProblem = Callable[[str], None]


def record_generation(bundle: Bundle, events: Iterable[Event], notify: ReportProblem) -> Iterator[Event]:
    """Passes on the events of a generation and saves it at its end, if it gave a token. notify: receives problems."""
    steps, drafts = list[RunStep](), ""
    for event in events:
        if isinstance(event, SpeculationEvent):
            drafts = event.by
        if isinstance(event, TokenEvent):
            steps.append(RunStep(event.step, event.phase, event.latency_ms, event.cache_used, event.cache_capacity))
        if isinstance(event, GenerationDone) and steps:
            figures = _of_generation(event, steps)
            if drafts and event.speculation is not None:
                figures |= _of_drafts(drafts, event.speculation)
            _save(_new_run("generate", bundle, event.provider, figures, event.cache.layout), steps, notify)
        yield event


def record_bench(folder: Path | str, rows: Iterable[Row], notify: ReportProblem) -> list[RunRecord]:
    """Saves and returns a run for each provider that could be used."""
    return [_save(run, (), notify) for run in bench_runs(folder, rows)]


def bench_runs(folder: Path | str, rows: Iterable[Row]) -> list[RunRecord]:
    """A run of this machine for each provider that could be used; saves none."""
    bundle = read_bundle(folder)
    return [
        _new_run(
            "bench", bundle, row.provider, _of_row(row), row.cache.layout if isinstance(row, CompositeRow) else None
        )
        for row in rows
        if isinstance(row, CompositeRow | SingleRow)
    ]


def record_eval(folder: Path | str, against: str, report: EvalReport, notify: ReportProblem) -> RunRecord:
    """Saves and returns an evaluation, which runs on the CPU."""
    figures: dict[str, Figure] = {
        name: getattr(report, name)
        for name in ("positions", "top1_agreement", "top5_overlap", "kl_mean", "kl_max", "logit_max_abs_diff")
    }
    figures |= {"hidden_cosine": report.hidden_cosine, "kv_cosine": report.kv_cosine, "against": against}
    figures |= {"perplexity": report.perplexity.candidate, "perplexity_reference": report.perplexity.reference}
    if report.task is not None:
        figures |= {"task": report.task.score, "task_reference": report.task.reference_score}
    return _save(_new_run("eval", read_bundle(folder), "cpu", figures), (), notify)


def record_tasks(folder: Path | str, report: HarnessReport, notify: ReportProblem) -> RunRecord:
    """Saves and returns the scores in tasks of lm-eval; that of the only task is the measure `task`, too."""
    figures: dict[str, Figure] = {f"{one.task} {one.metric}": one.value for one in report.scores}
    accuracies = [one.value for one in report.scores if one.metric.partition(",")[0] in ("acc", "exact_match")]
    if len({one.task for one in report.scores}) == 1 and accuracies:
        figures["task"] = accuracies[0]
    figures |= {"samples": report.samples, "limit": report.limit, "lm_eval": report.version}
    return _save(_new_run("eval", read_bundle(folder), "cpu", figures), (), notify)


def collect_stages(report: Callable[[Event], None], stages: dict[str, StageEvent]) -> Callable[[Event], None]:
    """Wraps `report`; also stores in `stages` how each stage of a build ended."""

    def take(event: Event) -> None:
        if isinstance(event, StageEvent) and event.state != "started":
            stages[event.stage] = event
        report(event)

    return take


def record_build(done: BuildDone, stages: Mapping[str, StageEvent], notify: ReportProblem) -> RunRecord:
    """Saves and returns a build, with its target as the provider. stages: how each ended."""
    bundle = read_bundle(done.bundle)
    recipe = json.loads(bundle.text("recipe.json") or "{}")
    target = str(recipe.get("target", "cpu"))
    figures: dict[str, Figure] = {"seconds": done.seconds, "bytes": done.bytes}
    if recipe.get("preset"):
        figures["preset"] = str(recipe["preset"])
    figures |= {f"{name}_s": stage.seconds for name, stage in stages.items() if stage.state == "done"}
    figures |= {f"{name}_peak_mib": stage.peak_mib for name, stage in stages.items() if stage.state == "done"}
    if done.streamed:
        figures["streamed"] = 1
    if done.cost is not None and done.cost.positions:
        figures |= {name: getattr(done.cost, name) for name in ("positions", "top1_agreement", "kl_mean")}
        perplexity = done.cost.perplexity
        figures |= {"perplexity": perplexity.candidate, "perplexity_reference": perplexity.reference}
    figures["peak_mib"] = max((stage.peak_mib for stage in stages.values()), default=0.0)
    return _save(_new_run("build", bundle, target, figures), (), notify)


def _of_generation(done: GenerationDone, steps: list[RunStep]) -> dict[str, Figure]:
    later = [step.latency_ms for step in steps[1:]]
    points = np.percentile(later, [50, 95, 99]) if later else [None] * 3
    return {
        "prompt_tokens": len(done.prompt_ids),
        "new_tokens": len(done.token_ids),
        "ttft_ms": round(done.ttft_ms, 4),
        "prefill_tokens_per_s": round(done.prefill_tokens_per_s, 2),
        "decode_tokens_per_s": round(done.decode_tokens_per_s, 2),
        **{
            f"{name}_ms": None if point is None else round(float(point), 4)
            for name, point in zip(("p50", "p95", "p99"), points, strict=True)
        },
        "finish_reason": done.finish_reason,
        "cache_used": done.cache.used,
        "cache_capacity": done.cache.capacity,
        "cache_bytes": done.cache.bytes,
        "rss_bytes": psutil.Process().memory_info().rss,
    }


def _of_row(row: CompositeRow | SingleRow) -> dict[str, Figure]:
    spread = row.inter_token_ms if isinstance(row, CompositeRow) else row.latency_ms
    figures: dict[str, Figure] = {"repeats": row.repeats, "peak_rss_bytes": row.peak_rss_bytes}
    figures |= {"p50_ms": spread.p50, "p95_ms": spread.p95, "p99_ms": spread.p99}
    if isinstance(row, SingleRow):
        return figures | {"runs_per_s": row.runs_per_s}
    named = ("prompt_tokens", "new_tokens", "ttft_ms", "prefill_tokens_per_s", "decode_tokens_per_s")
    figures |= {name: getattr(row, name) for name in named} | {"roofline_share": row.roofline.share}
    if row.drafts is not None:
        figures |= _of_drafts(row.drafts.name, row.drafts) | {"speedup": row.drafts.speedup}
    return figures


def _of_drafts(name: str, use: SpeculationUse | DraftFigures) -> dict[str, Figure]:
    """The figures of drafts. name: of their proposer."""
    named = ("drafted", "accepted", "steps", "kept", "accept_rate", "tokens_per_step")
    return {"drafts": name} | {one: getattr(use, one) for one in named}


def _new_run(
    kind: Kind, bundle: Bundle, provider: str, figures: Mapping[str, Figure], layout: str | None = None
) -> RunRecord:
    """A run of this machine, now. layout: where it is not the bundle's."""
    facts = bundle.pipeline.metadata
    return RunRecord(
        id=new_id(),
        kind=kind,
        time=current_time(),
        bundle=str(bundle.folder.resolve()),
        name=facts.name or bundle.folder.name,
        digest=short_digest(bundle.digest),
        precision=facts.precision,
        layout=facts.layout if layout is None else layout,
        provider=provider,
        version=version_of(provider),
        machine=machine_description(),
        figures=dict(figures),
    )


def _save(run: RunRecord, steps: Iterable[RunStep], notify: ReportProblem) -> RunRecord:
    """Saves a run in the history and returns it; a failure is reported."""
    folder = outbox()
    try:
        if folder is not None:
            post_run(folder, run.id, dumps(RunReport(run, list(steps))))
        else:
            RunHistory(on_problem=notify).add(run, list(steps))
    except (OSError, JoineryError) as error:
        notify(f"The run could not be kept in the history: {printable(error, 200)}")
    return run


def version_of(provider: str) -> str:
    """The package and version of the main provider."""
    import onnxruntime as ort

    from workflows.runtime import PROVIDERS

    own = PROVIDERS.get(provider.partition(",")[0])
    if own is None or not (own.package and own.installed):  # of a build for what is not here
        return f"onnxruntime {ort.__version__}"
    return f"{own.brought_by} {own.version()}"


def machine_description() -> str:
    memory = psutil.virtual_memory().total / 2**30
    cores = psutil.cpu_count(logical=False) or 1
    return f"{platform.machine()}, {cores} cores, {memory:.1f} GiB, {platform.system()} {platform.release()}"


def to_stderr(message: str) -> None:
    """Reports a problem on the command line."""
    sys.stderr.write(f"joinery: {message}\n")

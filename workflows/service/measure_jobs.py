"""Jobs that inspect, check and measure; they keep nothing open."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from pathlib import Path

from workflows.service.job_context import JobContext
from workflows.wire import requests as ask
from workflows.wire.events import Event, ProgressEvent, ResultEvent
from workflows.wire.reports.base import Done
from workflows.wire.reports.bench import BenchReport
from workflows.wire.reports.devices import DevicesReport


@singledispatch
def run_measure_job(request: ask.Request[object], context: JobContext) -> Iterator[Event]:
    """Runs a job and yields its events, the answer last. Raises JoineryError."""
    raise NotImplementedError(request.job)


@run_measure_job.register
def inspect(request: ask.InspectPath, context: JobContext) -> Iterator[Event]:
    """Inspects a bundle or a graph."""
    from workflows.inspection.contents import inspect_path

    yield ResultEvent(value=inspect_path(request.path))


@run_measure_job.register
def verify(request: ask.VerifyBundle, context: JobContext) -> Iterator[Event]:
    """Checks a bundle's files against its manifest."""
    from workflows.inspection.contents import check_bundle

    yield ResultEvent(value=check_bundle(request.bundle, context.cancelled))


@run_measure_job.register
def form(request: ask.CheckConstraint, context: JobContext) -> Iterator[Event]:
    """Compiles a constraint on replies."""
    from workflows.generate.grammar import ReplyForm, check_form

    check_form(ReplyForm(request.form, request.text))
    yield ResultEvent(value=Done())


@run_measure_job.register
def prune(request: ask.PruneRuns, context: JobContext) -> Iterator[Event]:
    """Removes old runs of the history."""
    from workflows.measure.history import RunHistory

    RunHistory(on_problem=context.notify_history).prune(request.keep)
    yield ResultEvent(value=Done())


@run_measure_job.register
def devices(request: ask.ListDevices, context: JobContext) -> Iterator[Event]:
    """Lists the execution providers."""
    from workflows.runtime import devices

    yield ResultEvent(value=DevicesReport(devices()))


@run_measure_job.register
def install(request: ask.InstallPlugin, context: JobContext) -> Iterator[Event]:
    """Installs a provider's plugin."""
    from workflows.runtime import devices
    from workflows.runtime.providers.install import install_plugin

    install_plugin(request.provider, context.report, context.cancelled)
    yield ResultEvent(value=DevicesReport(devices()))


@run_measure_job.register
def uninstall(request: ask.RemovePlugin, context: JobContext) -> Iterator[Event]:
    """Removes a provider's plugin."""
    from workflows.runtime import devices
    from workflows.runtime.providers.install import remove_plugin

    remove_plugin(request.provider, context.report, context.cancelled)
    yield ResultEvent(value=DevicesReport(devices()))


@run_measure_job.register
def plugin(request: ask.DescribePlugin, context: JobContext) -> Iterator[Event]:
    """Describes what pip would install or remove."""
    from workflows.runtime.providers.install import describe_plugin

    yield ResultEvent(value=describe_plugin(request.provider))


@run_measure_job.register
def preflight(request: ask.Preflight, context: JobContext) -> Iterator[Event]:
    """Tries a bundle on a provider."""
    from workflows.inspection.preflight import preflight

    yield ResultEvent(value=preflight(Path(request.bundle), request.provider, cancelled=context.cancelled))


@run_measure_job.register
def compile(request: ask.Compile, context: JobContext) -> Iterator[Event]:
    """Compiles a bundle's graphs for a provider."""
    from workflows.runtime.providers.context_compiler import compile_bundle

    def report_line(line: str) -> None:
        context.report(ProgressEvent(stage="compile", message=line))

    yield ResultEvent(
        value=compile_bundle(
            Path(request.bundle), request.provider, on_progress=report_line, cancelled=context.cancelled
        )
    )


@run_measure_job.register
def bench(request: ask.Bench, context: JobContext) -> Iterator[Event]:
    """Measures a bundle's speed."""
    from workflows.measure.bench import BenchLoad, bench
    from workflows.measure.recording import record_bench

    rows = bench(
        request.bundle,
        request.providers,
        BenchLoad(request.prompt_tokens, request.new_tokens, request.repeats),
        report=context.report,
        cancelled=context.cancelled,
    )
    record_bench(request.bundle, rows, context.notify_history)
    yield ResultEvent(value=BenchReport(rows))


@run_measure_job.register
def profile(request: ask.Profile, context: JobContext) -> Iterator[Event]:
    """Measures the time of each node."""
    from workflows.inspection.node_profile import profile

    path, steps = Path(request.path), request.steps
    report = profile(
        path, request.provider, request.component, steps=steps, report=context.report, cancelled=context.cancelled
    )
    yield ResultEvent(value=report)


@run_measure_job.register
def eval(request: ask.Eval, context: JobContext) -> Iterator[Event]:
    """Compares a bundle with another one or a checkpoint."""
    from workflows.build.evaluate import EvalRequest, evaluate
    from workflows.generate.prompt_sets import QUESTIONS
    from workflows.measure.recording import record_eval

    eval_request = EvalRequest(
        Path(request.bundle),
        request.against,
        Path(request.prompts) if request.prompts else None,
        request.steps,
        QUESTIONS if request.questions is None else request.questions,
        request.suggest,
        request.trust_remote_code,
        frozenset(request.consented),
        request.task,
    )
    report = evaluate(eval_request, *context)
    record_eval(request.bundle, request.against, report, context.notify_history)
    yield ResultEvent(value=report)


@run_measure_job.register
def report(request: ask.WriteReport, context: JobContext) -> Iterator[Event]:
    """Writes a report."""
    from workflows.inspection.report.report_files import write_bundle, write_runs
    from workflows.measure.history import RunHistory

    history, out = RunHistory(on_problem=context.notify_history), Path(request.out)
    if request.bundle:
        yield ResultEvent(value=write_bundle(history, request.bundle, out))
    else:
        yield ResultEvent(value=write_runs(history, request.runs, out))


@run_measure_job.register
def diverge(request: ask.Diverge, context: JobContext) -> Iterator[Event]:
    """Finds the first node at which two runs differ."""
    from workflows.evaluation.divergence import SubjectOptions, diverge

    a, b = (SubjectOptions(Path(one.bundle), one.stage, one.provider) for one in (request.a, request.b))
    prompt = request.prompt if request.prompt is not None else request.prompt_ids or ()
    report = diverge(a, b, prompt, steps=request.steps, report=context.report, cancelled=context.cancelled)
    yield ResultEvent(value=report)

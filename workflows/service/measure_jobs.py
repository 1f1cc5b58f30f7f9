"""Jobs that look at what is there, try it and measure it: nothing stays open after them."""

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
def run_measure_job(request: ask.Request[object], told: JobContext) -> Iterator[Event]:
    """The events of such a job, the answer last. Raises JoineryError, one sentence, where it fails."""
    raise NotImplementedError(request.job)


@run_measure_job.register
def inspect(request: ask.InspectPath, told: JobContext) -> Iterator[Event]:
    """What a bundle or a graph holds."""
    from workflows.inspection.contents import inspect_path

    yield ResultEvent(value=inspect_path(request.path))


@run_measure_job.register
def verify(request: ask.VerifyBundle, told: JobContext) -> Iterator[Event]:
    """Every file against the manifest."""
    from workflows.inspection.contents import check_bundle

    yield ResultEvent(value=check_bundle(request.bundle, told.cancelled))


@run_measure_job.register
def form(request: ask.CheckConstraint, told: JobContext) -> Iterator[Event]:
    """A form that replies may be held to, compiled."""
    from workflows.generate.grammar import ReplyForm, check_form

    check_form(ReplyForm(request.form, request.text))
    yield ResultEvent(value=Done())


@run_measure_job.register
def prune(request: ask.PruneRuns, told: JobContext) -> Iterator[Event]:
    """The history, cut."""
    from workflows.measure.history import RunHistory

    RunHistory(told=told.say).prune(request.keep)
    yield ResultEvent(value=Done())


@run_measure_job.register
def devices(request: ask.ListDevices, told: JobContext) -> Iterator[Event]:
    """The execution providers."""
    from workflows.runtime import devices

    yield ResultEvent(value=DevicesReport(devices()))


@run_measure_job.register
def install(request: ask.InstallPlugin, told: JobContext) -> Iterator[Event]:
    """A provider's plugin, and what there is with it."""
    from workflows.runtime import devices
    from workflows.runtime.providers.install import install_plugin

    install_plugin(request.provider, told.report, told.cancelled)
    yield ResultEvent(value=DevicesReport(devices()))


@run_measure_job.register
def uninstall(request: ask.RemovePlugin, told: JobContext) -> Iterator[Event]:
    """What there is without a provider's plugin."""
    from workflows.runtime import devices
    from workflows.runtime.providers.install import remove_plugin

    remove_plugin(request.provider, told.report, told.cancelled)
    yield ResultEvent(value=DevicesReport(devices()))


@run_measure_job.register
def plugin(request: ask.DescribePlugin, told: JobContext) -> Iterator[Event]:
    """What pip would do."""
    from workflows.runtime.providers.install import describe_plugin

    yield ResultEvent(value=describe_plugin(request.provider))


@run_measure_job.register
def preflight(request: ask.Preflight, told: JobContext) -> Iterator[Event]:
    """A bundle tried on a provider."""
    from workflows.inspection.preflight import preflight

    yield ResultEvent(value=preflight(Path(request.bundle), request.provider, cancelled=told.cancelled))


@run_measure_job.register
def compile(request: ask.Compile, told: JobContext) -> Iterator[Event]:
    """A bundle's graphs, for a provider."""
    from workflows.runtime.providers.context_compiler import compile_bundle

    def tell(line: str) -> None:
        told.report(ProgressEvent(stage="compile", message=line))

    yield ResultEvent(
        value=compile_bundle(Path(request.bundle), request.provider, on_progress=tell, cancelled=told.cancelled)
    )


@run_measure_job.register
def bench(request: ask.Bench, told: JobContext) -> Iterator[Event]:
    """How fast it is."""
    from workflows.measure.bench import BenchLoad, bench
    from workflows.measure.recording import record_bench

    rows = bench(
        request.bundle,
        request.providers,
        BenchLoad(request.prompt_tokens, request.new_tokens, request.repeats),
        report=told.report,
        cancelled=told.cancelled,
    )
    record_bench(request.bundle, rows, told.say)
    yield ResultEvent(value=BenchReport(rows))


@run_measure_job.register
def profile(request: ask.Profile, told: JobContext) -> Iterator[Event]:
    """How long each node takes."""
    from workflows.inspection.node_profile import profile

    path, steps = Path(request.path), request.steps
    found = profile(
        path, request.provider, request.component, steps=steps, report=told.report, cancelled=told.cancelled
    )
    yield ResultEvent(value=found)


@run_measure_job.register
def eval(request: ask.Eval, told: JobContext) -> Iterator[Event]:
    """How far it is from another."""
    from workflows.build.evaluate import EvalRequest, evaluate
    from workflows.generate.prompt_sets import QUESTIONS
    from workflows.measure.recording import record_eval

    wanted = EvalRequest(
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
    found = evaluate(wanted, *told)
    record_eval(request.bundle, request.against, found, told.say)
    yield ResultEvent(value=found)


@run_measure_job.register
def report(request: ask.WriteReport, told: JobContext) -> Iterator[Event]:
    """What was measured, in a file for others."""
    from workflows.inspection.report.report_files import write_bundle, write_runs
    from workflows.measure.history import RunHistory

    history, out = RunHistory(told=told.say), Path(request.out)
    if request.bundle:
        yield ResultEvent(value=write_bundle(history, request.bundle, out))
    else:
        yield ResultEvent(value=write_runs(history, request.runs, out))


@run_measure_job.register
def diverge(request: ask.Diverge, told: JobContext) -> Iterator[Event]:
    """Where two runs part."""
    from workflows.evaluation.divergence import SubjectOptions, diverge

    a, b = (SubjectOptions(Path(one.bundle), one.stage, one.provider) for one in (request.a, request.b))
    prompt = request.prompt if request.prompt is not None else request.prompt_ids or ()
    found = diverge(a, b, prompt, steps=request.steps, report=told.report, cancelled=told.cancelled)
    yield ResultEvent(value=found)

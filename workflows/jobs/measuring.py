"""Jobs that look at what is there, try it and measure it: nothing stays open after them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from pathlib import Path

from workflows.jobs.told import Told
from workflows.wire import requests as ask
from workflows.wire.events import Event, ProgressEvent, ResultEvent
from workflows.wire.reports.base import Done
from workflows.wire.reports.bench import BenchReport
from workflows.wire.reports.devices import DevicesReport


@singledispatch
def measure(request: ask.Request[object], told: Told) -> Iterator[Event]:
    """The events of such a job, the answer last. Raises JoineryError, one sentence, where it fails."""
    raise NotImplementedError(request.job)


@measure.register
def inspect(request: ask.Inspect, told: Told) -> Iterator[Event]:
    """What a bundle or a graph holds."""
    from workflows.inspection.contents import inspect_path

    yield ResultEvent(value=inspect_path(request.path))


@measure.register
def verify(request: ask.Verify, told: Told) -> Iterator[Event]:
    """Every file against the manifest."""
    from workflows.inspection.contents import check_bundle

    yield ResultEvent(value=check_bundle(request.bundle, told.cancelled))


@measure.register
def form(request: ask.CheckForm, told: Told) -> Iterator[Event]:
    """A form that replies may be held to, compiled."""
    from workflows.generate.grammar import Asked, check_form

    check_form(Asked(request.form, request.text))
    yield ResultEvent(value=Done())


@measure.register
def prune(request: ask.PruneRuns, told: Told) -> Iterator[Event]:
    """The history, cut."""
    from workflows.measure.history import History

    History(told=told.say).prune(request.keep)
    yield ResultEvent(value=Done())


@measure.register
def devices(request: ask.ListDevices, told: Told) -> Iterator[Event]:
    """The execution providers."""
    from workflows.runtime import devices

    yield ResultEvent(value=DevicesReport(devices()))


@measure.register
def install(request: ask.InstallPlugin, told: Told) -> Iterator[Event]:
    """A provider's plugin, and what there is with it."""
    from workflows.runtime import devices
    from workflows.runtime.providers.install import install_plugin

    install_plugin(request.provider, told.report, told.cancelled)
    yield ResultEvent(value=DevicesReport(devices()))


@measure.register
def uninstall(request: ask.RemovePlugin, told: Told) -> Iterator[Event]:
    """What there is without a provider's plugin."""
    from workflows.runtime import devices
    from workflows.runtime.providers.install import remove_plugin

    remove_plugin(request.provider, told.report, told.cancelled)
    yield ResultEvent(value=DevicesReport(devices()))


@measure.register
def plugin(request: ask.DescribePlugin, told: Told) -> Iterator[Event]:
    """What pip would do."""
    from workflows.runtime.providers.install import describe_plugin

    yield ResultEvent(value=describe_plugin(request.provider))


@measure.register
def preflight(request: ask.Preflight, told: Told) -> Iterator[Event]:
    """A bundle tried on a provider."""
    from workflows.inspection.preflight import preflight

    yield ResultEvent(value=preflight(Path(request.bundle), request.provider, cancelled=told.cancelled))


@measure.register
def compile(request: ask.Compile, told: Told) -> Iterator[Event]:
    """A bundle's graphs, for a provider."""
    from workflows.runtime.compile import compile_bundle

    def tell(line: str) -> None:
        told.report(ProgressEvent(stage="compile", message=line))

    yield ResultEvent(
        value=compile_bundle(Path(request.bundle), request.provider, heard=tell, cancelled=told.cancelled)
    )


@measure.register
def bench(request: ask.Bench, told: Told) -> Iterator[Event]:
    """How fast it is."""
    from workflows.measure.bench import Load, bench
    from workflows.measure.recording import record_bench

    rows = bench(
        request.bundle,
        request.providers,
        Load(request.prompt_tokens, request.new_tokens, request.repeats),
        report=told.report,
        cancelled=told.cancelled,
    )
    record_bench(request.bundle, rows, told.say)
    yield ResultEvent(value=BenchReport(rows))


@measure.register
def profile(request: ask.Profile, told: Told) -> Iterator[Event]:
    """How long each node takes."""
    from workflows.inspection.node_profile import profile

    path, steps = Path(request.path), request.steps
    found = profile(
        path, request.provider, request.component, steps=steps, report=told.report, cancelled=told.cancelled
    )
    yield ResultEvent(value=found)


@measure.register
def eval(request: ask.Eval, told: Told) -> Iterator[Event]:
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


@measure.register
def report(request: ask.WriteReport, told: Told) -> Iterator[Event]:
    """What was measured, in a file for others."""
    from workflows.inspection.report.report_files import write_bundle, write_runs
    from workflows.measure.history import History

    history, out = History(told=told.say), Path(request.out)
    if request.bundle:
        yield ResultEvent(value=write_bundle(history, request.bundle, out))
    else:
        yield ResultEvent(value=write_runs(history, request.runs, out))


@measure.register
def diverge(request: ask.Diverge, told: Told) -> Iterator[Event]:
    """Where two runs part."""
    from workflows.evaluation.divergence import SubjectOptions, diverge

    a, b = (SubjectOptions(Path(one.bundle), one.stage, one.provider) for one in (request.a, request.b))
    prompt = request.prompt if request.prompt is not None else request.prompt_ids or ()
    found = diverge(a, b, prompt, steps=request.steps, report=told.report, cancelled=told.cancelled)
    yield ResultEvent(value=found)

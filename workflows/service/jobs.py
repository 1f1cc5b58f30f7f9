"""Jobs that keep nothing open: one function per request, which yields events, the answer last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workflows.common.errors import JoineryError
from workflows.process.sandbox import OnFetched, keep_network
from workflows.wire import requests
from workflows.wire.events import Event, NoticeEvent, ProgressEvent, ResultEvent, StageEvent
from workflows.wire.reports.base import Done
from workflows.wire.reports.bench import BenchReport
from workflows.wire.reports.composite import AssemblyReport
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.reports.tuning import TuneReport

if TYPE_CHECKING:
    from workflows.evaluation.divergence import SubjectOptions

WAVEFORM_RATE = 8000
"""The rate at which a sound is decoded for its waveform, in Hz: four hours take 460 MB then."""


class JobContext(NamedTuple):
    """Context passed to every job.

    report: sink of its events. cancelled: whether it is to stop. on_fetched: called once the job needs no network.
    """

    report: Callable[[Event], None]
    cancelled: Callable[[], bool]
    on_fetched: OnFetched = keep_network

    def notify_history(self, message: str) -> None:
        """Reports a problem with the history of runs, which does not affect the job itself."""
        self.report(NoticeEvent(code="history", message=message))


@singledispatch
def run_job(request: requests.Request[object], context: JobContext) -> Iterator[Event]:
    """Runs a job and yields its events, the answer last. Raises JoineryError."""
    raise NotImplementedError(request.job)


# -- builds ----------------------------------------------------------------------------------------------------


@run_job.register
def probe(request: requests.ProbeSource, context: JobContext) -> Iterator[Event]:
    """Describes a source."""
    from workflows.inspection.probe import probe

    yield ResultEvent(value=probe(request.source, context.report, context.cancelled))


@run_job.register
def recipe(request: requests.PlanRecipe, context: JobContext) -> Iterator[Event]:
    """Plans a build."""
    from workflows.inspection.probe import plan

    yield ResultEvent(value=plan(request.source, _set_options(request.options), context.cancelled))


@run_job.register
def warm_up(request: requests.PreloadModules, context: JobContext) -> Iterator[Event]:
    """Imports the modules of a build."""
    from workflows.builder.warmup import warm_up

    warm_up()
    yield ResultEvent(value=Done())


@run_job.register
def build(request: requests.Build, context: JobContext) -> Iterator[Event]:
    """Builds a bundle."""
    from workflows.builder import BuildRequest, build
    from workflows.measure.recording import collect_stages, record_build

    build_request = BuildRequest(
        request.source,
        Path(request.out),
        _set_options(request.options),
        request.trust_remote_code,
        request.force,
        frozenset(request.consented),
        request.goal,
    )
    stages: dict[str, StageEvent] = {}
    done = build(build_request, collect_stages(context.report, stages), context.cancelled, context.on_fetched)
    record_build(done, stages, context.notify_history)
    yield done


@run_job.register
def import_genai(request: requests.ImportGenai, context: JobContext) -> Iterator[Event]:
    """Imports a folder of onnxruntime-genai as a bundle."""
    from workflows.interop.genai_import import import_genai

    folder, out = Path(request.folder), Path(request.out)
    yield import_genai(folder, out, force=request.force, report=context.report, cancelled=context.cancelled)


@run_job.register
def export_genai(request: requests.ExportGenai, context: JobContext) -> Iterator[Event]:
    """Exports a bundle as a folder of onnxruntime-genai."""
    from workflows.interop.genai_export import export_genai

    yield export_genai(
        Path(request.bundle),
        Path(request.out),
        version=request.version,
        link=request.link,
        report=context.report,
        cancelled=context.cancelled,
    )


@run_job.register
def export_gguf(request: requests.ExportGguf, context: JobContext) -> Iterator[Event]:
    """Writes a bundle as a GGUF file."""
    from workflows.interop.gguf_export.export import export_gguf

    yield export_gguf(
        Path(request.bundle),
        Path(request.out),
        round_scales=request.round_scales,
        report=context.report,
        cancelled=context.cancelled,
    )


@run_job.register
def plan_assembly(request: requests.PlanAssembly, context: JobContext) -> Iterator[Event]:
    """Infers the pipeline of single graphs."""
    from workflows.interop.assemble import infer_assembly, read_keys

    files, tokenizer = _assembly_paths(request.files, request.tokenizer)
    assembly = infer_assembly(files, read_keys(Path(request.pipeline)) if request.pipeline else None, tokenizer)
    route = assembly.pipeline.route if assembly.pipeline is not None else ""
    yield ResultEvent(value=AssemblyReport(route, assembly.composite, list(assembly.problems), list(assembly.done)))


@run_job.register
def assemble(request: requests.Assemble, context: JobContext) -> Iterator[Event]:
    """Assembles graphs to a bundle."""
    from workflows.interop.assemble import assemble, read_keys

    files, tokenizer = _assembly_paths(request.files, request.tokenizer)
    keys = read_keys(Path(request.pipeline)) if request.pipeline else None
    out = Path(request.out)
    yield assemble(files, out, keys, tokenizer, force=request.force, report=context.report, cancelled=context.cancelled)


# -- inspecting, checking and measuring ------------------------------------------------------------------------


@run_job.register
def inspect(request: requests.InspectPath, context: JobContext) -> Iterator[Event]:
    """Inspects a bundle or a graph."""
    from workflows.inspection.contents import inspect_path

    yield ResultEvent(value=inspect_path(request.path))


@run_job.register
def verify(request: requests.VerifyBundle, context: JobContext) -> Iterator[Event]:
    """Checks a bundle's files against its manifest."""
    from workflows.inspection.verification import verify_with_installed

    yield ResultEvent(value=verify_with_installed(request.bundle, context.cancelled))


@run_job.register
def sound(request: requests.DescribeSound, context: JobContext) -> Iterator[Event]:
    """Decodes a sound file for its waveform."""
    from workflows.media import read_sound
    from workflows.media.sound import sound_envelope
    from workflows.wire.reports.sound import SoundReport

    decoded = read_sound(Path(request.path), WAVEFORM_RATE)
    peaks = sound_envelope(decoded.samples, request.columns)
    report = SoundReport(decoded.duration, decoded.original_rate, decoded.original_channels, peaks)
    yield ResultEvent(value=report)


@run_job.register
def form(request: requests.CheckConstraint, context: JobContext) -> Iterator[Event]:
    """Compiles a constraint on replies."""
    from workflows.generate.grammar import ReplyForm, check_form

    check_form(ReplyForm(request.form, request.text))
    yield ResultEvent(value=Done())


@run_job.register
def prune(request: requests.PruneRuns, context: JobContext) -> Iterator[Event]:
    """Removes old runs of the history."""
    from workflows.measure.history import RunHistory

    RunHistory(on_problem=context.notify_history).prune(request.keep)
    yield ResultEvent(value=Done())


@run_job.register
def devices(request: requests.ListDevices, context: JobContext) -> Iterator[Event]:
    """Lists the execution providers, and what a bundle takes of the memory."""
    from workflows.bundle import read_bundle
    from workflows.runtime import devices
    from workflows.runtime.loading.memory_plan import cpu_memory

    memory = None
    if request.bundle:
        with suppress(JoineryError):  # a damaged bundle hides no device; opening it says what is wrong
            memory = cpu_memory(read_bundle(request.bundle))
    yield ResultEvent(value=DevicesReport(devices(), memory))


@run_job.register
def install(request: requests.InstallPlugin, context: JobContext) -> Iterator[Event]:
    """Installs a provider's plugin."""
    from workflows.runtime import devices
    from workflows.runtime.providers.install import install_plugin

    install_plugin(request.provider, context.report, context.cancelled)
    yield ResultEvent(value=DevicesReport(devices()))


@run_job.register
def capabilities(request: requests.DescribeCapabilities, context: JobContext) -> Iterator[Event]:
    """Describes what this machine can do."""
    from workflows.inspection.capabilities import describe_capabilities

    yield ResultEvent(value=describe_capabilities(Path(request.folder)))


@run_job.register
def uninstall(request: requests.RemovePlugin, context: JobContext) -> Iterator[Event]:
    """Removes a provider's plugin."""
    from workflows.runtime import devices
    from workflows.runtime.providers.install import remove_plugin

    remove_plugin(request.provider, context.report, context.cancelled)
    yield ResultEvent(value=DevicesReport(devices()))


@run_job.register
def plugin(request: requests.DescribePlugin, context: JobContext) -> Iterator[Event]:
    """Describes what pip would install or remove."""
    from workflows.runtime.providers.install import describe_plugin

    yield ResultEvent(value=describe_plugin(request.provider))


@run_job.register
def part(request: requests.DescribePart, context: JobContext) -> Iterator[Event]:
    """Describes the build part."""
    from workflows.service.build_part import describe_build_part

    yield ResultEvent(value=describe_build_part())


@run_job.register
def install_part(request: requests.InstallPart, context: JobContext) -> Iterator[Event]:
    """Installs the build part."""
    from workflows.service.build_part import describe_build_part, install_build_part

    install_build_part(context.report, context.cancelled)
    yield ResultEvent(value=describe_build_part())


@run_job.register
def add_machine(request: requests.AddMachine, context: JobContext) -> Iterator[Event]:
    """Adds a machine and checks it."""
    from workflows.process import machines
    from workflows.service.remote.machine_check import check

    machine = machines.RemoteMachine(request.name, request.address, request.path)
    machines.add_machine(machine)
    yield ResultEvent(value=check(machine, context.cancelled))


@run_job.register
def check_machine(request: requests.CheckMachine, context: JobContext) -> Iterator[Event]:
    """Checks a machine."""
    from workflows.process.machines import machine_named
    from workflows.service.remote.machine_check import check

    yield ResultEvent(value=check(machine_named(request.name), context.cancelled))


@run_job.register
def preflight(request: requests.Preflight, context: JobContext) -> Iterator[Event]:
    """Tries a bundle on a provider."""
    from workflows.inspection.preflight import preflight

    yield ResultEvent(value=preflight(Path(request.bundle), request.provider, cancelled=context.cancelled))


@run_job.register
def compile(request: requests.Compile, context: JobContext) -> Iterator[Event]:
    """Compiles a bundle's graphs for a provider."""
    from workflows.runtime.providers.context_compiler import compile_bundle

    def report_line(line: str) -> None:
        context.report(ProgressEvent(stage="compile", message=line))

    yield ResultEvent(
        value=compile_bundle(
            Path(request.bundle), request.provider, on_progress=report_line, cancelled=context.cancelled
        )
    )


@run_job.register
def bench(request: requests.Bench, context: JobContext) -> Iterator[Event]:
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


@run_job.register
def tune(request: requests.Tune, context: JobContext) -> Iterator[Event]:
    """Times int4 formats, widths of prompt runs and numbers of threads on this processor."""
    from workflows.evaluation.tuning.source import tune_for

    tuning = tune_for(request.source, context.report, context.cancelled)
    best = tuning.fastest()
    share = round(best.step_ms / tuning.default.step_ms, 3)
    threads = tuning.fastest_threads()
    yield ResultEvent(
        value=TuneReport(
            tuning.processor, best.block_size, best.symmetric, share, tuning.others, threads, tuning.fastest_width()
        )
    )


@run_job.register
def profile(request: requests.Profile, context: JobContext) -> Iterator[Event]:
    """Measures the time of each node."""
    from workflows.inspection.node_profile import profile

    path, steps = Path(request.path), request.steps
    report = profile(
        path, request.provider, request.component, steps=steps, report=context.report, cancelled=context.cancelled
    )
    yield ResultEvent(value=report)


@run_job.register
def eval(request: requests.Eval, context: JobContext) -> Iterator[Event]:
    """Compares a bundle with another one or a checkpoint."""
    from workflows.builder.evaluate import EvalRequest, evaluate
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


@run_job.register
def eval_tasks(request: requests.EvalTasks, context: JobContext) -> Iterator[Event]:
    """Scores a bundle in tasks of lm-eval."""
    from workflows.evaluation.harness_tasks import run_tasks
    from workflows.measure.recording import record_tasks

    report = run_tasks(Path(request.bundle), request.tasks, request.limit, *context)
    record_tasks(request.bundle, report, context.notify_history)
    yield ResultEvent(value=report)


@run_job.register
def sweep(request: requests.RunSweep, context: JobContext) -> Iterator[Event]:
    """Runs the steps of a plan, each in a process of its own."""
    from workflows.service.sweep.run import SweepRequest, run_sweep

    wanted = SweepRequest(
        Path(request.plan), Path(request.out), request.workers, request.scheduler, request.retry_failed
    )
    yield ResultEvent(value=run_sweep(wanted, context.report, context.cancelled))


@run_job.register
def report(request: requests.WriteReport, context: JobContext) -> Iterator[Event]:
    """Writes a report."""
    from workflows.inspection.report.report_files import write_bundle, write_runs
    from workflows.measure.history import RunHistory

    history, out = RunHistory(on_problem=context.notify_history), Path(request.out)
    if request.bundle:
        yield ResultEvent(value=write_bundle(history, request.bundle, out))
    else:
        yield ResultEvent(value=write_runs(history, request.runs, out))


@run_job.register
def diverge(request: requests.Diverge, context: JobContext) -> Iterator[Event]:
    """Finds the first node at which two runs differ."""
    from workflows.evaluation.divergence import diverge

    a, b, prompt = _compared(request)
    recorded = Path(request.recorded) if request.recorded else None
    report = diverge(
        a, b, prompt, steps=request.steps, report=context.report, cancelled=context.cancelled, recorded=recorded
    )
    yield ResultEvent(value=report)


@run_job.register
def record_values(request: requests.RecordValues, context: JobContext) -> Iterator[Event]:
    """Writes what the first side of a comparison computes."""
    from workflows.evaluation.divergence import record_values

    comparison = request.comparison
    record_values(*_compared(comparison), Path(request.path), steps=comparison.steps, cancelled=context.cancelled)
    yield ResultEvent(value=Done())


def _compared(request: requests.Diverge) -> tuple[SubjectOptions, SubjectOptions, str | Sequence[int]]:
    """The two sides and the prompt."""
    from workflows.evaluation.divergence import SubjectOptions

    a, b = (SubjectOptions(Path(one.bundle), one.stage, one.provider) for one in (request.a, request.b))
    return a, b, request.prompt if request.prompt is not None else request.prompt_ids or ()


def _set_options(options: requests.Options) -> requests.Options:
    """The options without those that are None."""
    return {name: value for name, value in options.items() if value is not None}


def _assembly_paths(files: Mapping[str, str], tokenizer: str) -> tuple[dict[str, Path], Path | None]:
    """The graphs' files by name and the tokenizer's folder, as paths."""
    return {name: Path(file) for name, file in files.items()}, Path(tokenizer) if tokenizer else None

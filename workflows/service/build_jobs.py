"""Jobs that write bundles or folders, and the requests before them; they keep nothing open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import singledispatch
from pathlib import Path

from workflows.service.job_context import JobContext
from workflows.wire import requests as ask
from workflows.wire.events import Event, ResultEvent, StageEvent
from workflows.wire.reports.assembly import AssemblyReport
from workflows.wire.reports.base import Done


@singledispatch
def run_build_job(request: ask.Request[object], context: JobContext) -> Iterator[Event]:
    """Runs a job and yields its events, the answer last. Raises JoineryError."""
    raise NotImplementedError(request.job)


@run_build_job.register
def probe(request: ask.ProbeSource, context: JobContext) -> Iterator[Event]:
    """Describes a source."""
    from workflows.inspection.probe import probe

    yield ResultEvent(value=probe(request.source, context.report, context.cancelled))


@run_build_job.register
def recipe(request: ask.PlanRecipe, context: JobContext) -> Iterator[Event]:
    """Plans a build."""
    from workflows.inspection.probe import plan

    yield ResultEvent(value=plan(request.source, _set_options(request.options), context.cancelled))


@run_build_job.register
def warm_up(request: ask.PreloadModules, context: JobContext) -> Iterator[Event]:
    """Imports the modules of a build."""
    from workflows.build.warmup import warm_up

    warm_up()
    yield ResultEvent(value=Done())


@run_build_job.register
def build(request: ask.Build, context: JobContext) -> Iterator[Event]:
    """Builds a bundle."""
    from workflows.build import BuildRequest, build
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


@run_build_job.register
def import_genai(request: ask.ImportGenai, context: JobContext) -> Iterator[Event]:
    """Imports a folder of onnxruntime-genai as a bundle."""
    from workflows.interop.genai_import import import_genai

    folder, out = Path(request.folder), Path(request.out)
    yield import_genai(folder, out, force=request.force, report=context.report, cancelled=context.cancelled)


@run_build_job.register
def export_genai(request: ask.ExportGenai, context: JobContext) -> Iterator[Event]:
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


@run_build_job.register
def plan_assembly(request: ask.PlanAssembly, context: JobContext) -> Iterator[Event]:
    """Infers the pipeline of single graphs."""
    from workflows.interop.assemble import infer_assembly, read_keys

    files, tokenizer = _assembly_paths(request.files, request.tokenizer)
    assembly = infer_assembly(files, read_keys(Path(request.pipeline)) if request.pipeline else None, tokenizer)
    route = assembly.pipeline.route if assembly.pipeline is not None else ""
    yield ResultEvent(value=AssemblyReport(route, assembly.composite, list(assembly.lacks), list(assembly.done)))


@run_build_job.register
def assemble(request: ask.Assemble, context: JobContext) -> Iterator[Event]:
    """Assembles graphs to a bundle."""
    from workflows.interop.assemble import assemble, read_keys

    files, tokenizer = _assembly_paths(request.files, request.tokenizer)
    keys = read_keys(Path(request.pipeline)) if request.pipeline else None
    out = Path(request.out)
    yield assemble(files, out, keys, tokenizer, force=request.force, report=context.report, cancelled=context.cancelled)


def _set_options(options: ask.Options) -> ask.Options:
    """The options without those that are None."""
    return {name: value for name, value in options.items() if value is not None}


def _assembly_paths(files: Mapping[str, str], tokenizer: str) -> tuple[dict[str, Path], Path | None]:
    """The graphs' files by name and the tokenizer's folder, as paths."""
    return {name: Path(file) for name, file in files.items()}, Path(tokenizer) if tokenizer else None

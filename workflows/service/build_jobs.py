"""Jobs that make a bundle, or a folder of one, and what is asked before: nothing stays open after them."""

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
def run_build_job(request: ask.Request[object], told: JobContext) -> Iterator[Event]:
    """The events of such a job, the answer last. Raises JoineryError, one sentence, where it fails."""
    raise NotImplementedError(request.job)


@run_build_job.register
def probe(request: ask.ProbeSource, told: JobContext) -> Iterator[Event]:
    """What a source is."""
    from workflows.inspection.probe import probe

    yield ResultEvent(value=probe(request.source, told.report, told.cancelled))


@run_build_job.register
def recipe(request: ask.PlanRecipe, told: JobContext) -> Iterator[Event]:
    """What a build would do."""
    from workflows.inspection.probe import plan

    yield ResultEvent(value=plan(request.source, _set_options(request.options), told.cancelled))


@run_build_job.register
def warm_up(request: ask.PreloadModules, told: JobContext) -> Iterator[Event]:
    """What a build imports."""
    from workflows.build.warmup import warm_up

    warm_up()
    yield ResultEvent(value=Done())


@run_build_job.register
def build(request: ask.Build, told: JobContext) -> Iterator[Event]:
    """A bundle."""
    from workflows.build import BuildRequest, build
    from workflows.measure.recording import collect_stages, record_build

    wanted = BuildRequest(
        request.source,
        Path(request.out),
        _set_options(request.options),
        request.trust_remote_code,
        request.force,
        frozenset(request.consented),
        request.goal,
    )
    stages: dict[str, StageEvent] = {}
    done = build(wanted, collect_stages(told.report, stages), told.cancelled, told.fetched)
    record_build(done, stages, told.say)
    yield done


@run_build_job.register
def import_genai(request: ask.ImportGenai, told: JobContext) -> Iterator[Event]:
    """A bundle of a peer's folder."""
    from workflows.interop.genai_import import import_genai

    folder, out = Path(request.folder), Path(request.out)
    yield import_genai(folder, out, force=request.force, report=told.report, cancelled=told.cancelled)


@run_build_job.register
def export_genai(request: ask.ExportGenai, told: JobContext) -> Iterator[Event]:
    """A peer's folder of a bundle."""
    from workflows.interop.genai_export import export_genai

    yield export_genai(
        Path(request.bundle),
        Path(request.out),
        version=request.version,
        link=request.link,
        report=told.report,
        cancelled=told.cancelled,
    )


@run_build_job.register
def plan_assembly(request: ask.PlanAssembly, told: JobContext) -> Iterator[Event]:
    """What graphs make together."""
    from workflows.interop.assemble import infer_assembly, read_keys

    files, words = _assembly_paths(request.files, request.tokenizer)
    found = infer_assembly(files, read_keys(Path(request.pipeline)) if request.pipeline else None, words)
    route = found.pipeline.route if found.pipeline is not None else ""
    yield ResultEvent(value=AssemblyReport(route, found.composite, list(found.lacks), list(found.done)))


@run_build_job.register
def assemble(request: ask.Assemble, told: JobContext) -> Iterator[Event]:
    """A bundle of graphs."""
    from workflows.interop.assemble import assemble, read_keys

    files, words = _assembly_paths(request.files, request.tokenizer)
    said = read_keys(Path(request.pipeline)) if request.pipeline else None
    out = Path(request.out)
    yield assemble(files, out, said, words, force=request.force, report=told.report, cancelled=told.cancelled)


def _set_options(options: ask.Options) -> ask.Options:
    """Without what is unset."""
    return {name: value for name, value in options.items() if value is not None}


def _assembly_paths(files: Mapping[str, str], tokenizer: str) -> tuple[dict[str, Path], Path | None]:
    """Paths of what the window names."""
    return {name: Path(file) for name, file in files.items()}, Path(tokenizer) if tokenizer else None

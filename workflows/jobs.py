"""What a worker does for the window: one method a request; each gives its events, the answer last.

    request ──Jobs.run──▶ the engine's function ──▶ events, and at last a ResultEvent or an event of its own kind

Each imports what it needs when it runs: the process is up before anything heavy is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import singledispatchmethod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workflows.errors import RequestError
from workflows.wire import requests as ask
from workflows.wire.events import Event, NoticeEvent, ProgressEvent, ResultEvent, StageEvent
from workflows.wire.reports.assembly import AssemblyReport
from workflows.wire.reports.base import Done
from workflows.wire.reports.bench import BenchReport
from workflows.wire.reports.devices import DevicesReport

if TYPE_CHECKING:
    from workflows.generate import Engine, Message, Tool
    from workflows.graphs import Graphs
    from workflows.graphs.where import Opened
    from workflows.runtime import Loading


class Told(NamedTuple):
    """Where a job's events go while it runs, and whether it is to stop."""

    report: Callable[[Event], None]
    cancelled: Callable[[], bool]

    def say(self, message: str) -> None:
        """What a person should know of the history of runs, which the job itself does not need."""
        self.report(NoticeEvent(code="history", message=message))


class Jobs:
    """Runs one request after another; keeps one bundle open between them, and the last few graphs."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._graphs: Graphs | None = None
        self._loading: Loading | None = None

    def stop(self) -> None:
        """Ends the loading or the step of the generation that is under way; may be called from another thread."""
        for one in (self._loading, self._engine):
            if one is not None:
                one.stop()

    @singledispatchmethod
    def run(self, request: ask.Request[object], told: Told) -> Iterator[Event]:
        """The events of a job, the answer last. Raises JoineryError, one sentence, where it fails."""
        raise NotImplementedError(request.job)

    # -- before a build, and the build -------------------------------------------------------------------------

    @run.register
    def probe(self, request: ask.Probe, told: Told) -> Iterator[Event]:
        """What a source is."""
        from workflows.probe import probe

        yield ResultEvent(value=probe(request.source, *told))

    @run.register
    def recipe(self, request: ask.PlanRecipe, told: Told) -> Iterator[Event]:
        """What a build would do."""
        from workflows.probe import plan

        yield ResultEvent(value=plan(request.source, _chosen(request.options), told.cancelled))

    @run.register
    def build(self, request: ask.Build, told: Told) -> Iterator[Event]:
        """A bundle."""
        from workflows.builder import BuildRequest, build
        from workflows.measure.recording import record_build, watched

        wanted = BuildRequest(
            request.source,
            Path(request.out),
            _chosen(request.options),
            request.trust_remote_code,
            request.force,
            frozenset(request.consented),
            request.goal,
        )
        stages: dict[str, StageEvent] = {}
        done = build(wanted, watched(told.report, stages), told.cancelled)
        record_build(done, stages, told.say)
        yield done

    # -- other people's graphs ---------------------------------------------------------------------------------

    @run.register
    def import_genai(self, request: ask.ImportGenai, told: Told) -> Iterator[Event]:
        """A bundle of a peer's folder."""
        from workflows.interchange.importing import import_genai

        folder, out = Path(request.folder), Path(request.out)
        yield import_genai(folder, out, force=request.force, report=told.report, cancelled=told.cancelled)

    @run.register
    def export_genai(self, request: ask.ExportGenai, told: Told) -> Iterator[Event]:
        """A peer's folder of a bundle."""
        from workflows.interchange.exporting import export_genai

        yield export_genai(
            Path(request.bundle),
            Path(request.out),
            version=request.version,
            link=request.link,
            report=told.report,
            cancelled=told.cancelled,
        )

    @run.register
    def plan_assembly(self, request: ask.PlanAssembly, told: Told) -> Iterator[Event]:
        """What graphs make together."""
        from workflows.interchange.assemble import infer_assembly, read_keys

        files, words = _assembled(request.files, request.tokenizer)
        found = infer_assembly(files, read_keys(Path(request.pipeline)) if request.pipeline else None, words)
        route = found.pipeline.route if found.pipeline is not None else ""
        yield ResultEvent(value=AssemblyReport(route, found.composite, list(found.lacks), list(found.done)))

    @run.register
    def assemble(self, request: ask.Assemble, told: Told) -> Iterator[Event]:
        """A bundle of graphs."""
        from workflows.interchange.assemble import assemble, read_keys

        files, words = _assembled(request.files, request.tokenizer)
        said = read_keys(Path(request.pipeline)) if request.pipeline else None
        out = Path(request.out)
        yield assemble(
            files, out, said, words, force=request.force, report=told.report, cancelled=told.cancelled
        )

    # -- what is there -----------------------------------------------------------------------------------------

    @run.register
    def inspect(self, request: ask.Inspect, told: Told) -> Iterator[Event]:
        """What a bundle or a graph holds."""
        from workflows.inspection import inspect_path

        yield ResultEvent(value=inspect_path(request.path))

    @run.register
    def graph(self, request: ask.ShowGraph, told: Told) -> Iterator[Event]:
        """Every node and value."""
        yield ResultEvent(value=self._shown(request.where).report())

    @run.register
    def diff(self, request: ask.Diff, told: Told) -> Iterator[Event]:
        """Two graphs as one."""
        from workflows.graphs import diff_graphs

        yield ResultEvent(value=diff_graphs(self._shown(request.before), self._shown(request.after)))

    @run.register
    def tensor(self, request: ask.DescribeTensor, told: Told) -> Iterator[Event]:
        """Statistics of an initializer."""
        from workflows.graphs import describe_tensor

        yield ResultEvent(value=describe_tensor(self._shown(request.where).file, request.name))

    @run.register
    def rounding(self, request: ask.Rounding, told: Told) -> Iterator[Event]:
        """How coarse its weights are."""
        from workflows.quantize.rounding import rounding

        yield ResultEvent(value=rounding(self._shown(request.where).file, *told))

    @run.register
    def netron(self, request: ask.Excerpt, told: Told) -> Iterator[Event]:
        """A small file for Netron."""
        from workflows.graphs import write_excerpt

        yield ResultEvent(value=write_excerpt(self._shown(request.where), request.scope))

    def _shown(self, where: ask.Where) -> Opened:
        """The graph that a job is about, read once while it is among the last few."""
        from workflows.graphs import Graphs, Where

        self._graphs = self._graphs or Graphs()
        return self._graphs.open(Where(Path(where.path), where.component, where.stage))

    @run.register
    def verify(self, request: ask.Verify, told: Told) -> Iterator[Event]:
        """Every file against the manifest."""
        from workflows.inspection import check_bundle

        yield ResultEvent(value=check_bundle(request.bundle, told.cancelled))

    @run.register
    def prune(self, request: ask.PruneRuns, told: Told) -> Iterator[Event]:
        """The history, cut."""
        from workflows.measure.history import History

        History(told=told.say).prune(request.keep)
        yield ResultEvent(value=Done())

    @run.register
    def devices(self, request: ask.ListDevices, told: Told) -> Iterator[Event]:
        """The execution providers."""
        from workflows.runtime import devices

        yield ResultEvent(value=DevicesReport(devices()))

    @run.register
    def install(self, request: ask.InstallPlugin, told: Told) -> Iterator[Event]:
        """A provider's plugin, and what there is with it."""
        from workflows.runtime import devices
        from workflows.runtime.providers.install import install_plugin

        install_plugin(request.provider, *told)
        yield ResultEvent(value=DevicesReport(devices()))

    @run.register
    def preflight(self, request: ask.Preflight, told: Told) -> Iterator[Event]:
        """A bundle tried on a provider."""
        from workflows.preflight import preflight

        yield ResultEvent(value=preflight(Path(request.bundle), request.provider, cancelled=told.cancelled))

    @run.register
    def compile(self, request: ask.Compile, told: Told) -> Iterator[Event]:
        """A bundle's graphs, for a provider."""
        from workflows.runtime.compile import compile_bundle

        def tell(line: str) -> None:
            told.report(ProgressEvent(stage="compile", message=line))

        yield ResultEvent(
            value=compile_bundle(Path(request.bundle), request.provider, heard=tell, cancelled=told.cancelled)
        )

    # -- measuring ---------------------------------------------------------------------------------------------

    @run.register
    def bench(self, request: ask.Bench, told: Told) -> Iterator[Event]:
        """How fast it is."""
        from workflows.measure.bench import bench
        from workflows.measure.recording import record_bench

        rows = bench(
            request.bundle,
            request.providers,
            prompt_tokens=request.prompt_tokens,
            new_tokens=request.new_tokens,
            repeats=request.repeats,
            report=told.report,
            cancelled=told.cancelled,
        )
        record_bench(request.bundle, rows, told.say)
        yield ResultEvent(value=BenchReport(rows))

    @run.register
    def profile(self, request: ask.Profile, told: Told) -> Iterator[Event]:
        """How long each node takes."""
        from workflows.profile import profile

        path, steps = Path(request.path), request.steps
        found = profile(
            path, request.provider, request.component, steps=steps, report=told.report, cancelled=told.cancelled
        )
        yield ResultEvent(value=found)

    @run.register
    def eval(self, request: ask.Eval, told: Told) -> Iterator[Event]:
        """How far it is from another."""
        from workflows.evaluation import EvalRequest, evaluate
        from workflows.measure.recording import record_eval
        from workflows.quantize.accuracy.prompts import QUESTIONS

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

    @run.register
    def report(self, request: ask.WriteReport, told: Told) -> Iterator[Event]:
        """What was measured, in a file for others."""
        from workflows.measure.history import History
        from workflows.report.writing import write_bundle, write_runs

        history, out = History(told=told.say), Path(request.out)
        if request.bundle:
            yield ResultEvent(value=write_bundle(history, request.bundle, out))
        else:
            yield ResultEvent(value=write_runs(history, request.runs, out))

    @run.register
    def diverge(self, request: ask.Diverge, told: Told) -> Iterator[Event]:
        """Where two runs part."""
        from workflows.divergence import Choice, diverge

        a, b = (Choice(Path(one.bundle), one.stage, one.provider) for one in (request.a, request.b))
        prompt = request.prompt if request.prompt is not None else request.prompt_ids or ()
        found = diverge(a, b, prompt, steps=request.steps, report=told.report, cancelled=told.cancelled)
        yield ResultEvent(value=found)

    # -- a bundle that is open ---------------------------------------------------------------------------------

    @run.register
    def open(self, request: ask.Open, told: Told) -> Iterator[Event]:
        """Opens a bundle in place of the one that is open: two models need not be in memory at once."""
        from workflows.generate import open_engine
        from workflows.runtime import Loading

        self._close()
        self._loading = Loading(told.cancelled)
        with self._loading:
            self._engine = open_engine(
                request.bundle,
                provider=request.provider,
                cache=request.cache or None,
                capacity=request.capacity,
                session_options=request.session_options,
                place=request.place,
            )
        yield self._engine.ready()

    @run.register
    def generate(self, request: ask.Generate, told: Told) -> Iterator[Event]:
        """One generation."""
        from workflows.generate.options import check_options
        from workflows.measure.recording import recorded

        engine = self._opened()
        options = check_options(request.options)
        prefix = engine.prefix_of(request.prefill)
        events = engine.generate(_prompt(engine, request), options, told.cancelled, prefix=prefix)
        yield from recorded(engine.bundle, events, told.say)

    @run.register
    def rewind(self, request: ask.Rewind, told: Told) -> Iterator[Event]:
        """Back to an earlier token."""
        yield self._opened().rewind(request.length)
        yield ResultEvent(value=Done())

    @run.register
    def save_cache(self, request: ask.SaveCache, told: Told) -> Iterator[Event]:
        """The cache to a file."""
        self._opened().save_cache(Path(request.path))
        yield ResultEvent(value=Done())

    @run.register
    def load_cache(self, request: ask.LoadCache, told: Told) -> Iterator[Event]:
        """The cache from a file."""
        yield self._opened().load_cache(Path(request.path))
        yield ResultEvent(value=Done())

    @run.register
    def close(self, request: ask.Close, told: Told) -> Iterator[Event]:
        """Nothing is open any more."""
        self._close()
        yield ResultEvent(value=Done())

    def _close(self) -> None:
        if self._engine is not None:
            self._engine.close()
        self._engine = None

    def _opened(self) -> Engine:
        if self._engine is None:
            raise RequestError("No bundle is open: open one first.")
        return self._engine


def _chosen(options: ask.Options) -> ask.Options:
    """Without what is unset."""
    return {name: value for name, value in options.items() if value is not None}


def _prompt(engine: Engine, request: ask.Generate) -> list[int]:
    """The ids that a generation begins with. Raises PromptError where the bundle cannot make them."""
    if request.messages is not None:
        turns: list[Message] = [{"role": turn.role, "content": turn.content} for turn in request.messages]
        return engine.encode_turn(turns, _tools(request.tools), request.prefill)
    if request.prompt is not None:
        return engine.encode(request.prompt)
    return list(request.prompt_ids or ())


def _tools(text: str) -> list[Tool] | None:
    """The tools that the model is told of, which come as a JSON text; None where there are none."""
    from workflows.generate import parse_tools

    return parse_tools(text, "The list of tools") if text.strip() else None


def _assembled(files: Mapping[str, str], tokenizer: str) -> tuple[dict[str, Path], Path | None]:
    """Paths of what the window names."""
    return {name: Path(file) for name, file in files.items()}, Path(tokenizer) if tokenizer else None

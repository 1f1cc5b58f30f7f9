"""The one entry to every job, and those that need what stays open between them: a bundle, and the last few graphs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatchmethod
from pathlib import Path
from typing import TYPE_CHECKING

from workflows.common.errors import RequestError
from workflows.service.build_jobs import run_build_job
from workflows.service.job_context import JobContext
from workflows.service.measure_jobs import run_measure_job
from workflows.wire import requests as ask
from workflows.wire.events import Event, ResultEvent
from workflows.wire.reports.base import Done

if TYPE_CHECKING:
    from workflows.generate import Engine, TemplateMessage, Tool
    from workflows.graph import GraphCache
    from workflows.graph.opened_graph import OpenedGraph
    from workflows.runtime import LoadCancellation


class JobRunner:
    """Runs one request after another; keeps one bundle open between them, and the last few graphs."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._graphs: GraphCache | None = None
        self._loading: LoadCancellation | None = None
        self._provider = "cpu"

    def stop(self) -> None:
        """Ends the loading or the step of the generation that is under way; may be called from another thread."""
        for one in (self._loading, self._engine):
            if one is not None:
                one.stop()

    @singledispatchmethod
    def run(self, request: ask.Request[object], told: JobContext) -> Iterator[Event]:
        """The events of a job, the answer last. Raises JoineryError, one sentence, where it fails."""
        alone = run_measure_job if type(request) in run_measure_job.registry else run_build_job
        return alone(request, told)

    # -- the last few graphs --------------------------------------------------------------------------------------

    @run.register
    def graph(self, request: ask.ShowGraph, told: JobContext) -> Iterator[Event]:
        """Every node and value."""
        yield ResultEvent(value=self._shown(request.where).report())

    @run.register
    def diff(self, request: ask.DiffGraphs, told: JobContext) -> Iterator[Event]:
        """Two graphs as one."""
        from workflows.graph import diff_graphs

        yield ResultEvent(value=diff_graphs(self._shown(request.before), self._shown(request.after)))

    @run.register
    def tensor(self, request: ask.DescribeTensor, told: JobContext) -> Iterator[Event]:
        """Statistics of an initializer."""
        from workflows.graph import describe_tensor

        yield ResultEvent(value=describe_tensor(self._shown(request.where).file, request.name))

    @run.register
    def rounding(self, request: ask.MeasureRounding, told: JobContext) -> Iterator[Event]:
        """How coarse its weights are."""
        from workflows.quantize.rounding_error import rounding_errors

        yield ResultEvent(value=rounding_errors(self._shown(request.where).file, told.report, told.cancelled))

    @run.register
    def netron(self, request: ask.ExportExcerpt, told: JobContext) -> Iterator[Event]:
        """A small file for Netron."""
        from workflows.graph import write_excerpt

        yield ResultEvent(value=write_excerpt(self._shown(request.where), request.scope))

    def _shown(self, where: ask.GraphReference) -> OpenedGraph:
        """The graph that a job is about, read once while it is among the last few."""
        from workflows.graph import GraphCache, GraphLocation

        self._graphs = self._graphs or GraphCache()
        return self._graphs.open(GraphLocation(Path(where.path), where.component, where.stage))

    # -- a bundle that is open ---------------------------------------------------------------------------------

    @run.register
    def open(self, request: ask.Open, told: JobContext) -> Iterator[Event]:
        """Opens a bundle in place of the one that is open: two models need not be in memory at once."""
        from workflows.generate import open_chat_engine
        from workflows.runtime import LoadCancellation

        self._close()
        self._loading = LoadCancellation(told.cancelled)
        with self._loading:
            self._engine = open_chat_engine(
                request.bundle,
                provider=request.provider,
                cache=request.cache or None,
                capacity=request.capacity,
                session_options=request.session_options,
                place=request.place,
                draft=request.draft,
            )
        self._provider = request.provider
        yield self._engine.ready()

    @run.register
    def draft(self, request: ask.UseDraft, told: JobContext) -> Iterator[Event]:
        """Another bundle drafts, or none."""
        from workflows.runtime import LoadCancellation

        engine = self._opened()
        self._loading = LoadCancellation(told.cancelled)
        with self._loading:
            engine.use_draft(request.folder, self._provider)
        yield ResultEvent(value=Done())

    @run.register
    def generate(self, request: ask.Generate, told: JobContext) -> Iterator[Event]:
        """One generation."""
        from workflows.generate.options import check_options
        from workflows.measure.recording import record_generation

        engine = self._opened()
        options = check_options(request.options)
        prefix = engine.prompts.reply_prefix(request.prefill)
        events = engine.generate(_prompt(engine, request), options, told.cancelled, prefix=prefix)
        yield from record_generation(engine.bundle, events, told.say)

    @run.register
    def rewind(self, request: ask.Rewind, told: JobContext) -> Iterator[Event]:
        """Back to an earlier token."""
        yield self._opened().rewind(request.length)
        yield ResultEvent(value=Done())

    @run.register
    def save_cache(self, request: ask.SaveCache, told: JobContext) -> Iterator[Event]:
        """The cache to a file."""
        self._opened().save_cache(Path(request.path))
        yield ResultEvent(value=Done())

    @run.register
    def load_cache(self, request: ask.LoadCache, told: JobContext) -> Iterator[Event]:
        """The cache from a file."""
        yield self._opened().load_cache(Path(request.path))
        yield ResultEvent(value=Done())

    @run.register
    def close(self, request: ask.Close, told: JobContext) -> Iterator[Event]:
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


def _prompt(engine: Engine, request: ask.Generate) -> list[int]:
    """The ids that a generation begins with. Raises PromptError where the bundle cannot make them."""
    if request.messages is not None:
        turns: list[TemplateMessage] = [{"role": turn.role, "content": turn.content} for turn in request.messages]
        return engine.encode_turn(turns, _parsed_tools(request.tools), request.prefill)
    if request.prompt is not None:
        return engine.encode(request.prompt)
    return list(request.prompt_ids or ())


def _parsed_tools(text: str) -> list[Tool] | None:
    """The tools that the model is told of, which come as a JSON text; None where there are none."""
    from workflows.generate import parse_tools

    return parse_tools(text, "The list of tools") if text.strip() else None

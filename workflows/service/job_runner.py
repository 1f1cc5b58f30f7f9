"""Runs every job, and holds what stays open between jobs: bundles and the last few graphs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatchmethod
from pathlib import Path
from typing import TYPE_CHECKING

from workflows.common.errors import RequestError
from workflows.service.embedding import EmbeddingService
from workflows.service.generation import SharedRows
from workflows.service.jobs import JobContext, run_job
from workflows.service.labeling import LabelingService
from workflows.service.picture_reading import PictureService
from workflows.wire import requests
from workflows.wire.events import Event, ResultEvent
from workflows.wire.reports.base import Done

if TYPE_CHECKING:
    from workflows.generate import Engine
    from workflows.inspection.opened_graph import GraphCache, OpenedGraph
    from workflows.runtime import LoadCancellation


class JobRunner:
    """Runs one request after another; keeps one bundle and the last few graphs open between them.

    rows: of the open bundle, where generations may run in threads, several at once.
    """

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self.rows: SharedRows | None = None
        self._records = True
        self._graphs: GraphCache | None = None
        self._embeddings = EmbeddingService()
        self._labeling = LabelingService()
        self._pictures = PictureService()
        self._loading: LoadCancellation | None = None
        self._provider = "cpu"

    def stop(self) -> None:
        """Stops the running load or generation step; may be called from another thread."""
        for one in (self._loading, self._engine):
            if one is not None:
                one.stop()

    @singledispatchmethod
    def run(self, request: requests.Request[object], context: JobContext) -> Iterator[Event]:
        """Runs a job and yields its events, the answer last. Raises JoineryError."""
        return run_job(request, context)

    # -- graphs --------------------------------------------------------------------------------------

    @run.register
    def graph(self, request: requests.ShowGraph, context: JobContext) -> Iterator[Event]:
        """Reports every node and value of a graph."""
        yield ResultEvent(value=self._open_graph(request.where).report())

    @run.register
    def diff(self, request: requests.DiffGraphs, context: JobContext) -> Iterator[Event]:
        """Compares two graphs."""
        from workflows.inspection.graph_diff import diff_graphs

        yield ResultEvent(value=diff_graphs(self._open_graph(request.before), self._open_graph(request.after)))

    @run.register
    def tensor(self, request: requests.DescribeTensor, context: JobContext) -> Iterator[Event]:
        """Reports statistics of an initializer."""
        from workflows.graph.tensor_statistics import describe_tensor

        yield ResultEvent(value=describe_tensor(self._open_graph(request.where).file, request.name))

    @run.register
    def rounding(self, request: requests.MeasureRounding, context: JobContext) -> Iterator[Event]:
        """Measures the rounding errors of quantized weights."""
        from workflows.quantize.rounding_error import rounding_errors

        yield ResultEvent(
            value=rounding_errors(self._open_graph(request.where).file, context.report, context.cancelled)
        )

    @run.register
    def netron(self, request: requests.ExportExcerpt, context: JobContext) -> Iterator[Event]:
        """Writes a small graph file for Netron."""
        from workflows.inspection.graph_excerpt import write_excerpt

        yield ResultEvent(value=write_excerpt(self._open_graph(request.where), request.scope))

    def _open_graph(self, where: requests.GraphReference) -> OpenedGraph:
        """The graph of a request, cached among the last few."""
        from workflows.inspection.opened_graph import GraphCache, GraphLocation

        self._graphs = self._graphs or GraphCache()
        return self._graphs.open(GraphLocation(Path(where.path), where.component, where.stage))

    @run.register
    def predict(
        self,
        request: requests.Embed | requests.LabelTexts | requests.LabelPictures | requests.EstimateDepth,
        context: JobContext,
    ) -> Iterator[Event]:
        """Compares, classifies or ranks texts, classifies pictures, or estimates the depths of one."""
        if isinstance(request, requests.Embed):
            yield ResultEvent(value=self._embeddings.compare(request, context.cancelled))
        elif isinstance(request, requests.LabelTexts):
            yield ResultEvent(value=self._labeling.label(request, context.cancelled))
        elif isinstance(request, requests.LabelPictures):
            yield ResultEvent(value=self._pictures.label(request, context.cancelled))
        else:
            yield ResultEvent(value=self._pictures.depth(request))

    @run.register
    def try_graph(self, request: requests.TryGraph, context: JobContext) -> Iterator[Event]:
        """Runs a graph once."""
        from workflows.inspection.trial_run import try_graph

        yield ResultEvent(value=try_graph(request))

    # -- the open bundle ---------------------------------------------------------------------------------

    @run.register
    def open(self, request: requests.Open, context: JobContext) -> Iterator[Event]:
        """Opens a bundle after closing the open one, so that two models are never in memory at once."""
        from workflows.generate import open_chat_engine
        from workflows.runtime import LoadCancellation

        self._close()
        self._loading = LoadCancellation(context.cancelled)
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
        self._provider, self._records = request.provider, request.rows is None
        if (request.rows or 1) > 1:
            self.rows = SharedRows(self._engine, request.rows or 1)
        yield self._engine.ready()

    @run.register
    def draft(self, request: requests.UseDraft, context: JobContext) -> Iterator[Event]:
        """Sets or removes the draft bundle."""
        from workflows.runtime import LoadCancellation

        engine = self._require_engine()
        self._loading = LoadCancellation(context.cancelled)
        with self._loading:
            engine.use_draft(request.folder, self._provider)
        yield ResultEvent(value=Done())

    @run.register
    def generate(self, request: requests.Generate, context: JobContext) -> Iterator[Event]:
        """Generates once."""
        from workflows.measure.recording import record_generation
        from workflows.service.generation import generate

        engine = self._require_engine()
        events = generate(engine, request, context.cancelled, self.rows)
        yield from record_generation(engine.bundle, events, context.notify_history) if self._records else events

    @run.register
    def rewind(self, request: requests.Rewind, context: JobContext) -> Iterator[Event]:
        """Rewinds the cache to an earlier token."""
        yield self._require_engine().rewind(request.length)
        yield ResultEvent(value=Done())

    @run.register
    def save_cache(self, request: requests.SaveCache, context: JobContext) -> Iterator[Event]:
        """Saves the cache to a file."""
        self._require_engine().save_cache(Path(request.path))
        yield ResultEvent(value=Done())

    @run.register
    def load_cache(self, request: requests.LoadCache, context: JobContext) -> Iterator[Event]:
        """Loads the cache from a file."""
        yield self._require_engine().load_cache(Path(request.path))
        yield ResultEvent(value=Done())

    @run.register
    def close(self, request: requests.Close, context: JobContext) -> Iterator[Event]:
        """Closes the bundle."""
        self._close()
        yield ResultEvent(value=Done())

    def _close(self) -> None:
        if self.rows is not None:
            self.rows.close()
        self.rows = None
        if self._engine is not None:
            self._engine.close()
        self._engine = None

    def _require_engine(self) -> Engine:
        if self._engine is None:
            raise RequestError("No bundle is open: open one first.")
        return self._engine

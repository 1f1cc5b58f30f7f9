"""Fetches graphs and comparisons of graphs from a worker, and caches those that were read.

request(where, against) ──ShowGraph | Diff──▶ fetched(GraphReport, DiffReport | None) │ failed
"""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QObject, Signal

from app.jobs.job import Job
from app.jobs.latest_request import LatestRequest
from app.jobs.worker_client import WorkerClient
from app.state.scene_model import LoadedGraph
from workflows.wire.reports.graphs import DiffReport, ExcerptReport, GraphReport, TensorReport
from workflows.wire.requests import DescribeTensor, DiffGraphs, ExportExcerpt, GraphReference, ShowGraph

CACHED_GRAPHS = 6
"""Graphs that stay in memory for going back and forth among the stages."""


class GraphLoader(QObject):
    """One request at a time: the next one cancels one that is not answered yet."""

    fetched = Signal(object, object)  # GraphReport, and DiffReport or None
    failed = Signal(object)  # ErrorEvent

    def __init__(self, worker: WorkerClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.worker = worker
        self._request = LatestRequest(worker, parent=self)
        self._request.answered.connect(self._on_answer)
        self._request.failed.connect(self.failed)
        self._cache: OrderedDict[tuple[GraphReference, GraphReference | None], LoadedGraph] = OrderedDict()

    @property
    def fetching(self) -> bool:
        """Whether an answer is awaited."""
        return self._request.busy

    def request(self, location: GraphReference, against: GraphReference | None) -> None:
        """Requests a graph, or its difference from `against`."""
        self._request.cancel()
        self._request.send(ShowGraph(location) if against is None else DiffGraphs(against, location))

    def cancel(self) -> None:
        """Cancels the request that is not answered yet."""
        self._request.cancel()

    def _on_answer(self, answer: GraphReport | DiffReport) -> None:
        if isinstance(answer, DiffReport):
            self.fetched.emit(answer.graph, answer)
        else:
            self.fetched.emit(answer, None)

    def cached(self, location: GraphReference, against: GraphReference | None) -> LoadedGraph | None:
        """A graph or comparison that was read before."""
        loaded = self._cache.get((location, against))
        if loaded is not None:
            self._cache.move_to_end((location, against))
        return loaded

    def cache(self, location: GraphReference, against: GraphReference | None, loaded: LoadedGraph) -> None:
        """Caches a graph; the least recently used one goes."""
        self._cache[location, against] = loaded
        while len(self._cache) > CACHED_GRAPHS:
            self._cache.popitem(last=False)

    def clear_cache(self, path: str | None = None) -> None:
        """Forgets the graphs of the bundle or file at `path`, or all."""
        for key in list(self._cache):
            if path is None or path in [where.path for where in key if where is not None]:
                del self._cache[key]

    def request_tensor(self, location: GraphReference, name: str) -> Job[TensorReport]:
        """Asks for the statistics of an initializer."""
        return self.worker.request(DescribeTensor(location, name))

    def request_excerpt(self, location: GraphReference, module: str) -> Job[ExcerptReport]:
        """Asks for a small file of a module, or of the whole graph for an empty name."""
        return self.worker.request(ExportExcerpt(location, module))

"""Which graph is shown: of which bundle or file, at which stage of the build, compared with what.

GraphLoader ──GraphReport, DiffReport──▶ GraphModel ──LoadedGraph──▶ SceneModel ──▶ views
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.graph_scene.indexed_graph import IndexedGraph, read_graph
from app.graph_scene.repeated_scopes import group_repeated_scopes
from app.graph_scene.scope_tree import ScopeTree, read_scope_tree
from app.jobs.job import Job
from app.jobs.latest_request import LatestRequest
from app.jobs.worker_client import WorkerClient
from app.state.scene_model import LoadedGraph, SceneModel
from workflows.wire.reports.graphs import DiffReport, ExcerptReport, GraphReport, GraphStage, TensorReport
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


class GraphModel(SceneModel):
    """One graph at a time, or two as one; a request replaces one that is not answered yet."""

    forgotten = Signal(str)  # path

    def __init__(self, worker: WorkerClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.where: GraphReference | None = None
        self.against: GraphReference | None = None
        self.stages: list[GraphStage] = []
        self.folds = True
        """Whether scopes of the same structure are shown as one."""
        self.loader = GraphLoader(worker, self)
        self.loader.fetched.connect(self._on_fetched)
        self.loader.failed.connect(lambda error: self._fail(error.message, error.details))

    @property
    def busy(self) -> bool:
        """Whether a graph is being fetched or laid out."""
        return self.loader.fetching or self._slices.busy

    @property
    def title(self) -> str:
        """What the graph is called."""
        return self.graph.title if self.graph else Path(self.where.path if self.where else "").name

    def open(self, path: str, component: str = "") -> None:
        """Shows the final graph of a component, or of an .onnx file."""
        if self.where is None or (path, component) != (self.where.path, self.where.component):
            self.stages, self.against = [], None
        stage = self.where.stage if self.where and self.stages else ""
        self._load(GraphReference(path, component, stage), self.against)

    def reload(self) -> None:
        """Fetches the shown graph again."""
        self.loader.clear_cache()
        self.stages = []
        if self.where:
            self._load(self.where, self.against)

    def forget(self, path: str) -> None:
        """Drops what is cached of `path`, where another bundle or file is now."""
        self.loader.clear_cache(path)
        self.forgotten.emit(path)

    def clear(self) -> None:
        """Shows nothing."""
        self._cancel()
        self.loader.clear_cache()
        self.where, self.against, self.stages = None, None, []
        self.clear_scene()

    def stop(self) -> None:
        """Stops fetching and laying out."""
        if self.loader.fetching or not self.relaying:
            self._cancel()
            self._fail(self.tr("Stopped."), "")

    def compare(self, against: GraphReference | None) -> None:
        """Shows the difference from another graph; None shows this one alone."""
        if self.where:
            self._load(self.where, against)

    def compare_files(self, before: str, after: str) -> None:
        """Shows the difference of two files."""
        self.stages = []
        self._load(GraphReference(after), GraphReference(before))

    @property
    def stage(self) -> int:
        """The index of the shown stage; -1 where there is none."""
        name = self.where.stage if self.where else ""
        return next((i for i, s in enumerate(self.stages) if s.name == name), len(self.stages) - 1)

    def before(self, place: int) -> GraphReference | None:
        """The stage before the one at index `place`; None for the first one."""
        return replace(self.where, stage=self.stages[place - 1].name) if self.where and place > 0 else None

    def go_stage(self, place: int) -> None:
        """Shows the stage at index `place`; a comparison with the stage right before moves along."""
        if self.where is None or not 0 <= place < len(self.stages):
            return
        against = self.against
        if against is not None and against == self.before(self.stage):
            against = self.before(place)
        self._load(replace(self.where, stage=self.stages[place].name), against)

    def _load(self, where: GraphReference, against: GraphReference | None) -> None:
        self._cancel()
        self.where, self.against = where, against
        loaded = self.loader.cached(where, against)
        if loaded is not None:
            self.show_graph(loaded)
            return
        self.loader.request(where, against)
        self.busyChanged.emit(True)

    def _cancel(self) -> None:
        self._slices.stop()
        self.relaying = False
        self.loader.cancel()

    def _on_fetched(self, graph: GraphReport, diff: DiffReport | None) -> None:
        self.relaying = False
        self._slices.run(_read(graph, diff, self.folds), self._on_read, self._on_unreadable)

    def _on_read(self, loaded: LoadedGraph) -> None:
        graph = loaded.graph
        assert self.where is not None  # it is what was requested
        if loaded.diff is None and graph.stages:
            if [s.name for s in self.stages] != [s.name for s in graph.stages]:
                self.stages = graph.stages  # of the first answer, the final graph
            self.where = replace(self.where, stage=graph.where.stage or graph.stages[-1].name)
        self.loader.cache(self.where, self.against, loaded)
        self.show_graph(loaded)

    def set_folds(self, on: bool) -> None:
        """Shows scopes of the same structure as one, or each by itself."""
        if on == self.folds:
            return
        self.folds = on
        self.loader.clear_cache()
        graph, diff = self.graph, self.diff
        if self.arriving and self.where is not None:
            self._load(self.where, self.against)
        elif graph is not None:
            work = _read_scopes(graph, on)
            self._slices.run(
                work, lambda outline: self.show_graph(LoadedGraph(graph, diff, outline)), self._on_unreadable
            )
            self.busyChanged.emit(self._slices.busy)

    def request_tensor(self, name: str, before: bool = False) -> Job[TensorReport]:
        """Requests the statistics of an initializer; before: of the graph that this one is compared with."""
        where = self.against if before and self.against else self.where
        assert where is not None
        return self.loader.worker.request(DescribeTensor(where, name))

    def request_excerpt(self, location: GraphReference, scope: str) -> Job[ExcerptReport]:
        """Requests a small file of a scope, or of the whole graph for an empty one, for the detail view."""
        if scope and self.graph is not None and self.outline is not None:
            scope = self.graph.module(self.outline.first_of(scope))
        return self.loader.worker.request(ExportExcerpt(location, scope))


def _read(report: GraphReport, diff: DiffReport | None, folds: bool) -> Generator[None, None, LoadedGraph]:
    """A graph, or the union of a comparison, and its scopes."""
    graph = yield from read_graph(report)
    return LoadedGraph(graph, diff, (yield from _read_scopes(graph, folds)))


def _read_scopes(graph: IndexedGraph, folds: bool) -> Generator[None, None, ScopeTree]:
    scopes = yield from read_scope_tree(graph)
    if folds:
        yield from group_repeated_scopes(graph, scopes)
    return scopes

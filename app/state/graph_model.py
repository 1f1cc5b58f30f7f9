"""The graph that is looked at: which stage, compared with what, which scopes are open, which box is chosen.

Worker ──GraphReport, DiffReport──▶ GraphModel ──▶ Scene;   expansion, selection and place go along by name
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.graph_scene.boxes import BoxKey
from app.graph_scene.indexed_graph import IndexedGraph, IndexedNode, read_graph
from app.graph_scene.repeated_scopes import group_repeated_scopes
from app.graph_scene.scene import Scene
from app.graph_scene.scope_tree import ScopeTree, read_scope_tree
from app.jobs.job import Job
from app.jobs.time_slices import TimeSlicer
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.graphs import DiffReport, ExcerptReport, GraphReport, GraphStage, TensorReport
from workflows.wire.requests import DescribeTensor, DiffGraphs, ExportExcerpt, GraphReference, ShowGraph

Found = tuple[IndexedGraph, DiffReport | None, ScopeTree]
CACHED_GRAPHS = 6
"""Graphs that are kept for going back and forth among the stages."""


class GraphModel(QObject):
    """One graph at a time, or two as one; a request takes the place of one that is not answered yet."""

    sceneChanged = Signal(bool)  # noqa: N815  whether it is another graph than before
    selectionChanged = Signal(object)  # noqa: N815
    busyChanged = Signal(bool)  # noqa: N815
    failed = Signal(str, str)  # message, details
    forgotten = Signal(str)  # path

    def __init__(self, worker: WorkerClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.worker = worker
        self.where: GraphReference | None = None
        self.against: GraphReference | None = None
        self.stages: list[GraphStage] = []
        self.graph: IndexedGraph | None = None
        self.diff: DiffReport | None = None
        self.outline: ScopeTree | None = None
        self.scene: Scene | None = None
        self.selected: BoxKey | None = None
        self.relaying = False
        self.folds = True
        """Whether scopes of one structure are put together."""
        self._job: Job[GraphReport] | Job[DiffReport] | None = None
        self._slices = TimeSlicer(self)
        self._leavings = TimeSlicer(self)
        # What is told of the choice is written in a turn of its own: to show the scene was the work of one.
        self._telling = QTimer(self, singleShot=True, interval=0)
        self._telling.timeout.connect(lambda: self.selectionChanged.emit(self.selected))
        self._kept: OrderedDict[tuple[GraphReference, GraphReference | None], Found] = OrderedDict()

    # -- asking ----------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a graph is being fetched or laid out."""
        return self._job is not None or self._slices.busy

    @property
    def stage(self) -> int:
        """The place of the stage that is shown; -1 where there is none."""
        name = self.where.stage if self.where else ""
        return next((i for i, s in enumerate(self.stages) if s.name == name), len(self.stages) - 1)

    def open(self, path: str, component: str = "") -> None:
        """Shows the final graph of a component, or of an .onnx file."""
        if self.where is None or (path, component) != (self.where.path, self.where.component):
            self.stages, self.against = [], None
        stage = self.where.stage if self.where and self.stages else ""
        self._ask(GraphReference(path, component, stage), self.against)

    def reload(self) -> None:
        """Asks anew."""
        self._kept.clear()
        self.stages = []
        if self.where:
            self._ask(self.where, self.against)

    def forget(self, path: str) -> None:
        """What is at `path` is another bundle or file than it was."""
        for key in [key for key in self._kept if path in [where.path for where in key if where is not None]]:
            del self._kept[key]
        self.forgotten.emit(path)

    def clear(self) -> None:
        """Shows nothing."""
        self._cancel()
        self._kept.clear()
        self.where, self.against, self.stages = None, None, []
        self.graph = self.diff = self.outline = self.scene = self.selected = None
        self.sceneChanged.emit(True)
        self.selectionChanged.emit(None)

    def stop(self) -> None:
        """Leaves what is being fetched or laid out."""
        if self._job is not None or not self.relaying:
            self._cancel()
            self._fail(self.tr("Stopped."), "")

    def go_stage(self, place: int) -> None:
        """Shows another stage; a comparison with the stage before goes along."""
        if self.where is None or not 0 <= place < len(self.stages):
            return
        where = replace(self.where, stage=self.stages[place].name)
        against = self.against
        if against is not None and self._is_ours(against) and self._follows:
            against = self.before(place)
        self._ask(where, against)

    def before(self, place: int) -> GraphReference | None:
        """The stage before, as the worker takes it; None for the first one."""
        return replace(self.where, stage=self.stages[place - 1].name) if self.where and place > 0 else None

    @property
    def _follows(self) -> bool:
        """Whether the comparison is with the stage right before."""
        return self.against == self.before(self.stage)

    def _is_ours(self, where: GraphReference) -> bool:
        own = self.where
        return own is not None and (where.path, where.component) == (own.path, own.component)

    def compare(self, against: GraphReference | None) -> None:
        """Shows the difference from another graph; None shows this one alone."""
        if self.where:
            self._ask(self.where, against)

    def compare_files(self, before: str, after: str) -> None:
        """Shows the difference of two files."""
        self.stages = []
        self._ask(GraphReference(after), GraphReference(before))

    # -- answers ---------------------------------------------------------------------------------------------

    def _ask(self, where: GraphReference, against: GraphReference | None) -> None:
        self._cancel()
        self.where, self.against = where, against
        kept = self._kept.get((where, against))
        if kept is not None:
            self._kept.move_to_end((where, against))
            self._lay_out(*kept)
            return
        if against is None:
            shown = self.worker.request(ShowGraph(where))
            shown.on_answer(lambda found: self._on_answer(shown, found, None))
            self._follow(shown)
        else:
            both = self.worker.request(DiffGraphs(against, where))
            both.on_answer(lambda found: self._on_answer(both, found.graph, found))
            self._follow(both)
        self.busyChanged.emit(True)

    def _follow(self, job: Job[GraphReport] | Job[DiffReport]) -> None:
        self._job = job
        job.on_error(lambda error: self._on_error(job, error))

    def _cancel(self) -> None:
        job, self._job = self._job, None
        self._slices.stop()
        self.relaying = False
        if job is not None:
            job.cancel()

    def _on_answer(self, job: Job[object], graph: GraphReport, diff: DiffReport | None) -> None:
        if job is self._job:
            self._job, self.relaying = None, False
            self._slices.run(_read(graph, diff, self.folds), self._on_read, self._on_bad)

    def _on_error(self, job: Job[object], error: ErrorEvent) -> None:
        if job is self._job:
            self._job = None
            self._fail(error.message, error.details)

    def _on_bad(self, error: ValueError) -> None:
        self._fail(self.tr("The graph cannot be read."), str(error))

    def _fail(self, message: str, details: str) -> None:
        self.busyChanged.emit(False)
        self.failed.emit(message, details)

    def _on_read(self, found: Found) -> None:
        graph, diff, _ = found
        assert self.where is not None  # it is what was asked for
        if diff is None and graph.stages:
            if [s.name for s in self.stages] != [s.name for s in graph.stages]:
                self.stages = graph.stages  # the first answer's, which is that of the final graph
            self.where = replace(self.where, stage=graph.where.stage or graph.stages[-1].name)
        self._kept[self.where, self.against] = found
        while len(self._kept) > CACHED_GRAPHS:
            self._kept.popitem(last=False)
        self._lay_out(*found)

    def _lay_out(self, graph: IndexedGraph, diff: DiffReport | None, outline: ScopeTree) -> None:
        opened = set(self.scene.opened) if self.scene is not None and self._same_model(graph) else set()
        if len(opened & outline.scopes.keys()) <= 1:
            opened = outline.overview()
        scene = Scene(graph, outline, opened)
        self._slices.run(scene.build(), lambda _none: self._on_scene(scene, diff), self._on_bad)
        if self._slices.busy:
            self.busyChanged.emit(True)

    def _same_model(self, graph: IndexedGraph) -> bool:
        old, new = self.graph.where if self.graph else None, graph.where
        return old is not None and (old.path, old.component) == (new.path, new.component)

    def _on_scene(self, scene: Scene, diff: DiffReport | None) -> None:
        name, last = self.name_of(self.selected), self.scene
        self.graph, self.diff, self.outline, self.scene = scene.graph, diff, scene.outline, scene
        self.selected = self.key_of(name)
        self.busyChanged.emit(False)
        self.sceneChanged.emit(True)
        self._telling.start()
        if last is not None:
            self._leavings.run(last.release(), lambda _none: None, self._on_bad, later=True)

    # -- names, which outlive a graph ------------------------------------------------------------------------

    def name_of(self, key: BoxKey | None) -> tuple[str, str] | None:
        """What a box is called in any stage: ("scope", path) or ("node", name)."""
        if key is None or self.graph is None:
            return None
        if isinstance(key, str):
            return "scope", key
        return ("node", self.graph.nodes[key].name) if key < len(self.graph.nodes) else None

    def key_of(self, name: tuple[str, str] | None) -> BoxKey | None:
        """The box that is called so in this graph; None where there is none."""
        if name is None or self.graph is None or self.outline is None:
            return None
        kind, text = name
        if kind == "scope":
            return text if text in self.outline.scopes else None
        return next((n.index for n in self.graph.nodes if n.name == text), None) if text else None

    # -- opening, choosing, finding --------------------------------------------------------------------------

    @property
    def _arriving(self) -> bool:
        """Whether another graph is being read or laid out, which is not to be left for one that goes."""
        return self._slices.busy and not self.relaying

    def set_opened(self, opened: set[str]) -> None:
        """Opens and closes scopes; nothing while another graph arrives."""
        scene = self.scene
        if scene is None or self._arriving:
            return
        scene.open(opened)
        self.relaying = True
        self._slices.run(scene.build(), lambda _none: self._on_relaid(), self._on_bad)
        if self._slices.busy:
            self.busyChanged.emit(True)

    def _on_relaid(self) -> None:
        self.relaying = False
        self.busyChanged.emit(False)
        self.sceneChanged.emit(False)

    def set_folds(self, on: bool) -> None:
        """Puts scopes of one structure together, or takes them apart."""
        if on == self.folds:
            return
        self.folds = on
        self._kept.clear()
        graph, diff = self.graph, self.diff
        if self._arriving and self.where is not None:
            self._ask(self.where, self.against)
        elif graph is not None:
            self._slices.run(_outlined(graph, on), lambda outline: self._lay_out(graph, diff, outline), self._on_bad)
            self.busyChanged.emit(self._slices.busy)

    def toggle(self, key: BoxKey) -> None:
        """Opens a scope or closes it."""
        if self.scene is not None and isinstance(key, str):
            self.set_opened(self.scene.opened ^ {key})

    def reveal(self, key: BoxKey) -> None:
        """Opens what is around a box, and chooses it."""
        if self.scene is None or self.outline is None:
            return
        around = self.outline.scopes[key].above if isinstance(key, str) else self.outline.of[key].line
        wanted = {scope.path for scope in around}
        if not wanted <= self.scene.opened:
            self.set_opened(self.scene.opened | wanted)
        self.select(key)

    def select(self, key: BoxKey | None) -> None:
        """Chooses a box."""
        if key != self.selected:
            self.selected = key
            self.selectionChanged.emit(key)

    def node(self) -> IndexedNode | None:
        """The chosen node."""
        chosen = isinstance(self.selected, int) and self.graph is not None
        return self.graph.nodes[self.selected] if chosen else None  # type: ignore[union-attr,index]

    def search(self, words: str) -> list[int]:
        """Nodes whose name, operator, scope or outputs hold every word, case aside."""
        parts = words.casefold().split()
        if self.graph is None or not parts:
            return []
        found = list(range(len(self.graph.nodes)))
        for part in parts:
            found = [n for n in found if part in self.graph.texts[n]]
        return found

    def changes(self) -> list[int]:
        """The nodes that differ, in the order of the graph."""
        return [n.index for n in self.graph.nodes if n.change] if self.graph is not None and self.diff else []

    # -- values and details ----------------------------------------------------------------------------------

    def request_tensor(self, name: str, before: bool = False) -> Job[TensorReport]:
        """Statistics of an initializer of the graph that is shown."""
        where = self.against if before and self.against else self.where
        assert where is not None
        return self.worker.request(DescribeTensor(where, name))

    def request_excerpt(self, where: GraphReference, scope: str) -> Job[ExcerptReport]:
        """A small file of a component or a scope, for the detail view."""
        return self.worker.request(ExportExcerpt(where, self._module(scope) if scope else ""))

    def _module(self, scope: str) -> str:
        return self.graph.module(self.outline.first_of(scope)) if self.graph and self.outline else scope

    @property
    def title(self) -> str:
        """What the graph is called."""
        return self.graph.title if self.graph else Path(self.where.path if self.where else "").name


def _read(report: GraphReport, diff: DiffReport | None, folds: bool) -> Generator[None, None, Found]:
    """A graph, or the one of a difference, and its outline."""
    graph = yield from read_graph(report)
    return graph, diff, (yield from _outlined(graph, folds))


def _outlined(graph: IndexedGraph, folds: bool) -> Generator[None, None, ScopeTree]:
    outline = yield from read_scope_tree(graph)
    if folds:
        yield from group_repeated_scopes(graph, outline)
    return outline

"""The graph that is looked at: which stage, compared with what, which scopes are open, which box is chosen.

Worker ──"graph", "diff", "tensor", "netron"──▶ GraphModel ──▶ Scene;   expansion, selection and place go along by name
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.graph.boxes import Key
from app.graph.levels import Scene
from app.graph.model import Diff, Graph, Node, Stage, read_diff, read_graph
from app.graph.outline import Outline, read_outline
from app.jobs.slices import Slices
from app.jobs.worker import Job, Worker
from workflows.wire.events import ErrorEvent, Event, ResultEvent

Where = dict[str, str]
KEPT = 6
"""Graphs that are kept for going back and forth among the stages."""


class GraphModel(QObject):
    """One graph at a time, or two as one; a request takes the place of one that is not answered yet."""

    sceneChanged = Signal(bool)  # noqa: N815  whether it is another graph than before
    selectionChanged = Signal(object)  # noqa: N815
    busyChanged = Signal(bool)  # noqa: N815
    failed = Signal(str, str)  # message, details

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.worker = worker
        self.where: Where = {}
        self.against: Where | None = None
        self.stages: tuple[Stage, ...] = ()
        self.graph: Graph | None = None
        self.diff: Diff | None = None
        self.outline: Outline | None = None
        self.scene: Scene | None = None
        self.selected: Key | None = None
        self.relaying = False
        self._job: Job | None = None
        self._slices = Slices(self)
        self._kept: OrderedDict[tuple[str, ...], tuple[Graph, Diff | None, Outline]] = OrderedDict()

    # -- asking ----------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a graph is being fetched or laid out."""
        return self._job is not None or self._slices.busy

    @property
    def stage(self) -> int:
        """The place of the stage that is shown; -1 where there is none."""
        name = self.where.get("stage", "")
        return next((i for i, s in enumerate(self.stages) if s.name == name), len(self.stages) - 1)

    def open(self, path: str, component: str = "") -> None:
        """Shows the final graph of a component, or of an .onnx file."""
        if (path, component) != (self.where.get("path"), self.where.get("component")):
            self.stages, self.against = (), None
        self._ask(self._at(path, component, self.where.get("stage", "") if self.stages else ""), self.against)

    def reload(self) -> None:
        """Asks anew."""
        self._kept.clear()
        self.stages = ()
        if self.where:
            self._ask(self.where, self.against)

    def clear(self) -> None:
        """Shows nothing."""
        self._cancel()
        self._kept.clear()
        self.where, self.against, self.stages = {}, None, ()
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
        if not 0 <= place < len(self.stages):
            return
        where = {**self.where, "stage": self.stages[place].name}
        against = self.against
        if against is not None and self._is_ours(against) and self._follows:
            against = self.before(place)
        self._ask(where, against)

    def before(self, place: int) -> Where | None:
        """The stage before, as the worker takes it; None for the first one."""
        return {**self.where, "stage": self.stages[place - 1].name} if place > 0 else None

    @property
    def _follows(self) -> bool:
        """Whether the comparison is with the stage right before."""
        return self.against == self.before(self.stage)

    def _is_ours(self, where: Where) -> bool:
        return all(where.get(k) == self.where.get(k) for k in ("path", "component"))

    def compare(self, against: Where | None) -> None:
        """Shows the difference from another graph; None shows this one alone."""
        if self.where:
            self._ask(self.where, against)

    def compare_files(self, before: str, after: str) -> None:
        """Shows the difference of two files."""
        self.stages = ()
        self._ask(self._at(after), self._at(before))

    @staticmethod
    def _at(path: str, component: str = "", stage: str = "") -> Where:
        return {"path": path, "component": component, "stage": stage}

    # -- answers ---------------------------------------------------------------------------------------------

    def _ask(self, where: Where, against: Where | None) -> None:
        self._cancel()
        self.where, self.against = where, against
        kept = self._kept.get(_key(where, against))
        if kept is not None:
            self._kept.move_to_end(_key(where, against))
            self._lay_out(*kept)
            return
        if against is None:
            job = self.worker.request("graph", **where)
        else:
            job = self.worker.request("diff", before=against, after=where)
        self._job = job
        job.finished.connect(lambda event: self._on_answer(job, event))
        self.busyChanged.emit(True)

    def _cancel(self) -> None:
        job, self._job = self._job, None
        self._slices.stop()
        self.relaying = False
        if job is not None:
            job.cancel()

    def _on_answer(self, job: Job, event: Event) -> None:
        if job is not self._job:
            return
        self._job = None
        if isinstance(event, ResultEvent):
            self._slices.run(_read(event.value, self.against), self._on_read, self._on_bad)
        elif isinstance(event, ErrorEvent):
            self._fail(event.message, event.details)

    def _on_bad(self, error: ValueError) -> None:
        self._fail(self.tr("The graph cannot be read."), str(error))

    def _fail(self, message: str, details: str) -> None:
        self.busyChanged.emit(False)
        self.failed.emit(message, details)

    def _on_read(self, found: tuple[Graph, Diff | None, Outline]) -> None:
        graph, diff, _ = found
        if diff is None and graph.stages:
            if [s.name for s in self.stages] != [s.name for s in graph.stages]:
                self.stages = graph.stages  # the first answer's, which is that of the final graph
            self.where = {**self.where, "stage": graph.stage or graph.stages[-1].name}
        self._kept[_key(self.where, self.against)] = found
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        self._lay_out(*found)

    def _lay_out(self, graph: Graph, diff: Diff | None, outline: Outline) -> None:
        opened = set(self.scene.opened) if self.scene is not None and self._same_model(graph) else set()
        if len(opened & outline.scopes.keys()) <= 1:
            opened = outline.overview()
        scene = Scene(graph, outline, opened)
        self._slices.run(scene.build(), lambda _none: self._on_scene(scene, diff), self._on_bad)
        if self._slices.busy:
            self.busyChanged.emit(True)

    def _same_model(self, graph: Graph) -> bool:
        return self.graph is not None and (self.graph.path, self.graph.component) == (graph.path, graph.component)

    def _on_scene(self, scene: Scene, diff: Diff | None) -> None:
        name = self.name_of(self.selected)
        self.graph, self.diff, self.outline, self.scene = scene.graph, diff, scene.outline, scene
        self.selected = self.key_of(name)
        self.busyChanged.emit(False)
        self.sceneChanged.emit(True)
        self.selectionChanged.emit(self.selected)

    # -- names, which outlive a graph ------------------------------------------------------------------------

    def name_of(self, key: Key | None) -> tuple[str, str] | None:
        """What a box is called in any stage: ("scope", path) or ("node", name)."""
        if key is None or self.graph is None:
            return None
        if isinstance(key, str):
            return "scope", key
        return ("node", self.graph.nodes[key].name) if key < len(self.graph.nodes) else None

    def key_of(self, name: tuple[str, str] | None) -> Key | None:
        """The box that is called so in this graph; None where there is none."""
        if name is None or self.graph is None or self.outline is None:
            return None
        kind, text = name
        if kind == "scope":
            return text if text in self.outline.scopes else None
        return next((n.index for n in self.graph.nodes if n.name == text), None) if text else None

    # -- opening, choosing, finding --------------------------------------------------------------------------

    def set_opened(self, opened: set[str]) -> None:
        """Opens and closes scopes."""
        scene = self.scene
        if scene is None:
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

    def toggle(self, key: Key) -> None:
        """Opens a scope or closes it."""
        if self.scene is not None and isinstance(key, str):
            self.set_opened(self.scene.opened ^ {key})

    def reveal(self, key: Key) -> None:
        """Opens what is around a box, and chooses it."""
        if self.scene is None or self.outline is None:
            return
        around = self.outline.scopes[key].above if isinstance(key, str) else self.outline.of[key].line
        wanted = {scope.path for scope in around}
        if not wanted <= self.scene.opened:
            self.set_opened(self.scene.opened | wanted)
        self.select(key)

    def select(self, key: Key | None) -> None:
        """Chooses a box."""
        if key != self.selected:
            self.selected = key
            self.selectionChanged.emit(key)

    def node(self) -> Node | None:
        """The chosen node."""
        chosen = isinstance(self.selected, int) and self.graph is not None
        return self.graph.nodes[self.selected] if chosen else None  # type: ignore[union-attr,index]

    def search(self, words: str) -> list[int]:
        """Nodes whose name, operator, scope or outputs hold every word, case aside."""
        parts = words.casefold().split()
        if self.graph is None or not parts:
            return []
        found = []
        for node in self.graph.nodes:
            made = " ".join(self.graph.values[v].name for v in node.outputs if v >= 0)
            text = f"{node.name} {node.op} {node.domain} {node.scope} {made}".casefold()
            if all(part in text for part in parts):
                found.append(node.index)
        return found

    def changes(self) -> list[int]:
        """The nodes that differ, in the order of the graph."""
        return [n.index for n in self.graph.nodes if n.change] if self.graph is not None and self.diff else []

    # -- values and details ----------------------------------------------------------------------------------

    def ask_tensor(self, name: str, before: bool = False) -> Job:
        """Statistics of an initializer."""
        where = self.against if before and self.against else self.where
        return self.worker.request("tensor", **where, name=name)

    def ask_netron(self, where: Where, scope: str) -> Job:
        """A small file of a component or a scope, for the detail view."""
        module = self.graph.module(scope) if self.graph and scope else ""
        return self.worker.request("netron", **where, scope=module)

    @property
    def title(self) -> str:
        """What the graph is called."""
        return self.graph.title if self.graph else Path(self.where.get("path", "")).name


def _key(where: Where, against: Where | None) -> tuple[str, ...]:
    return (*where.values(), *(against.values() if against else ()))


def _read(value: dict[str, Any], against: Where | None) -> Generator[None, None, tuple[Graph, Diff | None, Outline]]:
    """A graph or a difference, and its outline."""
    if against is None:
        graph: Graph = yield from read_graph(value)
        diff = None
    else:
        diff = yield from read_diff(value)
        graph = diff.graph
    return graph, diff, (yield from read_outline(graph))

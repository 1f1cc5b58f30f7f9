"""The graph that is shown: its layout, which scopes are open, which box is selected.

show(LoadedGraph) ──layout in time slices──▶ Scene;   open scopes and the selection carry over to the next graph by name
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.graph_scene.boxes import BoxKey
from app.graph_scene.indexed_graph import IndexedGraph, IndexedNode
from app.graph_scene.scene import Scene
from app.graph_scene.scope_tree import ScopeTree
from app.jobs.time_slices import TimeSlicer
from workflows.wire.reports.graphs import DiffReport


class LoadedGraph(NamedTuple):
    """A graph, or the union of two compared graphs with their difference, and its scopes."""

    graph: IndexedGraph
    diff: DiffReport | None
    outline: ScopeTree


class SceneModel(QObject):
    """One graph at a time. It does not know where the graph comes from."""

    sceneChanged = Signal(bool)  # noqa: N815  whether it is another graph than before
    selectionChanged = Signal(object)  # noqa: N815  BoxKey or None
    busyChanged = Signal(bool)  # noqa: N815
    failed = Signal(str, str)  # message, details

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.graph: IndexedGraph | None = None
        self.diff: DiffReport | None = None
        self.outline: ScopeTree | None = None
        self.scene: Scene | None = None
        self.selected: BoxKey | None = None
        self.relaying = False
        """Whether the shown graph is laid out again because scopes were opened or closed."""
        self._slices = TimeSlicer(self)
        self._disposal = TimeSlicer(self)
        # The selection is announced in its own turn of the event loop: showing the scene took one already.
        self._selection_timer = QTimer(self, singleShot=True, interval=0)
        self._selection_timer.timeout.connect(lambda: self.selectionChanged.emit(self.selected))

    def show_graph(self, loaded: LoadedGraph) -> None:
        """Lays out another graph and shows it; scopes stay open where it is another stage of the same component."""
        graph, diff, outline = loaded
        opened = set(self.scene.opened) if self.scene is not None and self._same_component(graph) else set()
        if len(opened & outline.scopes.keys()) <= 1:
            opened = outline.overview()
        scene = Scene(graph, outline, opened)
        self._slices.run(scene.build(), lambda _none: self._on_scene(scene, diff), self._on_unreadable)
        if self._slices.busy:
            self.busyChanged.emit(True)

    def _same_component(self, graph: IndexedGraph) -> bool:
        old, new = self.graph.where if self.graph else None, graph.where
        return old is not None and (old.path, old.component) == (new.path, new.component)

    def _on_scene(self, scene: Scene, diff: DiffReport | None) -> None:
        name, last = self.name_of(self.selected), self.scene
        self.graph, self.diff, self.outline, self.scene = scene.graph, diff, scene.outline, scene
        self.selected = self.key_of(name)
        self.busyChanged.emit(False)
        self.sceneChanged.emit(True)
        self._selection_timer.start()
        if last is not None:
            self._disposal.run(last.release(), lambda _none: None, self._on_unreadable, later=True)

    def clear_scene(self) -> None:
        """Shows nothing."""
        self.graph = self.diff = self.outline = self.scene = self.selected = None
        self.sceneChanged.emit(True)
        self.selectionChanged.emit(None)

    def _fail(self, message: str, details: str) -> None:
        self.busyChanged.emit(False)
        self.failed.emit(message, details)

    def _on_unreadable(self, error: ValueError) -> None:
        self._fail(self.tr("The graph cannot be read."), str(error))

    def name_of(self, key: BoxKey | None) -> tuple[str, str] | None:
        """What a box is called in any stage: ("scope", path) or ("node", name)."""
        if key is None or self.graph is None:
            return None
        if isinstance(key, str):
            return "scope", key
        return ("node", self.graph.nodes[key].name) if key < len(self.graph.nodes) else None

    def key_of(self, name: tuple[str, str] | None) -> BoxKey | None:
        """The box with this name in the shown graph; None where there is none."""
        if name is None or self.graph is None or self.outline is None:
            return None
        kind, text = name
        if kind == "scope":
            return text if text in self.outline.scopes else None
        return next((n.index for n in self.graph.nodes if n.name == text), None) if text else None

    @property
    def arriving(self) -> bool:
        """Whether another graph is being read or laid out; nothing interrupts that for the graph that is shown."""
        return self._slices.busy and not self.relaying

    def set_opened(self, opened: set[str]) -> None:
        """Opens and closes scopes; does nothing while another graph arrives."""
        scene = self.scene
        if scene is None or self.arriving:
            return
        scene.open(opened)
        self.relaying = True
        self._slices.run(scene.build(), lambda _none: self._on_relaid(), self._on_unreadable)
        if self._slices.busy:
            self.busyChanged.emit(True)

    def _on_relaid(self) -> None:
        self.relaying = False
        self.busyChanged.emit(False)
        self.sceneChanged.emit(False)

    def toggle(self, key: BoxKey) -> None:
        """Opens a scope or closes it."""
        if self.scene is not None and isinstance(key, str):
            self.set_opened(self.scene.opened ^ {key})

    def reveal(self, key: BoxKey) -> None:
        """Opens the scopes around a box, and selects it."""
        if self.scene is None or self.outline is None:
            return
        enclosing = self.outline.scopes[key].above if isinstance(key, str) else self.outline.of[key].line
        needed = {scope.path for scope in enclosing}
        if not needed <= self.scene.opened:
            self.set_opened(self.scene.opened | needed)
        self.select(key)

    def select(self, key: BoxKey | None) -> None:
        """Selects a box, or none."""
        if key != self.selected:
            self.selected = key
            self.selectionChanged.emit(key)

    def node(self) -> IndexedNode | None:
        """The selected node; None where nothing or a scope is selected."""
        if self.graph is None or not isinstance(self.selected, int):
            return None
        return self.graph.nodes[self.selected]

    def search(self, query: str) -> list[int]:
        """Nodes whose name, operator, scope or outputs contain every word of `query`, ignoring case."""
        parts = query.casefold().split()
        if self.graph is None or not parts:
            return []
        matches = list(range(len(self.graph.nodes)))
        for part in parts:
            matches = [n for n in matches if part in self.graph.texts[n]]
        return matches

    def changes(self) -> list[int]:
        """The nodes that differ in a comparison, in the order of the graph."""
        return [n.index for n in self.graph.nodes if n.change] if self.graph is not None and self.diff else []

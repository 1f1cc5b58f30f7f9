"""What each node of the graph that is looked at costs: time as a profile found it, bytes, or its weight's rounding.

    GraphModel + profile (worker's "profile") ──choose(measure, phase)──▶ Heat: value of a node, sum of a scope

A figure is of a component, a phase and a provider, and is shown for the graph that was profiled alone: where another
is looked at there is none until it is measured as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.graph_scene.boxes import BoxKey
from app.graph_scene.indexed_graph import IndexedGraph, IndexedNode
from app.jobs.job import Job
from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import WorkerClient
from app.state.graph_model import GraphModel
from workflows.wire.events import ErrorEvent, ProgressEvent
from workflows.wire.reports.profile import ComponentProfile, NodeTime, ProfileReport
from workflows.wire.reports.rounding import NodeRounding, RoundingReport
from workflows.wire.requests import GraphReference, MeasureRounding, Profile

Measure = Literal["", "time", "bytes", "error"]
ELEMENT_BYTES = {
    "float64": 8,
    "int64": 8,
    "float32": 4,
    "int32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}
"""Bytes of an element, for the activations of a graph whose shapes are known."""


@dataclass(frozen=True)
class NodeCostRow:
    """A node of the table: where it is in the graph, -1 for one that onnxruntime made, and its figures."""

    place: int
    time: NodeTime


class NodeCosts(QObject):
    """Follows the graph; `progress` is how far a measurement is, `failed` what went wrong with this one."""

    changed = Signal()

    def __init__(
        self, model: GraphModel, new_worker: Callable[[], WorkerClient], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._errand = model, OneShotWorker(new_worker, self)
        self.measure: Measure = ""
        self.provider, self.phase = "cpu", ""
        self._failed: tuple[object, str] | None = None
        self._measured = ""
        self.progress: ProgressEvent | None = None
        self._found: dict[tuple[str, str], list[ComponentProfile]] = {}
        self._rounded: dict[GraphReference, list[NodeRounding]] = {}
        self.values: dict[int, float] = {}
        self.rows: list[NodeCostRow] = []
        self._sums: dict[str, float] = {}
        self.most = self.total = 0.0
        model.sceneChanged.connect(lambda another: self.refresh() if another else None)
        model.forgotten.connect(self._forget)

    # -- measuring ---------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether a profile is being taken."""
        return self._errand.running

    def run(self) -> None:
        """Profiles the graphs of what is looked at, or reads the weights of the one; one at a time."""
        where = self._model.where
        if where is None or self.running:
            return
        self._failed, key, subject = None, (where.path, self.provider), self._subject
        self._measured = where.path
        if self.measure == "error":
            read = self._errand.run(MeasureRounding(where))
            read.on_answer(lambda report: self._on_rounding(where, report))
            self._follow(read, subject)
        else:
            timed = self._errand.run(Profile(where.path, provider=self.provider))
            timed.on_answer(lambda report: self._on_report(key, report))
            self._follow(timed, subject)
        self.changed.emit()

    @property
    def _subject(self) -> object:
        """What is measured: a graph's weights, or the bundle's graphs on a provider."""
        where = self._model.where
        return where if self.measure == "error" or where is None else (where.path, self.provider)

    @property
    def failed(self) -> str:
        """Why what is looked at could not be measured the last time; or ""."""
        return self._failed[1] if self._failed is not None and self._failed[0] == self._subject else ""

    def _forget(self, path: str) -> None:
        """Another bundle is there now: what was measured is not its own, nor what is being measured."""
        self._found = {key: found for key, found in self._found.items() if key[0] != path}
        self._rounded = {where: found for where, found in self._rounded.items() if where.path != path}
        if self._measured == path:
            self.cancel()
        self.refresh()

    def _follow(self, job: Job[object], subject: object) -> None:
        job.event.connect(self._on_event)
        job.on_error(lambda error: self._on_error(subject, error))

    def cancel(self) -> None:
        """Ends the measurement."""
        self._errand.cancel()

    def _on_event(self, event: object) -> None:
        if isinstance(event, ProgressEvent):
            self.progress = event
            self.changed.emit()

    def _on_report(self, key: tuple[str, str], report: ProfileReport) -> None:
        self.progress = None
        self._found[key] = report.components
        self.refresh()

    def _on_rounding(self, where: GraphReference, report: RoundingReport) -> None:
        self.progress = None
        self._rounded[where] = report.nodes
        self.refresh()

    def _on_error(self, subject: object, error: ErrorEvent) -> None:
        self.progress = None
        self._failed = None if error.kind == "cancelled" else (subject, error.message)
        self.changed.emit()

    # -- what is shown -----------------------------------------------------------------------------------------

    def choose(self, measure: Measure) -> None:
        """Colours by another measure; "" by none."""
        self.measure = measure
        self.refresh()

    def choose_phase(self, phase: str) -> None:
        """Shows another phase of the profile."""
        self.phase = phase
        self.refresh()

    def choose_provider(self, provider: str) -> None:
        """Shows what was found on another provider."""
        self.provider = provider
        self.refresh()

    @property
    def profiles(self) -> list[ComponentProfile]:
        """Of the component that is looked at, one a phase; none before it was measured."""
        where = self._model.where
        if where is None:
            return []
        found = self._found.get((where.path, self.provider), [])
        return [one for one in found if where.component in ("", one.name)]

    @property
    def profile(self) -> ComponentProfile | None:
        """The one of the chosen phase, else the last: a step."""
        found = self.profiles
        return next((one for one in found if one.phase == self.phase), found[-1] if found else None)

    @property
    def rounded(self) -> list[NodeRounding] | None:
        """The quantized weights of the graph that is looked at, the coarsest first; None before they were read."""
        return self._rounded.get(self._model.where) if self._model.where is not None else None

    def refresh(self) -> None:
        """The graph, the measure or what was found is another."""
        graph, profile = self._model.graph, self.profile
        self.rows = _rows(graph, profile) if graph is not None and profile is not None else []
        self.values = {}
        if graph is not None and self.measure == "time":
            for row in self.rows:
                if row.place >= 0 and profile is not None:
                    calls = row.time.calls / profile.runs
                    self.values[row.place] = self.values.get(row.place, 0.0) + row.time.median_us * calls
        elif graph is not None and self.measure == "bytes":
            moved = {row.place: row.time.activation_bytes for row in self.rows}
            self.values = {node.index: bytes_of(graph, node, moved.get(node.index)) for node in graph.nodes}
        elif graph is not None and self.measure == "error":
            places = {node.name: node.index for node in graph.nodes}
            self.values = {places[one.node]: one.error for one in self.rounded or [] if one.node in places}
        self._sum()
        self.changed.emit()

    def _sum(self) -> None:
        """Of a scope; of errors, which do not add up, the largest."""
        outline = self._model.outline
        self.total, self.most = sum(self.values.values()), max(self.values.values(), default=0.0)
        self._sums = {}
        for place, value in self.values.items():
            for scope in outline.of[place].line if outline is not None else ():
                before = self._sums.get(scope.path, 0.0)
                self._sums[scope.path] = max(before, value) if self.measure == "error" else before + value

    @property
    def shown(self) -> bool:
        """Whether boxes have a colour; a comparison has its own."""
        return bool(self.values) and self._model.diff is None

    def value(self, key: BoxKey) -> float | None:
        """Of a node, or of all nodes in a scope (of errors the largest); None where nothing is known."""
        return self._sums.get(key) if isinstance(key, str) else self.values.get(key)

    def spread(self, key: BoxKey) -> tuple[float, float] | None:
        """The least and the most of the scopes that were put together as one."""
        outline = self._model.outline
        scope = outline.scopes.get(key) if isinstance(key, str) and outline is not None else None
        if scope is None or not scope.repeat_count:
            return None
        values = [self._sums.get(path, 0.0) for path in scope.children]
        return min(values), max(values)


def _rows(graph: IndexedGraph, profile: ComponentProfile) -> list[NodeCostRow]:
    places = {node.name: node.index for node in graph.nodes}
    return [NodeCostRow(places.get(one.own, -1) if one.own else -1, one) for one in profile.nodes]


def bytes_of(graph: IndexedGraph, node: IndexedNode, moved: int | None) -> float:
    """Of the weights that a node reads, and what else it moves; by its types where that was not measured."""
    values = [graph.values[v] for v in dict.fromkeys(node.inputs) if v >= 0]
    weights = sum(value.bytes for value in values if value.kind == "initializer")
    if moved is not None:
        return weights + moved
    made = [graph.values[v] for v in node.outputs if v >= 0]
    known = 0
    for value in (*(one for one in values if one.kind != "initializer"), *made):
        sizes = [axis for axis in value.shape or () if isinstance(axis, int)]
        if value.shape is not None and len(sizes) == len(value.shape):
            known += prod(sizes) * ELEMENT_BYTES.get(value.dtype, 0)
    return weights + known

"""What each node of the shown graph costs: profiled time, bytes, or the rounding error of its weight.

    GraphModel + CostMeasurements (worker) ──choose(measure, phase)──▶ NodeCosts: value of a node, sum of a scope

A figure belongs to a component, a phase and a provider. Another graph has no figures until it is measured as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from app.graph_scene.boxes import BoxKey
from app.graph_scene.indexed_graph import IndexedGraph, IndexedNode
from app.jobs.job import Job
from app.jobs.one_shot_worker import OneShotWorker
from app.jobs.worker_client import WorkerClient
from app.state.graph_model import GraphModel
from workflows.wire.events import ErrorEvent, ProgressEvent
from workflows.wire.reports.profile import ComponentProfile, NodeTime
from workflows.wire.reports.rounding import NodeRounding
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
"""Bytes of an element, for activations with known shapes."""


@dataclass(frozen=True)
class NodeCostRow:
    """A row of the table. place: the node's index in the graph, -1 for a node that onnxruntime made."""

    place: int
    time: NodeTime


class CostMeasurements(QObject):
    """What workers measured: profiles by bundle and provider, rounding errors by graph. One measurement at a time."""

    changed = Signal()
    measured = Signal()

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = OneShotWorker(new_worker, self)
        self._path = ""
        self.profiles: dict[tuple[str, str], list[ComponentProfile]] = {}
        self.rounding: dict[GraphReference, list[NodeRounding]] = {}
        self.progress: ProgressEvent | None = None
        self.failure: tuple[object, str] | None = None
        """What could not be measured last, and why."""

    @property
    def running(self) -> bool:
        """Whether a measurement is under way."""
        return self._worker.running

    def profile(self, path: str, provider: str) -> None:
        """Times the nodes of all graphs of a bundle or file on a provider."""
        key = path, provider
        job = self._worker.run(Profile(path, provider=provider))
        job.on_answer(lambda report: self._on_answer(job, lambda: self.profiles.update({key: report.components})))
        self._track(job, path, key)

    def read_rounding(self, location: GraphReference) -> None:
        """Reads the rounding errors of a graph's quantized weights."""
        job = self._worker.run(MeasureRounding(location))
        job.on_answer(lambda report: self._on_answer(job, lambda: self.rounding.update({location: report.nodes})))
        self._track(job, location.path, location)

    def cancel(self) -> None:
        """Ends the measurement."""
        self._worker.cancel()

    def forget(self, path: str) -> None:
        """Drops what was measured at `path`, where another bundle is now, and ends its measurement."""
        self.profiles = {key: one for key, one in self.profiles.items() if key[0] != path}
        self.rounding = {where: one for where, one in self.rounding.items() if where.path != path}
        if self._path == path:
            self.cancel()
        self.measured.emit()

    def _track(self, job: Job[Any], path: str, subject: object) -> None:
        self._path, self.failure = path, None
        job.event.connect(self._on_event)
        job.on_error(lambda error: self._on_error(subject, error))
        self.changed.emit()

    def _on_event(self, event: object) -> None:
        if isinstance(event, ProgressEvent):
            self.progress = event
            self.changed.emit()

    def _on_answer(self, job: Job[Any], store: Callable[[], None]) -> None:
        self.progress = None
        if not job.cancelled:  # the answer may have been on the way when another bundle took the path
            store()
        self.measured.emit()

    def _on_error(self, subject: object, error: ErrorEvent) -> None:
        self.progress = None
        self.failure = None if error.kind == "cancelled" else (subject, error.message)
        self.changed.emit()


class NodeCosts(QObject):
    """The cost of each node and scope of the shown graph, by the chosen measure, phase and provider."""

    changed = Signal()

    def __init__(
        self, model: GraphModel, new_worker: Callable[[], WorkerClient], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self.measurements = CostMeasurements(new_worker, self)
        self.measure: Measure = ""
        self.provider, self.phase = "cpu", ""
        self.values: dict[int, float] = {}
        self.rows: list[NodeCostRow] = []
        self._sums: dict[str, float] = {}
        self.most = self.total = 0.0
        model.sceneChanged.connect(lambda another: self.refresh() if another else None)
        model.forgotten.connect(self.measurements.forget)
        self.measurements.changed.connect(self.changed)
        self.measurements.measured.connect(self.refresh)

    def run(self) -> None:
        """Profiles the graphs of the shown bundle or file, or reads the weights of the shown graph."""
        where = self._model.where
        if where is None or self.measurements.running:
            return
        if self.measure == "error":
            self.measurements.read_rounding(where)
        else:
            self.measurements.profile(where.path, self.provider)

    @property
    def failed(self) -> str:
        """Why the last measurement of what is shown failed; empty where it did not."""
        where, failure = self._model.where, self.measurements.failure
        subject = where if self.measure == "error" or where is None else (where.path, self.provider)
        return failure[1] if failure is not None and failure[0] == subject else ""

    def choose(self, measure: Measure) -> None:
        """Colours the graph by another measure; "" by none."""
        self.measure = measure
        self.refresh()

    def choose_phase(self, phase: str) -> None:
        """Shows another phase of the profile."""
        self.phase = phase
        self.refresh()

    def choose_provider(self, provider: str) -> None:
        """Shows what was measured on another provider."""
        self.provider = provider
        self.refresh()

    @property
    def profiles(self) -> list[ComponentProfile]:
        """Profiles of the shown component, one a phase; none before it was measured."""
        where = self._model.where
        if where is None:
            return []
        profiles = self.measurements.profiles.get((where.path, self.provider), [])
        return [one for one in profiles if where.component in ("", one.name)]

    @property
    def profile(self) -> ComponentProfile | None:
        """The profile of the chosen phase, else the last one: a decode step."""
        profiles = self.profiles
        return next((one for one in profiles if one.phase == self.phase), profiles[-1] if profiles else None)

    @property
    def rounded(self) -> list[NodeRounding] | None:
        """The quantized weights of the shown graph, the coarsest first; None before they were read."""
        return self.measurements.rounding.get(self._model.where) if self._model.where is not None else None

    def refresh(self) -> None:
        """Computes the values of the shown graph anew."""
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
        """Adds up the values of each scope; of errors, which do not add up, it takes the largest."""
        outline = self._model.outline
        self.total, self.most = sum(self.values.values()), max(self.values.values(), default=0.0)
        self._sums = {}
        for place, value in self.values.items():
            for scope in outline.of[place].line if outline is not None else ():
                before = self._sums.get(scope.path, 0.0)
                self._sums[scope.path] = max(before, value) if self.measure == "error" else before + value

    @property
    def shown(self) -> bool:
        """Whether boxes are coloured; a comparison has its own colours."""
        return bool(self.values) and self._model.diff is None

    def value(self, key: BoxKey) -> float | None:
        """The cost of a node, or of all nodes in a scope (of errors the largest); None where it is not known."""
        return self._sums.get(key) if isinstance(key, str) else self.values.get(key)

    def spread(self, key: BoxKey) -> tuple[float, float] | None:
        """The smallest and the largest cost of the scopes that are shown as one; None for another box."""
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
    """Bytes of the weights that a node reads and of what else it moves; estimated from its types where not measured."""
    values = [graph.values[v] for v in dict.fromkeys(node.inputs) if v >= 0]
    weights = sum(value.bytes for value in values if value.kind == "initializer")
    if moved is not None:
        return weights + moved
    outputs = [graph.values[v] for v in node.outputs if v >= 0]
    known = 0
    for value in (*(one for one in values if one.kind != "initializer"), *outputs):
        sizes = [axis for axis in value.shape or () if isinstance(axis, int)]
        if value.shape is not None and len(sizes) == len(value.shape):
            known += prod(sizes) * ELEMENT_BYTES.get(value.dtype, 0)
    return weights + known

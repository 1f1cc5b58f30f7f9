"""A graph of the worker's report, with an index of the producer and the consumers of each value.

GraphReport, or the one in a DiffReport ──read_graph──▶ IndexedGraph
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from workflows.wire.reports.graphs import Change, GraphFacts, GraphNode, GraphReport, GraphStage, GraphValue, NodeBefore
from workflows.wire.requests import GraphReference

SlicedTask = Generator[None, None, Any]
CHANGE_SIGNS = {"removed": "−", "added": "+", "changed": "~", "": ""}
"""The sign of each change, since color alone is not enough."""
_CHUNK = 200


_INDEX = re.compile(r"/(\d+)(?=/|$)")


@lru_cache(maxsize=16384)
def join_indices(scope: str) -> str:
    """A scope whose indices are joined to the name before them: layers/3/mlp becomes layers.3/mlp."""
    return _INDEX.sub(r".\1", scope)


@dataclass(slots=True)
class IndexedNode:
    """One node. index: its place in IndexedGraph.nodes. scope: see join_indices. The other fields are GraphNode's."""

    index: int
    name: str
    op: str
    domain: str
    scope: str
    inputs: list[int]
    outputs: list[int]
    attrs: dict[str, str]
    made_by: str
    parent: int
    change: Change
    was: NodeBefore | None


@dataclass(slots=True)
class IndexedGraph:
    """Nodes in topological order; `producer[v]` is a node or -1, `consumers[v]` are nodes."""

    title: str
    where: GraphReference
    stages: list[GraphStage]
    facts: GraphFacts
    inputs: list[int]
    outputs: list[int]
    values: list[GraphValue]
    nodes: list[IndexedNode] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)
    producer: list[int] = field(default_factory=list)
    consumers: list[list[int]] = field(default_factory=list)
    weights: set[int] = field(default_factory=set)
    """Indices of the initializers among the values."""
    texts: list[str] = field(default_factory=list)
    """One searchable text per node: name, operator, domain, scope and outputs, case folded."""

    def module(self, path: str) -> str:
        """The worker's name of a scope, without joined indices; empty for the whole graph."""
        for whole in self.modules:
            parts = whole.split("/")
            for count in range(len(parts), 0, -1):
                if join_indices("/".join(parts[:count])) == path:
                    return "/".join(parts[:count])
        return path

    def sources(self, inside: set[int]) -> set[int]:
        """The nodes outside `inside` that produce inputs of its nodes."""
        return {self.producer[v] for n in inside for v in self.nodes[n].inputs if v >= 0} - inside - {-1}

    def targets(self, inside: set[int]) -> set[int]:
        """The nodes outside `inside` that consume outputs of its nodes."""
        return {t for n in inside for v in self.nodes[n].outputs if v >= 0 for t in self.consumers[v]} - inside


def read_graph(report: GraphReport) -> Generator[None, None, IndexedGraph]:
    """The graph of a report. Raises ValueError for a node with an unknown value."""
    graph = IndexedGraph(
        title=report.title,
        where=GraphReference(report.path, report.component, report.stage),
        stages=report.stages,
        facts=report.facts,
        inputs=report.inputs,
        outputs=report.outputs,
        values=report.values,
    )
    for place, node in enumerate(report.nodes):
        graph.nodes.append(_node(place, node))
        graph.modules.add(node.scope.strip("/"))
        if place % _CHUNK == 0:
            yield
    try:
        yield from _connect(graph)
    except IndexError as error:
        raise ValueError(f"the graph cannot be read: {error!r}") from error
    return graph


def _connect(graph: IndexedGraph) -> SlicedTask:
    graph.weights = {v for v, value in enumerate(graph.values) if value.kind == "initializer"}
    graph.producer = [-1] * len(graph.values)
    graph.consumers = [[] for _ in graph.values]
    for node in graph.nodes:
        for v in node.outputs:
            if v >= 0:
                graph.producer[v] = node.index
        for v in node.inputs:
            if v >= 0 and node.index not in graph.consumers[v][-1:]:
                graph.consumers[v].append(node.index)
        made = " ".join(graph.values[v].name for v in node.outputs if v >= 0)
        graph.texts.append(f"{node.name} {node.op} {node.domain} {node.scope} {made}".casefold())
        if node.index % (4 * _CHUNK) == 0:
            yield


def _node(place: int, node: GraphNode) -> IndexedNode:
    return IndexedNode(
        place,
        node.name,
        node.op,
        node.domain,
        join_indices(node.scope.strip("/")),
        node.inputs,
        node.outputs,
        node.attrs,
        node.made_by,
        node.parent,
        node.change or "",
        node.was,
    )

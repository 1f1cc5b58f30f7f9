"""Finds consecutive scopes of the same structure, as the layers of a model are, and groups them.

IndexedGraph + ScopeTree ──repeated_runs──▶ [layers.0 … layers.27], [experts.0 … experts.7], …

Two scopes have the same structure if their nodes have the same operators, attributes, inner scopes, output types and
changes, and are connected in the same way. An input from outside counts by its type, so that the first layer, which
follows an embedding, equals those that follow a layer. An input that several scopes share (a mask, rotary positions)
must be the same value, so that layers with a window differ from those without. Weights count by type and shape.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Hashable
from itertools import groupby

from app.graph_scene.indexed_graph import IndexedGraph, SlicedTask
from app.graph_scene.scope_tree import Scope, ScopeTree

_NUMBER = re.compile(r"\d+")
StructuralHash = tuple[int, ...]


def repeated_runs(graph: IndexedGraph, outline: ScopeTree, parent: Scope) -> Generator[None, None, list[list[Scope]]]:
    """Runs of two or more consecutive children of `parent` with the same structure."""
    result: list[list[Scope]] = []
    children = sorted(outline.children(parent), key=lambda scope: scope.first)
    reader = _StructuralHashes(graph, outline)
    for (stem, _), near in groupby(children, key=lambda scope: (_stem(scope.name), scope.total)):
        beside = list(near)
        if len(beside) < 2 or stem == beside[0].name:
            continue  # a scope without a number in its name is not repeated
        hashed = []
        for scope in beside:
            hashed.append(((yield from reader.read(scope)), scope))
        for _, same in groupby(hashed, key=lambda one: one[0]):
            run = [scope for _, scope in same]
            if len(run) > 1:
                result.append(run)
    return result


def _stem(name: str) -> str:
    return _NUMBER.sub("#", name)


class _StructuralHashes:
    """Hashes the structure of sibling scopes: the sorted hashes of their nodes."""

    def __init__(self, graph: IndexedGraph, outline: ScopeTree) -> None:
        self.graph, self.outline = graph, outline
        self._consumers: dict[int, int] = {}

    def read(self, scope: Scope) -> Generator[None, None, StructuralHash]:
        """The structural hash of a scope."""
        marks: dict[int, int] = {}
        for done, index in enumerate(sorted(self.outline.all_nodes(scope))):
            node = self.graph.nodes[index]
            marks[index] = hash(
                (
                    (node.op, node.domain, node.scope[len(scope.path) :], node.change),
                    tuple(node.attrs.items()),
                    tuple(self._input(scope, marks, v) for v in node.inputs),
                    tuple(self._type(v) for v in node.outputs),
                )
            )
            if done % 40 == 0:
                yield
        return tuple(sorted(marks.values()))

    def _type(self, v: int) -> Hashable:
        if v < 0:
            return None
        value = self.graph.values[v]
        return value.dtype, None if value.shape is None else tuple(value.shape), value.change

    def _input(self, scope: Scope, marks: dict[int, int], v: int) -> Hashable:
        """How an input counts in the hash of a scope."""
        if v < 0:
            return None
        value, maker = self.graph.values[v], self.graph.producer[v]
        if maker in marks:
            return marks[maker], self.graph.nodes[maker].outputs.index(v)
        value_type = self._type(v)
        if maker < 0:
            return value.kind, _stem(value.name) if value.kind == "input" else "", value_type
        return ("shared", v) if self._consuming_scopes(scope, v) > 1 else ("stream", value_type)

    def _consuming_scopes(self, scope: Scope, v: int) -> int:
        """The number of sibling scopes that consume a value."""
        if v not in self._consumers:
            depth, parent = len(scope.above), scope.above[-1]
            lines = (self.outline.of[taker].line for taker in self.graph.consumers[v])
            beside = (line[depth] for line in lines if len(line) > depth and line[depth - 1] is parent)
            self._consumers[v] = len({one.path for one in beside})
        return self._consumers[v]


def group_repeated_scopes(graph: IndexedGraph, outline: ScopeTree) -> SlicedTask:
    """Groups each run in a new scope such as `layers.0–27`, which is closed at first."""
    for path in list(outline.scopes):
        parent = outline.scopes[path]
        if len(parent.children) > 1:
            for run in (yield from repeated_runs(graph, outline, parent)):
                outline.group(parent, run)
        yield

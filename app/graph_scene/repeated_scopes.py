"""Which scopes beside each other are built alike, as the layers of a model are: the same but for names and numbers.

Graph + Outline ──runs──▶ [layers.0 … layers.27], [experts.0 … experts.7], …

Two scopes are alike where their nodes have the same operators, attributes, places within the scope, types of outputs
and changes, and are tied in the same way. What comes from outside counts by its type alone, so that the first layer,
which follows an embedding, is like those that follow a layer; but what several scopes take (a mask, rotary positions)
has to be the very same, so that layers with a window are not like those without. Weights count by type and shape.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Hashable
from itertools import groupby

from app.graph_scene.indexed_graph import IndexedGraph, SlicedTask
from app.graph_scene.scope_tree import Scope, ScopeTree

_NUMBER = re.compile(r"\d+")
Signature = tuple[int, ...]


def repeated_runs(graph: IndexedGraph, outline: ScopeTree, parent: Scope) -> Generator[None, None, list[list[Scope]]]:
    """Children of `parent` that follow on each other and are alike, two or more at a time."""
    found: list[list[Scope]] = []
    children = sorted(outline.children(parent), key=lambda scope: scope.first)
    reader = _StructuralHashes(graph, outline)
    for (stem, _), near in groupby(children, key=lambda scope: (_stem(scope.name), scope.total)):
        beside = list(near)
        if len(beside) < 2 or stem == beside[0].name:
            continue  # without a number in its name a scope is one of its kind
        marked = []
        for scope in beside:
            marked.append(((yield from reader.read(scope)), scope))
        for _, same in groupby(marked, key=lambda one: one[0]):
            run = [scope for _, scope in same]
            if len(run) > 1:
                found.append(run)
    return found


def _stem(name: str) -> str:
    return _NUMBER.sub("#", name)


class _StructuralHashes:
    """What scopes beside each other have in common that are alike: a number for each node, in order of size."""

    def __init__(self, graph: IndexedGraph, outline: ScopeTree) -> None:
        self.graph, self.outline = graph, outline
        self._takers: dict[int, int] = {}

    def read(self, scope: Scope) -> Generator[None, None, Signature]:
        """The signature of a scope."""
        marks: dict[int, int] = {}
        for done, index in enumerate(sorted(self.outline.every_node(scope))):
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
        """What an input is to this scope."""
        if v < 0:
            return None
        value, maker = self.graph.values[v], self.graph.producer[v]
        if maker in marks:
            return marks[maker], self.graph.nodes[maker].outputs.index(v)
        told = self._type(v)
        if maker < 0:
            return value.kind, _stem(value.name) if value.kind == "input" else "", told
        return ("shared", v) if self._scopes_that_take(scope, v) > 1 else ("stream", told)

    def _scopes_that_take(self, scope: Scope, v: int) -> int:
        """How many of the scopes beside this one take a value."""
        if v not in self._takers:
            depth, parent = len(scope.above), scope.above[-1]
            lines = (self.outline.of[taker].line for taker in self.graph.consumers[v])
            beside = (line[depth] for line in lines if len(line) > depth and line[depth - 1] is parent)
            self._takers[v] = len({one.path for one in beside})
        return self._takers[v]


def group_repeated_scopes(graph: IndexedGraph, outline: ScopeTree) -> SlicedTask:
    """Puts each run into a scope of its own, `layers.0–27`, which is closed until it is opened."""
    for path in list(outline.scopes):
        parent = outline.scopes[path]
        if len(parent.children) > 1:
            for run in (yield from repeated_runs(graph, outline, parent)):
                outline.gather(parent, run)
        yield

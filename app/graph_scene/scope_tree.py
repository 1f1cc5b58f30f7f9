"""The scopes of a graph as a tree, and the ones that are open at first.

IndexedGraph ──read_scope_tree──▶ ScopeTree: "" ─ model ─ layers.0 ─ self_attn ─ nodes
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field

from app.graph_scene.indexed_graph import IndexedGraph
from workflows.wire.reports.graphs import CHANGES

OVERVIEW_BOXES, FEW_BOXES, MAX_OPEN_BOXES = 48, 8, 400
"""Boxes that one picture shows clearly; a picture of fewer than FEW_BOXES may grow to MAX_OPEN_BOXES."""


@dataclass(slots=True, eq=False)
class Scope:
    """A module of the model: its child scopes, its own nodes, and counts of nodes and changes.

    repeat_count: number of children for a scope that groups repeated scopes; 0 for a scope of the graph itself.
    above: the scopes around it, from the root. first: the first node inside; -1 for none. total: nodes inside.
    children: paths, since a reference cycle of scopes would wait for the garbage collector.
    """

    path: str
    name: str
    above: tuple[Scope, ...]
    children: list[str] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    first: int = -1
    total: int = 0
    changes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CHANGES, 0))
    repeat_count: int = 0

    @property
    def box_count(self) -> int:
        """Number of boxes inside when it is open."""
        return len(self.children) + len(self.nodes)

    @property
    def is_layer(self) -> bool:
        """Whether it is one of a numbered sequence, or a group of them."""
        return self.name[-1:].isdigit()

    @property
    def line(self) -> tuple[Scope, ...]:
        """The scopes from the root to this one."""
        return (*self.above, self)


class ScopeTree:
    """All scopes by path; `of[node]` is the scope of a node."""

    def __init__(self) -> None:
        self.root = Scope("", "", ())
        self.scopes: dict[str, Scope] = {"": self.root}
        self.of: list[Scope] = []

    def scope(self, path: str) -> Scope:
        """The scope at `path`; creates it and the scopes above it where they are missing."""
        found = self.scopes.get(path)
        if found is None:
            above, _, name = path.rpartition("/")
            parent = self.scope(above)
            parent.children.append(path)
            found = self.scopes[path] = Scope(path, name, parent.line)
        return found

    def group(self, parent: Scope, run: list[Scope]) -> None:
        """Groups consecutive children of `parent` in a new scope between it and them."""
        first, last = run[0], run[-1]
        path = f"{first.path}–{_last_number(last.name)}"
        group = Scope(path, path.rpartition("/")[2], parent.line, repeat_count=len(run), first=first.first)
        group.children = [scope.path for scope in run]
        group.total = sum(scope.total for scope in run)
        group.changes = {change: sum(scope.changes[change] for scope in run) for change in CHANGES}
        self.scopes[path] = group
        place = parent.children.index(first.path)
        parent.children = [child for child in parent.children if child not in group.children]
        parent.children.insert(place, path)
        for scope in run:
            self._insert_above(scope, len(parent.above) + 1, group)

    def _insert_above(self, scope: Scope, depth: int, group: Scope) -> None:
        """Inserts `group` among the scopes above a scope and above all scopes below it."""
        scope.above = (*scope.above[:depth], group, *scope.above[depth:])
        for child in self.children(scope):
            self._insert_above(child, depth, group)

    def first_of(self, path: str) -> str:
        """The scope itself, or the first repeated scope of a group."""
        while self.scopes[path].repeat_count:
            path = self.scopes[path].children[0]
        return path

    def children(self, scope: Scope) -> list[Scope]:
        return [self.scopes[path] for path in scope.children]

    def all_nodes(self, scope: Scope) -> list[int]:
        """The nodes of a scope and of all scopes below it."""
        found, below = list[int](), [scope]
        while below:
            one = below.pop()
            found += one.nodes
            below += self.children(one)
        return found

    def nearest(self, path: str) -> Scope:
        """The scope at `path`, or the nearest existing scope above it."""
        while path not in self.scopes:
            path = path.rpartition("/")[0]
        return self.scopes[path]

    def overview(self) -> set[str]:
        """The scopes to open at first: one depth after another, while the picture stays clear; layers stay closed."""
        opened = {""}
        seen, edge = self.root.box_count, [self.root]
        while edge:
            below = [child for scope in edge for child in self.children(scope) if not child.is_layer]
            more = sum(child.box_count - 1 for child in below)
            if not below or seen + more > (MAX_OPEN_BOXES if seen < FEW_BOXES else OVERVIEW_BOXES):
                break
            opened.update(child.path for child in below)
            seen, edge = seen + more, below
        return opened


def _last_number(name: str) -> str:
    """The last number in a name."""
    return str(re.findall(r"\d+", name)[-1])


def read_scope_tree(graph: IndexedGraph) -> Generator[None, None, ScopeTree]:
    """The scopes of a graph."""
    outline = ScopeTree()
    for node in graph.nodes:
        scope = outline.scope(node.scope)
        scope.nodes.append(node.index)
        outline.of.append(scope)
        for one in scope.line:
            one.total += 1
            if one.first < 0:
                one.first = node.index
            if node.change:
                one.changes[node.change] += 1
        if node.index % 400 == 0:
            yield
    return outline

"""The scopes of a graph as a tree, and which of them are open.

Graph ──read_scope_tree──▶ Outline: "" ─ model ─ layers.0 ─ self_attn ─ nodes
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field

from app.graph_scene.indexed_graph import IndexedGraph
from workflows.wire.reports.graphs import CHANGES

OVERVIEW_BOXES, FEW_BOXES, MAX_OPEN_BOXES = 48, 8, 400
"""About as many boxes as one picture shows clearly, and how many say too little: then up to MOST are shown."""


@dataclass(slots=True, eq=False)
class Scope:
    """A module of the model: what lies in it, how many nodes, and how many of them changed.

    alike: how many children of one structure it was made to hold; 0 for a scope of the graph's own.
    `above` are the scopes around it, the root first. Children are paths and not scopes: a circle of references would
    stay until the garbage collector looks through everything.
    """

    path: str
    name: str
    above: tuple[Scope, ...]
    children: list[str] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    first: int = -1
    total: int = 0
    changes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CHANGES, 0))
    alike: int = 0

    @property
    def items(self) -> int:
        """Boxes that are seen when it is open."""
        return len(self.children) + len(self.nodes)

    @property
    def line(self) -> tuple[Scope, ...]:
        """From the root to this scope."""
        return (*self.above, self)


class ScopeTree:
    """All scopes by their paths; `of[node]` is the scope that holds it."""

    def __init__(self) -> None:
        self.root = Scope("", "", ())
        self.scopes: dict[str, Scope] = {"": self.root}
        self.of: list[Scope] = []

    def scope(self, path: str) -> Scope:
        """The scope called `path`, made with those above it where there is none yet."""
        found = self.scopes.get(path)
        if found is None:
            above, _, name = path.rpartition("/")
            parent = self.scope(above)
            parent.children.append(path)
            found = self.scopes[path] = Scope(path, name, parent.line)
        return found

    def gather(self, parent: Scope, run: list[Scope]) -> None:
        """Puts some children of `parent`, in their order, into a scope of their own between it and them."""
        first, last = run[0], run[-1]
        path = f"{first.path}–{_number(last.name)}"
        group = Scope(path, path.rpartition("/")[2], parent.line, alike=len(run), first=first.first)
        group.children = [scope.path for scope in run]
        group.total = sum(scope.total for scope in run)
        group.changes = {change: sum(scope.changes[change] for scope in run) for change in CHANGES}
        self.scopes[path] = group
        place = parent.children.index(first.path)
        parent.children = [child for child in parent.children if child not in group.children]
        parent.children.insert(place, path)
        for scope in run:
            self._sink(scope, len(parent.above) + 1, group)

    def _sink(self, scope: Scope, depth: int, group: Scope) -> None:
        """`group` is around a scope and all below it now."""
        scope.above = (*scope.above[:depth], group, *scope.above[depth:])
        for child in self.children(scope):
            self._sink(child, depth, group)

    def first_of(self, path: str) -> str:
        """A scope of the graph's own: itself, or the first of those that were put together in it."""
        while self.scopes[path].alike:
            path = self.scopes[path].children[0]
        return path

    def children(self, scope: Scope) -> list[Scope]:
        """The scopes right below."""
        return [self.scopes[path] for path in scope.children]

    def every_node(self, scope: Scope) -> list[int]:
        """The nodes in it and in all scopes below."""
        found, below = list[int](), [scope]
        while below:
            one = below.pop()
            found += one.nodes
            below += self.children(one)
        return found

    def nearest(self, path: str) -> Scope:
        """The scope called `path`, or the deepest there is above it."""
        while path not in self.scopes:
            path = path.rpartition("/")[0]
        return self.scopes[path]

    def overview(self) -> set[str]:
        """Scopes to open at first: depth by depth, as long as the picture stays clear."""
        opened = {""}
        seen, edge = self.root.items, [self.root]
        while edge:
            below = [child for scope in edge for child in self.children(scope) if not child.alike]
            more = sum(child.items - 1 for child in below)
            if not below or seen + more > (MAX_OPEN_BOXES if seen < FEW_BOXES else OVERVIEW_BOXES):
                break
            opened.update(child.path for child in below)
            seen, edge = seen + more, below
        return opened


def _number(name: str) -> str:
    """The last number in a name."""
    return str(re.findall(r"\d+", name)[-1])


def read_scope_tree(graph: IndexedGraph) -> Generator[None, None, ScopeTree]:
    """The tree of a graph's scopes."""
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

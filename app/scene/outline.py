"""The scopes of a graph as a tree, and which of them are open.

Graph ──read_outline──▶ Outline: "" ─ model ─ layers.0 ─ self_attn ─ nodes
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from app.scene.model import Graph
from workflows.wire.reports.graphs import CHANGES

OVERVIEW, FEW, MOST = 48, 8, 400
"""About as many boxes as one picture shows clearly, and how many say too little: then up to MOST are shown."""


@dataclass(slots=True, eq=False)
class Scope:
    """A module of the model: what lies in it, how many nodes, and how many of them changed.

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

    @property
    def items(self) -> int:
        """Boxes that are seen when it is open."""
        return len(self.children) + len(self.nodes)

    @property
    def line(self) -> tuple[Scope, ...]:
        """From the root to this scope."""
        return (*self.above, self)


class Outline:
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

    def children(self, scope: Scope) -> list[Scope]:
        """The scopes right below."""
        return [self.scopes[path] for path in scope.children]

    def every_node(self, scope: Scope) -> Iterator[int]:
        """The nodes in it and in all scopes below."""
        yield from scope.nodes
        for child in self.children(scope):
            yield from self.every_node(child)

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
            below = [child for scope in edge for child in self.children(scope)]
            more = sum(child.items - 1 for child in below)
            if not below or seen + more > (MOST if seen < FEW else OVERVIEW):
                break
            opened.update(child.path for child in below)
            seen, edge = seen + more, below
        return opened


def read_outline(graph: Graph) -> Generator[None, None, Outline]:
    """The tree of a graph's scopes."""
    outline = Outline()
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

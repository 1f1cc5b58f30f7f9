"""Reads one open scope of the graph: its boxes, their lines, and ports in place of lines that would be too long.

IndexedGraph + Scope ──LevelReader.read──▶ SceneLevel without positions
"""

from __future__ import annotations

from collections.abc import Generator
from functools import lru_cache

from app.graph_scene.boxes import (
    BOLD_W,
    CHAR_W,
    HEAD,
    LINE_H,
    MIN_W,
    PAD,
    TITLE_H,
    GraphBox,
    GraphLink,
    Port,
    SceneLevel,
    shorten,
)
from app.graph_scene.indexed_graph import CHANGE_SIGNS, IndexedGraph, IndexedNode, SlicedTask
from app.graph_scene.layered_layout import rank_boxes
from app.graph_scene.scope_tree import Scope, ScopeTree
from workflows.wire.reports.graphs import CHANGES


def node_label(graph: IndexedGraph, scope: Scope, other: int) -> str:
    """The name of a node as seen from `scope`: the first scope on its path that differs, or its operator."""
    node = graph.nodes[other]
    here = scope.path.split("/") if scope.path else []
    there = node.scope.split("/") if node.scope else []
    for place, name in enumerate(there):
        if place >= len(here) or here[place] != name:
            return name
    return node.op


class LevelReader:
    """Reads the boxes, edges and ports of one level; connections that leave the scope become ports."""

    def __init__(self, graph: IndexedGraph, outline: ScopeTree, scope: Scope) -> None:
        self.graph, self.outline, self.scope = graph, outline, scope
        self.level = SceneLevel(scope)
        self.slot: dict[int, int] = {}
        self._links: dict[tuple[int, int], GraphLink] = {}
        self._ports: dict[tuple[int, bool, str, str], Port] = {}

    def read(self) -> Generator[None, None, SceneLevel]:
        """The level with ranks and without positions."""
        level, graph = self.level, self.graph
        parts: list[tuple[int, Scope | IndexedNode]] = [(s.first, s) for s in self.outline.children(self.scope)]
        parts += [(n, graph.nodes[n]) for n in self.scope.nodes]
        parts.sort(key=lambda part: part[0])
        for place, (_, part) in enumerate(parts):
            inside = self.outline.all_nodes(part) if isinstance(part, Scope) else (part.index,)
            self.slot.update(dict.fromkeys(inside, place))
            level.boxes.append(_scope_box(part) if isinstance(part, Scope) else _node_box(graph, part))
            if place % 300 == 0:
                yield
        for done, index in enumerate(self.slot):
            self._node(graph.nodes[index])
            if done % 200 == 0:
                yield
        level.by_key = {box.key: box for box in level.boxes}
        level.edges, level.links = list(self._links), list(self._links.values())
        level.ranking = yield from rank_boxes(len(level.boxes), level.edges)
        yield from self._add_long_ports()
        return level

    def _node(self, node: IndexedNode) -> None:
        graph, here = self.graph, self.slot[node.index]
        for v in node.inputs:
            if v < 0:
                continue
            maker = graph.producer[v]
            if maker < 0:
                if graph.values[v].kind == "input":
                    self._port(here, True, "input", graph.values[v].name, -1)
            elif maker not in self.slot:
                self._port(here, True, "link", node_label(graph, self.scope, maker), maker)
            elif self.slot[maker] != here:
                self._link(self.slot[maker], here, v, maker, node.index)
        for v in node.outputs:
            if v < 0:
                continue
            if graph.values[v].kind == "output":
                self._port(here, False, "output", graph.values[v].name, -1)
            for taker in graph.consumers[v]:
                if taker not in self.slot:
                    self._port(here, False, "link", node_label(graph, self.scope, taker), taker)

    def _link(self, a: int, b: int, v: int, maker: int, taker: int) -> None:
        nodes = self.graph.nodes
        ends = (nodes[maker].change, nodes[taker].change, self.graph.values[v].change)
        change = next((c for c in CHANGES[:2] if c in ends), "")
        link = self._links.get((a, b))
        if link is None:
            boxes = self.level.boxes
            self._links[a, b] = GraphLink(boxes[a].key, boxes[b].key, change, 1, v)
        else:
            link.count += 1
            link.change = link.change if link.change == change else ""

    def _port(self, box: int, inward: bool, kind: str, text: str, node: int) -> None:
        key = (box, inward, kind, text)
        port = self._ports.get(key)
        if port is None:
            port = self._ports[key] = Port(text, kind, inward, node)
            self.level.boxes[box].ports.append(port)
        elif port.node != node:
            port.count += 1

    def _add_long_ports(self) -> SlicedTask:
        """Adds a port at both ends of each connection that is too long for a line."""
        boxes = self.level.boxes
        for place, ((a, b), drawn) in enumerate(zip(self.level.edges, self.level.ranking.drawn, strict=True)):
            if place % 500 == 0:
                yield
            if not drawn:
                self._port(b, True, "link", boxes[a].title, self._first(boxes[a]))
                self._port(a, False, "link", boxes[b].title, self._first(boxes[b]))

    def _first(self, box: GraphBox) -> int:
        return box.key if isinstance(box.key, int) else self.outline.scopes[box.key].first


def _scope_box(scope: Scope) -> GraphBox:
    touched = " ".join(f"{CHANGE_SIGNS[c]}{scope.changes[c]}" for c in CHANGES if scope.changes[c])
    each = scope.total // scope.repeat_count if scope.repeat_count else scope.total
    nodes = f"{each:,} nodes" if each != 1 else "1 node"
    detail = [f"{scope.repeat_count} × {nodes}" if scope.repeat_count else nodes]
    if touched:
        detail.append(touched)
    kinds = {c for c in CHANGES if scope.changes[c]}
    change = "" if not kinds else next(iter(kinds)) if len(kinds) == 1 else "changed"
    title = f"{scope.name} × {scope.repeat_count}" if scope.repeat_count else scope.name or "(unnamed)"
    return GraphBox(scope.path, title, detail, change, "scope")


def _node_box(graph: IndexedGraph, node: IndexedNode) -> GraphBox:
    weights = [graph.values[v] for v in node.inputs if v >= 0 and graph.values[v].kind == "initializer"]
    detail = []
    for value in weights[:2]:
        shape = "scalar" if value.shape == [] else " × ".join(str(d) for d in value.shape or ("?",))
        detail.append(shorten(f"{value.name.rpartition('.')[2]}: {shape}"))  # a name may end in a number
    return GraphBox(node.index, node.op, detail, node.change, operator_kind(node.op))


_KINDS = {
    "matrix": ("matmul", "gemm", "conv", "einsum", "linear"),
    "attention": ("attention", "rotary"),
    "norm": ("norm",),
    "activation": ("relu", "gelu", "silu", "sigmoid", "tanh", "softmax", "erf", "swish"),
    "control": ("if", "loop", "scan"),
}


@lru_cache(maxsize=4096)
def operator_kind(op: str) -> str:
    """The kind of an operator, which tints its box; empty for operators that only move data."""
    small = op.casefold()
    if small in _KINDS["control"]:
        return "control"
    order = ("attention", "norm", "matrix", "activation")
    return next((kind for kind in order if any(word in small for word in _KINDS[kind])), "")


def set_box_size(box: GraphBox) -> None:
    """Sets the size of a box from its text, or from its open level."""
    if box.inner is not None:
        box.w = max(box.inner.width + 2 * PAD, MIN_W + CHAR_W * len(box.title))
        box.h = box.inner.height + HEAD + PAD
        return
    lines = box.lines()
    title = len(shorten(box.title)) + (2 if box.kind == "scope" else 0) + (2 if box.change else 0)
    longest = max([title * BOLD_W, *(len(text) * CHAR_W for text, _ in lines)])
    box.w = max(MIN_W, longest + 26)
    box.h = TITLE_H + LINE_H * len(lines) + (6 if lines else 0)

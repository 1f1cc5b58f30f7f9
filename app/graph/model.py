"""A graph as the worker sends it, with who makes and who takes each value.

value of a ResultEvent ──read_graph──▶ Graph;   value of a "diff" ──read_diff──▶ Diff (one merged Graph, counts)
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

Steps = Generator[None, None, Any]
REMOVED, ADDED, CHANGED = "removed", "added", "changed"
CHANGES = (REMOVED, ADDED, CHANGED)
MARKS = {REMOVED: "−", ADDED: "+", CHANGED: "~", "": ""}
"""How a change is told without colour."""
_CHUNK = 200


_INDEX = re.compile(r"/(\d+)(?=/|$)")


def fold(scope: str) -> str:
    """A scope whose numbers belong to what they count: layers/3/mlp is layers.3/mlp, and not three boxes."""
    return _INDEX.sub(r".\1", scope)


@dataclass(slots=True)
class Value:
    """What flows along an edge. `shape` is None where it is not known; `bytes` counts an initializer's data."""

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None
    kind: str
    bytes: int
    change: str
    was: dict[str, Any]

    @property
    def type(self) -> str:
        """Element type and shape in words: float32 1 × 64 × hidden."""
        shape = "?" if self.shape is None else " × ".join(str(d) for d in self.shape) or "scalar"
        return f"{self.dtype} {shape}".strip()


@dataclass(slots=True)
class Node:
    """One operator. `inputs` and `outputs` are places in the graph's values, -1 for an omitted input."""

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
    change: str
    was: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a pass left a place alone."""

    reason: str
    node: str


@dataclass(frozen=True, slots=True)
class Parity:
    """How far a stage is from the one before it."""

    max_abs_diff: float | None
    greedy_equal: int | None
    greedy_tokens: int | None
    note: str


@dataclass(frozen=True, slots=True)
class Stage:
    """One stop of the slider; `name` is what the worker takes as a stage."""

    name: str
    title: str
    kind: str
    modified: bool
    nodes: int
    bytes: int
    seconds: float
    parity: Parity | None
    refused: tuple[Refused, ...]


@dataclass(slots=True)
class Graph:
    """Nodes in topological order; `producer[v]` is a node or -1, `consumers[v]` are nodes."""

    title: str
    path: str
    component: str
    stage: str
    stages: tuple[Stage, ...]
    facts: dict[str, Any]
    inputs: list[int]
    outputs: list[int]
    values: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)
    producer: list[int] = field(default_factory=list)
    consumers: list[list[int]] = field(default_factory=list)

    @property
    def where(self) -> dict[str, str]:
        """What the worker takes to find this graph again."""
        return {"path": self.path, "component": self.component, "stage": self.stage}

    def module(self, path: str) -> str:
        """A scope as the worker calls it; empty for all."""
        for whole in self.modules:
            parts = whole.split("/")
            for count in range(len(parts), 0, -1):
                if fold("/".join(parts[:count])) == path:
                    return "/".join(parts[:count])
        return path

    def sources(self, node: Node) -> list[int]:
        """The nodes that this one takes values from, each once."""
        return _once(self.producer[v] for v in node.inputs if v >= 0 and self.producer[v] >= 0)

    def targets(self, node: Node) -> list[int]:
        """The nodes that take values from this one, each once."""
        return _once(n for v in node.outputs if v >= 0 for n in self.consumers[v])


@dataclass(slots=True)
class Diff:
    """Two graphs as one. `scopes` and `ops` hold what differs alone."""

    graph: Graph
    counts: dict[str, int]
    ops: list[tuple[str, int, int]]
    scopes: list[tuple[str, dict[str, int]]]
    initializers: dict[str, list[str]]
    notes: list[str]


def _once(indices: Any) -> list[int]:
    return list(dict.fromkeys(indices))


def read_graph(value: dict[str, Any]) -> Generator[None, None, Graph]:
    """The graph in a worker's answer.

    Raises ValueError when a part is not what the contract says.
    """
    try:
        return (yield from _graph(value))
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"the graph cannot be read: {error!r}") from error


def read_diff(value: dict[str, Any]) -> Generator[None, None, Diff]:
    """The difference in a worker's answer.

    Raises ValueError when a part is not what the contract says.
    """
    try:
        graph = yield from _graph(value["graph"])
        return Diff(
            graph=graph,
            counts={str(k): int(v) for k, v in value["counts"].items()},
            ops=[(str(o["op"]), int(o["before"]), int(o["after"])) for o in value["ops"]],
            scopes=[(str(s["scope"]), {c: int(s.get(c) or 0) for c in CHANGES}) for s in value["scopes"]],
            initializers={c: [str(n) for n in value["initializers"].get(c) or []] for c in CHANGES},
            notes=[str(n) for n in value.get("notes") or []],
        )
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"the difference cannot be read: {error!r}") from error


def _graph(value: dict[str, Any]) -> Generator[None, None, Graph]:
    graph = Graph(
        title=str(value.get("title") or ""),
        path=str(value.get("path") or ""),
        component=str(value.get("component") or ""),
        stage=str(value.get("stage") or ""),
        stages=tuple(_stage(s) for s in value.get("stages") or []),
        facts=dict(value.get("facts") or {}),
        inputs=list(value.get("inputs") or []),
        outputs=list(value.get("outputs") or []),
    )
    for place, v in enumerate(value["values"]):
        graph.values.append(_value(v))
        if place % _CHUNK == 0:
            yield
    for place, n in enumerate(value["nodes"]):
        graph.nodes.append(_node(place, n))
        graph.modules.add(str(n.get("scope") or "").strip("/"))
        if place % _CHUNK == 0:
            yield
    yield from _connect(graph)
    return graph


def _connect(graph: Graph) -> Steps:
    graph.producer = [-1] * len(graph.values)
    graph.consumers = [[] for _ in graph.values]
    for node in graph.nodes:
        for v in node.outputs:
            if v >= 0:
                graph.producer[v] = node.index
        for v in node.inputs:
            if v >= 0 and node.index not in graph.consumers[v][-1:]:
                graph.consumers[v].append(node.index)
        if node.index % (4 * _CHUNK) == 0:
            yield


def _value(v: dict[str, Any]) -> Value:
    shape = v.get("shape")
    return Value(
        str(v["name"]),
        str(v.get("dtype") or ""),
        None if shape is None else tuple(d if isinstance(d, int) else str(d) for d in shape),
        str(v.get("kind") or "value"),
        int(v.get("bytes") or 0),
        str(v.get("change") or ""),
        v.get("was") or {},
    )


def _node(place: int, n: dict[str, Any]) -> Node:
    return Node(
        place,
        str(n.get("name") or ""),
        str(n["op"]),
        str(n.get("domain") or ""),
        fold(str(n.get("scope") or "").strip("/")),
        n["in"],
        n["out"],
        n.get("attrs") or {},
        str(n.get("made_by") or ""),
        int(n.get("parent", -1)),
        str(n.get("change") or ""),
        n.get("was") or {},
    )


def _stage(s: dict[str, Any]) -> Stage:
    parity = s.get("parity")
    return Stage(
        name=str(s["name"]),
        title=str(s.get("title") or s["name"]),
        kind=str(s.get("kind") or ""),
        modified=bool(s.get("modified", True)),
        nodes=int(s.get("nodes") or 0),
        bytes=int(s.get("bytes") or 0),
        seconds=float(s.get("seconds") or 0),
        parity=_parity(parity) if parity else None,
        refused=tuple(Refused(str(r.get("reason") or ""), str(r.get("node") or "")) for r in s.get("refused") or []),
    )


def _parity(p: dict[str, Any]) -> Parity:
    return Parity(p.get("max_abs_diff"), p.get("greedy_equal"), p.get("greedy_tokens"), str(p.get("note") or ""))

"""Compares two graphs: one merged graph in which each node is removed, added, changed or unchanged.

    before, after ──match_nodes──▶ pairs ──_Merge──▶ DiffReport

An unchanged node has the same operator, attributes and inputs; its name does not count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import replace

from workflows.common.errors import printable
from workflows.inspection.flat_graph import FlatGraph
from workflows.inspection.node_matching import match_nodes
from workflows.inspection.opened_graph import OpenedGraph
from workflows.wire.reports.graphs import (
    CHANGES,
    DiffReport,
    GraphNode,
    GraphValue,
    NodeBefore,
    OperatorCounts,
    ScopeCounts,
    ValueBefore,
)


def diff_graphs(before: OpenedGraph, after: OpenedGraph) -> DiffReport:
    """Returns the changes from `before` to `after` for the window and for `joinery inspect --diff`."""
    merge = _Merge(before.view, after.view)
    nodes, counts = merge.nodes(), Counter({"same": 0} | dict.fromkeys(CHANGES, 0))
    counts.update(node.change or "same" for node in nodes)
    graph = replace(
        after.report(),
        title=f"{before.title} → {after.title}",
        values=merge.values,
        nodes=nodes,
        inputs=merge.ends(before.view.inputs, after.view.inputs),
        outputs=merge.ends(before.view.outputs, after.view.outputs),
    )
    return DiffReport(
        graph=graph,
        counts=dict(counts),
        ops=_operators(before.view, after.view),
        scopes=_scopes(nodes),
        initializers=merge.initializers(),
        notes=[*merge.end_notes(), *_fact_notes(before, after)],
    )


def same_values(before: FlatGraph, after: FlatGraph) -> dict[int, int]:
    """Maps each value of `before` to the same value of `after`: the same output of a matched node, or the same name."""
    there = len(after.values)
    return {old: new for old, new in _Merge(before, after).at.items() if new < there}


class _Merge:
    """The values and nodes of `after`, then those that were removed. at: value of `before` → its merged index."""

    def __init__(self, before: FlatGraph, after: FlatGraph) -> None:
        self.before, self.after = before, after
        self.pairs = match_nodes(before, after)
        self.values = [replace(value, change="added") for value in after.values]
        self.at: dict[int, int] = {}
        self._pair_values()
        for index, value in enumerate(before.values):
            if index not in self.at:
                self.at[index] = len(self.values)
                self.values.append(replace(value, change="removed"))

    def _pair_values(self) -> None:
        for one, other in self.pairs.items():
            for old, new in zip(self.before.nodes[one].outputs, self.after.nodes[other].outputs, strict=False):
                self._same(old, new)
        for kind in ("input", "initializer"):
            self._pair_leaves(kind)
        self._pair_names()

    def _pair_names(self) -> None:
        """Pairs values of the same name whose types and shapes do not differ."""
        paired = set(self.at.values())
        free = {value.name: index for index, value in enumerate(self.after.values) if index not in paired}
        for index, value in enumerate(self.before.values):
            new = free.get(value.name)
            if index not in self.at and new is not None and not _type_differs(value, self.after.values[new]):
                self._same(index, new)

    def _pair_leaves(self, kind: str) -> None:
        """Pairs inputs or initializers by name, then equal ones in order."""
        old, new = (
            [index for index, value in enumerate(view.values) if value.kind == kind]
            for view in (self.before, self.after)
        )
        named = {self.after.values[index].name: index for index in new}
        for index in old:
            if self.before.values[index].name in named:
                self._same(index, named.pop(self.before.values[index].name))
        alike: dict[Hashable, list[int]] = defaultdict(list)
        for index in sorted(named.values(), reverse=True):
            alike[_initializer_key(self.after, index)].append(index)
        for index in old:
            if index not in self.at and alike[_initializer_key(self.before, index)]:
                self._same(index, alike[_initializer_key(self.before, index)].pop())

    def _same(self, old: int, new: int) -> None:
        was, now = self.before.values[old], self.values[new]
        self.at[old] = new
        one, other = self.before.digests.get(old), self.after.digests.get(new)
        differs = one is not None and other is not None and one.differs(other)
        now.change = "changed" if differs or _type_differs(was, now) else ""
        if now.change:
            now.was = ValueBefore(was.dtype, was.shape)

    def nodes(self) -> list[GraphNode]:
        """Returns all nodes in topological order."""
        order = self._order()
        place = {key: index for index, key in enumerate(order)}
        came_from = {new: old for old, new in self.pairs.items()}
        merged = []
        for gone, index in order:
            view = self.before if gone else self.after
            node = replace(view.nodes[index], change="removed" if gone else "added")
            if gone:
                node.inputs = [self.at.get(value, -1) for value in node.inputs]
                # a value of both graphs has one maker: the one that makes it now
                node.outputs = [self.at[value] for value in node.outputs if self.at[value] >= len(self.after.values)]
            elif index in came_from:
                self._compare(self.before.nodes[came_from[index]], node)
            node.parent = self._parent(gone, node.parent, place)
            merged.append(node)
        return merged

    def _compare(self, was: GraphNode, node: GraphNode) -> None:
        same = (was.op, was.domain, was.attrs) == (node.op, node.domain, node.attrs)
        same = same and [self.at.get(value, -1) for value in was.inputs] == node.inputs
        same = same and len(was.outputs) == len(node.outputs)
        node.change = "" if same else "changed"
        if not same:
            names = ["" if value < 0 else self.before.values[value].name for value in (*was.inputs, *was.outputs)]
            read, made = names[: len(was.inputs)], names[len(was.inputs) :]
            node.was = NodeBefore(was.op, was.domain, was.attrs, read, made)

    def _parent(self, gone: bool, parent: int, place: dict[tuple[bool, int], int]) -> int:
        if parent < 0:
            return -1
        if gone and parent in self.pairs:
            return place[False, self.pairs[parent]]
        return place[gone, parent]

    def _order(self) -> list[tuple[bool, int]]:
        """Returns (removed, index) of each node: the order of `after`, with each removed node at its former position.

        No node of `after` reads a removed value, so a removed node only has to follow the nodes that it reads.
        """
        made = {value: index for index, node in enumerate(self.after.nodes) for value in node.outputs}
        keys = [(index, 0, 0, False) for index in range(len(self.after.nodes))]
        stood: dict[int, int] = {}  # merged value → the position of the removed node that made it
        last = -1
        for index, node in enumerate(self.before.nodes):
            if index in self.pairs:
                last = self.pairs[index]
                continue
            read = [self.at[value] for value in node.inputs if value >= 0]
            needed = [made[value] if value in made else stood.get(value, -1) for value in read]
            position = max([last, *needed])
            stood.update((self.at[value], position) for value in node.outputs)
            keys.append((position, 1, index, True))
        return [(gone, index if gone else position) for position, _, index, gone in sorted(keys)]

    def ends(self, old: list[int], new: list[int]) -> list[int]:
        """Returns the inputs or outputs of both graphs."""
        return list(dict.fromkeys([*new, *(self.at[index] for index in old)]))

    def initializers(self) -> dict[str, list[str]]:
        """Returns the names of initializers by change."""
        names: dict[str, list[str]] = {change: [] for change in CHANGES}
        for value in self.values:
            if value.kind == "initializer" and value.change:
                names[value.change].append(value.name)
        return names

    def end_notes(self) -> list[str]:
        """Returns one sentence for each input or output that was added, removed or changed."""
        inputs = self.ends(self.before.inputs, self.after.inputs)
        outputs = self.ends(self.before.outputs, self.after.outputs)
        return [
            self._end_note(word, self.values[index])
            for word, ends in (("input", inputs), ("output", outputs))
            for index in ends
            if self.values[index].change
        ]

    def _end_note(self, word: str, value: GraphValue) -> str:
        if value.was is not None:
            return f"The {word} {printable(value.name)} was {_type(value.was)} and is {_type(value)}."
        return f"The {word} {printable(value.name)} {_type(value)} was {value.change}."


def _type_differs(was: GraphValue, now: GraphValue) -> bool:
    """Whether types or shapes differ. A type or shape that a graph leaves out is unknown, and no difference."""
    typed = bool(was.dtype and now.dtype and was.dtype != now.dtype)
    return typed or bool(was.shape and now.shape and was.shape != now.shape)


def _initializer_key(view: FlatGraph, index: int) -> Hashable:
    value = view.values[index]
    digest = view.digests.get(index)
    return digest[:3] if digest is not None else (value.dtype, tuple(value.shape or ()))


def _type(value: GraphValue | ValueBefore) -> str:
    shape = "" if value.shape is None else f"[{', '.join(map(str, value.shape))}]"
    return printable(f"{value.dtype}{shape}")


def _operators(before: FlatGraph, after: FlatGraph) -> list[OperatorCounts]:
    old, new = (Counter(node.operator for node in view.nodes) for view in (before, after))
    rows = [OperatorCounts(op, old[op], new[op]) for op in old.keys() | new.keys() if old[op] != new[op]]
    return sorted(rows, key=lambda row: (-abs(row.after - row.before), row.op))


def _scopes(nodes: list[GraphNode]) -> list[ScopeCounts]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for node in nodes:
        if node.change:
            counts[node.scope][node.change] += 1
    return [ScopeCounts(scope, *(counts[scope][change] for change in CHANGES)) for scope in sorted(counts)]


def _fact_notes(before: OpenedGraph, after: OpenedGraph) -> list[str]:
    notes, old, new = [], before.view.facts.opset, after.view.facts.opset
    for domain in sorted(old.keys() | new.keys()):
        if old.get(domain) != new.get(domain):
            was, now = (f"version {opset[domain]}" if domain in opset else "absent" for opset in (old, new))
            notes.append(f"The operator set {printable(domain)} was {was} and is {now}.")
    if (
        before.file.folder.resolve() != after.file.folder.resolve()
        and _has_external_data(before)
        and _has_external_data(after)
    ):
        notes.append("The two keep their weights in different files, whose values were not compared.")
    return notes


def _has_external_data(opened: OpenedGraph) -> bool:
    return any(digest.folder for digest in opened.view.digests.values())

"""What the panel says of a node, a scope or the whole graph: lines of plain text, some of which lead somewhere.

GraphModel + key ──describe──▶ [Line(text, role, link)]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain

from PySide6.QtCore import QCoreApplication

from app.scene.boxes import Key
from app.scene.model import MARKS, Graph, Node
from app.scene.reader import label_of
from app.state.graphs import GraphModel
from app.widgets.format import counted, number, size
from workflows.wire.reports.graphs import CHANGES

MOST = 60
"""Entries of one kind that are listed; a scope of a big model has thousands."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `role` is title, heading, text, mono, muted, removed, added or changed; `link` where it leads."""

    text: str
    role: str = "text"
    link: str = ""


def tr(text: str) -> str:
    """In the window's language."""
    return QCoreApplication.translate("NodeFacts", text)


def describe(model: GraphModel, key: Key | None) -> list[Line]:
    """What is known of a box; of the whole graph where `key` is None."""
    graph = model.graph
    if graph is None:
        return []
    if isinstance(key, int):
        return list(_node(model, graph, graph.nodes[key]))
    if isinstance(key, str):
        return list(_scope(model, graph, key))
    return list(_graph(model, graph))


def as_text(lines: list[Line]) -> str:
    """For the clipboard."""
    return "\n".join(line.text for line in lines)


def _node(model: GraphModel, graph: Graph, node: Node) -> Iterator[Line]:
    yield Line(node.op, "title")
    yield Line(node.domain or "ai.onnx", "muted")
    if node.change:
        yield Line(f"{MARKS[node.change]} {tr(node.change)}", node.change)
    yield Line(node.name or tr("(unnamed)"), "mono")
    if node.scope:
        yield Line(node.scope, "mono", f"scope:{node.index}")
    if node.made_by:
        yield Line(tr("Made or changed by {0}").format(node.made_by))
    yield from _refused(model, node)
    yield from _was(graph, node)
    if node.attrs:
        yield Line(tr("Attributes"), "heading")
        yield from (Line(f"{name} = {text}", "mono") for name, text in node.attrs.items())
    yield Line(tr("Inputs"), "heading")
    yield from _values(model, graph, node, node.inputs, inward=True)
    yield Line(tr("Outputs"), "heading")
    yield from _values(model, graph, node, node.outputs, inward=False)


def _refused(model: GraphModel, node: Node) -> Iterator[Line]:
    for stage in model.stages:
        for refusal in stage.refused:
            if refusal.node and refusal.node == node.name:
                yield Line(tr("{0} left it alone: {1}").format(stage.title, refusal.reason), "changed")


def _was(graph: Graph, node: Node) -> Iterator[Line]:
    """What a changed node was before."""
    was = node.was
    if was is None:
        return
    yield Line(tr("Before"), "heading")
    if (was.op, was.domain) != (node.op, node.domain):
        yield Line(f"{MARKS['removed']} {was.op}  {was.domain}".rstrip(), "removed")
        yield Line(f"{MARKS['added']} {node.op}  {node.domain}".rstrip(), "added")
    for name in dict.fromkeys([*was.attrs, *node.attrs]):
        old, new = was.attrs.get(name), node.attrs.get(name)
        if old != new:
            if old is not None:
                yield Line(f"{MARKS['removed']} {name} = {old}", "removed")
            if new is not None:
                yield Line(f"{MARKS['added']} {name} = {new}", "added")
    for word, old_names, now in (
        (tr("inputs"), was.inputs, node.inputs),
        (tr("outputs"), was.outputs, node.outputs),
    ):
        names = [graph.values[v].name if v >= 0 else "" for v in now]
        if old_names and old_names != names:
            yield Line(f"{MARKS['removed']} {word} {', '.join(old_names)}", "removed")
            yield Line(f"{MARKS['added']} {word} {', '.join(names)}", "added")


def _values(model: GraphModel, graph: Graph, node: Node, places: list[int], inward: bool) -> Iterator[Line]:
    for v in places[:MOST]:
        if v < 0:
            yield Line(tr("(omitted)"), "muted")
            continue
        value = graph.values[v]
        yield Line(value.name, "mono", f"value:{v}" if value.kind == "initializer" else "")
        more = f"  {size(value.bytes)}" if value.kind == "initializer" else ""
        yield Line(f"    {value.type}{more}", "muted")
        if value.was is not None:
            shape = " × ".join(map(str, value.was.shape or ()))
            yield Line(f"    {MARKS['removed']} {value.was.dtype} {shape}".rstrip(), "removed")
        yield from _ends(model, graph, node, v, inward)
    if len(places) > MOST:
        yield Line(tr("… {0} more").format(number(len(places) - MOST)), "muted")


def _ends(model: GraphModel, graph: Graph, node: Node, v: int, inward: bool) -> Iterator[Line]:
    value, outline = graph.values[v], model.outline
    if value.kind in ("input", "output", "initializer"):
        kinds = {"input": tr("graph input"), "output": tr("graph output"), "initializer": tr("show its values")}
        yield Line(f"    {kinds[value.kind]}", "muted", f"value:{v}" if value.kind == "initializer" else "")
    others = [graph.producer[v]] if inward else graph.consumers[v]
    for other in others[:8]:
        if other >= 0 and outline is not None:
            where = label_of(graph, outline.of[node.index], other)
            op = graph.nodes[other].op
            word = tr("from") if inward else tr("to")
            yield Line(f"    {word} {op}" + (f" · {where}" if where != op else ""), "text", f"node:{other}")
    if len(others) > 8:
        yield Line("    " + tr("… {0} more").format(number(len(others) - 8)), "muted")


def _scope(model: GraphModel, graph: Graph, path: str) -> Iterator[Line]:
    outline = model.outline
    if outline is None or path not in outline.scopes:
        return
    scope = outline.scopes[path]
    yield Line(scope.name or tr("(unnamed)"), "title")
    yield Line(path, "mono")
    yield Line(counted(scope.total, tr("1 node"), tr("{0} nodes")), "muted")
    if scope.alike:
        yield Line(tr("{0} scopes of one structure; open it to see each").format(number(scope.alike)), "muted")
    for change in CHANGES:
        if scope.changes[change]:
            yield Line(f"{MARKS[change]} {number(scope.changes[change])} {tr(change)}", change)
    inside = outline.every_node(scope)
    yield Line(tr("Operators"), "heading")
    counts = Counter([graph.nodes[n].op for n in inside])
    yield from (Line(f"{op}  {number(count)}", "mono") for op, count in counts.most_common(MOST))
    weights = graph.weights.intersection(chain.from_iterable([graph.nodes[n].inputs for n in inside]))
    if weights:
        total = size(sum(graph.values[v].bytes for v in weights))
        yield Line(tr("Initializers · {0} · {1}").format(number(len(weights)), total), "heading")
        for v in nsmallest(12, weights, key=lambda v: (-graph.values[v].bytes, v)):
            yield Line(graph.values[v].name, "mono", f"value:{v}")
            yield Line(f"    {graph.values[v].type}", "muted")


def _graph(model: GraphModel, graph: Graph) -> Iterator[Line]:
    yield Line(graph.title or tr("Graph"), "title")
    inner = sum(node.parent >= 0 for node in graph.nodes)
    yield Line(counted(len(graph.nodes) - inner, tr("1 node"), tr("{0} nodes")), "muted")
    if inner:
        yield Line(counted(inner, tr("and 1 inside of it"), tr("and {0} inside of them")), "muted")
    facts = graph.facts
    if facts.producer:
        yield Line(tr("Made by {0}").format(facts.producer))
    opset = " · ".join(f"{domain} {version}" for domain, version in facts.opset.items())
    if opset:
        yield Line(tr("Opset {0}").format(opset))
    if facts.ir_version:
        yield Line(tr("IR version {0}").format(facts.ir_version))
    if facts.bytes:
        yield Line(size(facts.bytes))
    if facts.functions:
        yield Line(counted(facts.functions, tr("1 function"), tr("{0} functions")))
    yield from (Line(f"! {warning}", "changed") for warning in facts.warnings)
    stage = model.stages[model.stage] if model.stages else None
    if stage is not None and stage.refused:
        yield Line(tr("Refused in this stage"), "heading")
        names = {n.name: n.index for n in graph.nodes}
        for refusal in stage.refused[:MOST]:
            yield Line(refusal.reason, "changed")
            if refusal.node:
                place = names.get(refusal.node)
                yield Line(f"    {refusal.node}", "mono", f"node:{place}" if place is not None else "")
    for heading, places in ((tr("Inputs"), graph.inputs), (tr("Outputs"), graph.outputs)):
        yield Line(f"{heading} · {number(len(places))}", "heading")
        for v in places[:MOST]:
            near = graph.consumers[v][:1] if heading == tr("Inputs") else [graph.producer[v]]
            link = f"node:{near[0]}" if near and near[0] >= 0 else ""
            yield Line(graph.values[v].name, "mono", link)
            yield Line(f"    {graph.values[v].type}", "muted")

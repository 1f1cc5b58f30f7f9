"""The facts about a node, a scope or the whole graph: lines of plain text, some of them with links.

GraphModel + key ──describe_selection──▶ [FactLine(text, role, link)]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain

from app.graph_scene.boxes import BoxKey
from app.graph_scene.indexed_graph import CHANGE_SIGNS, IndexedGraph, IndexedNode
from app.graph_scene.level_reader import node_label
from app.state.graph_model import GraphModel
from app.text.formatting import format_bytes, format_number, pluralize
from app.text.translatable import tr
from workflows.wire.reports.graphs import CHANGES

MAX_ENTRIES = 60
"""Upper limit of the listed entries of one kind; a scope of a big model has thousands."""


@dataclass(frozen=True, slots=True)
class FactLine:
    """One line. role: title, heading, text, mono, muted, removed, added, changed. link: node:…, scope:…, value:…."""

    text: str
    role: str = "text"
    link: str = ""


def describe_selection(model: GraphModel, key: BoxKey | None) -> list[FactLine]:
    """The facts about a box; about the whole graph where `key` is None."""
    graph = model.graph
    if graph is None:
        return []
    if isinstance(key, int):
        return list(_node(model, graph, graph.nodes[key]))
    if isinstance(key, str):
        return list(_scope(model, graph, key))
    return list(_graph(model, graph))


def as_text(lines: list[FactLine]) -> str:
    """The lines as text for the clipboard."""
    return "\n".join(line.text for line in lines)


def _node(model: GraphModel, graph: IndexedGraph, node: IndexedNode) -> Iterator[FactLine]:
    yield FactLine(node.op, "title")
    yield FactLine(node.domain or "ai.onnx", "muted")
    if node.change:
        yield FactLine(f"{CHANGE_SIGNS[node.change]} {tr(node.change)}", node.change)
    yield FactLine(node.name or tr("(unnamed)"), "mono")
    if node.scope:
        yield FactLine(node.scope, "mono", f"scope:{node.index}")
    if node.made_by:
        titles = {stage.name: stage.title for stage in model.stages}
        yield FactLine(tr("Last made or changed by: {0}").format(titles.get(node.made_by, node.made_by)))
    yield from _refused(model, node)
    yield from _before(model, graph, node)
    if node.attrs:
        yield FactLine(tr("Attributes"), "heading")
        yield from (FactLine(f"{name} = {text}", "mono") for name, text in node.attrs.items())
    yield FactLine(tr("Inputs"), "heading")
    yield from _values(model, graph, node, node.inputs, inward=True)
    yield FactLine(tr("Outputs"), "heading")
    yield from _values(model, graph, node, node.outputs, inward=False)


def _refused(model: GraphModel, node: IndexedNode) -> Iterator[FactLine]:
    for stage in model.stages:
        for refusal in stage.refused:
            if refusal.node and refusal.node == node.name:
                yield FactLine(tr("{0} refused this node: {1}").format(stage.title, refusal.reason), "changed")


def _before(model: GraphModel, graph: IndexedGraph, node: IndexedNode) -> Iterator[FactLine]:
    """The node before its changes, which several passes may have made since the graph that is compared with."""
    was = node.was
    if was is None:
        return
    against = model.against.stage if model.against is not None else ""
    title = next((stage.title for stage in model.stages if stage.name == against), "")
    yield FactLine(tr("Changes since: {0}").format(title) if title else tr("Before"), "heading")
    if (was.op, was.domain) != (node.op, node.domain):
        yield FactLine(f"{CHANGE_SIGNS['removed']} {was.op}  {was.domain}".rstrip(), "removed")
        yield FactLine(f"{CHANGE_SIGNS['added']} {node.op}  {node.domain}".rstrip(), "added")
    for name in dict.fromkeys([*was.attrs, *node.attrs]):
        old, new = was.attrs.get(name), node.attrs.get(name)
        if old != new:
            if old is not None:
                yield FactLine(f"{CHANGE_SIGNS['removed']} {name} = {old}", "removed")
            if new is not None:
                yield FactLine(f"{CHANGE_SIGNS['added']} {name} = {new}", "added")
    for word, old_names, now in ((tr("inputs"), was.inputs, node.inputs), (tr("outputs"), was.outputs, node.outputs)):
        names = [graph.values[v].name if v >= 0 else "" for v in now]
        if old_names and old_names != names:
            yield FactLine(f"{CHANGE_SIGNS['removed']} {word} {', '.join(old_names)}", "removed")
            yield FactLine(f"{CHANGE_SIGNS['added']} {word} {', '.join(names)}", "added")


def _values(
    model: GraphModel, graph: IndexedGraph, node: IndexedNode, places: list[int], inward: bool
) -> Iterator[FactLine]:
    for v in places[:MAX_ENTRIES]:
        if v < 0:
            yield FactLine(tr("(omitted)"), "muted")
            continue
        value = graph.values[v]
        yield FactLine(value.name, "mono", f"value:{v}" if value.kind == "initializer" else "")
        more = f"  {format_bytes(value.bytes)}" if value.kind == "initializer" else ""
        yield FactLine(f"    {value.type}{more}", "muted")
        if value.was is not None:
            shape = " × ".join(map(str, value.was.shape or ()))
            yield FactLine(f"    {CHANGE_SIGNS['removed']} {value.was.dtype} {shape}".rstrip(), "removed")
        yield from _ends(model, graph, node, v, inward)
    if len(places) > MAX_ENTRIES:
        yield FactLine(tr("… {0} more").format(format_number(len(places) - MAX_ENTRIES)), "muted")


def _ends(model: GraphModel, graph: IndexedGraph, node: IndexedNode, v: int, inward: bool) -> Iterator[FactLine]:
    value, outline = graph.values[v], model.outline
    if value.kind in ("input", "output", "initializer"):
        kinds = {"input": tr("graph input"), "output": tr("graph output"), "initializer": tr("show values")}
        yield FactLine(f"    {kinds[value.kind]}", "muted", f"value:{v}" if value.kind == "initializer" else "")
    others = [graph.producer[v]] if inward else graph.consumers[v]
    for other in others[:8]:
        if other >= 0 and outline is not None:
            where = node_label(graph, outline.of[node.index], other)
            op = graph.nodes[other].op
            word = tr("from") if inward else tr("to")
            yield FactLine(f"    {word} {op}" + (f" · {where}" if where != op else ""), "text", f"node:{other}")
    if len(others) > 8:
        yield FactLine("    " + tr("… {0} more").format(format_number(len(others) - 8)), "muted")


def _scope(model: GraphModel, graph: IndexedGraph, path: str) -> Iterator[FactLine]:
    outline = model.outline
    if outline is None or path not in outline.scopes:
        return
    scope = outline.scopes[path]
    yield FactLine(scope.name or tr("(unnamed)"), "title")
    yield FactLine(path, "mono")
    yield FactLine(pluralize(scope.total, tr("1 node"), tr("{0} nodes")), "muted")
    if scope.repeat_count:
        yield FactLine(
            tr("{0} scopes with the same structure; open to show each").format(format_number(scope.repeat_count)),
            "muted",
        )
    for change in CHANGES:
        if scope.changes[change]:
            yield FactLine(f"{CHANGE_SIGNS[change]} {format_number(scope.changes[change])} {tr(change)}", change)
    inside = outline.all_nodes(scope)
    yield FactLine(tr("Operators"), "heading")
    counts = Counter([graph.nodes[n].op for n in inside])
    yield from (FactLine(f"{op}  {format_number(count)}", "mono") for op, count in counts.most_common(MAX_ENTRIES))
    weights = graph.weights.intersection(chain.from_iterable([graph.nodes[n].inputs for n in inside]))
    if weights:
        total = format_bytes(sum(graph.values[v].bytes for v in weights))
        yield FactLine(tr("Initializers · {0} · {1}").format(format_number(len(weights)), total), "heading")
        for v in nsmallest(12, weights, key=lambda v: (-graph.values[v].bytes, v)):
            yield FactLine(graph.values[v].name, "mono", f"value:{v}")
            yield FactLine(f"    {graph.values[v].type}", "muted")


def _graph(model: GraphModel, graph: IndexedGraph) -> Iterator[FactLine]:
    yield FactLine(graph.title or tr("Graph"), "title")
    inner = sum(node.parent >= 0 for node in graph.nodes)
    yield FactLine(pluralize(len(graph.nodes) - inner, tr("1 node"), tr("{0} nodes")), "muted")
    if inner:
        yield FactLine(pluralize(inner, tr("and 1 in a subgraph"), tr("and {0} in subgraphs")), "muted")
    facts = graph.facts
    if facts.producer:
        yield FactLine(tr("Made by {0}").format(facts.producer))
    opset = " · ".join(f"{domain} {version}" for domain, version in facts.opset.items())
    if opset:
        yield FactLine(tr("Opset {0}").format(opset))
    if facts.ir_version:
        yield FactLine(tr("IR version {0}").format(facts.ir_version))
    if facts.bytes:
        yield FactLine(format_bytes(facts.bytes))
    if facts.functions:
        yield FactLine(pluralize(facts.functions, tr("1 function"), tr("{0} functions")))
    yield from (FactLine(f"! {warning}", "changed") for warning in facts.warnings)
    stage = model.stages[model.stage] if model.stages else None
    if stage is not None and stage.refused:
        yield FactLine(tr("Refused in this stage"), "heading")
        names = {n.name: n.index for n in graph.nodes}
        for refusal in stage.refused[:MAX_ENTRIES]:
            yield FactLine(refusal.reason, "changed")
            if refusal.node:
                place = names.get(refusal.node)
                yield FactLine(f"    {refusal.node}", "mono", f"node:{place}" if place is not None else "")
    for heading, places in ((tr("Inputs"), graph.inputs), (tr("Outputs"), graph.outputs)):
        yield FactLine(f"{heading} · {format_number(len(places))}", "heading")
        for v in places[:MAX_ENTRIES]:
            near = graph.consumers[v][:1] if heading == tr("Inputs") else [graph.producer[v]]
            link = f"node:{near[0]}" if near and near[0] >= 0 else ""
            yield FactLine(graph.values[v].name, "mono", link)
            yield FactLine(f"    {graph.values[v].type}", "muted")

"""Prints one build stage of a component, and the difference of two graphs, for `joinery inspect`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from workflows.cli.console import Console
from workflows.cli.output import mebibytes, write_json
from workflows.common.errors import printable
from workflows.wire.codec import to_fields
from workflows.wire.reports.graphs import GraphNode, GraphReport, GraphValue, OperatorCounts, ScopeCounts
from workflows.wire.reports.inspection import ParityReport

_COLOURS = {"removed": "red", "added": "green", "changed": "yellow"}
_SIGNS = {"removed": "−", "added": "+", "changed": "~"}
_LISTED = 8  # nodes of one scope; the rest is counted


def show_stage(path: Path, component: str, stage: str, as_json: bool, whole: bool) -> None:
    """Prints the graph of `component` after `stage`."""
    from workflows.inspection.opened_graph import GraphLocation, open_graph

    shown = open_graph(GraphLocation(path, component, stage)).report()
    counts = dict(Counter(node.operator for node in shown.nodes).most_common())
    if as_json:
        _write_stage(shown, counts, whole)
        return
    console = Console()
    size = f"{len(shown.nodes)} nodes, {mebibytes(shown.facts.bytes)} of weights"
    console.print(Text.assemble((shown.title, "bold"), f"  {size}"))
    for kind, places in (("input", shown.inputs), ("output", shown.outputs)):
        for value in (shown.values[place] for place in places):
            axes = " × ".join(map(str, value.shape)) if value.shape is not None else "?"
            console.print(f"{kind}  {value.name}  {axes}  {value.dtype}", highlight=False)
    console.print("operators: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    for warning in shown.facts.warnings:
        console.print(f"warning: {warning}", style="yellow")
    for one in shown.stages:
        mark = "▸" if one.name == shown.stage else " "
        parity = f", {parity_text(one.parity)}" if one.parity else ""
        console.print(f"{mark} {one.name}: {one.nodes} nodes, {mebibytes(one.bytes)}{parity}", highlight=False)


def _write_stage(shown: GraphReport, counts: dict[str, int], whole: bool) -> None:
    """Prints names, inputs, outputs and facts; with `whole` every node and value too."""
    names = {name: getattr(shown, name) for name in ("title", "path", "component", "stage", "stages")}
    ends = {
        name: [_spec(shown.values[place]) for place in places]
        for name, places in (("inputs", shown.inputs), ("outputs", shown.outputs))
    }
    facts = {"op_counts": counts, "nodes": len(shown.nodes), **to_fields(shown.facts)}
    write_json({**names, **ends, **facts, **({"graph": shown} if whole else {})})


def show_diff(before: str, after: str, as_json: bool, whole: bool) -> None:
    """Prints the difference of two graphs."""
    from workflows.inspection.graph_diff import diff_graphs
    from workflows.inspection.opened_graph import GraphLocation, open_graph

    difference = diff_graphs(open_graph(GraphLocation.parse(before)), open_graph(GraphLocation.parse(after)))
    changed = [node for node in difference.graph.nodes if node.change]
    if as_json:
        rest = {name: value for name, value in to_fields(difference).items() if name != "graph"}
        nodes = [_change(node, difference.graph.values) for node in changed]
        write_json(
            {"title": difference.graph.title, **rest, "nodes": nodes} | ({"graph": difference.graph} if whole else {})
        )
        return
    console = Console()
    counts = ", ".join(f"{count} {name}" for name, count in difference.counts.items())
    console.print(f"{before} → {after}", style="bold", highlight=False)
    console.print(counts, highlight=False)
    if changed:
        console.print(_tree(changed, difference.scopes))
    if difference.ops:
        console.print(_operators(difference.ops))
    for change, names in difference.initializers.items():
        if names:
            listed = ", ".join(printable(name) for name in names[:_LISTED])
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            label = f"{len(names)} weights {change}", _COLOURS[change]
            console.print(Text.assemble(label, f": {listed}{more}"), highlight=False)
    for note in difference.notes:
        console.print(note, highlight=False)


def parity_text(parity: ParityReport) -> str:
    """The largest difference and the equal greedy tokens, as a clause."""
    moved = parity.max_abs_diff
    if moved is None and not parity.greedy_tokens and parity.note:  # what did not run at all
        return parity.note
    text = "the values are not finite alike" if moved is None else f"values within {moved:.2g}"
    if parity.greedy_tokens:
        text += f", {parity.greedy_equal} of {parity.greedy_tokens} tokens alike"
    return text


def _tree(changed: list[GraphNode], scopes: list[ScopeCounts]) -> Tree:
    """The changed nodes by scope."""
    root = Tree("changes by scope", highlight=False)
    branches: dict[str, Tree] = {"": root}
    for row in scopes:
        touched = {"removed": row.removed, "added": row.added, "changed": row.changed}
        counts = [(f"  {_SIGNS[c]}{touched[c]}", _COLOURS[c]) for c in _COLOURS if touched[c]]
        branch = _branch(branches, row.scope)
        branch.label = Text.assemble(str(branch.label), *counts)
        inside = [node for node in changed if node.scope == row.scope]
        for node in inside[:_LISTED]:
            change = node.change or ""
            what = f"{_SIGNS[change]} {printable(node.operator)}", _COLOURS[change]
            branch.add(Text.assemble(what, f" {printable(node.name)}"))
        if len(inside) > _LISTED:
            branch.add(f"… and {len(inside) - _LISTED} more")
    return root


def _branch(branches: dict[str, Tree], scope: str) -> Tree:
    if scope not in branches:
        outer, _, name = scope.rpartition("/")
        branches[scope] = _branch(branches, outer).add(printable(name))
    return branches[scope]


def _operators(rows: list[OperatorCounts]) -> Table:
    table = Table("operator", "before", "after")
    for row in rows:
        table.add_row(printable(row.op), str(row.before), str(row.after))
    return table


def _change(node: GraphNode, values: list[GraphValue]) -> dict[str, object]:
    """A changed node with the names of its inputs and outputs in place of their indices."""
    kept = {name: value for name, value in to_fields(node).items() if name != "parent"}
    read, made = (["" if value < 0 else values[value].name for value in end] for end in (node.inputs, node.outputs))
    return kept | {"in": read, "out": made}


def _spec(value: GraphValue) -> dict[str, object]:
    return {"name": value.name, "shape": value.shape, "dtype": value.dtype}

"""One stage of a component, and two graphs side by side, as `joinery inspect` prints them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.tree import Tree

from workflows.cli.output import mebibytes, write_json
from workflows.errors import printable

_COLOURS = {"removed": "red", "added": "green", "changed": "yellow"}
_SIGNS = {"removed": "−", "added": "+", "changed": "~"}
_LISTED = 8  # nodes of one scope, before the rest is counted


def show_stage(path: Path, component: str, stage: str, as_json: bool, whole: bool) -> None:
    """The graph of `component` as `stage` left it."""
    from workflows.graphs import Where, open_graph

    shown = open_graph(Where(path, component, stage)).to_dict()
    counts = Counter(_operator(node) for node in shown["nodes"])
    facts = {"op_counts": dict(counts.most_common()), "nodes": len(shown["nodes"]), **shown["facts"]}
    ends = {name: [_spec(shown["values"][index]) for index in shown[name]] for name in ("inputs", "outputs")}
    if as_json:
        graph = {"graph": shown} if whole else {}
        names = {name: shown[name] for name in ("title", "path", "component", "stage", "stages")}
        write_json({**names, **ends, **facts, **graph})
        return
    console = Console()
    size = f"{facts['nodes']} nodes, {mebibytes(facts['bytes'])} of weights"
    console.print(f"[bold]{escape(shown['title'])}[/bold]  {size}")
    for kind, specs in ends.items():
        for spec in specs:
            axes = " × ".join(map(str, spec["shape"])) if spec["shape"] is not None else "?"
            console.print(f"{kind[:-1]}  {escape(spec['name'])}  {axes}  {spec['dtype']}", highlight=False)
    console.print("operators: " + ", ".join(f"{name} {count}" for name, count in facts["op_counts"].items()))
    for warning in facts["warnings"]:
        console.print(f"warning: {escape(warning)}", style="yellow")
    for one in shown["stages"]:
        mark = "▸" if one["name"] == shown["stage"] else " "
        parity = f", {parity_text(one['parity'])}" if one["parity"] else ""
        console.print(f"{mark} {one['name']}: {one['nodes']} nodes, {mebibytes(one['bytes'])}{parity}", highlight=False)


def show_diff(before: str, after: str, as_json: bool, whole: bool) -> None:
    """What is different between two graphs."""
    from workflows.graphs import Where, diff_graphs, open_graph

    found = diff_graphs(open_graph(Where.parse(before)), open_graph(Where.parse(after)))
    nodes = found["graph"]["nodes"]
    if as_json:
        changes = [_change(node, found["graph"]["values"]) for node in nodes if node["change"]]
        rest = {name: value for name, value in found.items() if name != "graph"}
        title = found["graph"]["title"]
        write_json({"title": title, **rest, "nodes": changes} | ({"graph": found["graph"]} if whole else {}))
        return
    console = Console()
    counts = ", ".join(f"{count} {name}" for name, count in found["counts"].items())
    console.print(f"[bold]{escape(before)} → {escape(after)}[/bold]", highlight=False)
    console.print(counts, highlight=False)
    if any(node["change"] for node in nodes):
        console.print(_tree(nodes, found["scopes"]))
    if found["ops"]:
        console.print(_operators(found["ops"]))
    for change, names in found["initializers"].items():
        if names:
            listed = ", ".join(printable(name) for name in names[:_LISTED])
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            label = f"[{_COLOURS[change]}]{len(names)} weights {change}[/]"
            console.print(f"{label}: {escape(listed)}{more}", highlight=False)
    for note in found["notes"]:
        console.print(escape(note), highlight=False)


def parity_text(parity: Mapping[str, Any]) -> str:
    """How far the values moved, in words."""
    moved = parity["max_abs_diff"]
    if moved is None and not parity["greedy_tokens"] and parity["note"]:  # what did not run at all
        return str(parity["note"])
    text = "the values are not finite alike" if moved is None else f"values within {moved:.2g}"
    if parity["greedy_tokens"]:
        text += f", {parity['greedy_equal']} of {parity['greedy_tokens']} tokens alike"
    return text


def _tree(nodes: list[dict[str, Any]], scopes: list[dict[str, Any]]) -> Tree:
    """The changed nodes below their scopes."""
    root = Tree("changes by scope", highlight=False)
    branches: dict[str, Tree] = {"": root}
    for row in scopes:
        counts = "  ".join(f"[{_COLOURS[c]}]{_SIGNS[c]}{row[c]}[/]" for c in _COLOURS if row[c])
        branch = _branch(branches, row["scope"])
        branch.label = f"{branch.label}  {counts}"
        inside = [node for node in nodes if node["change"] and node["scope"] == row["scope"]]
        for node in inside[:_LISTED]:
            colour, sign = _COLOURS[node["change"]], _SIGNS[node["change"]]
            branch.add(f"[{colour}]{sign} {escape(printable(_operator(node)))}[/] {escape(printable(node['name']))}")
        if len(inside) > _LISTED:
            branch.add(f"… and {len(inside) - _LISTED} more")
    return root


def _branch(branches: dict[str, Tree], scope: str) -> Tree:
    if scope not in branches:
        outer, _, name = scope.rpartition("/")
        branches[scope] = _branch(branches, outer).add(escape(printable(name)))
    return branches[scope]


def _operators(rows: list[dict[str, Any]]) -> Table:
    table = Table("operator", "before", "after")
    for row in rows:
        table.add_row(escape(printable(row["op"])), str(row["before"]), str(row["after"]))
    return table


def _operator(node: Mapping[str, Any]) -> str:
    return f"{node['domain']}.{node['op']}" if node["domain"] else str(node["op"])


def _change(node: Mapping[str, Any], values: list[dict[str, Any]]) -> dict[str, Any]:
    """A changed node with the names of its ends, in place of their numbers."""
    ends = {end: ["" if value < 0 else values[value]["name"] for value in node[end]] for end in ("in", "out")}
    kept = ("change", "name", "op", "domain", "scope", "attrs", "made_by", "was")
    return {name: node[name] for name in kept if name in node} | ends


def _spec(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value[name] for name in ("name", "shape", "dtype")}

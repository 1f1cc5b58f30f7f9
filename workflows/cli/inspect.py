"""`joinery inspect`: shows the content of a bundle or an .onnx file."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from workflows.cli.console import Console
from workflows.cli.output import JsonFlag, mebibytes, write_json
from workflows.cli.progress import cost_line
from workflows.common.errors import RequestError, printable
from workflows.inspection.picture.layout import lay_out
from workflows.inspection.picture.svg import write_picture
from workflows.wire.codec import to_fields
from workflows.wire.reports.composite import format_ranges
from workflows.wire.reports.graphs import GraphNode, GraphReport, GraphValue, OperatorCounts, ScopeCounts
from workflows.wire.reports.inspection import BuiltPass, ComponentReport, InspectReport, KVGroupReport, ParityReport

# The documented fields; the window gets more.
FIELDS = ("model_type", "task", "family", "route", "components", "kv", "stages")
COMPONENT_FIELDS = ("name", "file", "role", "inputs", "outputs", "op_counts", "opset", "bytes")
KV_FIELDS = ("group", "layout", "layers", "capacity", "window", "shape", "dtype", "bytes", "writer")
# Of a graph that reads texts: lines in text mode, and keys of the pipeline file in JSON.
TEXT_FACTS = ("vectors", "prompts", "labels", "longest text", "rotary angles", "switched adapters")
TEXT_SETTINGS = ("embedding", "classification", "texts", "adapters")
_COLOURS = {"removed": "red", "added": "green", "changed": "yellow"}
_SIGNS = {"removed": "−", "added": "+", "changed": "~"}
_LISTED = 8  # nodes of one scope; the rest is counted


def inspect(
    path: Path | None = typer.Argument(None, help="A bundle's folder or an .onnx file."),
    component: str | None = typer.Option(None, "--component", help="One component alone."),
    stage: str | None = typer.Option(None, "--stage", help="Its graph after one stage of the build: export, a pass …"),
    diff: tuple[str, str] | None = typer.Option(
        None, "--diff", metavar="A B", help="Compare two graphs, each FILE.onnx or BUNDLE[:COMPONENT[:STAGE]]."
    ),
    graph: bool = typer.Option(False, "--graph", help="With --diff or --stage and --json: every node and value too."),
    picture: Path | None = typer.Option(
        None, "--picture", metavar="FILE.svg", help="Draw the whole composite as an SVG, too."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Show a bundle or a graph, one stage of its build, or the difference of two graphs."""
    if picture is not None and (diff is not None or stage is not None):
        raise RequestError("--picture draws a bundle or an .onnx file as a whole: leave out --diff and --stage.")
    if diff is not None:
        if path is not None or component is not None or stage is not None:
            raise RequestError("--diff takes two graphs and nothing else: name component and stage as BUNDLE:C:S.")
        show_diff(*diff, as_json, graph)
    elif path is None:
        raise RequestError("Give a bundle's folder or an .onnx file, or two graphs with --diff.")
    elif stage is not None:
        show_stage(path, component or "", stage, as_json, graph)
    else:
        _show_report(path, component, picture, as_json)


def _raise_problem(report: InspectReport) -> None:
    """Exits with 1 if every runtime rejects one of the graphs; stderr has the reason already."""
    if any(entry.faults for entry in report.components):
        raise typer.Exit(1)


def _show_report(path: Path, component: str | None, picture: Path | None, as_json: bool) -> None:
    from workflows.inspection.contents import inspect_path

    report = inspect_path(path, component)
    if picture is not None and report.composite is not None:
        write_picture(picture, lay_out(report.composite))
    odd = [warning for entry in report.components for warning in entry.warnings]
    for note in dict.fromkeys([*odd, *report.doubts, *(group.note for group in report.kv if group.note)]):
        sys.stderr.write(f"joinery: {note}\n")
    if as_json:
        kv = [_selected_fields(group, (*KV_FIELDS, *(["states"] if group.states else []))) for group in report.kv]
        components = [_selected_fields(entry, COMPONENT_FIELDS) for entry in report.components]
        texts = {name: report.metadata[name] for name in TEXT_SETTINGS if report.metadata.get(name)}
        cost = {"cost": to_fields(report.cost)} if report.cost else {}
        write_json({**_selected_fields(report, FIELDS), "components": components, "kv": kv, **texts, **cost})
        _raise_problem(report)
        return
    console = Console()
    facts = f"  {report.model_type} {report.task}  route {report.route}"
    console.print(Text.assemble((report.name, "bold"), facts))
    for name in TEXT_FACTS:
        if name in report.metadata:
            console.print(f"{name}: {report.metadata[name]}", highlight=False)
    if report.cost is not None:
        console.print(cost_line(report.cost), highlight=False)
    for entry in report.components:
        _print_component(console, entry)
    for group in report.kv:
        console.print(_cache_line(group))
    for stage in report.stages:
        for step in stage.passes:
            console.print(f"{stage.name} {stage.component}: {step.name}: {_pass_outcome(step)}")
        if stage.parity:
            console.print(f"{stage.name} {stage.component}: against the stage before, {parity_text(stage.parity)}")
    _raise_problem(report)


def _cache_line(group: KVGroupReport) -> str:
    """A row of the cache's table."""
    if group.states:
        return _state_line(group)
    size = mebibytes(group.bytes) if group.bytes else "size set when it is opened"
    capacity = f"capacity {group.capacity}, " if group.capacity else ""
    return (
        f"KV cache {group.group}: {group.layout}, layers {format_ranges(group.layers)}, {capacity}"
        f"{group.dtype} {group.shape}, {size}, written by the {group.writer}"
    )


def _state_line(group: KVGroupReport) -> str:
    """A row of state of fixed size: the tensors of each layer, and the bytes of all."""
    forms = [
        (f"{'layer' if len(one.layers) == 1 else 'layers'} {format_ranges(one.layers)}: " if one.layers else "")
        + ", ".join(f"{tensor.name} {tensor.form}" for tensor in one.tensors)
        for one in group.states
    ]
    size = f"{group.bytes or 0:,} bytes in all"
    return f"State of fixed size: {'; '.join(forms)}; {size}, replaced by every token"


def _pass_outcome(step: BuiltPass) -> str:
    """The effect of a pass, on one line."""
    change = f"{step.nodes_before} → {step.nodes_after} nodes" if step.modified else "no change"
    refused = "".join(f"; refused: {one.reason} {one.node}".rstrip() for one in step.refused)
    parity = f", {parity_text(step.parity)}" if step.parity else ""
    return f"{change}{parity}{refused}"


def _selected_fields(row: object, fields: tuple[str, ...]) -> dict[str, object]:
    return {name: getattr(row, name) for name in fields}


def _print_component(console: Console, entry: ComponentReport) -> None:
    opsets = ", ".join(f"{domain} {version}" for domain, version in entry.opset.items())
    facts = f" ({entry.role}): {entry.file}, {mebibytes(entry.bytes)}, {opsets}"
    console.print(Text.assemble("\n", (entry.name, "bold"), facts))
    table = Table()
    for heading in ("", "name", "shape", "dtype"):
        table.add_column(heading)
    for kind, specs in (("input", entry.inputs), ("output", entry.outputs)):
        for spec in specs:
            table.add_row(kind, spec.name, " × ".join(str(axis) for axis in spec.shape), spec.dtype)
    console.print(table)
    console.print("operators: " + ", ".join(f"{name} {count}" for name, count in entry.op_counts.items()))


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
        name: [
            {"name": value.name, "shape": value.shape, "dtype": value.dtype}
            for value in map(shown.values.__getitem__, places)
        ]
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
        nodes = [_changed_node(node, difference.graph.values) for node in changed]
        write_json(
            {"title": difference.graph.title, **rest, "nodes": nodes} | ({"graph": difference.graph} if whole else {})
        )
        return
    console = Console()
    counts = ", ".join(f"{count} {name}" for name, count in difference.counts.items())
    console.print(f"{before} → {after}", style="bold", highlight=False)
    console.print(counts, highlight=False)
    if changed:
        console.print(_change_tree(changed, difference.scopes))
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


def _change_tree(changed: list[GraphNode], scopes: list[ScopeCounts]) -> Tree:
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


def _changed_node(node: GraphNode, values: list[GraphValue]) -> dict[str, object]:
    """A changed node with the names of its inputs and outputs in place of their indices."""
    fields = {name: value for name, value in to_fields(node).items() if name != "parent"}
    read, made = (["" if value < 0 else values[value].name for value in end] for end in (node.inputs, node.outputs))
    return fields | {"in": read, "out": made}

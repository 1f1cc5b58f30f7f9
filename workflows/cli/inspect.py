"""`joinery inspect`: shows the content of a bundle or an .onnx file."""

from __future__ import annotations

import sys
from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text

from workflows.cli.console import Console
from workflows.cli.graphs import parity_text, show_diff, show_stage
from workflows.cli.output import JsonFlag, mebibytes, write_json
from workflows.common.errors import RequestError
from workflows.inspection.picture.layout import lay_out
from workflows.inspection.picture.svg import write_picture
from workflows.wire.reports.composite import format_ranges
from workflows.wire.reports.inspection import BuiltPass, ComponentReport, InspectReport, KVGroupReport

# The documented fields; the window gets more.
FIELDS = ("model_type", "task", "family", "route", "components", "kv", "stages")
COMPONENT_FIELDS = ("name", "file", "role", "inputs", "outputs", "op_counts", "opset", "bytes")
KV_FIELDS = ("group", "layout", "layers", "capacity", "window", "shape", "dtype", "bytes", "writer")


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
        kv = [_selected_fields(group, KV_FIELDS) for group in report.kv]
        components = [_selected_fields(entry, COMPONENT_FIELDS) for entry in report.components]
        write_json({**_selected_fields(report, FIELDS), "components": components, "kv": kv})
        _raise_problem(report)
        return
    console = Console()
    facts = f"  {report.model_type} {report.task}  route {report.route}"
    console.print(Text.assemble((report.name, "bold"), facts))
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
    size = mebibytes(group.bytes) if group.bytes else "size set when it is opened"
    capacity = f"capacity {group.capacity}, " if group.capacity else ""
    return (
        f"KV cache {group.group}: {group.layout}, layers {format_ranges(group.layers)}, {capacity}"
        f"{group.dtype} {group.shape}, {size}, written by the {group.writer}"
    )


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

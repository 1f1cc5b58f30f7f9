"""`joinery inspect`: what a bundle or an .onnx file holds."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from workflows.cli.graphs import parity_text, show_diff, show_stage
from workflows.cli.output import JsonFlag, mebibytes, write_json
from workflows.errors import RequestError
from workflows.picture.composite import Composite, ranges
from workflows.picture.layout import lay_out
from workflows.picture.svg import write_picture

# The contract's fields; the window is given more.
FIELDS = ("model_type", "task", "family", "route", "components", "kv", "stages")
COMPONENT_FIELDS = ("name", "file", "role", "inputs", "outputs", "op_counts", "opset", "bytes")
KV_FIELDS = ("group", "layout", "layers", "capacity", "window", "shape", "dtype", "bytes", "writer")
STAGE_FIELDS = ("name", "component", "passes")


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
    """Show what a bundle or graph holds, one stage of its build, or what is different between two graphs."""
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


def _show_report(path: Path, component: str | None, picture: Path | None, as_json: bool) -> None:
    from workflows.inspection import inspect_path

    report = inspect_path(path, component)
    if picture is not None:
        write_picture(picture, lay_out(Composite.of_dict(report["composite"])))
    odd = [warning for entry in report["components"] for warning in entry["warnings"]]
    for note in dict.fromkeys([*odd, *(group["note"] for group in report["kv"] if group["note"])]):
        sys.stderr.write(f"joinery: {note}\n")
    if as_json:
        kv = [_only(group, KV_FIELDS) for group in report["kv"]]
        components = [_only(entry, COMPONENT_FIELDS) for entry in report["components"]]
        stages = [_stage(stage) for stage in report["stages"]]
        write_json({**_only(report, FIELDS), "components": components, "kv": kv, "stages": stages})
        return
    console = Console()
    console.print(f"[bold]{report['name']}[/bold]  {report['model_type']} {report['task']}  route {report['route']}")
    for entry in report["components"]:
        _print_component(console, entry)
    for group in report["kv"]:
        console.print(_cache_line(group))
    for stage in report["stages"]:
        for entry in stage["passes"]:
            console.print(f"{stage['name']} {stage['component']}: {entry['name']}: {_outcome(entry)}")
        if parity := stage.get("parity"):
            console.print(f"{stage['name']} {stage['component']}: against the stage before, {parity_text(parity)}")


def _cache_line(group: Mapping[str, Any]) -> str:
    """One row of a cache for a person."""
    size = mebibytes(group["bytes"]) if group["bytes"] else "size set when it is opened"
    capacity = f"capacity {group['capacity']}, " if group["capacity"] else ""
    return (
        f"KV cache {group['group']}: {group['layout']}, layers {ranges(group['layers'])}, {capacity}"
        f"{group['dtype']} {group['shape']}, {size}, written by the {group['writer']}"
    )


def _outcome(entry: Mapping[str, Any]) -> str:
    """What one pass did, on one line."""
    change = f"{entry['nodes_before']} → {entry['nodes_after']} nodes" if entry["modified"] else "no change"
    refused = "".join(f"; refused: {r['reason']} {r['node']}".rstrip() for r in entry["refused"])
    parity = f", {parity_text(entry['parity'])}" if entry.get("parity") else ""
    return f"{change}{parity}{refused}"


def _stage(stage: Mapping[str, Any]) -> dict[str, Any]:
    """The contract's fields, and what the build noted besides."""
    more = {name: stage[name] for name in ("nodes", "bytes", "seconds", "parity") if name in stage}
    passes = [{name: value for name, value in one.items() if name != "snapshot"} for one in stage["passes"]]
    return _only(stage, STAGE_FIELDS) | {"passes": passes} | more


def _only(row: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in fields}


def _print_component(console: Console, entry: Mapping[str, Any]) -> None:
    opsets = ", ".join(f"{domain} {version}" for domain, version in entry["opset"].items())
    size = mebibytes(entry["bytes"])
    console.print(f"\n[bold]{entry['name']}[/bold] ({entry['role']}): {entry['file']}, {size}, {opsets}")
    table = Table()
    for heading in ("", "name", "shape", "dtype"):
        table.add_column(heading)
    for kind in ("inputs", "outputs"):
        for spec in entry[kind]:
            table.add_row(kind[:-1], spec["name"], " × ".join(str(axis) for axis in spec["shape"]), spec["dtype"])
    console.print(table)
    console.print("operators: " + ", ".join(f"{name} {count}" for name, count in entry["op_counts"].items()))

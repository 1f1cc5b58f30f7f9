"""`joinery inspect`: what a bundle or an .onnx file holds."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from workflows.cli.output import JsonFlag, mebibytes, write_json

# The contract's fields; the window is given more.
FIELDS = ("model_type", "task", "family", "route", "components", "kv", "stages")
KV_FIELDS = ("group", "layout", "layers", "capacity", "window", "shape", "dtype", "bytes", "writer")
STAGE_FIELDS = ("name", "component", "passes")


def inspect(
    path: Path = typer.Argument(help="A bundle's folder or an .onnx file."),
    component: str | None = typer.Option(None, "--component", help="One component alone."),
    as_json: bool = JsonFlag,
) -> None:
    """Show the components, their inputs and outputs, the KV cache and what the passes did."""
    from workflows.inspection import inspect_path

    report = inspect_path(path, component)
    for note in dict.fromkeys(group["note"] for group in report["kv"] if group["note"]):
        sys.stderr.write(f"joinery: {note}\n")
    if as_json:
        kv = [_only(group, KV_FIELDS) for group in report["kv"]]
        stages = [_only(stage, STAGE_FIELDS) for stage in report["stages"]]
        write_json({**_only(report, FIELDS), "kv": kv, "stages": stages})
        return
    console = Console()
    console.print(f"[bold]{report['name']}[/bold]  {report['model_type']} {report['task']}  route {report['route']}")
    for entry in report["components"]:
        _print_component(console, entry)
    for group in report["kv"]:
        layers = group["layers"]
        size = mebibytes(group["bytes"]) if group["bytes"] else "size set when it is opened"
        console.print(
            f"KV cache {group['group']}: {group['layout']}, layers {layers[0]}–{layers[-1]}, "
            f"capacity {group['capacity']}, {group['dtype']} {group['shape']}, {size}, written by the {group['writer']}"
        )
    for stage in report["stages"]:
        for entry in stage["passes"]:
            refused = "".join(f"; refused: {r['reason']} {r['node']}".rstrip() for r in entry["refused"])
            change = f"{entry['nodes_before']} → {entry['nodes_after']} nodes" if entry["modified"] else "no change"
            console.print(f"{stage['name']} {stage['component']}: {entry['name']}: {change}{refused}")


def _only(row: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in fields}


def _print_component(console: Console, entry: Mapping[str, Any]) -> None:
    opsets = ", ".join(f"{domain} {version}" for domain, version in entry["opset"].items())
    table = Table(title=f"{entry['name']} ({entry['role']}): {entry['file']}, {mebibytes(entry['bytes'])}, {opsets}")
    for heading in ("", "name", "shape", "dtype"):
        table.add_column(heading)
    for kind in ("inputs", "outputs"):
        for spec in entry[kind]:
            table.add_row(kind[:-1], spec["name"], " × ".join(str(axis) for axis in spec["shape"]), spec["dtype"])
    console.print(table)
    console.print("operators: " + ", ".join(f"{name} {count}" for name, count in entry["op_counts"].items()))

"""`joinery profile`: measures the time of each node."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table

from workflows.cli.console import Console
from workflows.cli.output import JsonFlag, write_json
from workflows.cli.progress import status_line
from workflows.cli.remote_flag import runs_on_machines
from workflows.cli.streams import print_line
from workflows.wire.reports.profile import ComponentProfile


@runs_on_machines
def profile(
    path: Path = typer.Argument(help="A bundle's folder, or an .onnx file."),
    component: str = typer.Option("", "--component", metavar="NAME", help="This one alone."),
    provider: str = typer.Option("cpu", "--provider", help="A name that `joinery devices` prints."),
    steps: int = typer.Option(8, "--steps", help="Decode steps, or runs, that are counted."),
    adapter: str = typer.Option("", "--adapter", metavar="NAME", help="The bundle's adapter that is active."),
    top: int = typer.Option(20, "--top", help="Nodes of each component that are listed; --json has all."),
    as_json: bool = JsonFlag,
) -> None:
    """Time every node in a subprocess: a prefill chunk and some steps, after a warm-up of one each."""
    from workflows.inspection.node_profile import profile as run_profile

    with status_line("opening") as (report, cancelled):
        measured = run_profile(
            path, provider, component, steps=steps, adapter=adapter, report=report, cancelled=cancelled
        )
    if as_json:
        write_json(measured)
        return
    for part in measured.components:
        Console().print(_table(part, top))
    if measured.adapter is not None:
        print_line(f"Adapter: {measured.adapter or 'none'}")


def _table(part: ComponentProfile, top: int) -> Table:
    runs = "1 run" if part.runs == 1 else f"{part.runs} runs"
    table = Table(title=f"{part.name}, {part.phase}: {part.run_us / 1000:,.3f} ms a run, {runs}")
    for name in ("node", "operator", "provider"):
        table.add_column(name, overflow="fold")
    for name in ("calls", "median µs", "share"):
        table.add_column(name, justify="right")
    for node in part.nodes[:top]:
        name = node.own or f"{node.name} (made by onnxruntime)"
        where = node.provider.removesuffix("ExecutionProvider")
        table.add_row(name, node.op, where, f"{node.calls:,}", f"{node.median_us:,.1f}", f"{node.share:.1%}")
    if len(part.nodes) > top:
        rest = part.nodes[top:]
        table.add_row(f"{len(rest):,} more", "", "", "", "", f"{sum(node.share for node in rest):.1%}")
    return table

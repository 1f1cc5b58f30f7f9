"""`joinery diverge`: finds the first node at which two bundles, stages or providers differ."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text
from typer._click.globals import get_current_context

from workflows.cli.commands import MACHINE_FLAG
from workflows.cli.console import Console
from workflows.cli.flags import Only, with_flags
from workflows.cli.output import JsonFlag, write_json
from workflows.cli.progress import progress_display
from workflows.cli.remote_flag import confine_here
from workflows.cli.run_flags import PromptFlags
from workflows.common.errors import printable
from workflows.wire.reports.divergence import ComparedNode, DivergenceReport

_LISTED = 12  # differing nodes; the rest is counted


@with_flags
def diverge(
    a: Path = typer.Argument(metavar="A", help="The folder of the reference bundle."),
    b: Path = typer.Argument(metavar="B", help="The folder of the bundle to compare; may be the same."),
    source: Annotated[PromptFlags, Only("prompt", "prompt_ids", "prompt_file")] = PromptFlags(),
    steps: int = typer.Option(2, "--steps", help="Tokens that A generates after the prompt."),
    stage: str = typer.Option("", "--stage", help="A after a build stage; see `joinery inspect`."),
    stage_b: str = typer.Option("", "--stage-b", help="B after a build stage."),
    provider: str = typer.Option("cpu", "--provider", help="Where A runs; see `joinery devices`."),
    provider_b: str = typer.Option("cpu", "--provider-b", help="Where B runs."),
    record: Path | None = typer.Option(
        None, "--record", metavar="FILE", help="Write what A computes, for --recorded, in place of comparing."
    ),
    recorded: Path | None = typer.Option(
        None, "--recorded", metavar="FILE", help="What A has computed elsewhere, with the prompt of --record."
    ),
    on: list[str] = typer.Option(
        [], MACHINE_FLAG, metavar="NAME", help="Run there; given twice: A, then B, each a machine or local."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Find the first node whose values differ beyond rounding between A and B on one prompt."""
    from workflows.evaluation.divergence import SubjectOptions, record_values
    from workflows.evaluation.divergence import diverge as run

    if on:
        from workflows.cli.diverge_machines import diverge_there

        raise typer.Exit(diverge_there(on, get_current_context()))
    confine_here(get_current_context())
    prompt: str | list[int] = [] if recorded is not None else source.read()
    sides = SubjectOptions(a, stage, provider), SubjectOptions(b, stage_b, provider_b)
    with progress_display() as (report_event, cancelled):
        if record is not None:
            record_values(*sides, prompt, record, steps=steps, cancelled=cancelled)
            return
        report = run(*sides, prompt, steps=steps, report=report_event, cancelled=cancelled, recorded=recorded)
    if as_json:
        write_json(report)
    else:
        _show(Console(), report)


def _show(console: Console, report: DivergenceReport) -> None:
    tokens = len(report.prompt_ids) + len(report.token_ids)
    console.print(f"{report.nodes_compared:,} nodes compared over {tokens:,} tokens", highlight=False)
    first = report.first
    if first is None:
        console.print("no divergence: every node of B gives what A's gives, but for rounding")
    else:
        where = f" in {printable(first.scope)}" if first.scope else ""
        name = f"{printable(first.op)} {printable(first.node)}"
        line = Text.assemble((f"first to part: {name}", "bold"), f"{where} ({first.component})")
        console.print(line, highlight=False)
        console.print(_table([node for node in report.nodes if node.parts]))
    end = report.nodes[-1]
    console.print(
        f"at the end, {printable(end.node)}: off by {_figure(end.max_abs_diff)} of {end.reference_max:.3g}",
        highlight=False,
    )
    for note in report.notes:
        console.print(note, highlight=False)


def _table(nodes: list[ComparedNode]) -> Table:
    more = f", the first {_LISTED} of {len(nodes):,}" if len(nodes) > _LISTED else ""
    table = Table(title=f"nodes that differ by themselves{more}")
    for heading in ("depth", "operator", "node"):
        table.add_column(heading, overflow="fold")
    for heading in ("by itself", "rounding", "in the run", "largest value"):
        table.add_column(heading, justify="right")
    for node in nodes[:_LISTED]:
        figures = (_figure(node.own_abs_diff), f"{node.tolerance:.2g}", _figure(node.max_abs_diff))
        names = (printable(node.op.rpartition(".")[2]), printable(node.node))
        table.add_row(str(node.depth), *names, *figures, f"{node.reference_max:.3g}")
    return table


def _figure(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.3g}"

"""`joinery tune`: times formats of 4-bit weights, widths of prompt runs and numbers of threads, for later use."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from workflows.cli.console import Console
from workflows.cli.output import JsonFlag, write_json
from workflows.cli.progress import status_line
from workflows.wire.reports.tuning import BUSY

if TYPE_CHECKING:
    from workflows.processor.tuning import Tuning


def tune(
    source: str | None = typer.Argument(None, help="A bundle's folder or a checkpoint, whose sizes are timed."),
    show: bool = typer.Option(False, "--list", help="Show what was timed before, on this and imported processors."),
    export: Path | None = typer.Option(None, "--export", metavar="FILE", help="Write all results into FILE, to share."),
    imported: Path | None = typer.Option(None, "--import", metavar="FILE", help="Take the results that FILE holds."),
    as_json: bool = JsonFlag,
) -> None:
    """Time products with int4 weights in blocks of 32, 64 and 128, with and without zero points.

    Builds for the CPU then take the fastest format that rounds no coarser than the default, unless a recipe chooses
    one, and give prompts to the graph in runs of as many tokens as were fastest; `build --for-processor NAME` takes
    another processor's. Sessions on the CPU open with the number of threads that was fastest, of half, three
    quarters and all of the cores. For a small model common sizes are timed.
    """
    from workflows.processor.tuning import read_tunings, save_tunings

    if imported is not None:
        tunings = read_tunings(imported)
        save_tunings(tunings)
    elif export is not None:
        tunings = read_tunings()
        save_tunings(tunings, export)
    elif show:
        tunings = read_tunings()
    else:
        tunings = [_measured(source)]
    if as_json:
        write_json(
            [
                {
                    **asdict(one),
                    "fastest": one.fastest().settings(),
                    "fastest_threads": one.fastest_threads(),
                    "fastest_width": one.fastest_width(),
                }
                for one in tunings
            ]
        )
        return
    for one in tunings:
        Console().print(_table(one))
        Console().print(f"Builds for this processor take {one.fastest().title}.")
        if one.threads:
            Console().print(_threads(one))
        if one.widths:
            Console().print(_widths(one))
        if one.others > BUSY:
            Console().print(f"Other processes used {one.others:.0%} of the processor: tune again when it is idle.")
    if not tunings:
        Console().print("No processor was tuned: run joinery tune.")


def _measured(source: str | None) -> Tuning:
    from workflows.evaluation.tuning.source import tune_for

    with status_line("reading the sizes") as (report, cancelled):
        return tune_for(source, report, cancelled)


def _threads(tuning: Tuning) -> str:
    times = ", ".join(f"{one.threads} {one.step_ms:,.2f}" for one in tuning.threads)
    return f"Sessions take {tuning.fastest_threads() or tuning.threads[-1].threads} threads (ms a token: {times})."


def _widths(tuning: Tuning) -> str:
    times = ", ".join(f"{one.tokens} {one.token_ms:,.2f}" for one in tuning.widths)
    return f"Prompts go through a graph in runs of {tuning.fastest_width()} tokens (ms a token: {times})."


def _table(tuning: Tuning) -> Table:
    table = Table(title=f"{tuning.processor}, onnxruntime {tuning.runtime}: products of {tuning.weights}")
    for name in ("format", "error", "token, ms", "chunk of 64, ms"):
        table.add_column(name, justify="left" if name == "format" else "right")
    fastest, default = tuning.fastest(), tuning.default
    for one in tuning.formats:
        mark = " (default)" if one == default else ""
        chosen = " ← fastest that rounds no coarser" if one == fastest else ""
        table.add_row(f"{one.title}{mark}{chosen}", f"{one.error:.4f}", f"{one.step_ms:,.2f}", f"{one.chunk_ms:,.1f}")
    return table

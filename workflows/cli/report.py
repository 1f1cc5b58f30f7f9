"""`joinery report`: writes a bundle's build and measurements to one file for others."""

from __future__ import annotations

from pathlib import Path

import typer

from workflows.cli.runs import open_history, print_written


def report(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    out: Path = typer.Option(..., "--out", help="An .html file, which stands alone, or .md, with its pictures."),
) -> None:
    """Write a report on a bundle: recipe, stages, passes, accuracy, speed and where it ran."""
    from workflows.inspection.report.report_files import write_bundle

    print_written(write_bundle(open_history(), bundle, out))

"""`joinery import`: makes a bundle of an onnxruntime-genai folder."""

from __future__ import annotations

from pathlib import Path

import typer

from workflows.cli.build import ProgressDisplay
from workflows.cli.output import JsonFlag, interruptible, mebibytes, write_json
from workflows.cli.streams import print_line


def import_folder(
    folder: Path = typer.Argument(help="A folder with a genai_config.json and its graphs."),
    out: Path = typer.Option(..., "--out", help="The bundle's folder; it appears when it is complete."),
    force: bool = typer.Option(False, "--force", help="Replace a bundle that is there already."),
    as_json: bool = JsonFlag,
) -> None:
    """Make a bundle of an onnxruntime-genai folder."""
    from workflows.interop.genai_import import import_genai

    with interruptible() as cancelled:
        if as_json:
            done = import_genai(
                folder, out, force=force, report=lambda event: write_json(event.to_dict()), cancelled=cancelled
            )
            write_json(done.to_dict())
            return
        with ProgressDisplay() as shown:
            done = import_genai(folder, out, force=force, report=shown.show, cancelled=cancelled)
    print_line(f"{done.bundle}: {', '.join(done.components)}, {mebibytes(done.bytes)}, imported")

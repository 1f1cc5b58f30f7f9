"""`joinery assemble`: makes a bundle of single .onnx files."""

from __future__ import annotations

from pathlib import Path

import typer

from workflows.cli.output import JsonFlag, parse_pairs
from workflows.cli.progress import print_done, progress_display
from workflows.common.errors import RequestError


def assemble(
    graphs: list[str] = typer.Argument(metavar="NAME=FILE...", help="The graphs, each with a name of your choice."),
    out: Path = typer.Option(..., "--out", help="The bundle's folder; it appears when it is complete."),
    pipeline: Path | None = typer.Option(
        None,
        "--pipeline",
        metavar="FILE",
        help="A pipeline.json, or keys of one, which override what is inferred from the graphs.",
    ),
    tokenizer: Path | None = typer.Option(
        None, "--tokenizer", metavar="DIR", help="A folder with tokenizer.json, config.json, generation_config.json."
    ),
    force: bool = typer.Option(False, "--force", help="Replace a bundle that is there already."),
    as_json: bool = JsonFlag,
) -> None:
    """Assemble .onnx files to a bundle; their inputs and outputs decide which graph feeds which."""
    from workflows.interop.assemble import assemble as run_assemble
    from workflows.interop.assemble import read_keys

    files = {name: Path(file) for name, file in parse_pairs("NAME=FILE", graphs).items()}
    if empty := next((text for text in graphs if text.endswith("=")), None):
        raise RequestError(f"NAME=FILE takes the file of a graph, and {empty!r} names none.")
    if len(files) < len(graphs):
        raise RequestError("Two graphs have one name: give each its own NAME=FILE.")
    keys = read_keys(pipeline) if pipeline else None
    with progress_display(as_json) as (report, cancelled):
        done = run_assemble(files, out, keys, tokenizer, force=force, report=report, cancelled=cancelled)
    print_done(done, as_json, "assembled")

"""`joinery samples`: programs that run a bundle without Joinery."""

from __future__ import annotations

from pathlib import Path

import typer

from workflows.cli.output import JsonFlag, write_json
from workflows.cli.streams import print_line


def samples(
    bundle: Path = typer.Argument(metavar="BUNDLE", help="A folder with a decoder of text."),
    out: Path = typer.Option(..., "--out", metavar="DIR", help="Where they are written; files of their names go."),
    as_json: bool = JsonFlag,
) -> None:
    """Write programs that run a bundle with plain onnxruntime, in Python, C++ and C#, and curl for the server."""
    from workflows.interop.samples import write_samples

    written = write_samples(bundle, out)
    if as_json:
        write_json({"files": [str(path) for path in written.files], "reasons": dict(written.reasons)})
        return
    for path in written.files:
        print_line(str(path))
    for name, reason in written.reasons.items():
        print_line(f"Not written: {name}, because {reason}.")

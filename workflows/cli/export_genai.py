"""`joinery export-genai`: writes a bundle as an onnxruntime-genai folder."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

import typer

from workflows.cli.build import ProgressDisplay
from workflows.cli.output import JsonFlag, interruptible, mebibytes, write_json
from workflows.cli.streams import print_line
from workflows.common.errors import RequestError


def export_folder(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    out: Path = typer.Option(..., "--out", help="The folder to write; it must be new or empty."),
    version: int = typer.Option(1, "--config-version", help="1 for the released wheel, 2 for its proposed successor."),
    link: bool = typer.Option(False, "--link", help="Link the weights instead of copying them, where the disk can."),
    as_json: bool = JsonFlag,
) -> None:
    """Write a bundle as a folder that onnxruntime-genai runs, with a sample in Python and C++."""
    from workflows.interop.genai_export import export_genai

    if version not in (1, 2):
        raise RequestError(f"There is no configuration version {version}: there are 1 and 2.")
    config_version = cast(Literal[1, 2], version)
    with interruptible() as cancelled:
        if as_json:
            tell = lambda event: write_json(event.to_dict())  # noqa: E731
            write_json(
                export_genai(bundle, out, version=config_version, link=link, report=tell, cancelled=cancelled).to_dict()
            )
            return
        with ProgressDisplay() as shown:
            done = export_genai(bundle, out, version=config_version, link=link, report=shown.show, cancelled=cancelled)
    print_line(f"{done.bundle}: {', '.join(done.components)}, {mebibytes(done.bytes)}, written for onnxruntime-genai")

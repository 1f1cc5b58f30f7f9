"""`joinery import`, `export-genai` and `export-gguf`: bundles from and to the files of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

import typer

from workflows.cli.output import JsonFlag
from workflows.cli.progress import print_done, progress_display
from workflows.common.errors import RequestError


def import_folder(
    folder: Path = typer.Argument(help="A folder with a genai_config.json and its graphs."),
    out: Path = typer.Option(..., "--out", help="The bundle's folder; it appears when it is complete."),
    force: bool = typer.Option(False, "--force", help="Replace a bundle that is there already."),
    as_json: bool = JsonFlag,
) -> None:
    """Make a bundle of an onnxruntime-genai folder."""
    from workflows.interop.genai_import import import_genai

    with progress_display(as_json) as (report, cancelled):
        done = import_genai(folder, out, force=force, report=report, cancelled=cancelled)
    print_done(done, as_json, "imported")


def export_folder(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    out: Path = typer.Option(..., "--out", help="The folder to write; it must be new or empty."),
    version: int = typer.Option(1, "--config-version", help="1 for the released wheel, 2 for its proposed successor."),
    link: bool = typer.Option(False, "--link", help="Link the weights instead of copying them, where the disk can."),
    as_json: bool = JsonFlag,
) -> None:
    """Write a bundle as a folder that onnxruntime-genai runs, with a sample program."""
    from workflows.interop.genai_export import export_genai

    if version not in (1, 2):
        raise RequestError(f"There is no configuration version {version}: there are 1 and 2.")
    with progress_display(as_json) as (report, cancelled):
        done = export_genai(
            bundle, out, version=cast(Literal[1, 2], version), link=link, report=report, cancelled=cancelled
        )
    print_done(done, as_json, "written for onnxruntime-genai")


def export_file(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    out: Path = typer.Option(..., "--out", help="The .gguf file to write; it must be new."),
    round_scales: bool = typer.Option(
        False, "--round-scales", help="Round scales of integers to the 16 bits that GGUF has (by 0.05 % at most)."
    ),
    as_json: bool = JsonFlag,
) -> None:
    """Write a bundle as a GGUF file for llama.cpp, where GGUF can say the same numbers."""
    from workflows.interop.gguf_export.export import export_gguf

    with progress_display(as_json) as (report, cancelled):
        done = export_gguf(bundle, out, round_scales=round_scales, report=report, cancelled=cancelled)
    print_done(done, as_json, "written for llama.cpp")

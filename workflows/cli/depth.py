"""`joinery depth`: the depth of each pixel of a picture, as numbers and as pictures."""

from __future__ import annotations

from pathlib import Path

import typer

from workflows.cli.flags import with_flags
from workflows.cli.interrupts import exit_on_interrupt
from workflows.cli.output import JsonFlag, write_json
from workflows.cli.streams import print_line
from workflows.cli.text_flags import warn
from workflows.common.errors import printable


@with_flags
def depth(
    bundle: Path = typer.Argument(help="A bundle's folder."),
    picture: Path = typer.Option(..., "--picture", metavar="FILE", help="A picture file."),
    out: list[Path] = typer.Option(
        [], "--out", metavar="FILE", help="A .png (grey, 16 bits) or a .npy (float32) to write; repeat it for both."
    ),
    colored: bool = typer.Option(False, "--colored", help="Write the .png in colours, light where numbers are large."),
    provider: str = typer.Option("cpu", "--provider", help="A name that `joinery devices` prints."),
    as_json: bool = JsonFlag,
) -> None:
    """Estimate the depth of each pixel, in metres or as an inverse depth, which is larger where a thing is nearer."""
    from workflows.predict import open_depth_estimator
    from workflows.predict.depth_files import check_suffix, write_depths

    for path in out:
        check_suffix(path)
    with exit_on_interrupt():
        depths = open_depth_estimator(bundle, provider).estimate(picture)
        for path in out:
            write_depths(depths, path, colored=colored)
    warn(depths.notes)
    height, width = depths.values.shape
    if as_json:
        write_json(
            {
                "picture": str(picture),
                "width": width,
                "height": height,
                "unit": depths.unit,
                "lowest": depths.lowest,
                "highest": depths.highest,
                "files": [str(path) for path in out],
            }
        )
        return
    what = "metres" if depths.unit == "metres" else "inverse depth, larger is nearer"
    print_line(f"{width} × {height} pixels, {depths.lowest:.4g} to {depths.highest:.4g} ({what})")
    for path in out:
        print_line(f"  {printable(path)}")

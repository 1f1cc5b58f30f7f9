"""`joinery verify`: checks the files of a bundle against its manifest."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from workflows.cli.interrupts import interruptible
from workflows.cli.output import JsonFlag, mebibytes, write_json
from workflows.cli.streams import print_line
from workflows.common.errors import BundleError


def verify(bundle: Path = typer.Argument(help="A bundle's folder."), as_json: bool = JsonFlag) -> None:
    """Check every file of a bundle, and its pipeline against its graphs; the first problem is the error."""
    from workflows.inspection.verification import verify_with_installed

    with interruptible() as cancelled:
        checked = verify_with_installed(bundle, cancelled)
    if as_json:
        write_json(checked)
    if not checked.ok:
        named = ", ".join(f"{problem.file} is {problem.problem}" for problem in checked.problems)
        raise BundleError(f"{bundle} is not as it was built: {named}; restore the files or build it anew.")
    for doubt in checked.doubts:
        sys.stderr.write(f"joinery: {doubt}\n")
    if not as_json:
        print_line(f"{bundle}: {checked.files} files, {mebibytes(checked.bytes)}, all as they were built")

"""The texts of `joinery embed`, `classify` and `rank`: repeated flags and the lines of a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import typer

from workflows.cli.input_files import read_text
from workflows.common.errors import RequestError


@dataclass(frozen=True)
class TextFlags:
    """Texts in their order: those of --text, then the lines of --text-file."""

    text: list[str] = typer.Option([], "--text", metavar="TEXT", help="A text; repeat it for more.")
    text_file: Path | None = typer.Option(None, "--text-file", metavar="FILE", help="A file with a text in each line.")

    def read(self) -> list[str]:
        """The texts. Raises RequestError where there is none, PromptError for a file that cannot be read."""
        lines = [] if self.text_file is None else read_text(self.text_file, "text").split("\n")
        if lines and not lines[-1]:
            lines.pop()
        texts = [*self.text, *(line.removesuffix("\r") for line in lines)]
        if not texts:
            raise RequestError("There is no text: give --text, or --text-file with a text in each line.")
        return texts


def warn(notes: Iterable[str]) -> None:
    """Prints the notes that are not empty on stderr."""
    for note in notes:
        if note:
            sys.stderr.write(f"joinery: {note}\n")

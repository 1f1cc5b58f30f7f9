"""Files of rows with named columns: JSON lines and parquet, read to text with the number of each row.

FILE.jsonl ─┐
FILE.parquet ┴─▶ (number, {column: value}) ──cell_text──▶ what stands there, or an error that names the row
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from workflows.common.errors import PromptError, printable
from workflows.common.files import special_file_kind

LINES, PARQUET = (".jsonl", ".ndjson"), ".parquet"
SUFFIXES = (*LINES, PARQUET)
PAIRS = (("question", "answer"), ("prompt", "completion"), ("input", "output"))  # the usual names of columns
Row = Mapping[str, object]


def is_table(file: Path) -> bool:
    """Whether the file's name says that it has columns."""
    return file.suffix.lower() in SUFFIXES


def read_rows(file: Path) -> Iterator[tuple[int, Row]]:
    """The rows with their line numbers, without empty lines. Raises PromptError for an unreadable or empty file."""
    empty = True
    for number, row in _of_parquet(file) if file.suffix.lower() == PARQUET else _of_lines(file):
        empty = False
        yield number, row
    if empty:
        raise PromptError(f'{printable(file.name)} is empty: give a row a line, as {{"question": …, "answer": …}}.')


def cell_text(row: Row, column: str, number: int, file: Path) -> str:
    """What stands under `column`. Raises PromptError, with the row's number, where that is no text."""
    where = f"Row {number:,} of {printable(file.name)}"
    if column not in row:
        has = ", ".join(printable(name) for name in row) or "none"
        raise PromptError(f"{where} has no column {printable(column)!r}: its columns are {has}.")
    text = row[column]
    if not isinstance(text, str) or not text.strip():
        raise PromptError(f"{where} has no text under {printable(column)!r}: write it between quotation marks.")
    return text


def read_text(file: Path) -> str:
    """A UTF-8 text. Raises PromptError where it cannot be read, or is no text."""
    if (kind := special_file_kind(file)) and not file.is_dir():
        raise PromptError(f"The prompt file {printable(file)} is {kind}, which may have no end: give a text file.")
    try:
        text = file.read_text("utf-8-sig")
    except OSError as error:
        raise PromptError(f"The prompt file {printable(file)} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise PromptError(f"The prompt file {printable(file)} is no UTF-8 text: give a text file with a prompt a line.")
    return text


def _of_lines(file: Path) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise PromptError(f"Row {number:,} of {printable(file.name)} is no JSON object: write one a line.")
        yield number, row


def _of_parquet(file: Path) -> Iterator[tuple[int, Row]]:
    try:
        from pyarrow import ArrowException, parquet  # an extra of its own: tens of megabytes
    except ImportError:
        raise PromptError(
            f"Reading {printable(file.name)} needs pyarrow, which is not installed: pip install 'joinery[parquet]', or "
            "give JSON lines."
        ) from None
    try:
        rows = parquet.read_table(file).to_pylist()
    except OSError as error:
        raise PromptError(f"{printable(file)} cannot be read: {printable(error, 120)}.") from None
    except ArrowException:
        raise PromptError(f"{printable(file)} is no parquet file: give one, or JSON lines.") from None
    yield from enumerate(rows, 1)

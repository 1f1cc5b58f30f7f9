"""Calibration prompts: the user's texts, the demo's, or built-in sentences; never random ids.

A line of a text file is a prompt, and so is a row {"prompt": …} (or question, or input) of JSON lines and parquet: both
go through the chat template if there is one. A row {"text": …} is used unchanged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from workflows.common.errors import PromptError, printable
from workflows.common.table_files import SUFFIXES, cell_text, is_table, read_rows
from workflows.generate import Engine
from workflows.generate.prompt_sets import (
    DEMO,
    SENTENCES,
    demo_name,
    encode_prompt,
    prompt_column,
    read_lines,
    taught_as,
)

_REMEDY = "give a text file with a prompt a line in quantize.calibration.prompts"
# Tokens a character from which a text is in pieces: bytes of characters that the tokenizer never met.
_UNKNOWN_LIMIT = 1.5


@dataclass(frozen=True)
class CalibrationPrompts:
    """The prompts' token ids, and a description of their source."""

    prompts: tuple[tuple[int, ...], ...]
    origin: str


@dataclass(frozen=True)
class _Row:
    text: str
    raw: bool = False


def prompts_digest(place: str) -> str:
    """The SHA-256 of the prompts in `place`, empty without a place. Raises PromptError for one without prompts."""
    if not place:
        return ""
    return hashlib.sha256(repr(_rows_of(Path(place))).encode()).hexdigest()


def calibration_prompts(engine: Engine, place: str) -> CalibrationPrompts:
    """Returns the prompts in `place`, a file or a data set folder; if it is empty, the demo's or built-in sentences.

    Raises PromptError for a place without prompts, for texts that the tokenizer does not know, and if there is no
    fallback.
    """
    if place:
        rows, name = _rows_of(Path(place)), Path(place).name
        return CalibrationPrompts(_encoded(engine, rows, name), f"{len(rows):,} of {name}")
    demo = demo_name(engine.bundle)
    rows = _rows_of_demo(demo)
    if rows:
        return CalibrationPrompts(_encoded(engine, rows, demo), f"{len(rows):,} of {DEMO}{demo}'s own")
    if engine.text.tokenizer is None:
        raise PromptError(f"The checkpoint has no tokenizer for the built-in sentences: {_REMEDY}, as ids like 1,2,3.")
    rows = [_Row(sentence) for sentence in SENTENCES]
    return CalibrationPrompts(
        _encoded(engine, rows, "the built-in sentences"), f"{len(rows)} built-in English sentences"
    )


def _rows_of(place: Path) -> list[_Row]:
    if not place.is_dir():
        return list(_rows_of_file(place))
    kinds = (".txt", *SUFFIXES)
    files = sorted(path for path in place.iterdir() if path.suffix in kinds and path.is_file())
    if not files:
        raise PromptError(f"The folder {printable(place)} holds no {', '.join(kinds)} file with prompts: {_REMEDY}.")
    return [row for file in files for row in _rows_of_file(file)]


def _rows_of_demo(demo: str) -> list[_Row]:
    if not demo.isidentifier():
        return []
    file = resources.files("resources") / "demos" / f"{taught_as(demo)}_calibration.jsonl"
    if not file.is_file():
        return []
    with resources.as_file(file) as path:
        return list(_rows_of_file(path))


def _rows_of_file(file: Path) -> Iterator[_Row]:
    if not is_table(file):
        yield from map(_Row, read_lines(file))
        return
    for number, row in read_rows(file):
        column = prompt_column(row, number, file)
        yield _Row(cell_text(row, column, number, file), raw=column == "text")


def _encoded(engine: Engine, rows: list[_Row], name: str) -> tuple[tuple[int, ...], ...]:
    if engine.text.tokenizer is None:
        return tuple(_ids(engine, row.text, number) for number, row in enumerate(rows, 1))
    _refuse_foreign(engine, rows, name)
    return tuple(tuple(engine.encode(row.text) if row.raw else encode_prompt(engine, row.text)) for row in rows)


def _refuse_foreign(engine: Engine, rows: list[_Row], name: str) -> None:
    """Raises PromptError for texts of mostly unknown tokens, which would not calibrate anything."""
    unknown = sum(engine.text.unknown_share(row.text) for row in rows)
    tokens = sum(len(engine.encode(row.text)) for row in rows)
    characters = sum(len(row.text) for row in rows)
    if unknown > 0.5 * len(rows) or tokens > _UNKNOWN_LIMIT * characters + 2 * len(rows):  # a few frame each text
        raise PromptError(
            f"The checkpoint's tokenizer does not know most of {printable(name)}: calibrate on texts that it was made "
            "for."
        )


def _ids(engine: Engine, line: str, number: int) -> tuple[int, ...]:
    try:
        ids = [int(part) for part in line.split(",")]
    except ValueError:
        raise PromptError(
            f"Calibration prompt {number} is no list of ids, and the checkpoint has no tokenizer: write it as 1,2,3."
        ) from None
    return tuple(engine.text.check_ids(ids))

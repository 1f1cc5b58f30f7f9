"""Calibration prompts: the user's texts, the demo's, or built-in ones; never random ids.

ranges, which are calibrated with answers ──▶ calibration_prompts, a few sentences
rounding, which reads as much as it can   ──▶ calibration_texts, thousands of tokens in runs of a length

A line of a text file is a prompt, and so is a row {"prompt": …} (or question, or input) of JSON lines and parquet: both
go through the chat template if there is one. A row {"text": …} is used unchanged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from workflows.bundle import Bundle
from workflows.common.errors import PromptError, printable
from workflows.common.table_files import SUFFIXES, cell_text, is_table, read_rows
from workflows.generate import Engine
from workflows.generate.chat_template import ChatTemplate
from workflows.generate.notices import Notices
from workflows.generate.prompt_encoder import PromptEncoder
from workflows.generate.prompt_sets import (
    DEMO,
    SENTENCES,
    demo_name,
    prompt_column,
    read_lines,
    taught_as,
)
from workflows.generate.sample_texts import paragraphs
from workflows.generate.tokenizer import BundleTokenizer

TOKENS = 6144
"""Tokens of the built-in texts that rounding is calibrated with: a row of the widest input of a small model four times.
"""
_RUN = 256  # tokens of a run, unless it is the last: short texts are joined, and the end of the last one is cut off
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


def has_own_prompts(source: str) -> bool:
    """Whether a source is a demo that comes with calibration prompts."""
    return source.startswith(DEMO) and bool(_rows_of_demo(source.removeprefix(DEMO)))


def calibration_prompts(engine: Engine, place: str) -> CalibrationPrompts:
    """Returns the prompts in `place`, a file or a data set folder; if it is empty, the demo's or built-in sentences.

    Raises PromptError for a place without prompts, for texts that the tokenizer does not know, and if there is no
    fallback.
    """
    if place:
        rows, name = _rows_of(Path(place)), Path(place).name
        return CalibrationPrompts(_encoded(engine.text, engine.prompts, rows, name), f"{len(rows):,} of {name}")
    demo = demo_name(engine.bundle)
    rows = _rows_of_demo(demo)
    if rows:
        return CalibrationPrompts(
            _encoded(engine.text, engine.prompts, rows, demo), f"{len(rows):,} of {DEMO}{demo}'s own"
        )
    if engine.text.tokenizer is None:
        raise PromptError(f"The checkpoint has no tokenizer for the built-in sentences: {_REMEDY}, as ids like 1,2,3.")
    rows = [_Row(sentence) for sentence in SENTENCES]
    return CalibrationPrompts(
        _encoded(engine.text, engine.prompts, rows, "the built-in sentences"),
        f"{len(rows)} built-in English sentences",
    )


def calibration_texts(bundle: Bundle, place: str) -> CalibrationPrompts | None:
    """Returns the texts in `place`, or else the demo's or the built-in ones, as ids in runs of some length.

    None for a bundle that no built-in text is for. Raises PromptError as calibration_prompts does.
    """
    text = BundleTokenizer.of_bundle(bundle)
    encoder = PromptEncoder(text, ChatTemplate.of_bundle(bundle), False, Notices())
    demo = demo_name(bundle)
    if place or (rows := _rows_of_demo(demo)):
        rows, name = (_rows_of(Path(place)), Path(place).name) if place else (rows, f"{DEMO}{demo}'s own")
        runs = _joined(_encoded(text, encoder, rows, name), None)
        return CalibrationPrompts(runs, f"{sum(map(len, runs)):,} tokens of {name}")
    texts = [_Row(one.text, raw=True) for one in paragraphs("calibrate")]
    if text.tokenizer is None or _is_foreign(text, encoder, texts):
        return None
    runs = _joined((tuple(encoder.text(row.text)) for row in texts), TOKENS)
    return CalibrationPrompts(runs, f"{sum(map(len, runs)):,} tokens of the built-in texts")


def _joined(texts: Iterable[tuple[int, ...]], most: int | None) -> tuple[tuple[int, ...], ...]:
    """Joins texts to runs of _RUN tokens or more, `most` tokens in all."""
    runs: list[tuple[int, ...]] = []
    total, run = 0, tuple[int, ...]()
    for ids in texts:
        run += ids
        if len(run) >= _RUN:
            runs.append(run[:_RUN])
            total, run = total + len(runs[-1]), ()
        if most is not None and total >= most:
            return tuple(runs)
    return (*runs, run) if run else tuple(runs)


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


def _encoded(text: BundleTokenizer, encoder: PromptEncoder, rows: list[_Row], name: str) -> tuple[tuple[int, ...], ...]:
    if text.tokenizer is None:
        return tuple(_ids(text, row.text, number) for number, row in enumerate(rows, 1))
    if _is_foreign(text, encoder, rows):
        raise PromptError(
            f"The checkpoint's tokenizer does not know most of {printable(name)}: calibrate on texts that it was made "
            "for."
        )
    return tuple(tuple(_row_ids(encoder, row)) for row in rows)


def _row_ids(encoder: PromptEncoder, row: _Row) -> list[int]:
    if row.raw or encoder.template is None:
        return encoder.text(row.text)
    return encoder.turn([{"role": "user", "content": row.text}])


def _is_foreign(text: BundleTokenizer, encoder: PromptEncoder, rows: list[_Row]) -> bool:
    """Whether the texts have mostly unknown tokens, which would not calibrate anything."""
    unknown = sum(text.unknown_share(row.text) for row in rows)
    tokens = sum(len(encoder.text(row.text)) for row in rows)
    characters = sum(len(row.text) for row in rows)
    return unknown > 0.5 * len(rows) or tokens > _UNKNOWN_LIMIT * characters + 2 * len(rows)  # a few frame each text


def _ids(text: BundleTokenizer, line: str, number: int) -> tuple[int, ...]:
    try:
        ids = [int(part) for part in line.split(",")]
    except ValueError:
        raise PromptError(
            f"Calibration prompt {number} is no list of ids, and the checkpoint has no tokenizer: write it as 1,2,3."
        ) from None
    return tuple(text.check_ids(ids))

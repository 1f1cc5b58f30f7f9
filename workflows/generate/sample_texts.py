"""Texts that were written for Joinery, in two halves: one to calibrate with, one to measure with.

    resources/texts/HALF/LANGUAGE.txt ──"=== KIND" begins a paragraph──▶ paragraphs(half), balanced from the start on

The halves share no paragraph. What a method reads while it quantizes comes from "calibrate"; only what measures reads
"measure": else the figure of a build would be about texts that the build was fitted to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import zip_longest
from typing import Literal, TypeVar, get_args

Half = Literal["calibrate", "measure"]
Kind = Literal["prose", "dialogue", "instructions", "code", "table"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LANGUAGES = ("en", "de", "fr", "es", "zh", "ja", "ar", "hi")
_MARK = "=== "

Item = TypeVar("Item")


@dataclass(frozen=True)
class SampleText:
    """A text of one kind. language: of LANGUAGES; that of the comments and the strings in code."""

    half: Half
    kind: Kind
    language: str
    text: str


@cache
def paragraphs(half: Half) -> tuple[SampleText, ...]:
    """All paragraphs of a half, in an order whose first N are spread evenly over languages and kinds, for each N."""
    by_language = (_rotated(_of_language(half, language), place) for place, language in enumerate(LANGUAGES))
    return tuple(_in_turns(by_language))


def _of_language(half: Half, language: str) -> list[SampleText]:
    file = resources.files("resources") / "texts" / half / f"{language}.txt"
    _, *blocks = f"\n{file.read_text('utf-8')}".split(f"\n{_MARK}")
    parts = [block.partition("\n") for block in blocks]
    by_name = {str(kind): kind for kind in KINDS}
    return [SampleText(half, by_name[kind], language, text.strip("\n")) for kind, _, text in parts]


def _rotated(items: list[SampleText], first: int) -> Iterator[SampleText]:
    """The paragraphs of a language with their kinds in turns, from kind number `first` on."""
    order = [KINDS[(first + place) % len(KINDS)] for place in range(len(KINDS))]
    return _in_turns([item for item in items if item.kind == kind] for kind in order)


def _in_turns(rows: Iterable[Iterable[Item]]) -> Iterator[Item]:
    """The first of each row, then the second of each, and so on; a row that has ended is passed over."""
    return (item for column in zip_longest(*rows) for item in column if item is not None)

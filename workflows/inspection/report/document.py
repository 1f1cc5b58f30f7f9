"""The parts of a report before they are written as HTML or Markdown. All texts are plain; the writers escape them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workflows.measure.measures import Measure, Unit


@dataclass(frozen=True)
class Heading:
    """The heading of the parts that follow."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class ReportTable:
    """head: the column headings. rows: as many cells each; the first column names the row."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class ReportPicture:
    """svg: a self-contained drawing. description: what it shows, in words."""

    svg: str
    description: str


@dataclass(frozen=True)
class CodeListing:
    """A text in a fixed-width font, such as a recipe."""

    text: str


DocumentPart = Heading | Paragraph | ReportTable | ReportPicture | CodeListing


@dataclass
class Document:
    """A title and the parts below it."""

    title: str
    parts: list[DocumentPart] = field(default_factory=list)


def format_measure(value: float | None, measure: Measure) -> str:
    """Returns a value with its unit, or a dash for None."""
    return "–" if value is None else with_unit(value, measure.unit)


def with_unit(value: float, unit: Unit) -> str:
    """Returns 212.4 tok/s, 1.52 ms, 8.6 MiB, 99.34 %, 0.00041 nats."""
    if unit == "share":
        return f"{100 * value:,.2f} %"
    if unit == "bytes":
        return f"{value / 2**20:,.1f} MiB"
    digits = f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{digits} {unit}".strip()

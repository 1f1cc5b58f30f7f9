"""What a report is made of, before it is HTML or Markdown. All texts are plain: who renders them escapes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workflows.measure.measures import Measure, Unit


@dataclass(frozen=True)
class Heading:
    """The name of what follows."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class ReportTable:
    """head: a heading a column. rows: as many cells each. The first column names the row."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class ReportPicture:
    """svg: a drawing that stands alone. told: the same in words."""

    svg: str
    told: str


@dataclass(frozen=True)
class CodeListing:
    """A text in a fixed-width font: a recipe, as JSON."""

    text: str


DocumentPart = Heading | Paragraph | ReportTable | ReportPicture | CodeListing


@dataclass
class Document:
    """A title, and what stands under it in order."""

    title: str
    parts: list[DocumentPart] = field(default_factory=list)


def format_measure(value: float | None, measure: Measure) -> str:
    """A measure with its unit, or a dash."""
    return "–" if value is None else with_unit(value, measure.unit)


def with_unit(value: float, unit: Unit) -> str:
    """212.4 tok/s, 1.52 ms, 8.6 MiB, 99.34 %, 0.00041 nats."""
    if unit == "share":
        return f"{100 * value:,.2f} %"
    if unit == "bytes":
        return f"{value / 2**20:,.1f} MiB"
    digits = f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{digits} {unit}".strip()

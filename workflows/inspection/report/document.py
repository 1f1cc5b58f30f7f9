"""A report as a list of parts with plain texts, and its writers for HTML and Markdown.

Texts come from untrusted files. Both writers pass them through `printable` and escape what has a meaning in their
format; the HTML has no script, loads nothing, and its content security policy forbids loading in addition.

A template of jinja2 and its settings are 35 lines in place of 41, and take 80 ms for the first page; no type checker
compares its parts with the classes here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from workflows.common.errors import printable
from workflows.measure.run_measures import Measure, Unit

_HTML_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_HTML_STYLE = """
body { font: 14px/1.5 Inter, "Segoe UI", "Noto Sans", sans-serif; color: #1b2028; background: #f5f6f8;
       max-width: 1100px; margin: 32px auto; padding: 0 24px; }
h1 { font-size: 24px; } h2 { font-size: 17px; margin-top: 32px; }
.wide { overflow-x: auto; background: #ffffff; border: 1px solid #d9dde4; border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 10px; text-align: left; border-top: 1px solid #eceef2; vertical-align: top; }
thead th { border-top: 0; color: #5b6472; font-weight: 600; } tbody th { font-weight: 400; color: #5b6472; }
pre { background: #ffffff; border: 1px solid #d9dde4; border-radius: 6px; padding: 12px; overflow-x: auto; }
figure { margin: 0; } svg { max-width: 100%; height: auto; }
"""
_MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]<>|#&~@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
"""The last three are of addresses, which GitHub's Markdown makes links of."""


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


def html_of(document: Document, refresh_s: int | None = None) -> str:
    """Returns the text of the file; the same for the same document. refresh_s: a browser loads it again after that."""
    title = _html_text(document.title)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_HTML_POLICY}">',
            *([f'<meta http-equiv="refresh" content="{refresh_s}">'] if refresh_s is not None else []),
            f"<title>{title}</title><style>{_HTML_STYLE}</style></head><body>",
            f"<h1>{title}</h1>",
            *map(_html_part, document.parts),
            "</body></html>\n",
        ]
    )


def _html_part(part: DocumentPart) -> str:
    match part:
        case Heading():
            return f"<h2>{_html_text(part.text)}</h2>"
        case Paragraph():
            return f"<p>{_html_text(part.text)}</p>"
        case CodeListing():
            return f"<pre>{escape(_html_lines(part.text))}</pre>"
        case ReportPicture():
            return f'<figure class="wide" aria-label="{_html_text(part.description)}">{part.svg}</figure>'
        case ReportTable():
            return _html_table(part)


def _html_table(table: ReportTable) -> str:
    head = "".join(f"<th>{_html_text(cell)}</th>" for cell in table.head)
    rows = "\n".join(
        f'<tr><th scope="row">{_html_text(row[0])}</th>'
        + "".join(f"<td>{_html_text(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'


def _html_text(text: str) -> str:
    return escape(printable(text, 2000))


def _html_lines(text: str) -> str:
    return "\n".join(" " * (len(line) - len(line.lstrip())) + printable(line.lstrip(), 2000)
                     for line in text.splitlines())  # fmt: skip


def markdown_of(document: Document, stem: str) -> tuple[str, dict[str, str]]:
    """Returns the text, and the SVG of each picture by file name: `stem`-1.svg and so on."""
    drawn = [part for part in document.parts if isinstance(part, ReportPicture)]
    pictures = {f"{stem}-{n}.svg": one for n, one in enumerate(drawn, 1)}
    names = iter(pictures)
    parts = [_markdown_part(part, next(names) if isinstance(part, ReportPicture) else "") for part in document.parts]
    text = "\n\n".join([f"# {_markdown_text(document.title)}", *parts]) + "\n"
    return text, {name: one.svg for name, one in pictures.items()}


def _markdown_part(part: DocumentPart, file: str) -> str:
    match part:
        case Heading():
            return f"## {_markdown_text(part.text)}"
        case Paragraph():
            return _markdown_text(part.text)
        case CodeListing():
            return _code_fence(part.text)
        case ReportPicture():
            return f"![{_markdown_text(part.description)}](<{file}>)"
        case ReportTable():
            rule = ["---"] * len(part.head)
            return "\n".join("| " + " | ".join(row) + " |" for row in (
                [*map(_markdown_text, part.head)], rule, *([*map(_markdown_text, row)] for row in part.rows)
            ))  # fmt: skip


def _code_fence(text: str) -> str:
    """Returns the text in a fence that is longer than any run of backticks in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}json\n{text}\n{fence}"


def _markdown_text(text: str) -> str:
    return _MARKDOWN_SIGNS.sub(r"\\\1", printable(text, 2000))

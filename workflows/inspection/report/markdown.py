"""Writes a document as Markdown, with its pictures as separate files.

Texts come from untrusted files: characters with a meaning in Markdown or HTML are escaped, and a cell has one line.
"""

from __future__ import annotations

import re

from workflows.common.errors import printable
from workflows.inspection.report.document import (
    CodeListing,
    Document,
    DocumentPart,
    Heading,
    Paragraph,
    ReportPicture,
    ReportTable,
)

_SIGNS = re.compile(r"([\\`*_\[\]<>|#&~@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
"""The last three are of addresses, which GitHub's Markdown makes links of."""


def markdown_of(document: Document, stem: str) -> tuple[str, dict[str, str]]:
    """Returns the text, and the SVG of each picture by file name: `stem`-1.svg and so on."""
    pictures = {f"{stem}-{n}.svg": one for n, one in enumerate(_pictures(document), 1)}
    names = iter(pictures)
    parts = [_part(part, next(names) if isinstance(part, ReportPicture) else "") for part in document.parts]
    text = "\n\n".join([f"# {_text(document.title)}", *parts]) + "\n"
    return text, {name: one.svg for name, one in pictures.items()}


def _pictures(document: Document) -> list[ReportPicture]:
    return [part for part in document.parts if isinstance(part, ReportPicture)]


def _part(part: DocumentPart, file: str) -> str:
    match part:
        case Heading():
            return f"## {_text(part.text)}"
        case Paragraph():
            return _text(part.text)
        case CodeListing():
            return _listing(part.text)
        case ReportPicture():
            return f"![{_text(part.description)}](<{file}>)"
        case ReportTable():
            rule = ["---"] * len(part.head)
            return "\n".join("| " + " | ".join(row) + " |" for row in (
                [*map(_text, part.head)], rule, *([*map(_text, row)] for row in part.rows)
            ))  # fmt: skip


def _listing(text: str) -> str:
    """Returns the text in a fence that is longer than any run of backticks in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}json\n{text}\n{fence}"


def _text(text: str) -> str:
    return _SIGNS.sub(r"\\\1", printable(text, 2000))

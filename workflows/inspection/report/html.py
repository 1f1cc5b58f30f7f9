"""Writes a document as one HTML file: its pictures are inline, it has no script and loads nothing.

Names come from untrusted files: every text goes through `printable` and is escaped; a content security policy forbids
loading in addition.
"""

from __future__ import annotations

from html import escape

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

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
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


def html_of(document: Document) -> str:
    """Returns the text of the file; the same for the same document."""
    title = _text(document.title)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{title}</title><style>{_STYLE}</style></head><body>",
            f"<h1>{title}</h1>",
            *map(_part, document.parts),
            "</body></html>\n",
        ]
    )


def _part(part: DocumentPart) -> str:
    match part:
        case Heading():
            return f"<h2>{_text(part.text)}</h2>"
        case Paragraph():
            return f"<p>{_text(part.text)}</p>"
        case CodeListing():
            return f"<pre>{escape(_lines(part.text))}</pre>"
        case ReportPicture():
            return f'<figure class="wide" aria-label="{_text(part.description)}">{part.svg}</figure>'
        case ReportTable():
            return _table(part)


def _table(table: ReportTable) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in table.head)
    rows = "\n".join(
        f'<tr><th scope="row">{_text(row[0])}</th>' + "".join(f"<td>{_text(cell)}</td>" for cell in row[1:]) + "</tr>"
        for row in table.rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'


def _text(text: str) -> str:
    return escape(printable(text, 2000))


def _lines(text: str) -> str:
    return "\n".join(" " * (len(line) - len(line.lstrip())) + printable(line.lstrip(), 2000)
                     for line in text.splitlines())  # fmt: skip

"""Writes SVG: elements, texts and the document around them.

Names and labels may come from untrusted files: `text` and `label` replace what is not printable and escape the rest.
This module imports the standard library alone, because the window imports it.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from workflows.common.errors import printable

Attribute = float | str | None


def number(pixels: float) -> str:
    """The pixels with at most one decimal place."""
    return f"{pixels:.1f}".removesuffix(".0")


def points(corners: Iterable[tuple[float, float]]) -> str:
    """The `points` attribute of a polyline."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in corners)


def element(tag: str, /, *children: str, **attributes: Attribute) -> str:
    """An element around `children`, which are markup.

    An attribute's `_` is written as `-` (`text_anchor`), and a trailing one is dropped (`class_`). A number is written
    as pixels; None and the empty string leave the attribute out.
    """
    start = tag + "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value if isinstance(value, str) else number(value))}"'
        for name, value in attributes.items()
        if value is not None and value != ""
    )
    return f"<{start}>{''.join(children)}</{tag}>" if children else f"<{start}/>"


def label(tag: str, content: str, limit: int = 400, /, **attributes: Attribute) -> str:
    """An element around plain text of at most `limit` characters: `title`, `desc`, `text`."""
    return element(tag, escape(printable(content, limit), quote=False), **attributes)


def text(content: str, x: float, y: float, limit: int = 400, /, **attributes: Attribute) -> str:
    """A line of text. x, y: pixels; y is the baseline's."""
    return label("text", content, limit, x=x, y=y, **attributes)


def document(width: float, height: float, parts: Iterable[str], /, **attributes: Attribute) -> str:
    """The whole document, one part a line. attributes: those of `<svg>` besides its size."""
    size: dict[str, Attribute] = {"width": width, "height": height, "viewBox": f"0 0 {number(width)} {number(height)}"}
    return element(
        "svg", "\n", *(f"{part}\n" for part in parts), xmlns="http://www.w3.org/2000/svg", **attributes, **size
    )

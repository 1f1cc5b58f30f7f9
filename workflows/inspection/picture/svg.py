"""A drawing as an SVG that stands alone: no script, no font, no link; readable in light and dark.

Names come from files of strangers: every text goes through `printable` and is escaped. The colours stand on the
elements, so that a reader without style sheets shows the light ones; a style sheet changes them where it is dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Literal

from workflows.common.errors import RequestError, printable
from workflows.common.files import write_atomically
from workflows.inspection.picture.drawing import (
    LID_HEIGHT,
    TINTS,
    CompositeDrawing,
    DrawnBox,
    DrawnEdge,
    PhasePill,
    Point,
    TextLine,
    arrowheads,
)
from workflows.inspection.picture.text_metrics import PILL_SIZE, SIZES

FILE_MARK = 'data-made-by="joinery"'
Theme = Literal["auto", "light", "dark"]

# The window's colours (app/widgets/theme.py).
_LIGHT = {
    "paper": "#f5f6f8", "surface": "#ffffff", "border": "#9aa1ad", "text": "#1b2028", "muted": "#5b6472",
    "accent": "#2f5fd0", "prefill": "#7a4fc4", "decode": "#0c8577", "cache": "#2777c2",
}  # fmt: skip
_DARK = {
    "paper": "#15181d", "surface": "#1c2027", "border": "#687180", "text": "#e4e7ec", "muted": "#98a1b0",
    "accent": "#7ba0ff", "prefill": "#b494f5", "decode": "#4cc9b6", "cache": "#6db5f2",
}  # fmt: skip
_SANS = "Inter, Segoe UI, SF Pro Text, Noto Sans, Ubuntu, DejaVu Sans, sans-serif"
_MONO = "JetBrains Mono, Cascadia Mono, SF Mono, Menlo, Consolas, DejaVu Sans Mono, monospace"


def svg_of(drawing: CompositeDrawing, theme: Theme = "auto") -> str:
    """The text of the file; the same for the same drawing."""
    colors = _DARK if theme == "dark" else _LIGHT
    name = printable(drawing.name) or "composite"
    parts_told = [node.told for node in drawing.nodes] + [link.told for link in drawing.links]
    told = "; ".join(dict.fromkeys(parts_told))
    size = f'width="{_number(drawing.width)}" height="{_number(drawing.height)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {FILE_MARK} {size} '
        f'viewBox="0 0 {_number(drawing.width)} {_number(drawing.height)}" role="img" '
        'aria-labelledby="joinery-title joinery-told">',
        f'<title id="joinery-title">{_text(name)}</title>',
        f'<desc id="joinery-told">{_text(told, 20_000)}</desc>',
        *([f"<style>{_style()}</style>"] if theme == "auto" else []),
        f"<rect {size} {_fill('paper', colors)}/>",
        *(part for link in drawing.links for part in _link(link, colors)),
        *(part for node in drawing.nodes for part in _node(node, colors)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def write_picture(path: Path, drawing: CompositeDrawing, over: bool = False) -> None:
    """Writes the SVG, whole or not at all. over: in place of whatever file is there, as a person has agreed to.

    Raises RequestError for a name that does not end in .svg and for a file there that is no picture of ours, OSError
    where it cannot be written.
    """
    if path.suffix.lower() != ".svg":
        raise RequestError(f"{printable(path)} does not end in .svg, and the picture is an SVG: give it that ending.")
    if path.exists() and not over and not _is_joinery_picture(path):
        raise RequestError(
            f"{printable(path)} is there already and is no picture of Joinery's: choose another name, or remove it."
        )
    write_atomically(path, svg_of(drawing).encode())


def _is_joinery_picture(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return FILE_MARK.encode() in file.read(200)


def _style() -> str:
    """The dark colours; the light ones stand on the elements."""
    rules = "".join(f".f-{name}{{fill:{color}}}.s-{name}{{stroke:{color}}}" for name, color in _DARK.items())
    return f"@media (prefers-color-scheme: dark){{{rules}}}"


def _node(node: DrawnBox, colors: Mapping[str, str]) -> Iterable[str]:
    yield "<g>"
    yield f"<title>{_text(node.told, 4000)}</title>"
    yield from _outline(node, colors)
    yield from (_line(line, colors) for line in node.lines)
    yield from (part for pill in node.pills for part in _pill(pill, colors))
    yield "</g>"


def _outline(node: DrawnBox, colors: Mapping[str, str]) -> Iterable[str]:
    box = f'x="{_number(node.x)}" y="{_number(node.y)}" width="{_number(node.w)}" height="{_number(node.h)}"'
    tint = "border" if node.tint in ("text", "muted") else node.tint
    if node.kind == "session":
        yield f'<rect {box} rx="6" {_both("surface", tint, colors)} stroke-width="1.5"/>'
    elif node.kind == "state":
        yield f'<path d="{cylinder_path(node)}" {_both("surface", tint, colors)} stroke-width="1.5"/>'
        yield f'<path d="{cylinder_lid_path(node)}" fill="none" {_stroke(tint, colors)} stroke-width="1.5"/>'
    else:
        yield f'<rect {box} rx="3" {_both("paper", tint, colors)} stroke-dasharray="4 3"/>'


def cylinder_path(node: DrawnBox) -> str:
    """The outline of a state: a drum, whose lid is as high as `LID` twice."""
    x, y, right, bottom, half = node.x, node.y, node.x + node.w, node.y + node.h, node.w / 2
    arc = f"A {_number(half)} {_number(LID_HEIGHT)} 0 0 1"
    top, foot = _number(y + LID_HEIGHT), _number(bottom - LID_HEIGHT)
    return f"M {_number(x)} {top} {arc} {_number(right)} {top} V {foot} {arc} {_number(x)} {foot} Z"


def cylinder_lid_path(node: DrawnBox) -> str:
    """The front edge of the drum's lid."""
    x, right, top, half = node.x, node.x + node.w, _number(node.y + LID_HEIGHT), node.w / 2
    return f"M {_number(x)} {top} A {_number(half)} {_number(LID_HEIGHT)} 0 0 0 {_number(right)} {top}"


def _pill(pill: PhasePill, colors: Mapping[str, str]) -> Iterable[str]:
    tint = TINTS.get(pill.run, "muted")
    box = f'x="{_number(pill.x)}" y="{_number(pill.y)}" width="{_number(pill.w)}" height="{_number(pill.h)}"'
    yield f'<rect {box} rx="{_number(pill.h / 2)}" fill="none" {_stroke(tint, colors)}/>'
    middle, base = _number(pill.x + pill.w / 2), _number(pill.y + pill.h - 5)
    yield (
        f'<text x="{middle}" y="{base}" text-anchor="middle" {_font(_SANS, PILL_SIZE)} '
        f"{_fill(tint, colors)}>{_text(pill.text)}</text>"
    )


def _link(link: DrawnEdge, colors: Mapping[str, str]) -> Iterable[str]:
    tint = "muted" if link.tint == "text" else link.tint
    yield "<g>"
    yield f"<title>{_text(link.told, 4000)}</title>"
    yield f'<path d="{_path_data(link.points)}" fill="none" {_stroke(tint, colors)} stroke-width="1.5"/>'
    for corners in arrowheads(link):
        yield f'<path d="M {" L ".join(f"{_number(x)} {_number(y)}" for x, y in corners)} Z" {_fill(tint, colors)}/>'
    yield from (_line(line, colors) for line in link.lines)
    yield "</g>"


def _path_data(points: Sequence[Point]) -> str:
    steps = [f"M {_number(points[0][0])} {_number(points[0][1])}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        middle = _number((x + to_x) / 2)
        if y == to_y:
            steps.append(f"H {_number(to_x)}")
        else:
            steps.append(f"C {middle} {_number(y)} {middle} {_number(to_y)} {_number(to_x)} {_number(to_y)}")
    return " ".join(steps)


def _line(line: TextLine, colors: Mapping[str, str]) -> str:
    font = _font(_SANS, SIZES["title"], "600") if line.style == "title" else _font(_MONO, SIZES[line.style])
    ink = "muted" if line.style == "detail" else "text"
    return f'<text x="{_number(line.x)}" y="{_number(line.y)}" {font} {_fill(ink, colors)}>{_text(line.text)}</text>'


def _font(family: str, size: int, weight: str = "") -> str:
    bold = f' font-weight="{weight}"' if weight else ""
    return f'font-family="{family}" font-size="{size}"{bold}'


def _fill(name: str, colors: Mapping[str, str]) -> str:
    return f'class="f-{name}" fill="{colors[name]}"'


def _stroke(name: str, colors: Mapping[str, str]) -> str:
    return f'class="s-{name}" stroke="{colors[name]}"'


def _both(fill: str, stroke: str, colors: Mapping[str, str]) -> str:
    return f'class="f-{fill} s-{stroke}" fill="{colors[fill]}" stroke="{colors[stroke]}"'


def _text(text: str, limit: int = 400) -> str:
    return escape(printable(text, limit), quote=False)


def _number(value: float) -> str:
    """A number without needless digits."""
    return f"{value:.1f}".removesuffix(".0")

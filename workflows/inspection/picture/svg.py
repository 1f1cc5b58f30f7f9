"""Writes a drawing as an SVG that stands alone: no script, no font, no link; readable in light and dark.

Names come from untrusted files, so the SVG writer escapes every text. The light colours are attributes of the elements,
for readers without style sheets; a style sheet replaces them where the reader's scheme is dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

from workflows.common import svg
from workflows.common.errors import RequestError, printable
from workflows.common.files import write_atomically
from workflows.common.svg import number
from workflows.inspection.picture.drawing import (
    LID_HEIGHT,
    PILL_SIZE,
    SIZES,
    TINTS,
    CompositeDrawing,
    DrawnBox,
    DrawnEdge,
    PhasePill,
    Point,
    TextLine,
    arrowheads,
)

FILE_MARK = 'data-made-by="joinery"'
Theme = Literal["auto", "light", "dark"]
Colors = Mapping[str, str]

# The window's colours (app/widgets/theme.py).
_LIGHT = {
    "paper": "#f5f6f8", "surface": "#ffffff", "border": "#9aa1ad", "text": "#1b2028", "muted": "#5b6472",
    "accent": "#2f5fd0", "prefill": "#7a4fc4", "decode": "#0a7367", "cache": "#2269ab",
}  # fmt: skip
_DARK = {
    "paper": "#15181d", "surface": "#1c2027", "border": "#687180", "text": "#e4e7ec", "muted": "#98a1b0",
    "accent": "#7ba0ff", "prefill": "#b494f5", "decode": "#4cc9b6", "cache": "#6db5f2",
}  # fmt: skip
_SANS = "Inter, Segoe UI, SF Pro Text, Noto Sans, Ubuntu, DejaVu Sans, sans-serif"
_MONO = "JetBrains Mono, Cascadia Mono, SF Mono, Menlo, Consolas, DejaVu Sans Mono, monospace"
_STROKE_WIDTH = "1.5"


def svg_of(drawing: CompositeDrawing, theme: Theme = "auto") -> str:
    """Returns the text of the file, which is the same for the same drawing."""
    colors = _DARK if theme == "dark" else _LIGHT
    descriptions = dict.fromkeys(
        [node.description for node in drawing.nodes] + [link.description for link in drawing.links]
    )
    parts = [
        svg.label("title", printable(drawing.name) or "composite", id="joinery-title"),
        svg.label("desc", "; ".join(descriptions), 20_000, id="joinery-told"),
        *([svg.element("style", _style_sheet())] if theme == "auto" else []),
        svg.element("rect", width=drawing.width, height=drawing.height, **_fill("paper", colors)),
        *(_edge(link, colors) for link in drawing.links),
        *(_box(node, colors) for node in drawing.nodes),
    ]
    marks = {"data_made_by": "joinery", "role": "img", "aria_labelledby": "joinery-title joinery-told"}
    return svg.document(drawing.width, drawing.height, parts, **marks) + "\n"


def write_picture(path: Path, drawing: CompositeDrawing, over: bool = False) -> None:
    """Writes the SVG to `path` atomically. over: replace any file, as the user has agreed to.

    Raises RequestError for a name that does not end in .svg and for an existing file that Joinery did not write,
    OSError where the file cannot be written.
    """
    if path.suffix.lower() != ".svg":
        raise RequestError(f"{printable(path)} does not end in .svg, and the picture is an SVG: give it that ending.")
    if path.exists() and not over and not _is_joinery_picture(path):
        raise RequestError(
            f"{printable(path)} exists, and Joinery did not write it: choose another name, or remove the file."
        )
    write_atomically(path, svg_of(drawing).encode())


def _is_joinery_picture(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return FILE_MARK.encode() in file.read(200)


def _style_sheet() -> str:
    rules = "".join(f".f-{name}{{fill:{color}}}.s-{name}{{stroke:{color}}}" for name, color in _DARK.items())
    return f"@media (prefers-color-scheme: dark){{{rules}}}"


def _box(node: DrawnBox, colors: Colors) -> str:
    return svg.element(
        "g",
        svg.label("title", node.description, 4000),
        *_outline(node, colors),
        *(_line(line, colors) for line in node.lines),
        *(part for pill in node.pills for part in _pill(pill, colors)),
    )


def _outline(node: DrawnBox, colors: Colors) -> Iterable[str]:
    place = {"x": node.x, "y": node.y, "width": node.w, "height": node.h}
    tint = "border" if node.tint in ("text", "muted") else node.tint
    if node.kind == "session":
        yield svg.element("rect", **place, rx=6.0, **_both("surface", tint, colors), stroke_width=_STROKE_WIDTH)
    elif node.kind == "state":
        yield svg.element("path", d=cylinder_path(node), **_both("surface", tint, colors), stroke_width=_STROKE_WIDTH)
        yield svg.element("path", d=cylinder_lid_path(node), **_stroke(tint, colors), stroke_width=_STROKE_WIDTH)
    else:
        yield svg.element("rect", **place, rx=3.0, **_both("paper", tint, colors), stroke_dasharray="4 3")


def cylinder_path(node: DrawnBox) -> str:
    """Returns the path of a state's outline: a cylinder whose lid is 2 · LID_HEIGHT high."""
    x, y, right, bottom, half = node.x, node.y, node.x + node.w, node.y + node.h, node.w / 2
    arc = f"A {number(half)} {number(LID_HEIGHT)} 0 0 1"
    top, foot = number(y + LID_HEIGHT), number(bottom - LID_HEIGHT)
    return f"M {number(x)} {top} {arc} {number(right)} {top} V {foot} {arc} {number(x)} {foot} Z"


def cylinder_lid_path(node: DrawnBox) -> str:
    """Returns the path of the front edge of the cylinder's lid."""
    x, right, top, half = node.x, node.x + node.w, number(node.y + LID_HEIGHT), node.w / 2
    return f"M {number(x)} {top} A {number(half)} {number(LID_HEIGHT)} 0 0 0 {number(right)} {top}"


def _pill(pill: PhasePill, colors: Colors) -> Iterable[str]:
    tint = TINTS.get(pill.run, "muted")
    yield svg.element("rect", x=pill.x, y=pill.y, width=pill.w, height=pill.h, rx=pill.h / 2, **_stroke(tint, colors))
    yield svg.text(
        pill.text, pill.x + pill.w / 2, pill.y + pill.h - 5,
        text_anchor="middle", **_font(_SANS, PILL_SIZE), **_fill(tint, colors),
    )  # fmt: skip


def _edge(link: DrawnEdge, colors: Colors) -> str:
    tint = "muted" if link.tint == "text" else link.tint
    heads = (" L ".join(f"{number(x)} {number(y)}" for x, y in corners) for corners in arrowheads(link))
    return svg.element(
        "g",
        svg.label("title", link.description, 4000),
        svg.element("path", d=_path_data(link.points), **_stroke(tint, colors), stroke_width=_STROKE_WIDTH),
        *(svg.element("path", d=f"M {head} Z", **_fill(tint, colors)) for head in heads),
        *(_line(line, colors) for line in link.lines),
    )


def _path_data(points: Sequence[Point]) -> str:
    steps = [f"M {number(points[0][0])} {number(points[0][1])}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        middle = number((x + to_x) / 2)
        if y == to_y:
            steps.append(f"H {number(to_x)}")
        else:
            steps.append(f"C {middle} {number(y)} {middle} {number(to_y)} {number(to_x)} {number(to_y)}")
    return " ".join(steps)


def _line(line: TextLine, colors: Colors) -> str:
    font = _font(_SANS, SIZES["title"], "600") if line.style == "title" else _font(_MONO, SIZES[line.style])
    ink = "muted" if line.style == "detail" else "text"
    return svg.text(line.text, line.x, line.y, **font, **_fill(ink, colors))


def _font(family: str, size: int, weight: str = "") -> dict[str, str]:
    return {"font_family": family, "font_size": str(size), "font_weight": weight}


def _fill(name: str, colors: Colors) -> dict[str, str]:
    return {"class_": f"f-{name}", "fill": colors[name]}


def _stroke(name: str, colors: Colors) -> dict[str, str]:
    return {"class_": f"s-{name}", "fill": "none", "stroke": colors[name]}


def _both(fill: str, stroke: str, colors: Colors) -> dict[str, str]:
    return {"class_": f"f-{fill} s-{stroke}", "fill": colors[fill], "stroke": colors[stroke]}

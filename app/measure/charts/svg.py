"""The plots as one SVG document: a title, and panels whose curves are clipped to them.

    SvgPanel … ──svg_document──▶ <svg> title, axes with units, curves, marks, labels </svg>

Texts contain bundle names, so all texts are escaped. Not QSvgGenerator, which has no clip paths: a curve that is zoomed
into would leave its plot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from app.measure.charts.plot_data import Curve
from workflows.common import svg

if TYPE_CHECKING:
    from app.measure.charts.plot_data import Range

Kind = Literal["area", "line", "points"]
TITLE, SMALL = 13, 11
LETTER = 6.5
"""The approximate width of a letter of size SMALL in pixels."""
DASH = "6 4"


class SvgBox(NamedTuple):
    """Pixels."""

    left: float
    top: float
    width: float
    height: float


class SvgCurve(NamedTuple):
    """A curve; an area is closed down to `floor`. dash: SVG's dash array of a line."""

    kind: Kind
    curve: Curve
    color: str
    dash: str = ""
    floor: float = 0.0


class SvgText(NamedTuple):
    """A text at a coordinate of an axis."""

    at: float
    text: str


class LegendEntry(NamedTuple):
    """What curves of a kind and a colour (#rrggbb) show."""

    kind: Kind
    color: str
    text: str


@dataclass(frozen=True)
class SvgPanel:
    """One plot. labels: (y of the level, y of the label, text), in pixels from the top."""

    box: SvgBox
    time: Range
    values: Range
    name: str
    ticks: Sequence[SvgText]
    shapes: Sequence[SvgCurve]
    levels: Sequence[tuple[float, str]] = ()  # value, dash
    labels: Sequence[tuple[float, float, str]] = ()
    marks: Sequence[SvgText] = ()
    below: Sequence[SvgText] = ()
    below_name: str = ""

    def x(self, seconds: float) -> float:
        """The x coordinate in pixels."""
        left, right = self.time
        return self.box.left + (seconds - left) / (right - left) * self.box.width

    def y(self, value: float) -> float:
        """The y coordinate in pixels."""
        low, high = self.values
        return self.box.top + (high - value) / (high - low) * self.box.height


@dataclass(frozen=True)
class SvgPalette:
    """The colours of everything but curves."""

    background: str
    text: str
    muted: str
    border: str
    level: str
    mark: str
    font: str = "sans-serif"
    mono: str = field(default="monospace")


def svg_document(
    panels: Sequence[SvgPanel],
    title: Sequence[str],
    size: tuple[int, int],
    palette: SvgPalette,
    legend: Sequence[LegendEntry] = (),
) -> str:
    """Returns the whole drawing. title: its lines; legend: a line below them."""
    parts = [
        svg.label("title", " ".join(title), 2000),
        svg.element("rect", width=size[0], height=size[1], fill=palette.background),
        *(
            svg.text(line, 8, (row + 1) * (TITLE + 5), font_size=str(TITLE), fill=palette.text)
            for row, line in enumerate(title)
        ),
        *_legend(legend, (len(title) + 1) * (TITLE + 5), palette),
        *(part for index, panel in enumerate(panels) for part in _panel(panel, f"panel{index}", palette)),
    ]
    font = {"font_family": palette.font, "font_size": str(SMALL), "fill": palette.text}
    return svg.document(*size, parts, **font) + "\n"


def _legend(entries: Sequence[LegendEntry], baseline: float, palette: SvgPalette) -> Iterable[str]:
    x = 8.0
    for kind, color, text in entries:
        size = {"width": 8, "height": 8, "rx": 4} if kind == "points" else {"width": 8, "height": 10}
        yield svg.element("rect", x=x, y=baseline - 9, **size, fill=color)
        yield _text(x + 14, baseline, text, palette.text)
        x += 30 + LETTER * len(text)


def _panel(panel: SvgPanel, clip_id: str, palette: SvgPalette) -> Iterable[str]:
    box = panel.box
    frame = {"x": box.left, "y": box.top, "width": box.width, "height": box.height}
    yield svg.element("defs", svg.element("clipPath", svg.element("rect", **frame), id=clip_id))
    for at, text in panel.ticks:
        y = panel.y(at)
        yield _line(box.left, y, box.left + box.width, y, palette.border)
        yield _text(box.left - 6, y + 4, text, palette.muted, "end")
    yield svg.element("g", *_inside(panel, palette), clip_path=f"url(#{clip_id})")
    yield svg.element("rect", **frame, fill="none", stroke=palette.border)
    yield from _outside(panel, palette)


def _inside(panel: SvgPanel, palette: SvgPalette) -> Iterable[str]:
    """Yields the curves, the levels, and the marks with their names."""
    box = panel.box
    yield from (_shape(panel, shape) for shape in panel.shapes)
    for value, dash in panel.levels:
        yield _line(box.left, panel.y(value), box.left + box.width, panel.y(value), palette.level, dash)
    ends = [*(panel.x(at) for at, _ in panel.marks), box.left + box.width]
    for (at, text), end in zip(panel.marks, ends[1:], strict=True):
        yield _line(panel.x(at), box.top, panel.x(at), box.top + box.height, palette.mark, "6 2 1 2")
        yield _text(panel.x(at) + 4, box.top + 12, text[: int((end - panel.x(at)) / LETTER)], palette.text)


def _outside(panel: SvgPanel, palette: SvgPalette) -> Iterable[str]:
    """Yields the labels at the right, the names of the axes, and the time below."""
    box = panel.box
    right, bottom = box.left + box.width, box.top + box.height
    for level, spot, text in panel.labels:
        yield _line(right, box.top + level, right + 10, box.top + spot, palette.muted)
        yield _text(right + 13, box.top + spot + 4, text, palette.text)
    turned = f"translate(14 {svg.number(box.top + box.height / 2)}) rotate(-90)"
    yield svg.label("text", panel.name, transform=turned, text_anchor="middle", fill=palette.muted)
    for at, text in panel.below:
        yield _text(panel.x(at), bottom + 16, text, palette.muted, "middle")
    if panel.below_name:
        yield _text(box.left + box.width / 2, bottom + 32, panel.below_name, palette.muted, "middle")


def _line(x1: float, y1: float, x2: float, y2: float, color: str, dash: str = "") -> str:
    return svg.element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=color, stroke_dasharray=dash)


def _text(x: float, y: float, text: str, color: str, anchor: str = "start") -> str:
    return svg.text(text, x, y, fill=color, text_anchor=anchor)


def _within(panel: SvgPanel, curve: Curve) -> Curve:
    """The curve cut at the panel's edges, for programs without support of clip paths."""
    return Curve(np.clip(curve.x, *panel.time), np.clip(curve.y, *panel.values))


def _shape(panel: SvgPanel, whole: SvgCurve) -> str:
    shape = whole._replace(curve=_within(panel, whole.curve), floor=max(whole.floor, panel.values[0]))
    if shape.kind == "points":
        inside = (shape.curve.x == whole.curve.x) & (shape.curve.y == whole.curve.y)
        spots = zip(shape.curve.x[inside], shape.curve.y[inside], strict=True)
        dots = (svg.element("circle", cx=panel.x(x), cy=panel.y(y), r=2.0) for x, y in spots)
        return svg.element("g", *dots, fill=shape.color)
    lines = ["L".join(f"{panel.x(x):.1f} {panel.y(y):.1f}" for x, y in part) for part in _parts(shape.curve)]
    path = " ".join(f"M{line}" for line in lines)
    drawn = svg.element("path", d=path, fill="none", stroke=shape.color, stroke_dasharray=shape.dash)
    if shape.kind == "line":
        return drawn
    floor = panel.y(shape.floor)
    ends = [(panel.x(part[0][0]), panel.x(part[-1][0])) for part in _parts(shape.curve)]
    closed = " ".join(
        f"M{first:.1f} {floor:.1f}L{line}L{last:.1f} {floor:.1f}Z"
        for line, (first, last) in zip(lines, ends, strict=True)
    )
    return svg.element("path", d=closed, fill=shape.color, fill_opacity="0.35") + drawn


def _parts(curve: Curve) -> list[list[tuple[float, float]]]:
    """The parts between NaNs."""
    gaps = np.flatnonzero(np.isnan(curve.x) | np.isnan(curve.y))
    edges = [-1, *gaps.tolist(), len(curve.x)]
    pairs = [(a + 1, b) for a, b in pairwise(edges) if b > a + 1]
    return [list(zip(curve.x[a:b].tolist(), curve.y[a:b].tolist(), strict=True)) for a, b in pairs]

"""The plots as one SVG text: a title, and panels whose curves are clipped to them.

    Panel … ──picture──▶ <svg> title, axes with units, curves, marks, labels </svg>

Texts come from bundles' names, so all of them are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from app.measure.charts.plot_data import Curve

if TYPE_CHECKING:
    from app.measure.charts.plot_data import Range

Kind = Literal["area", "line", "points"]
TITLE, SMALL = 13, 11
LETTER = 6.5
"""Pixels that a letter of SMALL takes, about."""
DASH = "6 4"


class SvgBox(NamedTuple):
    """Pixels."""

    left: float
    top: float
    width: float
    height: float


class SvgCurve(NamedTuple):
    """A curve; an area is closed down to `floor`. dash: of a line, as SVG says it."""

    kind: Kind
    curve: Curve
    color: str
    dash: str = ""
    floor: float = 0.0


class SvgText(NamedTuple):
    """What stands at a coordinate of an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class SvgPanel:
    """One plot. labels: pixels from the top of the level and of the label, and its text."""

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
        """Pixels from the left."""
        left, right = self.time
        return self.box.left + (seconds - left) / (right - left) * self.box.width

    def y(self, value: float) -> float:
        """Pixels from the top."""
        low, high = self.values
        return self.box.top + (high - value) / (high - low) * self.box.height


@dataclass(frozen=True)
class SvgPalette:
    """Colours of what is no curve."""

    background: str
    text: str
    muted: str
    border: str
    level: str
    mark: str
    font: str = "sans-serif"
    mono: str = field(default="monospace")


def svg_document(panels: Sequence[SvgPanel], title: Sequence[str], size: tuple[int, int], palette: SvgPalette) -> str:
    """The whole drawing; title: its lines."""
    width, height = size
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{_plain(palette.font)}" font-size="{SMALL}" fill="{palette.text}">',
        f"<title>{_plain(' '.join(title))}</title>",
        f'<rect width="{width}" height="{height}" fill="{palette.background}"/>',
    ]
    for number, line in enumerate(title):
        head.append(f'<text x="8" y="{(number + 1) * (TITLE + 5)}" font-size="{TITLE}">{_plain(line)}</text>')
    body = [part for index, panel in enumerate(panels) for part in _panel(panel, f"panel{index}", palette)]
    return "\n".join([*head, *body, "</svg>", ""])


def _panel(panel: SvgPanel, ident: str, palette: SvgPalette) -> Iterable[str]:
    box = panel.box
    frame = f'x="{box.left:.1f}" y="{box.top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
    yield f'<defs><clipPath id="{ident}"><rect {frame}/></clipPath></defs>'
    for at, text in panel.ticks:
        y = panel.y(at)
        yield _line(box.left, y, box.left + box.width, y, palette.border)
        yield _text(box.left - 6, y + 4, text, palette.muted, "end")
    yield f'<g clip-path="url(#{ident})">'
    yield from (_shape(panel, shape) for shape in panel.shapes)
    for value, dash in panel.levels:
        yield _line(box.left, panel.y(value), box.left + box.width, panel.y(value), palette.level, dash)
    ends = [*(panel.x(at) for at, _ in panel.marks), box.left + box.width]
    for (at, text), end in zip(panel.marks, ends[1:], strict=True):
        yield _line(panel.x(at), box.top, panel.x(at), box.top + box.height, palette.mark, "6 2 1 2")
        yield _text(panel.x(at) + 4, box.top + 12, text[: int((end - panel.x(at)) / LETTER)], palette.text)
    yield "</g>"
    yield f'<rect {frame} fill="none" stroke="{palette.border}"/>'
    yield from _outside(panel, palette)


def _outside(panel: SvgPanel, palette: SvgPalette) -> Iterable[str]:
    """Labels at the right, the names of the axes, the time below."""
    box = panel.box
    right, bottom = box.left + box.width, box.top + box.height
    for level, spot, text in panel.labels:
        yield _line(right, box.top + level, right + 10, box.top + spot, palette.muted)
        yield _text(right + 13, box.top + spot + 4, text, palette.text)
    middle = box.top + box.height / 2
    yield (
        f'<text transform="translate(14 {middle:.1f}) rotate(-90)" text-anchor="middle" '
        f'fill="{palette.muted}">{_plain(panel.name)}</text>'
    )
    for at, text in panel.below:
        yield _text(panel.x(at), bottom + 16, text, palette.muted, "middle")
    if panel.below_name:
        yield _text(box.left + box.width / 2, bottom + 32, panel.below_name, palette.muted, "middle")


def _plain(text: str) -> str:
    """The text as XML may have it."""
    return escape("".join(one if one.isprintable() else "\ufffd" for one in text))


def _line(x1: float, y1: float, x2: float, y2: float, color: str, dash: str = "") -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"{dashes}/>'


def _text(x: float, y: float, text: str, color: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" text-anchor="{anchor}">{_plain(text)}</text>'


def _within(panel: SvgPanel, curve: Curve) -> Curve:
    """The curve up to the panel's edges: some programs know no clip paths."""
    return Curve(np.clip(curve.x, *panel.time), np.clip(curve.y, *panel.values))


def _shape(panel: SvgPanel, whole: SvgCurve) -> str:
    shape = whole._replace(curve=_within(panel, whole.curve), floor=max(whole.floor, panel.values[0]))
    if shape.kind == "points":
        inside = (shape.curve.x == whole.curve.x) & (shape.curve.y == whole.curve.y)
        spots = zip(shape.curve.x[inside], shape.curve.y[inside], strict=True)
        dots = "".join(f'<circle cx="{panel.x(x):.1f}" cy="{panel.y(y):.1f}" r="2"/>' for x, y in spots)
        return f'<g fill="{shape.color}">{dots}</g>'
    lines = ["L".join(f"{panel.x(x):.1f} {panel.y(y):.1f}" for x, y in part) for part in _parts(shape.curve)]
    path = " ".join(f"M{line}" for line in lines)
    dashes = f' stroke-dasharray="{shape.dash}"' if shape.dash else ""
    drawn = f'<path d="{path}" fill="none" stroke="{shape.color}"{dashes}/>'
    if shape.kind == "line":
        return drawn
    floor = panel.y(shape.floor)
    ends = [(panel.x(part[0][0]), panel.x(part[-1][0])) for part in _parts(shape.curve)]
    closed = " ".join(
        f"M{first:.1f} {floor:.1f}L{line}L{last:.1f} {floor:.1f}Z"
        for line, (first, last) in zip(lines, ends, strict=True)
    )
    return f'<path d="{closed}" fill="{shape.color}" fill-opacity="0.35"/>{drawn}'


def _parts(curve: Curve) -> list[list[tuple[float, float]]]:
    """The points between the NaNs."""
    gaps = np.flatnonzero(np.isnan(curve.x) | np.isnan(curve.y))
    edges = [-1, *gaps.tolist(), len(curve.x)]
    pairs = [(a + 1, b) for a, b in pairwise(edges) if b > a + 1]
    return [list(zip(curve.x[a:b].tolist(), curve.y[a:b].tolist(), strict=True)) for a, b in pairs]

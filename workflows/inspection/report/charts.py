"""Charts of a report as SVG: line charts over an index, and scatter charts with a Pareto front.

An `AxisScale` maps values to pixels. Series differ by colour, dash and shape, and are named in the legend; the SVG has
no script and no link, and its texts are escaped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workflows.common import svg
from workflows.common.svg import number

WIDTH, HEIGHT = 1040, 360
LEFT, RIGHT, TOP, BOTTOM = 72, 24, 16, 48
LINE_PX = 20
CURVE_COLORS = ("#2f5fd0", "#0a7367", "#975600", "#7a4fc4", "#bc2e39", "#1b2028")
DASHES = ("", "6 3", "2 3", "8 3 2 3")
SHAPES = ("circle", "square", "triangle", "diamond", "cross")
MAX_POINTS = 1000
"""Points of a curve at most: more than the picture has pixels would say no more."""
MOST_NAMES = 24
"""Points of a scatter chart that are all named at most; of more, the legend names those of the front."""
_LARGEST = 1e300
_TEXT, _MUTED, _GRID = "#1b2028", "#5b6472", "#e3e6eb"


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """One curve: finite values over 0, 1, 2 …"""

    name: str
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """One point of a scatter chart, both values finite. marked: whether it is on the front."""

    name: str
    x: float
    y: float
    marked: bool


@dataclass(frozen=True, slots=True)
class AxisScale:
    """A linear map from `low` … `high` to the pixels `begin` … `end`."""

    low: float
    high: float
    begin: float
    end: float

    @classmethod
    def around(cls, values: Iterable[float], begin: float, end: float, *, zero: bool = False) -> AxisScale:
        """Returns a scale with a margin of 5 % around the values; zero: from 0 on."""
        known = [max(-_LARGEST, min(value, _LARGEST)) for value in values]  # room must be left for the margin
        low, high = min(known, default=0.0), max(known, default=1.0)
        room = (high - low) / 20 or abs(high) / 20 or 1.0
        return cls(0.0 if zero else low - room, high + room, begin, end)

    def __call__(self, value: float) -> float:
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self, about: int = 5) -> list[float]:
        """Returns about so many round numbers."""
        rough = (self.high - self.low) / about
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * one for one in (1, 2, 5, 10) if power * one >= rough * 0.999)
        return [n * step for n in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def line_chart(series: Sequence[ChartSeries], x_name: str, y_name: str) -> str:
    """Draws each series over its index."""
    longest = max((len(one.values) for one in series), default=1)
    x = AxisScale(0, max(longest - 1, 1), LEFT, WIDTH - RIGHT)
    y = AxisScale.around((value for one in series for value in one.values), HEIGHT - BOTTOM, TOP, zero=True)
    lines = [part for index, one in enumerate(series) for part in _curve(one, index, x, y)]
    description = f"{y_name} over {x_name}: {', '.join(one.name for one in series)}"
    return _picture(description, [*_axes(x, y, x_name, y_name), *lines], [one.name for one in series], dashed=True)


def scatter_chart(dots: Sequence[ScatterPoint], x_name: str, y_name: str) -> str:
    """Draws each point with its name in the legend, and the front as a line through the marked points."""
    x = AxisScale.around((dot.x for dot in dots), LEFT, WIDTH - RIGHT)
    y = AxisScale.around((dot.y for dot in dots), HEIGHT - BOTTOM, TOP)
    front = sorted((dot.x, dot.y) for dot in dots if dot.marked)
    line = svg.element(
        "polyline",
        points=svg.points((x(a), y(b)) for a, b in front),
        fill="none",
        stroke=_MUTED,
        stroke_dasharray="4 3",
    )
    named = [dot for dot in dots if dot.marked][:MOST_NAMES] if len(dots) > MOST_NAMES else dots
    others = [svg.element("circle", cx=x(dot.x), cy=y(dot.y), r=2.0, fill=_MUTED) for dot in dots if dot not in named]
    marks = [_shape(index, x(dot.x), y(dot.y), 6) for index, dot in enumerate(named)]
    rings = [
        svg.element("circle", cx=x(dot.x), cy=y(dot.y), r=10.0, fill="none", stroke=_TEXT) for dot in dots if dot.marked
    ]
    names = [f"{dot.name} (on the front)" if dot.marked else dot.name for dot in named]
    description = f"{y_name} over {x_name}: {', '.join(names)}{f' and {len(others)} more' if others else ''}"
    return _picture(description, [*_axes(x, y, x_name, y_name), *others, line, *rings, *marks], names)


def decimate(values: Sequence[float]) -> list[tuple[int, float]]:
    """Returns (index, value) of MAX_POINTS values at most: the minimum and maximum of each interval, so peaks stay."""
    if len(values) <= MAX_POINTS:
        return list(enumerate(values))
    size = math.ceil(len(values) / (MAX_POINTS // 2))
    points = list[tuple[int, float]]()
    for start in range(0, len(values), size):
        stretch = range(start, min(start + size, len(values)))
        points += [(at, values[at]) for at in sorted({min(stretch, key=values.__getitem__),
                                                     max(stretch, key=values.__getitem__)})]  # fmt: skip
    return points


def _curve(series: ChartSeries, index: int, x: AxisScale, y: AxisScale) -> Iterable[str]:
    corners = [(x(at), y(value)) for at, value in decimate(series.values)]
    yield svg.element("polyline", points=svg.points(corners), fill="none", **_stroke(index))
    for a, b in corners[:: max(len(corners) // 8, 1)]:
        yield _shape(index, a, b, 4)


def _axes(x: AxisScale, y: AxisScale, x_name: str, y_name: str) -> Iterable[str]:
    base, right = float(HEIGHT - BOTTOM), float(WIDTH - RIGHT)
    for at in y.ticks():
        yield svg.element("line", x1=LEFT, y1=y(at), x2=right, y2=y(at), stroke=_GRID)
        yield _text(f"{at:.6g}", LEFT - 8, y(at) + 4, "end")
    for at in x.ticks(8):
        yield svg.element("line", x1=x(at), y1=base, x2=x(at), y2=base + 4, stroke=_MUTED)
        yield _text(f"{at:.6g}", x(at), base + 18, "middle")
    frame = svg.points([(LEFT, TOP), (LEFT, base), (right, base)])
    yield svg.element("polyline", points=frame, fill="none", stroke=_MUTED)
    yield _text(x_name, (LEFT + right) / 2, base + 38, "middle")
    middle = (TOP + base) / 2
    yield _text(y_name, 16, middle, "middle", transform=f"rotate(-90 16 {number(middle)})")


def _picture(description: str, parts: Iterable[str], names: Sequence[str], *, dashed: bool = False) -> str:
    """Returns the drawing above a legend, one line a name. dashed: draw a piece of each line there."""
    height = HEIGHT + LINE_PX * len(names) + 8
    legend = []
    for index, name in enumerate(names):
        at = HEIGHT + LINE_PX * index + 10
        sample = svg.element("line", x1=LEFT, y1=at, x2=LEFT + 32, y2=at, **_stroke(index))
        legend += [*([sample] if dashed else []), _shape(index, LEFT + 16, at, 5)]
        legend.append(_text(name, LEFT + 42, at + 4, "start", fill=_TEXT))
    background = svg.element("rect", width=WIDTH, height=height, fill="#ffffff")
    return svg.document(
        WIDTH,
        height,
        [svg.label("title", description, 2000), background, *parts, *legend],
        role="img",
        font_family="Inter, Segoe UI, Noto Sans, sans-serif",
    )


def _shape(index: int, x: float, y: float, r: float) -> str:
    shape, ink = SHAPES[index % len(SHAPES)], CURVE_COLORS[index % len(CURVE_COLORS)]
    if shape == "circle":
        return svg.element("circle", cx=x, cy=y, r=r, fill=ink)
    paths = {
        "square": f"M {number(x - r)} {number(y - r)} h {2 * r} v {2 * r} h {-2 * r} Z",
        "triangle": f"M {number(x)} {number(y - r)} l {r} {2 * r} h {-2 * r} Z",
        "diamond": f"M {number(x - r)} {number(y)} l {r} {-r} l {r} {r} l {-r} {r} Z",
        "cross": f"M {number(x - r)} {number(y - r)} l {2 * r} {2 * r} m {-2 * r} 0 l {2 * r} {-2 * r}",
    }
    return svg.element("path", d=paths[shape], fill=ink, stroke=ink, stroke_width="1.5")


def _stroke(index: int) -> dict[str, str]:
    color, dash = CURVE_COLORS[index % len(CURVE_COLORS)], DASHES[index % len(DASHES)]
    return {"stroke": color, "stroke_dasharray": dash, "stroke_width": "1.3"}


def _text(content: str, x: float, y: float, anchor: str, transform: str = "", fill: str = _MUTED) -> str:
    return svg.text(content, x, y, 160, text_anchor=anchor, font_size="12", fill=fill, transform=transform)

"""The visible plots as a file: PNG at twice the size, or SVG, under a title that names the runs, and a legend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QGraphicsItem

from app.measure.charts import svg
from app.measure.charts.plot_data import Curve, PlotData, Range
from app.measure.charts.plot_parts import label_positions
from app.measure.charts.speed_plots import SpeedPlots
from app.text.translatable import tr
from app.widgets.theme import sans_font, theme

TITLE_PIXELS, LINE = 13, 18
EDGE = 8
SCALE = 2
_DASHES = ("", "6 4", "2 3")


def render_plots(plots: SpeedPlots, title: str) -> QImage:
    """The plots at twice the size, under a title."""
    plots.hover(-1)
    return _plots_as_image(plots, _lines(plots, title))


def write_image(image: QImage, path: Path) -> None:
    """Write an image in the format of the suffix, in any thread. Raises OSError."""
    if not image.save(str(path)):
        raise OSError(tr("{0} cannot be written.").format(path.name))


def _lines(plots: SpeedPlots, title: str) -> list[str]:
    return wrap_title(title, plots.width() - 2 * EDGE)


def wrap_title(title: str, width: float) -> list[str]:
    """The title in lines that fit, broken between its parts."""
    metrics = QFontMetricsF(sans_font(TITLE_PIXELS))
    lines: list[str] = []
    for part in title.split(" · "):
        longer = f"{lines[-1]} · {part}" if lines else part
        if lines and metrics.horizontalAdvance(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def _head(title: list[str]) -> int:
    """The height of the title and the legend."""
    return (len(title) + 1) * LINE + EDGE


def _legend(plots: SpeedPlots) -> list[svg.LegendEntry]:
    """What the colours of the visible plots are of; levels and axes have texts of their own."""
    _latency, per_step, cache, *_ = plots.rows.plots
    entries = [
        svg.LegendEntry("area", color_name("prefill"), tr("prefill chunk")),
        svg.LegendEntry("points", color_name("decode"), tr("decode token")),
    ]
    if per_step.isVisible():
        entries.append(svg.LegendEntry("area", color_name("decode"), tr("accepted tokens of a step")))
        entries.append(svg.LegendEntry("area", color_name("faint"), tr("tokens of the whole draft")))
    if cache.isVisible():
        entries.append(svg.LegendEntry("area", color_name("cache"), tr("used slots")))
    return entries


def _draw_legend(painter: QPainter, entries: list[svg.LegendEntry], baseline: int) -> None:
    painter.setFont(sans_font(svg.SMALL))
    left = float(EDGE)
    for kind, color, text in entries:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        symbol = QRectF(left, baseline - 9, 8, 8 if kind == "points" else 10)
        painter.drawEllipse(symbol) if kind == "points" else painter.drawRect(symbol)
        painter.setPen(theme().color("text"))
        painter.drawText(QPointF(left + 14, baseline), text)
        left += 30 + painter.fontMetrics().horizontalAdvance(text)


def _plots_as_image(plots: SpeedPlots, title: list[str]) -> QImage:
    head = _head(title)
    image = QImage(plots.width() * SCALE, (plots.height() + head) * SCALE, QImage.Format.Format_RGB32)
    image.fill(theme().color("surface"))
    image.setDevicePixelRatio(SCALE)
    painter = QPainter(image)
    painter.setPen(theme().color("text"))
    painter.setFont(sans_font(TITLE_PIXELS))
    for number, line in enumerate(title):
        painter.drawText(QPointF(EDGE, (number + 1) * LINE), line)
    _draw_legend(painter, _legend(plots), (len(title) + 1) * LINE)
    for axis in plots.rows.axes:  # cached ticks would be drawn at half the size
        axis.setCacheMode(QGraphicsItem.CacheMode.NoCache)
    plots.render(painter, QRectF(0, head, plots.width(), plots.height()), plots.rect())
    for axis in plots.rows.axes:
        axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
    painter.end()
    return image


def plots_as_svg(plots: SpeedPlots, heading: str) -> str:
    """The plots as SVG, the curves clipped to their plots."""
    plots.hover(-1)
    assert plots.data is not None
    title = _lines(plots, heading)
    head = _head(title)
    shapes = _shapes(plots.data, plots.latency_style.lines)
    d = plots.data
    parts = zip(plots.rows.plots, shapes, (d.latency, d.per_step, d.cache, d.rss), strict=True)
    panels = [_panel(plots, index, *part, head) for index, part in enumerate(parts) if part[0].isVisible()]
    size = (plots.width(), plots.height() + head)
    return svg.svg_document(panels, title, size, _palette(plots.latency_style.lines), _legend(plots))


def color_name(name: str) -> str:
    """A colour of the theme as #rrggbb."""
    return theme().color(name).name()


def _shapes(d: PlotData, lines: str) -> tuple[list[svg.SvgCurve], ...]:
    latency = [_curve("area", d.blocks, "prefill", floor=d.floor), _curve("points", d.points, "decode")]
    per_step = [_curve("area", d.drafted, "faint"), _curve("area", d.accepted, "decode")]
    cache = [_curve("area", d.used, "cache"), _curve("line", d.capacity, "muted", svg.DASH)]
    alone = len(d.memory.x) == 1
    return latency, per_step, cache, [_curve("points" if alone else "line", d.memory, "text")]


def _curve(kind: svg.Kind, curve: Curve, color: str, dash: str = "", floor: float = 0.0) -> svg.SvgCurve:
    return svg.SvgCurve(kind, curve, color_name(color), dash, floor)


def _panel(
    plots: SpeedPlots, index: int, plot: Any, shapes: list[svg.SvgCurve], values: Range, head: float
) -> svg.SvgPanel:
    d = plots.data
    assert d is not None
    rect = plot.getViewBox().sceneBoundingRect()
    box = svg.SvgBox(rect.left(), rect.top() + head, rect.width(), rect.height())
    left, bottom = plot.getAxis("left"), plot.getAxis("bottom")
    last = index == len(plots.rows.plots) - 1
    labels = (d.levels, d.means, d.capacities, [])[index]
    return svg.SvgPanel(
        box=box,
        time=d.time,
        values=values,
        name=left.labelText,
        ticks=[svg.SvgText(at, text) for at, text in left.texts(box.height)],
        shapes=shapes,
        levels=[(label.at, dash) for label, dash in zip(d.levels, _DASHES, strict=False)] if index == 0 else [],
        labels=label_positions(labels, values, box.height),
        marks=[svg.SvgText(mark.at, mark.text if index == 0 else "") for mark in d.marks],
        below=[svg.SvgText(at, text) for at, text in bottom.texts(box.width / 4)] if last else [],
        below_name=bottom.labelText if last else "",
    )


def _palette(lines: str) -> svg.SvgPalette:
    return svg.SvgPalette(
        background=color_name("surface"),
        text=color_name("text"),
        muted=color_name("muted"),
        border=color_name("border"),
        level=color_name(lines),
        mark=color_name("accent"),
        font=", ".join(sans_font().families()),
    )

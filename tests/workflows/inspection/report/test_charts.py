"""Charts: what stands where, and that nothing of a stranger's gets out of its text."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from workflows.inspection.report import charts
from workflows.inspection.report.charts import AxisScale, ChartSeries, ScatterPoint, decimate, line_chart, scatter_chart

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_values_stand_where_the_scale_says() -> None:
    """Two values over a scale from 0: the line's ends by hand."""
    svg = line_chart([ChartSeries("a", [10.0, 5.0])], "step", "ms")
    line = list(ElementTree.fromstring(svg).iter(f"{SVG}polyline"))[1]
    top, base = charts.TOP, charts.HEIGHT - charts.BOTTOM
    high = 10.0 + 5.0 / 20
    ends = [
        (charts.LEFT, base + 10 / high * (top - base)),
        (charts.WIDTH - charts.RIGHT, base + 5 / high * (top - base)),
    ]
    found = [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]
    assert found == [pytest.approx(end, abs=0.06) for end in ends]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0, 47, [0, 10, 20, 30, 40]), (98.9, 100.1, [99, 99.5, 100])],
)
def test_ticks_are_round(low: float, high: float, ticks: list[float]) -> None:
    assert AxisScale(low, high, 0, 1).ticks() == pytest.approx(ticks)


def test_one_value_has_a_scale_too() -> None:
    """As do equal ones, nought and none."""
    for values in ([3.0], [3.0, 3.0], [0.0], []):
        scale = AxisScale.around(values, 0, 100)
        assert scale.low < scale.high and scale.ticks()
    assert AxisScale.around([3.0], 0, 100)(3.0) == pytest.approx(50)


@pytest.mark.parametrize("values", [[1.79e308], [-1.79e308, 1.79e308], [0.0, 1.79e308]])
def test_the_largest_numbers_have_a_scale(values: list[float]) -> None:
    scale = AxisScale.around(values, 0, 100)
    assert all(math.isfinite(number) for number in (*scale.ticks(), *map(scale, values)))


def test_peaks_stay_where_points_are_left_out() -> None:
    values = [1.0] * 5000
    values[3210], values[17] = 9.0, 0.5
    kept = decimate(values)
    assert len(kept) <= charts.MAX_POINTS and (3210, 9.0) in kept and (17, 0.5) in kept
    assert [at for at, _ in kept] == sorted({at for at, _ in kept})
    assert decimate([1.0, 2.0]) == [(0, 1.0), (1, 2.0)]


def test_the_front_is_described_as_text() -> None:
    svg = scatter_chart([ScatterPoint("int4", 100, 97, True), ScatterPoint("fp32", 50, 96, False)], "tok/s", "top-1")
    assert {"int4 (on the front)", "fp32"} <= set(texts(svg)) and "fp32 (on the front)" not in texts(svg)


def test_names_are_escaped() -> None:
    svg = line_chart([ChartSeries("<script>&\x00", [1.0])], "x", "y")
    assert "<script>" not in svg and "<script>&�" in texts(svg)


def test_series_beyond_the_shapes_still_differ() -> None:
    """Colour, dash and shape repeat at different lengths."""
    looks = {(i % len(charts.CURVE_COLORS), i % len(charts.DASHES), i % len(charts.SHAPES)) for i in range(30)}
    assert len(looks) == 30

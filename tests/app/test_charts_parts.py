"""The parts of the charts without a window: thinning, blocks, labels, zoom, curves, titles and SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measure.charts.descriptions import drafts_text, mark_text, mean_text, pale_bars_text, runs_title
from app.measure.charts.latency_style import LatencyStyle
from app.measure.charts.plot_data import Curve, build_plot_data, with_percentiles
from app.measure.charts.plot_parts import spread_labels
from app.measure.charts.point_items import block_outline, peak_indices
from app.measure.charts.svg import LegendEntry, SvgBox, SvgCurve, SvgPalette, SvgPanel, SvgText, svg_document
from app.measure.charts.time_zoom import TimeZoom
from app.state.measured_runs import MeasuredRun, RunConfiguration
from app.state.measurements import Measurements
from app.text.formatting import format_local_time, format_number
from workflows.wire.events import ChunkEvent, SpeculationEvent, SpeculationUse, TokenEvent

FP32 = RunConfiguration("/b/demo", "demo", "fp32", "cpu", "static", 256)
INT4 = replace(FP32, path="/b/demo-int4", name="demo-int4", precision="int4")


def test_thinning_keeps_the_peaks() -> None:
    y = np.ones(100_000)
    y[[123, 77_777]] = 50.0
    y[55_555] = -3.0
    kept = peak_indices(y)
    assert len(kept) <= 4096 + 49
    assert kept[y[kept] != 1].tolist() == [123, 55_555, 77_777]
    assert (np.diff(kept) > 0).all()
    assert peak_indices(y[:10]).tolist() == list(range(10))


def test_block_outline() -> None:
    x, y = block_outline(np.array([0.02]), np.array([20.0]), np.array([20.0]))
    assert x[:4].tolist() == [0.0, 0.0, 0.02, 0.02] and np.isnan(x[4])
    assert y[:4].tolist() == [0, 20, 20, 0] and np.isnan(y[4])


def test_what_came_of_drafts_as_text() -> None:
    use = SpeculationUse(drafted=199, accepted=102, steps=58, kept=159)
    accepted = f"102 of 199 drafted tokens accepted ({format_number(51.3, 1)} %)"
    assert drafts_text(use) == f"{accepted} · tokens per step: {format_number(2.74, 2)}"
    one = SpeculationUse(drafted=1, accepted=1, steps=1, kept=2)
    assert drafts_text(one).startswith("1 of 1 drafted token accepted (")
    assert (
        drafts_text(SpeculationUse(steps=2, kept=2)) == f"no token was drafted · tokens per step: {format_number(1, 2)}"
    )


def test_bars_of_a_step_with_drafts() -> None:
    """As high as what was kept, before a paler one as high as it could have been; with their mean."""
    m = Measurements(size=50)
    m.owner = FP32
    m.begin()
    for step, latency in enumerate((10.0, 5.0, 0.0, 5.0)):
        phase = "decode" if step else "prefill"
        event = TokenEvent(
            id=1, text="a", step=step, phase=phase, latency_ms=latency, cache_used=step, cache_capacity=256
        )
        m.add_token(event)
        if step >= 2:
            look = {"step": 1, "drafted": 4, "accepted": 3 - step, "kept": 4 - step}
            m.add_speculation(SpeculationEvent(by="ngram", latency_ms=5.0, **look))
    m.end()
    s = m.snapshot()
    drawing = with_percentiles(build_plot_data(s, (0.0, 1.0), LatencyStyle()), s.figures(), LatencyStyle())
    assert drawing.drafts and drawing.per_step == (0.0, 6.0)
    assert np.nanmax(drawing.drafted.y.reshape(-1, 5), 1).tolist() == [5, 5]
    assert np.nanmax(drawing.accepted.y.reshape(-1, 5), 1).tolist() == [2, 1]
    assert drawing.accepted.x.reshape(-1, 5)[:, [0, 2]].tolist() == [
        pytest.approx([0.010, 0.015]),
        pytest.approx([0.015, 0.020]),
    ]
    assert drawing.means == [(1.5, mean_text(1.5)), (5.0, pale_bars_text())]
    assert not build_plot_data(s, (0.5, 1.0), LatencyStyle()).accepted.y.size


def test_labels_move_no_more_than_they_must() -> None:
    assert spread_labels([10, 50, 90], 15, 0, 100) == [10, 50, 90]
    assert spread_labels([10, 50, 52], 15, 0, 100) == [10, 43.5, 58.5]  # those that are near part; the other stays
    assert spread_labels([98, 99], 15, 0, 100) == [85, 100]
    assert spread_labels([1, 2], 15, 5, 100) == [5, 20]
    assert spread_labels([], 15, 0, 100) == []


@given(st.lists(st.floats(0, 300), max_size=5).map(sorted))
def test_labels_never_cover_each_other(values: list[float]) -> None:
    placed = spread_labels(values, 15, 0, 300)
    assert all(b - a >= 15 - 1e-6 for a, b in pairwise(placed))
    assert all(-1e-6 <= one <= 300 + 1e-6 for one in placed)


def test_zoom_stays_within_what_there_is() -> None:
    zoom = TimeZoom()
    zoom.set_data_range(0.0, 10.0)
    low, high = zoom.range
    assert low < 0 < 10 < high and zoom.window == (-np.inf, np.inf)
    zoom.show_range(4, 6)
    assert zoom.range == zoom.window == (4, 6)
    zoom.pan(0.5)
    assert zoom.range == (5, 7)
    zoom.pan(100)
    assert zoom.range == pytest.approx((high - 2, high))
    zoom.scale(0.5, about=high)
    assert zoom.range == pytest.approx((high - 1, high))
    zoom.show_range(5, 5)
    assert zoom.range == pytest.approx((5, 5.001))
    zoom.scale(1e9)
    assert not zoom.is_zoomed and zoom.range == (low, high)
    zoom.pan(1)
    assert zoom.range == (low, high)


def test_the_last_seconds_are_followed() -> None:
    zoom = TimeZoom()
    zoom.recent = True
    zoom.set_data_range(0.0, 100.0)
    assert zoom.range == pytest.approx((90, 100.2)) and zoom.window == zoom.range
    zoom.set_data_range(0.0, 101.0)
    assert zoom.range == pytest.approx((91, 101.2))


def runs(*owners: RunConfiguration, tokens: int = 3) -> Measurements:
    """A reply of each, with tokens of 10, 20, 30 … ms after a chunk of 100 ms."""
    m = Measurements()
    m.add_memory(100 << 20)
    for owner in owners:
        m.owner = owner
        m.begin()
        common = {"cache_capacity": owner.capacity}
        m.add_chunk(ChunkEvent(start=0, tokens=8, total=8, latency_ms=100.0, cache_used=8, **common))
        for step in range(tokens):
            phase = "decode" if step else "prefill"
            event = TokenEvent(
                id=1, text="a", step=step, phase=phase, latency_ms=10.0 * (step or 10), cache_used=8 + step, **common
            )
            m.add_token(event)
        m.end()
    return m


def test_ranges_follow_what_is_seen() -> None:
    s = runs(FP32, replace(FP32, layout="window", capacity=64)).snapshot()
    whole = build_plot_data(s, (-1, 10), LatencyStyle())
    assert 110 <= whole.latency[1] < 130 and whole.cache == pytest.approx((0, 256 * 1.2))
    assert build_plot_data(s, (-1, 10), LatencyStyle(fit_decode=True)).latency[1] < 30
    second = build_plot_data(s, (float(s.starts[1]), 10), LatencyStyle())
    assert second.cache == pytest.approx((0, 64 * 1.2))
    assert [label.text for label in whole.capacities] == ["capacity 64", "capacity 256"]
    assert [label.text for label in second.capacities] == ["capacity 64"]
    alone = build_plot_data(runs(replace(FP32, layout="state", capacity=64)).snapshot(), (-1, 10), LatencyStyle())
    assert (alone.capacities, len(alone.capacity.y)) == ([], 0) and alone.cache == pytest.approx((0, 10 * 1.2))
    assert build_plot_data(s, (5, 6), LatencyStyle()).latency == (0.0, 1.0)  # nothing is there


def test_a_log_scale_is_that_of_latency_alone() -> None:
    s = runs(FP32).snapshot()
    look = LatencyStyle(log=True)
    d = with_percentiles(build_plot_data(s, (-1, 10), look), s.figures(), look)
    assert d.points.y.tolist() == pytest.approx(np.log10([10, 20]))
    assert np.nanmax(d.blocks.y) == 2.0 and np.nanmin(d.blocks.y) == d.floor == -3.0
    assert d.latency == pytest.approx((0.95, 2.05))
    assert d.levels[0] == (pytest.approx(np.log10(15)), "p50 15.0 ms")
    assert d.used.y.tolist() == [8, 8, 9, 10]
    line = with_percentiles(
        build_plot_data(s, (-1, 10), LatencyStyle(lines="prefill")), s.figures(), LatencyStyle(lines="prefill")
    ).levels
    assert [level.at for level in line] == [100.0] * 3


def test_a_mark_shows_what_changed() -> None:
    assert mark_text(FP32, INT4) == "demo-int4 · int4"
    assert mark_text(FP32, replace(FP32, provider="qnn")) == "qnn"
    assert mark_text(FP32, replace(FP32, layout="window")) == "window 256"
    assert mark_text(FP32, replace(FP32, built_at="later")) == "demo"


def test_a_title_names_every_owner_up_to_three() -> None:
    one, other = MeasuredRun(1, FP32, 1_767_323_045.0), MeasuredRun(2, INT4, 1_767_326_645.0)
    assert runs_title((one,)) == f"demo · cpu · fp32 · static 256 · {format_local_time(one.began)}"
    both = "demo · cpu · fp32 · static 256 | demo-int4 · cpu · int4 · static 256"
    assert runs_title((one, other)) == f"{both} · {format_local_time(one.began)} – {format_local_time(other.began)}"
    many = [replace(other, number=i, owner=replace(INT4, name=f"b{i}")) for i in range(5)]
    assert "2 more" in runs_title(tuple(many))
    assert runs_title(()) == ""


def test_an_svg_escapes_and_clips() -> None:
    curve = Curve(np.array([0, 1, np.nan, 2, 3]), np.array([1, 2, np.nan, 5, 50.0]))
    panel = SvgPanel(
        SvgBox(50, 20, 100, 60),
        (0, 2),
        (0, 10),
        "a <b>",
        [SvgText(0, "0"), SvgText(10, "10")],
        [SvgCurve("area", curve, "#123456")],
        labels=[(30, 30, "p50 & co")],
        marks=[SvgText(1, "x < y")],
    )
    palette = SvgPalette("#fff", "#000", "#888", "#ddd", "#0a0", "#00f")
    root = ET.fromstring(svg_document([panel], ["<script>"], (200, 100), palette))
    ns = "{http://www.w3.org/2000/svg}"
    assert [text.text for text in root.iter(f"{ns}text")] == ["<script>", "0", "10", "x < y", "p50 & co", "a <b>"]
    area, line = root.findall(f".//{ns}g/{ns}path")
    assert line.get("d") == "M50.0 74.0L100.0 68.0 M150.0 50.0L150.0 20.0"
    first, second = "M50.0 80.0L50.0 74.0L100.0 68.0L100.0 80.0Z", "M150.0 80.0L150.0 50.0L150.0 20.0L150.0 80.0Z"
    assert area.get("d") == f"{first} {second}"
    clip = root.find(f".//{ns}clipPath/{ns}rect")
    assert clip is not None
    assert [float(clip.attrib[name]) for name in ("x", "y", "width", "height")] == [50, 20, 100, 60]


def test_an_svg_has_its_legend_below_the_title() -> None:
    palette = SvgPalette("#fff", "#000", "#888", "#ddd", "#0a0", "#00f")
    legend = [LegendEntry("area", "#123456", "chunk <1>"), LegendEntry("points", "#654321", "token")]
    root = ET.fromstring(svg_document([], ["a", "b"], (200, 100), palette, legend))
    ns = "{http://www.w3.org/2000/svg}"
    texts = {text.text: (float(text.attrib["x"]), float(text.attrib["y"])) for text in root.iter(f"{ns}text")}
    assert [*texts] == ["a", "b", "chunk <1>", "token"]
    assert texts["chunk <1>"][1] == texts["token"][1] == 3 * texts["a"][1]
    (area,) = [one for one in root.iter(f"{ns}rect") if one.get("fill") == "#123456"]
    (point,) = [one for one in root.iter(f"{ns}rect") if one.get("fill") == "#654321"]
    assert (area.get("rx"), point.get("rx")) == (None, "4")  # a point is round
    left, right = float(area.attrib["x"]), float(point.attrib["x"])
    assert left < texts["chunk <1>"][0] < right < texts["token"][0]

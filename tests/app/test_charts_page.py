"""The measure page: figures, drawn values, freezing, zooming, the step under the pointer, whose it is, its files."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.measure.charts.plot_image import EDGE, LINE, plots_as_svg, render_plots
from app.measure.charts.speed_plots import SpeedPlots, step_at
from app.measure.charts.speed_tab import SpeedTab
from app.state.context import AppContext
from app.state.measured_runs import RunConfiguration
from app.text.formatting import format_local_time, format_number
from app.widgets.theme import theme
from tests.app.conftest import fake_summary, make_bundle
from tests.fakes.worker import program
from workflows.wire.events import ChunkEvent, SpeculationEvent, SpeculationUse, TokenEvent

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window
FP32 = RunConfiguration("/b/demo", "demo", "fp32", "cpu", "static", 256)
INT4 = replace(FP32, path="/b/demo-int4", name="demo-int4", precision="int4")


@pytest.fixture
def page(qtbot: QtBot, tmp_path: Path) -> Iterator[SpeedTab]:
    context = AppContext(tmp_path / "home", program(), fake_summary)
    page = SpeedTab(context)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    qtbot.waitUntil(lambda: not page.loader.importing)
    page.measurements.owner = FP32
    yield page
    page.hide()
    context.close()


def reply(page: SpeedTab, tokens: int = 4, owner: RunConfiguration = FP32) -> None:
    """A prompt of 96 tokens in two chunks, then tokens of 4, 5, 6 … ms."""
    m = page.measurements
    m.owner = owner
    m.begin()
    common = {"cache_capacity": owner.capacity}
    m.add_chunk(ChunkEvent(start=0, tokens=64, total=96, latency_ms=20.0, cache_used=64, **common))
    m.add_chunk(ChunkEvent(start=64, tokens=32, total=96, latency_ms=12.0, cache_used=96, **common))
    for step in range(tokens):
        phase, latency = ("prefill", 33.0) if step == 0 else ("decode", 3.0 + step)
        event = TokenEvent(
            id=step, text=f"t{step}", step=step, phase=phase, latency_ms=latency, cache_used=96 + step, **common
        )
        m.add_token(event)
    m.end()
    page.tick()
    page.tick()


def plots_of(page: SpeedTab) -> SpeedPlots:
    assert page.plots is not None
    return page.plots


def counts(page: SpeedTab) -> tuple[str, str]:
    """How many steps the table is of."""
    return page.figures.cells["prefill", "count"].text(), page.figures.cells["decode", "count"].text()


def test_empty_page_offers_the_first_step(page: SpeedTab, qtbot: QtBot) -> None:
    page.tick()
    assert page.stack.currentWidget() is page.empty and page.empty.title.text() == "No measurements yet"
    with qtbot.waitSignal(page.context.navigate) as went:
        page.empty.action.click()
    assert went.args == ["chat"]


@pytest.mark.parametrize("task", ["image-classification", "fill-mask", "feature-extraction"])
def test_a_bundle_that_writes_no_replies_is_offered_a_benchmark(
    page: SpeedTab, qtbot: QtBot, tmp_path: Path, task: str
) -> None:
    folder = make_bundle(tmp_path / "labels")
    (folder / "task").write_text(json.dumps({"task": task}), "utf-8")
    page.context.open_bundle(folder)
    page.tick()
    assert page.empty.title.text() == "No steps of labels" and page.empty.action.text() == "Run benchmark …"
    with qtbot.waitSignal(page.benchmark_requested):
        page.empty.action.click()


def test_charts_that_are_loading_are_the_whole_page(page: SpeedTab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of figures without the charts between them would be drawn apart."""
    with monkeypatch.context() as slow:
        slow.setattr(type(page.loader), "importing", True)
        reply(page)
        page.tick()
        assert page.empty.isVisible() and page.empty.title.text() == "Loading the charts …"
        assert not page.empty.action.isVisible()
    page.tick()
    assert not page.empty.isVisible() and page.figures.isVisible()


def test_a_screen_reader_gets_the_figures_and_the_step(page: SpeedTab, qtbot: QtBot) -> None:
    reply(page)
    plots = page.plots
    assert plots is not None
    summary = "latency per token: from 4.00 ms to 6.00 ms, median 5.00 ms. cache 99 of 256."
    page._show_figures()
    assert plots.accessibleDescription() == summary
    qtbot.keyClick(plots, Qt.Key.Key_Left)
    assert plots.accessibleDescription() == f"{summary} Selected: {page.readout.text()}"
    page._show_figures()  # the next frame
    assert plots.accessibleDescription().endswith(page.readout.text())


def test_the_share_of_the_roofline_stands_beside_decode(page: SpeedTab) -> None:
    reply(page)
    stat, row = page.figures.stats["roofline"], page.figures
    assert "after a benchmark of this bundle" in stat.toolTip()
    figures = page.measurements.snapshot().figures()
    row.show_figures(figures, False, limit=800.0)
    assert stat.accessibleName() == "roofline: 25.0 %" and "benchmark of this bundle: 800 tok/s." in stat.toolTip()
    row.show_figures(replace(figures, drafts=SpeculationUse(drafted=4, accepted=2, steps=2, kept=4)), False, 800.0)
    assert stat.accessibleName() == "roofline: – %"  # a step gives several tokens
    assert row.stats["prefill"].toolTip().startswith("Prompt tokens that a reply reads, without")


def test_figures(page: SpeedTab) -> None:
    reply(page)
    texts = {name: stat.accessibleName() for name, stat in page.figures.stats.items()}
    assert texts == {
        "ttft": "TTFT: 33.0 ms",
        "prefill": f"prefill: {format_number(2909)} tok/s",
        "decode": "decode: 200 tok/s",
        "roofline": "roofline: – %",
        "tokens": "prompt + generated tokens: 96 + 4",
    }
    cells = page.figures.cells
    assert [cells["decode", key].text() for key in ("p50", "p95", "p99", "count")] == ["5.00", "5.90", "5.98", "3"]
    assert cells["prefill", "p50"].text() == "16.0"
    began = format_local_time(page.measurements.snapshot().runs[0].began)
    assert page.figures.owner.text() == f"Of 1 reply: demo · cpu · fp32 · static 256 · {began}"


def test_a_reply_with_drafts_has_a_plot_of_its_own(page: SpeedTab) -> None:
    """It comes and goes with what is shown, with words beside whose figures they are; and it is in the file."""
    reply(page)
    plots = plots_of(page)

    def between() -> float:
        """Pixels from the end of latency to the cache."""
        QApplication.processEvents()
        return float(plots.rows.occupancy.sceneBoundingRect().top() - plots.rows.latency.sceneBoundingRect().bottom())

    assert between() < 20
    theme().changed.emit()  # the axes of a plot that is hidden lose their sizes then
    assert not plots.rows.per_step.isVisible() and page.figures.drafts.isHidden()
    assert plots.accessibleName() == "Latency, cache and memory over time"
    reply(page, owner=INT4)
    page.measurements.begin()
    for step, phase in enumerate(("prefill", "decode", "decode")):
        event = TokenEvent(id=7, text="a", step=step, phase=phase, latency_ms=4.0, cache_used=9, cache_capacity=256)
        page.measurements.add_token(event)
    look = SpeculationEvent(step=1, by="ngram", drafted=3, accepted=1, kept=2, latency_ms=8.0)
    page.measurements.add_speculation(look)
    page.measurements.end()
    page.toolbar.choose("all")
    page.tick()
    assert plots.rows.per_step.isVisible() and len(plots.layers.accepted.rects) == 1
    assert plots.layers.accepted.rects[0].height() == 2 and plots.layers.drafted.rects[0].height() == 4
    said = "Drafts: 1 of 3 drafted tokens accepted"
    assert page.figures.drafts.isVisible() and page.figures.drafts.text().startswith(said)
    assert plots.accessibleName() == "Latency, tokens per step, cache and memory over time"
    assert between() > 60
    widths = {name: plots.rows.per_step.getAxis(name).width() for name in ("left", "right")}
    assert widths == {name: plots.rows.latency.getAxis(name).width() for name in widths}
    assert plots_as_svg(plots, "t").count("<clipPath") == 4
    last = len(plots.snapshot) - 1  # type: ignore[arg-type]
    plots.hover(last)
    assert "its step: 3 drafted, 2 accepted" in page.readout.text()
    page.measurements.owner = FP32
    reply(page)
    page.toolbar.choose("reply")
    page.tick()
    assert not plots.rows.per_step.isVisible() and page.figures.drafts.isHidden()
    assert between() < 20
    assert plots_as_svg(plots, "t").count("<clipPath") == 3


def test_what_is_drawn(page: SpeedTab) -> None:
    reply(page)
    plots = plots_of(page)
    blocks = [(rect.left(), rect.top(), rect.width(), rect.height()) for rect in plots.layers.blocks.rects]
    assert blocks == [pytest.approx((0, 0, 0.02, 20)), pytest.approx((0.02, 0, 0.012, 12))]
    assert plots.layers.points.count == 3
    assert [line.value() for line in plots.layers.percentiles] == pytest.approx([5.0, 5.9, 5.98])
    labels = plots.rows.latency.getAxis("right").placed()
    assert [text for _, _, text in labels] == ["p99 5.98 ms", "p95 5.90 ms", "p50 5.00 ms"]
    assert [text for _, _, text in plots.rows.occupancy.getAxis("right").placed()] == ["capacity 256"]
    assert plots.layers.area.yData.tolist() == [64, 96, 96, 97, 98, 99]
    page.toolbar.prefill_lines.setChecked(True)
    assert plots.layers.percentiles[0].value() == pytest.approx(16.0)


def test_exported_plots_explain_their_colours(page: SpeedTab) -> None:
    """In the SVG by texts, in the PNG by the symbols in the same colours."""
    reply(page)
    plots = plots_of(page)
    written = plots_as_svg(plots, "t")
    assert all(f">{text}</text>" in written for text in ("prefill chunk", "decode token", "used slots"))
    assert "draft" not in written
    image, line = render_plots(plots, "t"), 2 * LINE - 4  # the middle of the second line
    assert image.pixelColor(2 * (EDGE + 4), 2 * line) == theme().color("prefill")
    shown = {image.pixelColor(x, 2 * line).name() for x in range(image.width())}
    assert {theme().color(name).name() for name in ("prefill", "decode", "cache")} <= shown


def test_labels_stand_at_their_lines_on_both_scales(page: SpeedTab) -> None:
    reply(page)
    plots = plots_of(page)
    box = plots.rows.latency.getViewBox()
    for log in (False, True):
        page.toolbar.log.setChecked(log)
        QApplication.processEvents()
        placed = plots.rows.latency.getAxis("right").placed()
        for (level, _, _), line in zip(reversed(placed), plots.layers.percentiles, strict=True):
            at = box.mapFromView(QPointF(0, line.value())).y()
            assert level == pytest.approx(at, abs=1.5)
        spots = [spot for _, spot, _ in placed]
        assert all(after - before >= 15 - 1e-6 for before, after in pairwise(spots))
    assert plots.layers.percentiles[0].value() == pytest.approx(np.log10(5.0))
    assert page.context.settings.text("measure.log") == "on"


def test_step_under_the_pointer(page: SpeedTab, qtbot: QtBot) -> None:
    reply(page)
    plots = plots_of(page)
    whose = "run 1 · demo · cpu · fp32 · static 256"
    plots.hover(step_at(plots.snapshot, 0.010))
    assert page.readout.text() == f"prefill chunk · 64 tokens · 20.0 ms · cache 64 of 256 · at 0.020 s · {whose}"
    plots.hover(step_at(plots.snapshot, 0.0375))
    assert page.readout.text() == f"decode “t2” · id 2 · 5.00 ms · cache 98 of 256 · at 0.042 s · {whose}"
    plots.setFocus()
    qtbot.keyClick(plots, Qt.Key.Key_Right)
    assert page.readout.text().startswith("decode “t3” · id 3 · 6.00 ms")
    for _ in range(3):
        qtbot.keyClick(plots, Qt.Key.Key_Left)
    assert page.readout.text().startswith("first token “t0” · id 0 · TTFT 33.0 ms")


def test_freeze_and_go_on(page: SpeedTab) -> None:
    reply(page)
    page.toolbar.freeze.click()
    reply(page)
    assert plots_of(page).layers.points.count == 3
    assert page.toolbar.freeze.text() == "Continue"
    page.toolbar.freeze.click()
    page.tick()
    assert plots_of(page).layers.points.count == 6


# -- whose ------------------------------------------------------------------------------------------------------------


def test_what_is_shown_is_what_the_figures_are_of(page: SpeedTab, tmp_path: Path) -> None:
    """Two bundles in turn: each choice changes points, lines, figures and table alike."""
    folder = make_bundle(tmp_path / "demo")
    page.context.open_bundle(folder)
    one = replace(FP32, path=str(folder), built_at=fake_summary(str(folder))["built_at"])
    for tokens, owner in ((4, one), (6, INT4), (3, one), (5, INT4)):
        reply(page, tokens, owner)
    shown = {
        "bundle": ("Of 2 replies: demo · ", 5, "5"),
        "reply": ("Of 1 reply: demo-int4 · ", 4, "4"),
        "all": ("Of 4 replies: demo · cpu · fp32 · static 256 | demo-int4 · ", 14, "14"),
    }
    for span, (said, points, steps) in shown.items():
        page.toolbar.choose(span)
        assert page.figures.owner.text().startswith(said)
        assert (plots_of(page).layers.points.count, page.figures.cells["decode", "count"].text()) == (points, steps)
        p50 = float(page.figures.cells["decode", "p50"].text())
        assert plots_of(page).layers.percentiles[0].value() == pytest.approx(p50)


def test_another_bundle_has_no_figures_of_this_one(page: SpeedTab, tmp_path: Path) -> None:
    reply(page)
    page.context.open_bundle(make_bundle(tmp_path / "other"))
    assert page.stack.currentWidget() is page.empty
    assert page.empty.title.text() == "No measurements of other yet"
    page.exporter.export(tmp_path / "a.csv")
    assert not (tmp_path / "a.csv").exists()  # nothing is shown
    page.empty.action.click()
    assert page.toolbar.span.currentData() == "all" and plots_of(page).layers.points.count == 3


def test_a_change_of_owner_is_marked(page: SpeedTab) -> None:
    page.toolbar.choose("all")
    reply(page)
    assert plots_of(page).layers.marks[0].marks == []
    reply(page, owner=replace(FP32, provider="qnn"))
    reply(page, owner=INT4)
    reply(page, owner=INT4)
    marks = plots_of(page).layers.marks[0].marks
    assert [mark.text for mark in marks] == ["demo", "qnn", "demo-int4 · cpu · int4"]
    starts = page.measurements.snapshot().starts
    assert [mark.at for mark in marks] == starts[:3].tolist()
    assert plots_of(page).layers.marks[2].marks == marks  # in each plot


def test_curves_are_broken_between_replies(page: SpeedTab) -> None:
    page.measurements.add_memory(500 << 20)
    for _ in range(2):
        reply(page)
    layers = plots_of(page).layers
    assert np.isnan(layers.area.yData).nonzero()[0].tolist() == [6]  # between the 99 of one and the 64 of the next
    assert np.isnan(layers.rss.yData).sum() == 1
    assert np.isnan(layers.capacity.xData).tolist() == [False, False, True] * 2


def test_the_last_seconds_alone(page: SpeedTab) -> None:
    """Figures and table are of these, and go along with what is measured."""
    for _ in range(3):
        reply(page, tokens=1000)  # of 3 to 1000 ms: eight minutes
    page.toolbar.choose("recent")
    left, right = plots_of(page).rows.latency.viewRange()[0]
    end = float(page.measurements.snapshot().ends[-1])
    assert (left, right) == pytest.approx((end - 10, end + 0.2))
    seen = (page.measurements.snapshot().time_s >= left).sum()
    assert counts(page) == ("0", str(seen)) and 8 <= seen <= 12
    assert page.figures.owner.text().startswith("Visible part of 1 reply: demo")


def test_other_runs_are_not_seen_through_a_zoom(page: SpeedTab) -> None:
    reply(page)
    reply(page)
    plots_of(page).zoom_to(0.0, 0.02)
    page.toolbar.choose("reply")
    assert not page.toolbar.fit.isEnabled() and counts(page) == ("2", "3")


def test_reset(page: SpeedTab) -> None:
    reply(page)
    page.toolbar.reset.click()
    assert page.stack.currentWidget() is page.empty
    reply(page)
    assert plots_of(page).layers.points.count == 3


# -- zoom -------------------------------------------------------------------------------------------------------------


def drag(qtbot: QtBot, plots: SpeedPlots, start: QPoint, end: QPoint) -> None:
    """With the left button, in steps."""
    view = plots.viewport()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for part in range(1, 6):
        qtbot.mouseMove(view, start + (end - start) * part / 5)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)


def at(plots: SpeedPlots, x: float, y: float) -> QPoint:
    """Where a time and a latency are on the screen."""
    return plots.mapFromScene(plots.rows.latency.getViewBox().mapViewToScene(QPointF(x, y)))


@pytest.fixture
def laid_out(page: SpeedTab, qtbot: QtBot) -> SpeedTab:
    """With a reply, its plots in their places."""
    reply(page)
    plots = plots_of(page)
    box, last = plots.rows.latency.getViewBox(), plots.rows.memory.getViewBox()
    qtbot.waitUntil(lambda: box.screenGeometry().x() == last.screenGeometry().x())
    return page


@pytest.mark.parametrize(("from_y", "to_y"), [(18.0, 2.0), (10.0, 10.0)])
def test_dragging_zooms_time_alone(laid_out: SpeedTab, qtbot: QtBot, from_y: float, to_y: float) -> None:
    plots = plots_of(laid_out)
    before = plots.rows.latency.viewRange()[0]
    drag(qtbot, plots, at(plots, 0.010, from_y), at(plots, 0.030, to_y))
    left, right = plots.rows.latency.viewRange()[0]
    assert (left, right) == pytest.approx((0.010, 0.030), abs=(before[1] - before[0]) / 50)
    assert plots.rows.memory.viewRange()[0] == [left, right]  # one time axis
    low, high = plots.rows.latency.viewRange()[1]
    assert low == 0 and 20 < high < 30  # of what is shown: the blocks of 20 and 12 ms
    assert laid_out.toolbar.fit.isEnabled()
    assert counts(laid_out) == ("2", "0")
    assert laid_out.figures.owner.text().startswith("Visible part of 1 reply: demo · ")


def test_a_slip_and_an_upright_drag_zoom_nothing(laid_out: SpeedTab, qtbot: QtBot) -> None:
    plots = plots_of(laid_out)
    before = plots.rows.latency.viewRange()
    start = at(plots, 0.020, 10.0)
    for end in (start + QPoint(3, 2), start + QPoint(2, 60)):
        drag(qtbot, plots, start, end)
        assert plots.rows.latency.viewRange() == before and not laid_out.toolbar.fit.isEnabled()


def wheel(plots: SpeedPlots, where: QPoint, turns: int, modifiers: Qt.KeyboardModifier) -> None:
    """Turns of the mouse wheel."""
    view = plots.viewport()
    event = QWheelEvent(
        QPointF(where),
        QPointF(view.mapToGlobal(where)),
        QPoint(),
        QPoint(0, 120 * turns),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def test_the_wheel_zooms_about_the_cursor(laid_out: SpeedTab) -> None:
    plots = plots_of(laid_out)
    before = plots.rows.latency.viewRange()[0]
    wheel(plots, at(plots, 0.040, 5.0), 2, Qt.KeyboardModifier.NoModifier)
    left, right = plots.rows.latency.viewRange()[0]
    assert right - left == pytest.approx((before[1] - before[0]) * 0.64)
    assert (0.040 - left) / (right - left) == pytest.approx((0.040 - before[0]) / (before[1] - before[0]), abs=0.01)
    wheel(plots, at(plots, 0.040, 5.0), 1, Qt.KeyboardModifier.ShiftModifier)
    assert plots.rows.latency.viewRange()[0][0] < left
    wheel(plots, at(plots, 0.040, 5.0), -3, Qt.KeyboardModifier.NoModifier)
    assert plots.rows.latency.viewRange()[0] == pytest.approx(before) and not plots.zoom.is_zoomed  # all the way out


def test_zoom_stays_until_it_is_left(laid_out: SpeedTab, qtbot: QtBot) -> None:
    plots, fit = plots_of(laid_out), laid_out.toolbar.fit
    leave = (
        fit.click,
        lambda: qtbot.keyClick(plots, Qt.Key.Key_Home),
        lambda: qtbot.keyClick(plots, Qt.Key.Key_0),
        lambda: qtbot.mouseDClick(plots.viewport(), Qt.MouseButton.LeftButton, pos=at(plots, 0.03, 5.0)),
    )
    for act in leave:
        all_of_it = plots.rows.latency.viewRange()[0]
        assert not fit.isEnabled()
        qtbot.keyClick(plots, Qt.Key.Key_Plus)
        assert fit.isEnabled()
        zoomed = plots.rows.latency.viewRange()[0]
        reply(laid_out)
        assert plots.rows.latency.viewRange()[0] == zoomed != all_of_it
        act()
        assert plots.rows.latency.viewRange()[0] != zoomed and not fit.isEnabled()


def test_keys_zoom_and_pan(laid_out: SpeedTab, qtbot: QtBot) -> None:
    plots = plots_of(laid_out)
    plots.hover(4)  # a key zooms about the marked step
    before = plots.rows.latency.viewRange()[0]
    for _ in range(6):
        qtbot.keyClick(plots, Qt.Key.Key_Plus)
    left, right = plots.rows.latency.viewRange()[0]
    assert right - left == pytest.approx((before[1] - before[0]) * 0.8**6)
    assert left < plots.snapshot.time_s[4] < right
    qtbot.keyClick(plots, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert plots.rows.latency.viewRange()[0] == pytest.approx([left - (right - left) / 4, right - (right - left) / 4])
    qtbot.keyClick(plots, Qt.Key.Key_PageDown)
    assert plots.rows.latency.viewRange()[0] == pytest.approx([left, right])
    for _ in range(4):  # the marked step stays in sight
        qtbot.keyClick(plots, Qt.Key.Key_Left)
    left, right = plots.rows.latency.viewRange()[0]
    assert left <= plots.snapshot.time_s[0] <= right


def test_scale_to_decode(page: SpeedTab) -> None:
    reply(page)
    page.toolbar.fit_decode.setChecked(True)
    assert plots_of(page).rows.latency.viewRange()[1][1] < 8  # the prefill blocks of 20 ms run out of the picture


# -- files ------------------------------------------------------------------------------------------------------------


def written(qtbot: QtBot, page: SpeedTab, path: Path) -> str:
    """The text of the file that an export wrote."""
    export(qtbot, page, path)
    return path.read_text("utf-8")


def export(qtbot: QtBot, page: SpeedTab, path: Path) -> None:
    """Writes a file, which the window does not wait for."""
    page.banner.clear()
    page.exporter.export(path)
    qtbot.waitUntil(lambda: bool(page.banner.message))


def test_steps_as_csv_are_those_that_are_shown(page: SpeedTab, qtbot: QtBot, tmp_path: Path) -> None:
    page.toolbar.choose("all")
    reply(page)
    reply(page, owner=INT4)
    rows = list(csv.DictReader(io.StringIO(written(qtbot, page, tmp_path / "a.csv"))))
    assert [(row["bundle"], row["provider"], row["precision"], row["layout"], row["run"]) for row in rows[5:7]] == [
        ("demo", "cpu", "fp32", "static", "1"),
        ("demo-int4", "cpu", "int4", "static", "2"),
    ]
    assert len(rows) == 12
    page.toolbar.choose("reply")
    assert len(written(qtbot, page, tmp_path / "a.csv").splitlines()) == 1 + 6


def test_a_name_without_an_ending_gets_that_of_its_kind(
    laid_out: SpeedTab, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), ""))
    laid_out.exporter.choose_file("svg")
    qtbot.waitUntil(lambda: laid_out.banner.message == "Written: mine.svg")
    assert [path.name for path in tmp_path.glob("mine*")] == ["mine.svg"]


def test_pictures_say_whose_they_are(laid_out: SpeedTab, qtbot: QtBot, tmp_path: Path) -> None:
    export(qtbot, laid_out, tmp_path / "a.png")
    plots, picture = plots_of(laid_out), QImage(str(tmp_path / "a.png"))
    assert picture.width() == 2 * plots.width() and picture.height() > 2 * plots.height()
    rows = {picture.pixel(x, y) for x in range(picture.width()) for y in range(10, 36)}
    assert len(rows) > 2  # a title stands there
    export(qtbot, laid_out, tmp_path / "a.svg")
    root = ET.fromstring((tmp_path / "a.svg").read_text())
    texts = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0].startswith("demo · cpu · fp32 · static 256 · ")
    units = {"latency (ms)", "cache (tokens)", "memory (MiB)", "generation time (s)"}
    assert units | {"p50 5.00 ms", "capacity 256"} <= set(texts)


def test_nothing_runs_out_of_an_svg(laid_out: SpeedTab, qtbot: QtBot, tmp_path: Path) -> None:
    """Each curve is in a group that is clipped to its plot, whatever its zoom."""
    reply(laid_out, 9, INT4)
    laid_out.toolbar.choose("all")
    laid_out.toolbar.fit_decode.setChecked(True)
    plots_of(laid_out).zoom_to(0.01, 0.05)
    export(qtbot, laid_out, tmp_path / "a.svg")
    ns = "{http://www.w3.org/2000/svg}"
    root = ET.fromstring((tmp_path / "a.svg").read_text())
    clips = {clip.get("id"): clip.find(f"{ns}rect") for clip in root.iter(f"{ns}clipPath")}
    groups = [group for group in root if group.tag == f"{ns}g"]
    assert [group.get("clip-path") for group in groups] == [f"url(#{name})" for name in clips] and len(clips) == 3
    outside = [one for one in root.iter() if one.tag in (f"{ns}path", f"{ns}circle")]
    inside = [one for group in groups for one in group.iter() if one.tag in (f"{ns}path", f"{ns}circle")]
    assert outside == inside and len(inside) > 5
    size = float(root.get("width", 0)), float(root.get("height", 0))
    for rect, group in zip(clips.values(), groups, strict=True):
        assert rect is not None
        x, y, width, height = (float(rect.get(name, "nan")) for name in ("x", "y", "width", "height"))
        assert 0 < x < x + width < size[0] and 0 < y < y + height < size[1]
        places = [pair.split() for one in group.iter() for pair in re.findall(r"[\d.-]+ [\d.-]+", one.get("d", ""))]
        places += [[one.get("cx", ""), one.get("cy", "")] for one in group.iter(f"{ns}circle")]
        assert places or rect is clips["panel2"]  # no memory was measured
        for px, py in places:  # for programs that know no clip paths
            assert x - 0.1 <= float(px) <= x + width + 0.1 and y - 0.1 <= float(py) <= y + height + 0.1


def test_a_file_that_cannot_be_written_is_reported(page: SpeedTab, qtbot: QtBot, tmp_path: Path) -> None:
    reply(page)
    for name in ("a.csv", "a.svg", "a.png"):
        page.banner.clear()
        page.exporter.export(tmp_path / "missing" / name)
        qtbot.waitUntil(lambda: bool(page.banner.message))
        assert page.banner.message == "The file could not be written."

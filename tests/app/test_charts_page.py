"""The measure page: figures, drawn values, freezing, zooming, the step under the pointer, and the files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.charts.page import MeasurePage
from app.charts.points import block_outline, thin
from app.state.context import AppContext
from app.widgets.format import number
from tests.fakes.worker import program
from workflows.wire.events import ChunkEvent, TokenEvent

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window


@pytest.fixture
def page(qtbot: QtBot, tmp_path: Path) -> Iterator[MeasurePage]:
    context = AppContext(tmp_path / "home", program())
    page = MeasurePage(context)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    qtbot.waitUntil(lambda: not page._to_import)
    yield page
    page.hide()
    context.close()


def reply(page: MeasurePage, tokens: int = 4) -> None:
    """A prompt of 96 tokens in two chunks, then tokens of 4, 5, 6 … ms."""
    m = page.measurements
    m.begin()
    common = {"cache_capacity": 256}
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


def test_empty_page_offers_the_first_step(page: MeasurePage, qtbot: QtBot) -> None:
    assert page.stack.currentWidget() is page.empty
    with qtbot.waitSignal(page.context.navigate) as went:
        page.empty.action.click()
    assert went.args == ["chat"]


def test_figures(page: MeasurePage) -> None:
    reply(page)
    texts = {name: stat.accessibleName() for name, stat in page.stats.items()}
    assert texts == {
        "ttft": "TTFT: 33.0 ms",
        "prefill": f"prefill: {number(3000)} tok/s",
        "decode": "decode: 200 tok/s",
        "prompt": "prompt: 96 tokens",
        "generated": "generated: 4 tokens",
    }
    row = [page.cells["decode", key].text() for key in ("p50", "p95", "p99", "count")]
    assert row == ["5.00", "5.90", "5.98", "3"]
    assert page.cells["prefill", "p50"].text() == "16.0"


def test_what_is_drawn(page: MeasurePage) -> None:
    reply(page)
    plots = page.plots
    assert plots is not None
    x, y = plots.blocks.getData()
    assert y.tolist() == [0, 20, 20, 0, 0, 12, 12, 0]
    assert x.tolist() == pytest.approx([0, 0, 0.02, 0.02, 0.02, 0.02, 0.032, 0.032])
    assert plots.points.count == 3
    assert [line.value() for line in plots.percentiles] == pytest.approx([5.0, 5.9, 5.98])
    assert [text.toPlainText() for text in plots.labels] == ["p50 5.00 ms", "p95 5.90 ms", "p99 5.98 ms"]
    assert plots.capacity.value() == 256
    assert plots.area.yData.tolist() == [64, 96, 96, 97, 98, 99]
    page.lines.setCurrentIndex(1)
    assert plots.percentiles[0].value() == pytest.approx(16.0)


def test_labels_do_not_cover_each_other(page: MeasurePage) -> None:
    reply(page)
    plots = page.plots
    assert plots is not None
    gap = plots.latency.getViewBox().viewPixelSize()[1] * 14
    ys = [text.pos().y() for text in plots.labels]
    assert ys[1] - ys[0] >= gap and ys[2] - ys[1] >= gap


def test_step_under_the_pointer(page: MeasurePage, qtbot: QtBot) -> None:
    reply(page)
    plots = page.plots
    assert plots is not None
    plots.hover(plots.nearest(0.010))
    assert page.readout.text() == "prefill chunk · 64 tokens · 20.0 ms · cache 64 of 256 · at 0.020 s"
    plots.hover(plots.nearest(0.0375))
    assert page.readout.text() == "decode “t2” · id 2 · 5.00 ms · cache 98 of 256 · at 0.042 s"
    plots.setFocus()
    qtbot.keyClick(plots, Qt.Key.Key_Right)
    assert page.readout.text().startswith("decode “t3” · id 3 · 6.00 ms")
    for _ in range(3):
        qtbot.keyClick(plots, Qt.Key.Key_Left)
    assert page.readout.text().startswith("first token “t0” · id 0 · TTFT 33.0 ms")


def test_freeze_and_go_on(page: MeasurePage) -> None:
    reply(page)
    page.freeze.click()
    reply(page)
    assert page.plots is not None and page.plots.points.count == 3
    assert page.freeze.text() == "Go on"
    page.freeze.click()
    page.tick()
    assert page.plots.points.count == 6


def test_zoom_stays_until_it_is_left(page: MeasurePage, qtbot: QtBot) -> None:
    reply(page)
    plots = page.plots
    assert plots is not None and not page.fit.isEnabled()
    qtbot.keyClick(plots, Qt.Key.Key_Plus)
    assert page.fit.isEnabled()
    zoomed = plots.latency.viewRange()[0]
    reply(page)
    assert plots.latency.viewRange()[0] == zoomed
    page.fit.click()
    assert plots.latency.viewRange()[0] != zoomed
    assert not page.fit.isEnabled()


def test_spans(page: MeasurePage) -> None:
    reply(page)
    reply(page)
    assert page.plots is not None
    page.span.setCurrentIndex(1)
    left, _right = page.plots.latency.viewRange()[0]
    assert left > 0.04  # the first reply is out of sight
    page.fit_decode.setChecked(True)
    assert page.plots.latency.viewRange()[1][1] < 8  # the prefill blocks of 20 ms run out of the picture


def test_reset(page: MeasurePage) -> None:
    reply(page)
    page.reset.click()
    assert page.stack.currentWidget() is page.empty
    reply(page)
    assert page.plots is not None and page.plots.points.count == 3


def test_export(page: MeasurePage, tmp_path: Path) -> None:
    reply(page)
    page.export(tmp_path / "a.csv")
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 1 + 6
    assert page.plots is not None
    page.export(tmp_path / "a.png")
    picture = QImage(str(tmp_path / "a.png"))
    assert picture.width() == 2 * page.plots.width()
    page.export(tmp_path / "a.svg")
    assert "<svg" in (tmp_path / "a.svg").read_text()[:400]
    page.export(tmp_path / "missing" / "a.csv")
    assert page.banner.message == "The file could not be written."
    page.export(tmp_path / "missing" / "a.svg")
    assert page.banner.message == "The file could not be written."


def test_thinning_keeps_the_peaks() -> None:
    y = np.ones(100_000)
    y[[123, 77_777]] = 50.0
    y[55_555] = -3.0
    x, kept = thin(np.arange(100_000.0), y)
    assert len(kept) <= 4096
    assert sorted(x[kept != 1].tolist()) == [123, 55_555, 77_777]
    assert (np.diff(x) > 0).all()


def test_block_outline() -> None:
    x, y = block_outline(np.array([0.02]), np.array([20.0]))
    assert x.tolist() == [0.0, 0.0, 0.02, 0.02]
    assert y.tolist() == [0, 20, 20, 0]


def test_dragging_zooms_to_what_was_brushed(page: MeasurePage, qtbot: QtBot) -> None:
    reply(page)
    plots = page.plots
    assert plots is not None
    box, last = plots.latency.getViewBox(), plots.memory.getViewBox()
    qtbot.waitUntil(lambda: box.screenGeometry().x() == last.screenGeometry().x())
    before = plots.latency.viewRange()[0]
    start, end = (plots.mapFromScene(box.mapViewToScene(QPointF(x, y))) for x, y in ((0.010, 18.0), (0.030, 2.0)))
    view = plots.viewport()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for part in range(1, 6):
        qtbot.mouseMove(view, start + (end - start) * part / 5)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    left, right = plots.latency.viewRange()[0]
    assert (left, right) == pytest.approx((0.010, 0.030), abs=(before[1] - before[0]) / 50)
    assert plots.memory.viewRange()[0] == [left, right]  # one time axis
    assert page.fit.isEnabled()

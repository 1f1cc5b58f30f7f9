"""Accuracy against speed in a table: what is a point, what is left out and why, and the way to a point's run."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.measure.history.accuracy_speed import AccuracySpeedView
from tests.workflows.measure.run_reports import run
from workflows.wire.reports.runs import RunRecord

BENCH = run("bench", decode_tokens_per_s=200.0, bytes=2**20)
EVAL = run("eval", "eval", minute=1, top1_agreement=0.96, kl_mean=0.02)
OTHERS = [run(f"o{n}", digest=f"o{n}", bundle=f"/b/o{n}", minute=2 + n, decode_tokens_per_s=9.0) for n in range(3)]


@pytest.fixture
def page(qtbot: Any) -> AccuracySpeedView:
    made = AccuracySpeedView()
    qtbot.addWidget(made)
    made.resize(900, 300)
    made.show()
    return made


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([], "No points: measure the speed"),
        ([BENCH], "No points: measure the speed"),
        ([BENCH, EVAL], ""),
        ([BENCH, EVAL, OTHERS[0]], "1 run is not shown: o0 · int4 · cpu · o0 has no top-1"),
        ([BENCH, EVAL, *OTHERS], "3 runs are not shown: "),
        ([BENCH, EVAL, run("e", "eval", digest="x", top1_agreement=1.0)], "demo-int4 · int4 · cpu · e has no decode"),
    ],
)
def test_what_is_left_out_is_reported_with_the_reason(
    page: AccuracySpeedView, runs: list[RunRecord], said: str
) -> None:
    page.show_runs(runs)
    assert said in page.status.text() and bool(said) == bool(page.status.text())
    assert page.status.text().endswith(" …") == (len(page.scatter_data.left_out) > 2 and bool(page.scatter_data.points))


def test_the_headings_are_those_of_what_was_chosen(qtbot: Any, page: AccuracySpeedView) -> None:
    page.show_runs([BENCH, EVAL])
    assert page.table.rows.headings == ["bundle", "decode", "top-1", "on the front"]
    page.accuracy.setFocus()
    while page.accuracy.currentData() != "kl":
        qtbot.keyClick(page.accuracy, Qt.Key.Key_Down)
    assert page.table.rows.headings[2] == "KL" and page.table.rows.index(0, 2).data() == "0.02 nats"


def test_a_point_leads_to_its_run_by_enter_and_by_a_double_click(qtbot: Any, page: AccuracySpeedView) -> None:
    page.show_runs([BENCH, EVAL])
    opened = list[RunRecord]()
    page.opened.connect(opened.append)
    page.table.setCurrentIndex(page.table.rows.index(0, 0))
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert opened == [BENCH]
    at = page.table.visualRect(page.table.rows.index(0, 0)).center()
    qtbot.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseDClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert opened == [BENCH, BENCH]


def test_the_picture_is_made_when_there_is_something_to_draw(qtbot: Any, page: AccuracySpeedView) -> None:
    page.show_runs([BENCH])
    assert page.dots is None
    page.show_runs([BENCH, EVAL])
    qtbot.waitUntil(lambda: page.dots is not None and len(page.dots._points) == 1)
    page.table.selectRow(0)
    assert page.dots is not None and page.dots._marked == {0}
    page.show_runs([])
    assert page.dots._points == [] and page.dots._marked == set() and page.table.rows.rowCount() == 0

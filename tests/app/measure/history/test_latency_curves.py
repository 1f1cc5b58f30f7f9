"""Curves over each other, their legend, the points of accuracy against speed: what is drawn, and with which keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from app.measure.history.latency_curves import (
    COLORS,
    DASHES,
    MARKS,
    MAX_WIDTH,
    ROW,
    SYMBOLS,
    CurveLegend,
    CurveStyle,
    LatencyCurves,
)
from app.measure.history.pareto_chart import ParetoChart
from app.widgets.theme import theme
from tests.workflows.measure.run_reports import generation, run
from workflows.measure.pareto_front import ParetoPoint
from workflows.measure.run_measures import MEASURES, MeasureSpread


@pytest.fixture
def curves(qtbot: Any) -> LatencyCurves:
    made = LatencyCurves()
    qtbot.addWidget(made)
    made.resize(700, 300)
    made.show()
    made.show_reports([generation("slow", [90, 10, 20, 40]), generation("bare", [5]), generation("fast", [9, 4, 5])])
    return made


def ranges(curves: LatencyCurves) -> tuple[list[float], list[float]]:
    across, up = curves.plot.getViewBox().viewRange()
    return across, up


def test_the_first_token_whose_time_is_the_prompts_is_no_part_of_a_curve(curves: LatencyCurves) -> None:
    drawn = [(list(x), list(y)) for x, y in (line.getData() for line, _ in curves.slots)]
    assert drawn == [([0, 1, 2], [10, 20, 40]), ([0, 1], [4, 5])]
    assert [name.rpartition(" · ")[2] for name in curves.legend.names] == ["slow", "fast"]


def test_fewer_runs_leave_no_curve_of_the_others_behind(curves: LatencyCurves) -> None:
    curves.show_reports([generation("one", [1, 2, 3])])
    assert [len(line.getData()[0]) for line, _ in curves.slots] == [2, 0]
    assert [len(marks.getData()[0]) for _, marks in curves.slots] == [2, 0]
    curves.show_reports([])
    assert curves.legend.names == [] and ranges(curves)[1] == pytest.approx([0, 1.1])


def test_a_long_curve_has_few_marks_on_it(curves: LatencyCurves) -> None:
    curves.show_reports([generation("long", list(np.linspace(10, 20, 1001)))])
    x, y = curves.slots[0][1].getData()
    assert MARKS <= len(x) <= 2 * MARKS and list(y) == [curves.slots[0][0].getData()[1][int(at)] for at in x]


def test_all_of_it_is_seen_from_nothing_on(curves: LatencyCurves) -> None:
    across, up = ranges(curves)
    assert across[0] <= 0 and across[1] >= 2 and up == pytest.approx([0, 44])


@pytest.mark.parametrize(("key", "factor"), [(Qt.Key.Key_Plus, 0.8), (Qt.Key.Key_Equal, 0.8), (Qt.Key.Key_Minus, 1.25)])
def test_keys_zoom_along_the_tokens_and_0_shows_everything(
    qtbot: Any, curves: LatencyCurves, key: Qt.Key, factor: float
) -> None:
    (left, right), up = ranges(curves)
    qtbot.keyClick(curves.plot, key)
    (closer, farther), same = ranges(curves)
    assert farther - closer == pytest.approx(factor * (right - left)) and same == pytest.approx(up)
    qtbot.keyClick(curves.plot, Qt.Key.Key_0)
    assert ranges(curves)[0] == pytest.approx([left, right])


def test_a_double_click_shows_everything(curves: LatencyCurves) -> None:
    before = ranges(curves)
    curves.plot.setXRange(0, 1)
    at = QPointF(100, 100)
    kind, left, none = QEvent.Type.MouseButtonDblClick, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    curves.plot.mouseDoubleClickEvent(QMouseEvent(kind, at, at, left, left, none))
    assert ranges(curves)[0] == pytest.approx(before[0])


def test_looks_repeat_at_different_lengths_so_that_none_is_like_another() -> None:
    theme().set_mode("light")
    looks = [(look.color.name(), look.dash, look.shape) for look in map(CurveStyle, range(60))]
    assert len({len(COLORS), len(DASHES), len(SYMBOLS)}) == 3
    assert all(one != other for one, other in combinations(looks[:12], 2))


def test_the_legend_gives_way_and_says_whole_names(qtbot: Any) -> None:
    legend = CurveLegend()
    qtbot.addWidget(legend)
    legend.show_names(["short", "a name that is " + "very " * 40 + "long"])
    assert legend.sizeHint().width() == MAX_WIDTH and legend.sizeHint().height() == 2 * ROW
    assert legend.toolTip().split() == " ".join(legend.names).split() and legend.accessibleName() == ", ".join(
        legend.names
    )
    legend.show_names(["short"])
    assert legend.sizeHint().width() < MAX_WIDTH and legend.sizeHint().height() == ROW
    legend.resize(legend.sizeHint())
    assert not legend.grab().isNull()


SPEED, TOP1 = MEASURES["decode"], MEASURES["top1"]


def points(*figures: tuple[float, float, bool]) -> list[ParetoPoint]:
    return [
        ParetoPoint(single(x), single(y), run(f"s{n}"), run(f"a{n}", "eval"), front)
        for n, (x, y, front) in enumerate(figures)
    ]


def single(value: float) -> MeasureSpread:
    return MeasureSpread(value, value, value, 1)


@pytest.fixture
def dots(qtbot: Any) -> Iterator[ParetoChart]:
    around = QWidget()  # what is closed with a test is not the picture, which hears of the theme until it is gone
    qtbot.addWidget(around)
    made = ParetoChart(around)
    made.resize(500, 300)
    yield made


def items(dots: ParetoChart, kind: str) -> list[Any]:
    return [item for item in dots.getPlotItem().items if type(item).__name__ == kind]


def test_the_front_is_a_line_from_left_to_right_and_its_points_have_names(dots: ParetoChart) -> None:
    dots.show_points(points((200.0, 0.96, True), (100.0, 0.95, False), (50.0, 1.0, True)), SPEED, TOP1)
    x, y = items(dots, "PlotDataItem")[0].getData()
    assert list(x) == [50, 200] and list(y) == pytest.approx([TOP1.on_axis(1.0), TOP1.on_axis(0.96)])
    assert [text.toPlainText() for text in items(dots, "TextItem")] == ["demo-int4 · int4 · cpu"] * 2
    assert [text.anchor.x() for text in items(dots, "TextItem")] == [1.0, 0.0]  # each towards the middle


def test_a_point_shows_what_it_is(dots: ParetoChart) -> None:
    dots.show_points(points((200.0, 0.96, True), (100.0, 0.95, False)), SPEED, TOP1)
    told = [text for item in items(dots, "ScatterPlotItem") for text in item.data["data"] if text]
    assert told == [
        "demo-int4 · int4 · cpu\n200 tok/s, 96.00 %\non the front",
        "demo-int4 · int4 · cpu\n100 tok/s, 95.00 %\nnot on the front",
    ]


def test_points_that_are_chosen_are_ringed_until_others_come(dots: ParetoChart) -> None:
    given = points((200.0, 0.96, True), (100.0, 0.95, False))
    dots.show_points(given, SPEED, TOP1)
    rings = [len(item.data) for item in items(dots, "ScatterPlotItem")]
    assert rings == [1, 2]  # of the front, and the two points
    dots.mark({1})
    assert len(items(dots, "ScatterPlotItem")[0].data) == 2
    dots.show_points(given, SPEED, TOP1)
    assert len(items(dots, "ScatterPlotItem")[0].data) == 1


def test_no_label_says_more_than_100_percent(dots: ParetoChart) -> None:
    dots.show()
    dots.show_points(points((200.0, 0.996, True), (100.0, 1.0, True)), SPEED, TOP1)
    (low, high), size = dots.getViewBox().viewRange()[1], 300
    labels = [at for _, ticks in dots.upright.tickValues(low, high, size) for at in ticks]
    assert high > 100 and max(labels) == 100
    dots.show_points(points((200.0, 5.0, True), (100.0, 900.0, True)), SPEED, MEASURES["perplexity"])
    assert max(at for _, ticks in dots.upright.tickValues(0, 1000, size) for at in ticks) > 100


def test_the_arrow_keys_go_from_point_to_point(qtbot: Any, dots: ParetoChart) -> None:
    dots.show_points(points((200.0, 0.96, True), (100.0, 0.95, False)), SPEED, TOP1)
    assert dots.accessibleDescription().startswith("decode: from 100 tok/s to 200 tok/s, median 150 tok/s. top-1: from")
    with qtbot.waitSignal(dots.stepped) as stepped:
        qtbot.keyClick(dots, Qt.Key.Key_Left)
    assert stepped.args == [1]
    assert dots.accessibleDescription().endswith(
        "Selected: demo-int4 · int4 · cpu, 100 tok/s, 95.00 %, not on the front"
    )


def test_a_bar_reaches_from_the_lowest_to_the_highest_speed(dots: ParetoChart) -> None:
    several = ParetoPoint(MeasureSpread(1060.0, 246.0, 1874.0, 2), single(0.9), run("s"), run("a", "eval"), True)
    dots.show_points([several], SPEED, TOP1)
    lines = [item.getData() for item in items(dots, "PlotDataItem")]
    assert [(list(x), list(y)) for x, y in lines[1:]] == [([246, 1874], [90, 90])]
    (described,) = [item.data["data"][0] for item in items(dots, "ScatterPlotItem") if item.data["data"][0]]
    assert "1,060 tok/s (246–1,874), 90.00 %" in described


@pytest.mark.parametrize("count", [0, 1])
def test_none_and_one_are_drawn(dots: ParetoChart, count: int) -> None:
    dots.show_points(points(*[(100.0, 0.9, True)] * count), SPEED, TOP1)
    assert len(items(dots, "TextItem")) == count
    theme().set_mode("dark")
    assert len(items(dots, "TextItem")) == count and not dots.grab().isNull()

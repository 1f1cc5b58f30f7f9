"""The row over the plots: what is shown and how, told of once, and files by their ending."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from app.measure.charts.latency_style import LatencyStyle
from app.measure.charts.toolbar import SpeedToolbar


@pytest.fixture
def bar(qtbot: Any) -> SpeedToolbar:
    made = SpeedToolbar()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize("span", ["reply", "all", "recent"])
def test_other_runs_are_chosen(qtbot: Any, bar: SpeedToolbar, span: str) -> None:
    assert bar.span.currentData() == "bundle"
    with qtbot.waitSignal(bar.span_changed), qtbot.assertNotEmitted(bar.style_changed):
        bar.choose(span)
    assert bar.span.currentData() == span
    with qtbot.assertNotEmitted(bar.span_changed):
        bar.choose(span)


@pytest.mark.parametrize(
    ("part", "look"),
    [
        ("prefill_lines", LatencyStyle(lines="prefill")),
        ("fit_decode", LatencyStyle(fit_decode=True)),
        ("log", LatencyStyle(log=True)),
    ],
)
def test_a_choice_of_the_view_changes_how_it_is_drawn(
    qtbot: Any, bar: SpeedToolbar, part: str, look: LatencyStyle
) -> None:
    choice = getattr(bar, part)
    assert bar.latency_style == LatencyStyle() and choice in bar.view.menu().actions()
    assert bar.view.toolTip() == "How latency is drawn"
    with qtbot.waitSignal(bar.style_changed), qtbot.assertNotEmitted(bar.span_changed):
        choice.trigger()
    assert bar.latency_style == look and bar.view.toolTip() == choice.text()
    choice.trigger()
    assert bar.latency_style == LatencyStyle() and bar.view.toolTip() == "How latency is drawn"


def test_freezing_is_taken_back_by_the_same_button(qtbot: Any, bar: SpeedToolbar) -> None:
    qtbot.mouseClick(bar.freeze, Qt.MouseButton.LeftButton)
    assert bar.freeze.isChecked() and bar.freeze.text() == "Continue" and bar.freeze.property("iconName") == "play"
    qtbot.keyClick(bar.freeze, Qt.Key.Key_Space)
    assert not bar.freeze.isChecked() and bar.freeze.text() == "Freeze" and bar.freeze.property("iconName") == "pause"


@pytest.mark.parametrize(("place", "ending"), list(enumerate(["png", "svg", "csv"])))
def test_a_file_is_requested_by_its_ending(qtbot: Any, bar: SpeedToolbar, place: int, ending: str) -> None:
    export = next(one for one in bar.findChildren(QPushButton) if one.text() == "Export")
    with qtbot.waitSignal(bar.export_requested) as told:
        export.menu().actions()[place].trigger()
    assert told.args == [ending] and ending.upper() in export.menu().actions()[place].text()


def test_nothing_is_to_be_fitted_at_first(bar: SpeedToolbar) -> None:
    assert not bar.fit.isEnabled()
    assert bar.span.accessibleName() == "What is shown"

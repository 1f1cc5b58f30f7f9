"""The row over the plots: what is shown and how, told of once, and files by their ending."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from app.charts.look import Look
from app.charts.toolbar import Toolbar


@pytest.fixture
def bar(qtbot: Any) -> Toolbar:
    made = Toolbar()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize("span", ["reply", "all", "recent"])
def test_other_runs_are_chosen(qtbot: Any, bar: Toolbar, span: str) -> None:
    assert bar.span.currentData() == "bundle"
    with qtbot.waitSignal(bar.chosen), qtbot.assertNotEmitted(bar.look_changed):
        bar.choose(span)
    assert bar.span.currentData() == span
    with qtbot.assertNotEmitted(bar.chosen):
        bar.choose(span)


@pytest.mark.parametrize(
    ("part", "key", "look"),
    [
        ("lines", Qt.Key.Key_Down, Look(lines="prefill")),
        ("fit_decode", Qt.Key.Key_Space, Look(fit_decode=True)),
        ("log", Qt.Key.Key_Space, Look(log=True)),
    ],
)
def test_the_keyboard_changes_how_it_is_drawn(qtbot: Any, bar: Toolbar, part: str, key: Qt.Key, look: Look) -> None:
    assert bar.look == Look()
    with qtbot.waitSignal(bar.look_changed), qtbot.assertNotEmitted(bar.chosen):
        qtbot.keyClick(getattr(bar, part), key)
    assert bar.look == look


def test_freezing_is_taken_back_by_the_same_button(qtbot: Any, bar: Toolbar) -> None:
    qtbot.mouseClick(bar.freeze, Qt.MouseButton.LeftButton)
    assert bar.freeze.isChecked() and bar.freeze.text() == "Go on" and bar.freeze.property("iconName") == "play"
    qtbot.keyClick(bar.freeze, Qt.Key.Key_Space)
    assert not bar.freeze.isChecked() and bar.freeze.text() == "Freeze" and bar.freeze.property("iconName") == "pause"


@pytest.mark.parametrize(("place", "ending"), list(enumerate(["png", "svg", "csv"])))
def test_a_file_is_asked_for_by_its_ending(qtbot: Any, bar: Toolbar, place: int, ending: str) -> None:
    export = next(one for one in bar.findChildren(QPushButton) if one.menu() is not None)
    with qtbot.waitSignal(bar.exported) as told:
        export.menu().actions()[place].trigger()
    assert told.args == [ending] and ending.upper() in export.menu().actions()[place].text()


def test_nothing_is_to_be_fitted_at_first(bar: Toolbar) -> None:
    assert not bar.fit.isEnabled()
    assert (bar.span.accessibleName(), bar.lines.accessibleName()) == ("What is shown", "Percentile lines")

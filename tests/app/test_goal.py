"""A goal in the wizard: what the card gives, and the picture of what was tried."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.window import MainWindow
from app.wizard.base import OPTIMIZE, QUANTIZE, RECIPE, SOURCE
from app.wizard.goal import GoalBox, TriedPicture, read_goal
from tests.app.test_wizard import press, wizard_of
from workflows.wire.codec import dumps
from workflows.wire.goals import Goal, TaskFile
from workflows.wire.reports.goal import GoalReport, GoalUnit, TriedPoint

Make = Callable[..., MainWindow]


def report() -> GoalReport:
    points = [
        TriedPoint("int4/32 throughout", 100, 0.90, 0.90, 0.1, False, ["int4/32"], 1.0),
        TriedPoint("1 in int8/32", 150, 0.995, 0.995, 0.01, True, ["int8/32"], 1.0),
        TriedPoint("fp16 throughout", 200, None, 0.0, None, False, ["fp16"], 1.0),
    ]
    units = [GoalUnit("n", ["n"], 100, 0.1)]
    return GoalReport("top1", 0.99, "8 sentences", "8 others", 128, "int4/32", 400, units, points, 1, [0, 1])


def test_the_card_gives_a_goal(qtbot: Any) -> None:
    box = GoalBox()
    qtbot.addWidget(box)
    assert box.goal == Goal("top1", 0.99)
    box.kept.setCurrentIndex(box.kept.findData("kl"))
    assert box.goal == Goal("kl", 0.01) and box.value.suffix() == ""
    box.kept.setCurrentIndex(box.kept.findData("task"))
    assert box.goal is None  # its file is not chosen yet
    box.task.setText("/t.jsonl")
    assert box.goal == Goal("task", 0.95, TaskFile("/t.jsonl"))


def test_the_wizard_builds_to_the_goal(qtbot: Any, make_window: Make) -> None:
    wizard = wizard_of(make_window())
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    for _ in (SOURCE, RECIPE, OPTIMIZE):
        press(qtbot, wizard)
    page: Any = wizard.steps[QUANTIZE]
    draft = page.draft
    assert wizard.currentId() == QUANTIZE and draft.goal is None
    page.goal.radio.click()
    assert draft.goal == Goal("top1", 0.99) and draft.options["precision"] == "fp32"
    page.goal.value.setValue(98.5)
    assert draft.request("/b").goal == Goal("top1", 0.985)
    page.goal.kept.setCurrentIndex(page.goal.kept.findData("task"))
    assert not page.isComplete()
    page.cards["int4"].radio.click()
    assert page.isComplete() and draft.goal is None and draft.options["precision"] == "int4"


def test_the_picture_shows_what_was_tried(qtbot: Any, tmp_path: Path) -> None:
    (tmp_path / "goal.json").write_text(dumps(report()), "utf-8")
    picture = TriedPicture()
    qtbot.addWidget(picture)
    picture.resize(400, 208)
    picture.show_report(read_goal(tmp_path))
    assert picture.accessibleName() == "3 mixes tried; the smallest that holds has 150 B of weights: 1 in int8/32"
    worst, chosen, unknown = picture.places()
    assert worst.x() < chosen.x() < unknown.x() and worst.y() == unknown.y() < chosen.y()
    assert not picture.grab().isNull()
    picture.show_report(None)
    assert picture.isHidden() and picture.places() == []


@pytest.mark.parametrize("text", ["", "[]", '{"metric": "top1"}'])
def test_another_file_is_no_report(text: str, tmp_path: Path) -> None:
    assert read_goal(tmp_path) is None
    (tmp_path / "goal.json").write_text(text, "utf-8")
    assert read_goal(tmp_path) is None

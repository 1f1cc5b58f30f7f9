"""A goal in the wizard: what the card gives, and the picture of what was tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.builder.goal_card import GoalOptions, TrialsChart, goal_result, read_goal_report
from app.builder.step_page import DONE, OPTIMIZE, QUANTIZE, RECIPE, REVIEW, SOURCE
from app.state.unsaved_recipe import DEMO
from app.window import MainWindow
from tests.app.test_build_wizard import press, wizard_of
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


def to_quantize(qtbot: Any, window: MainWindow) -> Any:
    wizard = wizard_of(window)
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    for _ in (SOURCE, RECIPE, OPTIMIZE):
        press(qtbot, wizard)
    return wizard


def test_the_card_gives_a_goal(qtbot: Any) -> None:
    box = GoalOptions()
    qtbot.addWidget(box)
    assert box.goal == Goal("top1", 0.99)
    box.metric_box.setCurrentIndex(box.metric_box.findData("kl"))
    assert box.goal == Goal("kl", 0.01) and box.value.suffix() == ""
    box.metric_box.setCurrentIndex(box.metric_box.findData("task"))
    assert box.goal is None  # its file is not chosen yet
    box.task.setText("/t.jsonl")
    assert box.goal == Goal("task", 0.95, TaskFile("/t.jsonl"))


def test_the_wizard_builds_to_the_goal(qtbot: Any, make_window: Make) -> None:
    wizard = to_quantize(qtbot, make_window())
    page: Any = wizard.steps[QUANTIZE]
    draft = page.draft
    assert wizard.currentId() == QUANTIZE and draft.goal is None
    page.table.choose("goal")
    assert draft.goal == Goal("top1", 0.99) and draft.options["precision"] == "fp32"
    page.goal.value.setValue(98.5)
    assert draft.request("/b").goal == Goal("top1", 0.985)
    page.goal.metric_box.setCurrentIndex(page.goal.metric_box.findData("task"))
    assert not page.isComplete()
    page.table.choose("int4")
    assert page.isComplete() and draft.goal is None and draft.options["precision"] == "int4"


def test_long_names_of_measures_leave_the_table_its_room(qtbot: Any, make_window: Make) -> None:
    """In German they are so long that the table's remarks had a letter in each line."""
    window = make_window()
    window.resize(1280, 800)
    page: Any = to_quantize(qtbot, window).steps[QUANTIZE]
    page.goal.metric_box.setItemText(0, "a measure whose name is as long as " + "those of other languages " * 3)
    page.table.choose("goal")
    for metric in ("top1", "task"):
        page.goal.metric_box.setCurrentIndex(page.goal.metric_box.findData(metric))
        qtbot.waitUntil(page.goal.isVisible)
        qtbot.wait(50)  # the layout
        assert page.table.width() > 1.5 * page.options.width()


def test_the_picture_shows_what_was_tried(qtbot: Any, tmp_path: Path) -> None:
    (tmp_path / "goal.json").write_text(dumps(report()), "utf-8")
    picture = TrialsChart()
    qtbot.addWidget(picture)
    picture.resize(400, 208)
    picture.show_report(read_goal_report(tmp_path))
    assert (
        picture.accessibleName() == "3 mixes tried; the smallest that meets the goal has 150 B of weights: 1 in int8/32"
    )
    worst, chosen, unknown = picture.places()
    assert worst.x() < chosen.x() < unknown.x() and worst.y() == unknown.y() < chosen.y()
    assert not picture.grab().isNull()
    picture.show_report(None)
    assert picture.isHidden() and picture.places() == []


def test_what_was_given_elsewhere_stays_with_the_card(qtbot: Any) -> None:
    box, told = GoalOptions(), []
    qtbot.addWidget(box)
    box.changed.connect(lambda: told.append(box.goal))
    given = Goal("task", 0.9, TaskFile("/t.jsonl", "q", "a", rows=7), "/p.txt")
    box.show_goal(given)
    assert box.goal == given and told == []
    box.value.setValue(95)
    assert told == [Goal("task", 0.95, given.task, "/p.txt")]
    box.show_goal(None)
    assert box.goal == Goal("task", 0.95, TaskFile("/t.jsonl"))


def test_review_reports_the_goal_and_the_done_page_what_was_found(qtbot: Any, make_window: Make, home: Path) -> None:
    window = make_window()
    wizard = to_quantize(qtbot, window)
    wizard.steps[QUANTIZE].table.choose("goal")
    qtbot.waitUntil(lambda: not window.context.unsaved_recipe.planning)
    press(qtbot, wizard)
    review: Any = wizard.steps[REVIEW]
    assert not review.aim.isHidden() and review.goal_text.text().endswith("is at least 99 %.")
    assert review.figures["seconds"].text().endswith(", plus the search")
    assert Path(review.out.text()).name == "qwen3-demo-top1-0.99-static4096"
    press(qtbot, wizard)
    done: Any = wizard.steps[DONE]
    qtbot.waitUntil(lambda: wizard.currentId() == DONE)
    request = window.context.build.request
    assert request is not None and request.goal == Goal("top1", 0.99)
    assert done.chosen.text().endswith("16 in int4/32, 13 in int8/128") and not done.tried.isHidden()


def test_a_recipe_with_a_precision_of_its_own_is_no_goal(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    wizard = to_quantize(qtbot, window)
    wizard.steps[QUANTIZE].table.choose("goal")
    press(qtbot, wizard)
    review: Any = wizard.steps[REVIEW]
    qtbot.waitUntil(review.isComplete)
    review.recipe.text.setPlainText(review.recipe.text.toPlainText().replace('"fp32"', '"int4"'))
    qtbot.waitUntil(lambda: window.context.unsaved_recipe.goal is None and review.isComplete())
    assert review.aim.isHidden() and "search" not in review.figures["seconds"].text()


def test_the_goal_comes_back_with_the_draft(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    window.show_page("build")
    wizard = to_quantize(qtbot, window)
    card: Any = wizard.steps[QUANTIZE].goal  # type: ignore[attr-defined]
    wizard.steps[QUANTIZE].table.choose("goal")
    card.metric_box.setCurrentIndex(card.metric_box.findData("kl"))
    card.value.setValue(0.02)
    window.close()
    again = make_window()
    again.show_page("build")
    later: Any = again.stack.page("build").wizard  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: later.currentId() == QUANTIZE)
    assert again.context.unsaved_recipe.goal == Goal("kl", 0.02)
    assert later.steps[QUANTIZE].table.current == "goal" and later.steps[QUANTIZE].goal.value.value() == 0.02
    qtbot.waitUntil(lambda: not again.context.source_worker.busy)


@pytest.mark.parametrize("kept", ['{"metric": "top1", "limit": 7}', '{"metric": "best", "limit": 1}', "3"])
def test_a_damaged_goal_leaves_an_empty_draft(qtbot: Any, make_window: Make, home: Path, kept: str) -> None:
    home.mkdir()
    text = f'{{"source": "{DEMO}", "page": 3, "options": {{}}, "out": "", "consented": [], "goal": {kept}}}'
    (home / "draft.json").write_text(text)
    window = make_window()
    window.show_page("build")
    assert window.context.unsaved_recipe.source == "" and window.context.unsaved_recipe.goal is None


@pytest.mark.parametrize("text", ["", "[]", '{"metric": "top1"}'])
def test_another_file_is_no_report(text: str, tmp_path: Path) -> None:
    assert read_goal_report(tmp_path) is None
    (tmp_path / "goal.json").write_text(text, "utf-8")
    assert read_goal_report(tmp_path) is None


@pytest.mark.parametrize("wrong", [{"chosen": 3}, {"chosen": -1}, {"front": [0, 9]}, {"points": [], "front": []}])
def test_a_report_of_mixes_that_it_lacks_is_none(wrong: dict[str, Any], tmp_path: Path) -> None:
    """Nothing is drawn of it, which would end in the middle."""
    (tmp_path / "goal.json").write_text(dumps(replace(report(), **wrong)), "utf-8")
    assert read_goal_report(tmp_path) is None


@pytest.mark.parametrize(
    ("metric", "limit", "figure", "text"),
    [
        ("top1", 0.99, 0.9934, "top-1 agreement of at least 99.00 %. Reached: 99.34 %"),
        ("kl", 0.01, 0.00873, "a divergence (KL) of at most 0.01 nats. Reached: 0.00873 nats"),
        ("perplexity", 1.02, 1.0134, "a perplexity ratio of at most 1.02. Reached: 1.013"),
        ("task", 0.95, None, "a share of the score of at least 95.00 %. Reached: –"),
    ],
)
def test_the_goal_and_the_reached_figure_are_stated(metric: Any, limit: float, figure: float | None, text: str) -> None:
    found = report()
    found.metric, found.limit, found.full = metric, limit, 4 << 20
    found.points[found.chosen] = replace(found.points[found.chosen], figure=figure, bytes=1 << 20)
    assert goal_result(found) == f"Goal: {text}, in 1.0 MiB of weights instead of 4.0 MiB."

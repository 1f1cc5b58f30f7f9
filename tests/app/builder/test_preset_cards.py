"""The presets of the Quantize page, and the precision that a recipe begins with."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QWizard
from pytestqt.qtbot import QtBot

from app.builder.preset_cards import PresetCards, preset_figures
from app.builder.step_page import OPTIMIZE, QUANTIZE, RECIPE, REVIEW, SOURCE
from app.state.unsaved_recipe import UnsavedRecipe, choose_preset, completed_options
from tests.app.test_build_wizard import Make, cells, press, wizard_of
from tests.app.test_session import StubWorker
from tests.fakes.plans import plan_of
from workflows.wire.reports.plan import PresetOption

RECOMMENDED = {"recommended": {"cpu": "int4", "qnn": "w8a16"}}


@pytest.mark.parametrize(("options", "shown"), [
    ({"precision": "int4"}, "balanced"), ({"precision": "int8"}, "accurate"), ({"preset": "compact"}, "compact"),
    ({"precision": "fp32"}, None),
])  # fmt: skip
def test_the_card_of_the_plan_is_marked(qtbot: QtBot, options: dict[str, object], shown: str | None) -> None:
    cards = PresetCards()
    qtbot.addWidget(cards)
    cards.show_plan(plan_of("demo:qwen3", options, encoder=False), searches=False)
    assert [name for name, card in cards.cards.items() if card.radio.isChecked()] == [shown] * (shown is not None)
    cards.show_plan(plan_of("demo:qwen3", options, encoder=False), searches=True)
    assert not any(card.radio.isChecked() for card in cards.cards.values())


def test_a_preset_takes_the_place_of_the_settings_that_were_made(qtbot: QtBot, tmp_path: Path) -> None:
    draft = UnsavedRecipe(StubWorker(), lambda: tmp_path)  # type: ignore[arg-type]
    cards = PresetCards()
    qtbot.addWidget(cards)
    cards.chosen.connect(lambda name: choose_preset(draft, name))
    draft.options = {"precision": "int8", "quantize": {"head": "fp32", "calibration": {"prompts": "a.txt"}}}
    cards.cards["compact"].radio.click()
    calibrated = {"quantize": {"calibration": {"prompts": "a.txt"}}}
    assert draft.options == {"preset": "compact", "precision": None, **calibrated}
    draft.set_option("precision", "int8")
    assert draft.options == {"precision": "int8", **calibrated}


def test_a_card_says_what_is_known() -> None:
    known = PresetOption("balanced", "int4", 101_400_000, 0.182, 0.75, 41.52, "cpu")
    text = preset_figures(known, recommended=True)
    assert text == "Recommended · 96.7 MiB of weights · KL 0.182 nats · 75 % the same tokens · 41.5 tok/s on cpu"
    assert preset_figures(PresetOption("compact", "int4", 7 << 20)) == "7.0 MiB of weights"


@pytest.mark.parametrize(
    ("recommended", "options", "completed"),
    [
        ({"cpu": "int4"}, {}, {"precision": "int4"}),
        ({"cpu": "int4", "qnn": "w8a16"}, {"target": "qnn"}, {"target": "qnn", "precision": "w8a16"}),
        ({"cpu": "int4"}, {"precision": "fp32"}, {"precision": "fp32"}),
        ({"cpu": "int4"}, {"preset": "compact", "precision": None}, {"preset": "compact", "precision": None}),
        ({}, {}, {}),
    ],
)
def test_what_is_recommended_stands_until_something_is_chosen(
    qtbot: QtBot, tmp_path: Path, recommended: dict[str, str], options: Any, completed: Any
) -> None:
    draft = UnsavedRecipe(StubWorker(), lambda: tmp_path)  # type: ignore[arg-type]
    draft.probe_report = SimpleNamespace(recommended=recommended, left_out={}, own_task=None, tasks=[])  # type: ignore[assignment]
    draft.options = options
    assert completed_options(draft) == completed


def test_the_wizard_begins_with_the_recommended_precision(qtbot: Any, make_window: Make) -> None:
    """To the review by one press; a target brings its own, and a person's choice stays whatever the target."""
    window = make_window(probe=RECOMMENDED)
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    press(qtbot, wizard)
    recipe: Any = wizard.steps[RECIPE]
    qtbot.waitUntil(recipe.isComplete)
    assert "Weights are in int4" in recipe.target_note.text()
    press(qtbot, wizard, QWizard.WizardButton.CustomButton2)
    assert wizard.currentId() == REVIEW and draft.request("/out").options == {"precision": "int4"}
    review: Any = wizard.steps[REVIEW]
    qtbot.waitUntil(lambda: "int4" in review.sentence.text())
    assert review.unchanged.isVisible() and not review.calibration.isVisible()
    draft.set_option("target", "qnn")
    qtbot.waitUntil(lambda: "w8a16" in review.sentence.text())
    assert review.calibration.text() == "Calibrated with the prompts of the demo."
    draft.set_option("precision", "fp32")
    draft.set_option("target", "cpu")
    qtbot.waitUntil(lambda: not draft.planning and "fp32" in review.sentence.text())
    assert cells_of(review.changes.rows) == [("precision", "fp32")]


def cells_of(rows: Any) -> list[tuple[str, str]]:
    return [(str(rows.index(row, 0).data()), str(rows.index(row, 1).data())) for row in range(rows.rowCount())]


def test_a_card_of_the_page_replaces_the_row_and_the_goal(qtbot: Any, make_window: Make) -> None:
    window = make_window(probe=RECOMMENDED)
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    wizard.steps[SOURCE].cards[2].radio.click()  # type: ignore[attr-defined]
    for _ in (SOURCE, RECIPE, OPTIMIZE):
        press(qtbot, wizard)
    page: Any = wizard.steps[QUANTIZE]
    cards = page.presets.cards
    assert page.table.current == "int4" and cards["balanced"].radio.isChecked()
    page.table.choose("goal")
    qtbot.waitUntil(lambda: draft.goal is not None and not draft.planning)
    assert not any(card.radio.isChecked() for card in cards.values())
    cards["compact"].radio.click()
    qtbot.waitUntil(
        lambda: not draft.planning and draft.plan is not None and draft.plan.recipe.get("preset") == "compact"
    )
    assert draft.goal is None and page.table.current == "int4" and cards["compact"].radio.isChecked()
    assert cells(page.table, "int4")[1] == "8.0 MiB"


@pytest.mark.parametrize(
    ("source", "shown"),
    [("demo:qwen3", "the prompts of the demo"), ("a/b", "a few built-in English sentences")],
)
def test_calibration_says_which_texts(qtbot: Any, make_window: Make, source: str, shown: str) -> None:
    window = make_window()
    wizard, draft = wizard_of(window), window.context.unsaved_recipe
    draft.probe(source)
    for _ in (SOURCE, RECIPE, OPTIMIZE):
        press(qtbot, wizard)
    page: Any = wizard.steps[QUANTIZE]
    page.table.choose("w8a16")
    qtbot.waitUntil(lambda: page.calibration.prompts.placeholderText() == shown)
    assert page.calibration.isVisible() and "demo" not in page.calibration.explanation.text()

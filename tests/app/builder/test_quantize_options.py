"""Settings of blocks and of calibration: shown as the plan has them, sent as a person sets them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from app.builder.quantize_options import BlockOptions, CalibrationBox
from app.state.unsaved_recipe import UnsavedRecipe
from tests.app.test_session import StubWorker


@pytest.fixture
def draft(qtbot: QtBot, tmp_path: Path) -> UnsavedRecipe:
    return UnsavedRecipe(StubWorker(), lambda: tmp_path)  # type: ignore[arg-type]


@pytest.fixture
def blocks(qtbot: QtBot, draft: UnsavedRecipe) -> BlockOptions:
    made = BlockOptions(draft)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def calibration(qtbot: QtBot, draft: UnsavedRecipe) -> CalibrationBox:
    made = CalibrationBox(draft)
    qtbot.addWidget(made)
    made.show()
    return made


def plan(**quantize: object) -> Any:
    return SimpleNamespace(recipe={"quantize": quantize} if quantize else {}, offers_fast_prefill=False)


def state(blocks: BlockOptions) -> tuple[object, ...]:
    roles = [box.currentData() for box in blocks.roles.values()]
    return (blocks.block.currentData(), blocks.symmetric.isChecked(), *roles[:3], blocks.exclude.text())


@pytest.mark.parametrize(
    ("quantize", "shown"),
    [
        ({}, (32, False, None, None, None, "")),
        ({"block_size": 128, "symmetric": True, "head": "int8", "embedding": "fp32", "exclude": ["a/*", "b"]},
         (128, True, "int8", "fp32", None, "a/*, b")),
        ({"head": "int8/128", "first_layer": "fp16"}, (32, False, "int8/128", None, "fp16", "")),
    ],
)  # fmt: skip
def test_the_plan_is_shown_and_sends_nothing(
    blocks: BlockOptions, draft: UnsavedRecipe, quantize: dict[str, object], shown: tuple[object, ...]
) -> None:
    blocks.show_plan(plan(**quantize), True, rounds=True)
    assert state(blocks) == shown and draft.options == {}


@pytest.mark.parametrize("offered", [True, False])
def test_fast_prompts_are_a_switch_of_the_recipe(blocks: BlockOptions, draft: UnsavedRecipe, offered: bool) -> None:
    shown = SimpleNamespace(recipe={"fast_prefill": offered}, offers_fast_prefill=offered)
    blocks.show_plan(shown, True, rounds=True)  # type: ignore[arg-type]
    assert blocks.fast_prefill.isVisible() == blocks.fast_prefill.isChecked() == offered and draft.options == {}
    blocks.fast_prefill.click()
    assert draft.options == {"fast_prefill": not offered}


def test_without_blocks_there_is_nothing_to_set(blocks: BlockOptions) -> None:
    blocks.show_plan(plan(block_size=64), False, rounds=False)
    assert not blocks.isVisible()
    blocks.show_plan(None, True, rounds=False)
    assert blocks.isVisible() and blocks.block.currentData() == 64  # as it was


def test_each_setting_is_sent_and_the_others_stay(blocks: BlockOptions, draft: UnsavedRecipe, qtbot: QtBot) -> None:
    blocks.show_plan(plan(), True, rounds=True)
    draft.set_quantize(precision="int4")
    blocks.block.setCurrentIndex(blocks.block.findData(16))
    blocks.block.activated.emit(blocks.block.currentIndex())
    blocks.symmetric.setFocus()
    qtbot.keyClick(blocks.symmetric, Qt.Key.Key_Space)
    head = blocks.roles["head"]
    head.setCurrentIndex(head.findData("int8"))
    head.activated.emit(head.currentIndex())
    assert draft.options == {"quantize": {"precision": "int4", "block_size": 16, "symmetric": True, "head": "int8"}}


@pytest.mark.parametrize("name", ["nearest", "search", "compensated"])
def test_a_rounding_is_shown_and_sent_where_there_is_a_choice(
    blocks: BlockOptions, draft: UnsavedRecipe, name: str
) -> None:
    blocks.show_plan(plan(rounding=name), True, rounds=True)
    assert blocks.rounding.currentData() == name and draft.options == {}
    blocks.rounding.activated.emit(blocks.rounding.currentIndex())
    assert draft.options == {"quantize": {"rounding": name}}
    blocks.show_plan(plan(), True, rounds=False)
    assert blocks.isVisible() and not blocks.rounding.isVisible()


@pytest.mark.parametrize(
    ("text", "names"),
    [("", []), (" , ,", []), ("a/0/*", ["a/0/*"]), ("a, b  c,,d ", ["a", "b", "c", "d"])],
)
def test_names_are_parted_by_commas_and_spaces(
    blocks: BlockOptions, draft: UnsavedRecipe, qtbot: QtBot, text: str, names: list[str]
) -> None:
    blocks.exclude.setText(text)
    qtbot.keyClick(blocks.exclude, Qt.Key.Key_Return)
    assert draft.options == {"quantize": {"exclude": names}}


def test_a_plan_that_comes_while_one_types_does_not_take_the_words_away(blocks: BlockOptions, qtbot: QtBot) -> None:
    blocks.activateWindow()
    qtbot.waitUntil(blocks.isActiveWindow)
    blocks.exclude.setFocus()
    qtbot.keyClicks(blocks.exclude, "model/la")
    blocks.show_plan(plan(exclude=["old"]), True, rounds=True)
    assert blocks.exclude.text() == "model/la"
    blocks.block.setFocus()
    blocks.show_plan(plan(exclude=["old"]), True, rounds=True)
    assert blocks.exclude.text() == "old"


def chosen(prompts: str, method: str) -> Any:
    return SimpleNamespace(
        chosen=SimpleNamespace(calibration_prompts=prompts, calibration_method=method, calibration_origin="")
    )


@pytest.mark.parametrize("method", ["minmax", "percentile", "entropy"])
def test_calibration_is_shown_as_planned_and_hidden_without_need(
    calibration: CalibrationBox, draft: UnsavedRecipe, method: str
) -> None:
    calibration.show_plan(chosen("/p.txt", method), True)
    assert (calibration.prompts.text(), calibration.method.currentData()) == ("/p.txt", method)
    assert calibration.isVisible() and draft.options == {}
    calibration.show_plan(None, False)
    assert not calibration.isVisible()


def test_prompts_are_typed_or_chosen(
    calibration: CalibrationBox, draft: UnsavedRecipe, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    calibration.show_plan(chosen("", "minmax"), True)
    calibration.prompts.setText("  /mine.txt ")
    qtbot.keyClick(calibration.prompts, Qt.Key.Key_Return)
    assert draft.options == {"quantize": {"calibration": {"prompts": "/mine.txt", "method": "minmax"}}}
    answers = [("", ""), ("/other.jsonl", "")]
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: answers.pop(0))
    (browse,) = calibration.findChildren(QPushButton)
    browse.click()
    assert calibration.prompts.text() == "  /mine.txt "  # nothing was chosen
    calibration.method.setCurrentIndex(2)
    browse.click()
    assert draft.options == {"quantize": {"calibration": {"prompts": "/other.jsonl", "method": "entropy"}}}


def test_what_the_box_does_not_show_of_a_calibration_stays(calibration: CalibrationBox, draft: UnsavedRecipe) -> None:
    """A recipe's text may have said more."""
    draft.options["quantize"] = {"head": "fp32", "calibration": {"samples": 12, "method": "entropy"}}
    calibration.method.setCurrentIndex(calibration.method.findData("percentile"))
    calibration.method.activated.emit(calibration.method.currentIndex())
    told = {"samples": 12, "method": "percentile", "prompts": ""}
    assert draft.options["quantize"] == {"head": "fp32", "calibration": told}


def test_a_plan_writes_over_nothing_that_is_being_typed(qtbot: QtBot, calibration: CalibrationBox) -> None:
    calibration.prompts.setFocus()
    qtbot.keyClicks(calibration.prompts, "half a pa")
    calibration.show_plan(chosen("of the plan", "minmax"), True)
    assert calibration.prompts.text() == "half a pa"
    calibration.method.setFocus()
    calibration._draft.cancel_requests()  # the plan of what was typed is there
    calibration.show_plan(chosen("of the plan", "minmax"), True)
    assert calibration.prompts.text() == "of the plan"


def test_finer_blocks_are_shown_and_sent_where_a_precision_has_them(blocks: BlockOptions, draft: UnsavedRecipe) -> None:
    blocks.show_plan(plan(fine_block_size=32), True, rounds=True)
    assert blocks.fine.isVisible() and blocks.fine.currentData() == 32 and draft.options == {}
    blocks.fine.setCurrentIndex(blocks.fine.findData(None))
    blocks.fine.activated.emit(blocks.fine.currentIndex())
    assert draft.options == {"quantize": {"fine_block_size": None}}
    blocks.show_plan(plan(), True, rounds=False)
    assert blocks.fine.currentData() is None and not blocks.fine.isVisible()

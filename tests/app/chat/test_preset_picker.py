"""The part with the presets: which one is said to be set, naming one's own, and what a checkpoint's file may hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.chat.preset_picker import GENERATION_CONFIG, PresetPicker, bundle_preset
from app.chat.sampling import SamplingSettings

WARM = SamplingSettings(temperature=0.7, top_k=40, top_p=0.95)
OWN = SamplingSettings(temperature=0.3)


@pytest.fixture
def part(qtbot: QtBot) -> PresetPicker:
    made = PresetPicker()
    qtbot.addWidget(made)
    made.show()
    return made


def names(part: PresetPicker) -> list[str]:
    return [part.box.itemText(place) for place in range(part.box.count())]


def say(folder: Path, said: object) -> str:
    file = folder / GENERATION_CONFIG
    file.parent.mkdir(parents=True)
    file.write_text(said if isinstance(said, str) else json.dumps(said))
    return str(folder)


def test_what_is_set_names_its_preset(part: PresetPicker) -> None:
    part.offer(None, {"mine": OWN})
    for sampling, name in (
        (SamplingSettings(), "Greedy"),
        (WARM, "Balanced"),
        (OWN, "mine"),
        (SamplingSettings(temperature=0.31), "Custom"),
        (SamplingSettings(max_new_tokens=3, seed=4, stop=("a",)), "Greedy"),  # these are no preset's matter
    ):
        part.select_matching(sampling)
        assert part.box.currentText() == name
        assert part.remove.isVisible() == (name == "mine")


def test_of_two_that_are_alike_the_one_that_was_chosen_stays_named(part: PresetPicker) -> None:
    part.offer(None, {"same": WARM})
    part.box.setCurrentText("same")
    part.select_matching(WARM)
    assert part.box.currentText() == "same"
    part.select_matching(SamplingSettings())
    part.select_matching(WARM)
    assert part.box.currentText() == "Balanced"


def test_choosing_one_shows_its_sampling_and_custom_shows_none(part: PresetPicker) -> None:
    told: list[SamplingSettings] = []
    part.chosen.connect(told.append)
    for name in ("Balanced", "Custom", "Creative"):
        part.box.setCurrentText(name)
        part.box.activated.emit(part.box.currentIndex())
    assert [one.temperature for one in told] == [0.7, 1.0]


@pytest.mark.parametrize("name", ["", "   ", "Balanced", "Greedy"])
def test_a_name_that_is_taken_or_none_is_not_saved(part: PresetPicker, qtbot: QtBot, name: str) -> None:
    """What everybody has cannot be written over; the field stays for another name."""
    told: list[str] = []
    part.saved.connect(told.append)
    part.save.click()
    part.name.setText(name)
    qtbot.keyClick(part.name, Qt.Key.Key_Return)
    assert told == [] and part.name.isVisible() and part.name.text() == name


def test_a_name_is_requested_and_the_button_takes_the_question_back(part: PresetPicker, qtbot: QtBot) -> None:
    part.activateWindow()
    qtbot.waitUntil(part.isActiveWindow)
    part.save.click()
    assert part.name.isVisible() and part.name.hasFocus()
    part.save.click()
    assert not part.name.isVisible()


def test_one_of_ones_own_is_replaced_under_its_name(part: PresetPicker, qtbot: QtBot) -> None:
    part.offer(None, {"mine": OWN})
    part.save.click()
    part.name.setText("  mine ")
    with qtbot.waitSignal(part.saved) as saved:
        qtbot.keyClick(part.name, Qt.Key.Key_Return)
    assert saved.args == ["mine"]
    assert part.box.currentText() == "mine" and part.remove.isVisible() and not part.name.isVisible()
    with qtbot.waitSignal(part.removed) as removed:
        part.remove.click()
    assert removed.args == ["mine"]


def test_what_the_checkpoint_requests_stands_between(part: PresetPicker) -> None:
    part.offer(WARM, {"mine": OWN})
    assert names(part) == ["Custom", "Greedy", "Balanced", "Creative", "The checkpoint's settings", "mine"]
    part.offer(None, {})
    assert names(part) == ["Custom", "Greedy", "Balanced", "Creative"]


@pytest.mark.parametrize("said", ["{", "[]", "7", {}, {"eos_token_id": 2}, '"do_sample"'])
def test_a_file_without_sampling_is_no_preset(tmp_path: Path, said: object) -> None:
    assert bundle_preset(say(tmp_path, said)) is None


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ({"do_sample": False, "temperature": 0.6, "top_k": 20}, SamplingSettings(temperature=0.0, top_k=20)),
        ({"do_sample": True}, SamplingSettings(temperature=1.0)),
        ({"do_sample": True, "temperature": 0.6, "top_p": None}, SamplingSettings(temperature=0.6)),
        ('{"do_sample": true, "top_k": Infinity, "min_p": NaN}', SamplingSettings(temperature=1.0)),
        ('{"do_sample": true, "top_k": 1e999}', SamplingSettings(temperature=1.0)),
    ],
)
def test_a_checkpoint_is_taken_at_its_word_where_that_is_a_number(
    tmp_path: Path, said: object, asked: SamplingSettings
) -> None:
    assert bundle_preset(say(tmp_path, said)) == asked

"""Sampling and layout belong to a bundle: they stay with it, and a change is said. Presets: built in, asked, own."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.chat.preset_picker import apply_preset, bundle_preset
from app.chat.sampling import SamplingSettings
from app.chat.settings_panel import SettingsPanel
from app.state.saved_choices import BundleChoices, SavedChoices
from tests.app.test_chat_page import Make, make

__all__ = ["make"]


def opened(qtbot: QtBot, page: ChatPage, bundle: str) -> None:
    page.context.open_bundle(bundle)
    qtbot.waitUntil(lambda: page.context.ready is not None and page.session.bundle == bundle)


def test_each_bundle_has_its_own(make: Make, qtbot: QtBot) -> None:
    """Also after a restart, and the session is opened with its own layout."""
    page = make("/b/one")
    page.panel.spin("temperature").setValue(0.8)
    page.panel.cache.setCurrentIndex(2)
    page.panel.cache.activated.emit(2)
    qtbot.waitUntil(lambda: page.context.ready is not None and page.context.ready.layout == "window")
    opened(qtbot, page, "/b/two")
    assert (page.controller.sampling, page.panel.choice.chosen) == (SamplingSettings(), ("cpu", None))
    assert page.context.ready is not None and page.context.ready.layout == "static"
    opened(qtbot, page, "/b/one")
    assert page.controller.sampling.temperature == page.panel.spin("temperature").value() == 0.8
    assert page.context.ready.layout == "window"
    page.shut()
    again = make("/b/one")
    assert again.controller.sampling.temperature == 0.8


def test_presets_are_chosen_saved_and_deleted(make: Make, qtbot: QtBot) -> None:
    """They leave the length, the seed and the stop strings alone; what was changed by hand is custom."""
    page = make()
    presets, box = page.panel.presets, page.panel.presets.box
    assert [box.itemText(at) for at in range(box.count())] == ["Custom", "Greedy", "Balanced", "Creative"]
    assert box.currentText() == "Greedy" and presets.remove.isHidden()
    page.panel.spin("max_new_tokens").setValue(99)
    assert box.currentText() == "Greedy"
    box.setCurrentText("Balanced")
    box.activated.emit(box.currentIndex())
    assert asdict(page.controller.sampling) == asdict(SamplingSettings(0.7, 40, 0.95, max_new_tokens=99))
    page.panel.spin("top_k").setValue(7)
    assert box.currentText() == "Custom"
    presets.save.click()
    for name, kept in (("Greedy", False), ("mine", True)):  # a built-in one stays what it is
        presets.name.setText(name)
        presets.name.returnPressed.emit()
        assert (box.currentText() == "mine") is kept
    page.panel.reset_button.click()
    assert box.currentText() == "Greedy"
    second = make()
    other = second.panel.presets
    other.box.setCurrentText("mine")
    other.box.activated.emit(other.box.currentIndex())
    assert second.controller.sampling.top_k == 7
    other.remove.click()
    assert other.box.findText("mine") < 0


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"do_sample": True, "temperature": 0.6, "top_k": 20, "top_p": 0.95}, SamplingSettings(0.6, 20, 0.95)),
        ({"do_sample": True}, SamplingSettings(temperature=1.0)),
        ({"do_sample": False, "temperature": 0.6}, SamplingSettings()),
        ({"eos_token_id": 2}, None),
        ([], None),
    ],
)
def test_what_a_checkpoint_requests(tmp_path: Path, asked: object, expected: SamplingSettings | None) -> None:
    (tmp_path / "tokenizer").mkdir()
    (tmp_path / "tokenizer" / "generation_config.json").write_text(json.dumps(asked))
    assert bundle_preset(str(tmp_path)) == expected
    assert bundle_preset(str(tmp_path / "none")) is None


def test_apply_changes_how_it_is_drawn_alone() -> None:
    now = SamplingSettings(max_new_tokens=7, seed=3, stop=("x",))
    assert apply_preset(SamplingSettings(0.5, 4), now) == SamplingSettings(
        0.5, 4, max_new_tokens=7, seed=3, stop=("x",)
    )


def test_a_damaged_file_is_moved_aside_and_reported(tmp_path: Path) -> None:
    told: list[str] = []
    kept = SavedChoices(tmp_path, told.append)
    kept.keep("/b", BundleChoices({"temperature": 1}, "window"))
    assert kept.of("/b") == BundleChoices({"temperature": 1}, "window")
    (tmp_path / "chat-choices.json").write_text('{"bundles": 5}')
    assert kept.of("/b") is None and "was damaged" in told[0]


def test_words_of_another_language_find_room(qtbot: QtBot) -> None:
    """A caption of several words takes two lines; one long word makes the panel wider; nothing is cut off."""
    panel = SettingsPanel()
    qtbot.addWidget(panel)
    panel.reset_button.setText("Zurücksetzungsmöglichkeitenverzeichnis")
    panel.show()
    area = panel.findChild(QScrollArea)
    qtbot.waitUntil(lambda: area.viewport().width() >= area.widget().minimumSizeHint().width())

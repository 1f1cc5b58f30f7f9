"""What the settings page is put together from: what a box offers, and which folders a field takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton

from app.settings.page import SettingChoice, SettingFolder, SettingRow, StageCacheChoice
from app.state.settings import Settings
from workflows.common.stage_cache import read_limit, write_limit

OPTIONS = (("", "all"), ("100", "the newest 100"), ("1000", "the newest 1,000"))


@pytest.fixture
def settings(qapp: Any, home: Path) -> Settings:
    return Settings(home)


@pytest.fixture
def folder(qtbot: Any, settings: Settings, home: Path) -> SettingFolder:
    made = SettingFolder(settings, "bundles", home / "bundles")
    qtbot.addWidget(made)
    made.show()
    return made


def type_into(qtbot: Any, folder: SettingFolder, text: str) -> None:
    """As a person does, who leaves the field with Enter."""
    folder.field.selectAll()
    qtbot.keyClick(folder.field, Qt.Key.Key_Delete)
    qtbot.keyClicks(folder.field, text)
    qtbot.keyClick(folder.field, Qt.Key.Key_Return)


def test_arrows_choose_and_what_is_chosen_is_on_the_disk(qtbot: Any, settings: Settings, home: Path) -> None:
    box = SettingChoice(settings, "history.keep", OPTIONS)
    qtbot.addWidget(box)
    assert box.currentText() == "all"
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert box.currentText() == "the newest 100" and Settings(home).preference("history.keep") == "100"


def test_what_is_kept_and_no_longer_offered_is_offered_as_it_is(qtbot: Any, settings: Settings) -> None:
    settings.set("history.keep", "77")
    box = SettingChoice(settings, "history.keep", OPTIONS)
    qtbot.addWidget(box)
    assert box.currentText() == box.currentData() == "77" and box.count() == 4
    settings.set("history.keep", "1000")
    assert box.currentText() == "the newest 1,000" and box.count() == 4


def test_another_preference_moves_nothing(qtbot: Any, settings: Settings) -> None:
    box = SettingChoice(settings, "history.keep", OPTIONS)
    qtbot.addWidget(box)
    settings.set("theme", "100")
    assert box.currentData() == ""


def test_a_new_folder_is_taken(qtbot: Any, folder: SettingFolder, settings: Settings, tmp_path: Path) -> None:
    type_into(qtbot, folder, str(tmp_path / "new"))
    assert settings.preference("bundles") == folder.field.text() == str(tmp_path / "new")


def test_the_tilde_is_the_persons_home(
    qtbot: Any, folder: SettingFolder, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    type_into(qtbot, folder, "~/models")
    assert settings.preference("bundles") == folder.field.text() == str(tmp_path / "models")


@pytest.mark.parametrize("text", ["models", "./models", "   ", "~nobody-of-this-name/models"])
def test_what_is_no_whole_path_is_refused_and_the_field_shows_what_counts(
    qtbot: Any, folder: SettingFolder, settings: Settings, tmp_path: Path, text: str
) -> None:
    settings.set("bundles", str(tmp_path))
    with qtbot.waitSignal(folder.refused) as refused:
        type_into(qtbot, folder, text)
    assert refused.args == [text] and folder.field.text() == settings.preference("bundles") == str(tmp_path)


def test_an_empty_field_is_the_usual_folder(qtbot: Any, folder: SettingFolder, settings: Settings, home: Path) -> None:
    settings.set("bundles", "/elsewhere")
    type_into(qtbot, folder, "")
    assert settings.preference("bundles") == "" and folder.field.placeholderText() == str(home / "bundles")


@pytest.mark.parametrize("picked", [True, False])
def test_the_button_begins_where_the_folder_is(
    folder: SettingFolder, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, picked: bool
) -> None:
    asked = list[str]()
    answer = str(tmp_path) if picked else ""
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda _, __, start: asked.append(start) or answer)
    (browse,) = folder.findChildren(QPushButton)
    browse.click()
    settings.set("bundles", "/elsewhere")
    browse.click()
    assert asked == [folder.field.placeholderText(), "/elsewhere"]
    assert settings.preference("bundles") == (answer or "/elsewhere")


def test_a_row_names_its_control_and_what_has_the_focus(qtbot: Any, settings: Settings, home: Path) -> None:
    folder = SettingFolder(settings, "bundles", home)
    row = SettingRow("Bundle folder", "Where new ones go.", folder)
    qtbot.addWidget(row)
    assert [one.text() for one in row.findChildren(QLabel)][:2] == ["Bundle folder", "Where new ones go."]
    assert folder.accessibleName() == folder.field.accessibleName() == "Bundle folder"
    assert folder.accessibleDescription() == "Where new ones go." and folder.focusProxy() is folder.field


# -- how much of the disk stages may take ------------------------------------------------------------------------


LIMITS = (("", "default"), ("0", "nothing"), ("1024", "1 KiB"))


@pytest.fixture
def stages(qtbot: Any, home: Path) -> StageCacheChoice:
    made = StageCacheChoice(LIMITS)
    qtbot.addWidget(made)
    made.show()
    return made


def test_a_limit_that_is_chosen_is_the_engine_s(qtbot: Any, stages: StageCacheChoice) -> None:
    assert stages.currentText() == "default"
    qtbot.keyClick(stages, Qt.Key.Key_Down)
    assert (read_limit(), stages.currentText()) == (0, "nothing")
    stages.choose("")
    assert (read_limit(), stages.currentText()) == (None, "default")


def test_what_the_command_line_chose_is_shown(stages: StageCacheChoice) -> None:
    stages.hide()
    write_limit(3 << 30)
    stages.show()
    assert stages.currentText() == "3.0 GiB" and stages.currentData() == str(3 << 30)


def test_a_damaged_limit_is_reported_and_can_be_chosen_anew(stages: StageCacheChoice, home: Path) -> None:
    told: list[str] = []
    stages.refused.connect(told.append)
    write_limit(7)
    (home / "stage-cache.json").write_text("{}")
    stages.hide()
    stages.show()
    assert len(told) == 1 and "is damaged" in told[0]
    stages.choose("1024")
    assert read_limit() == 1024 and len(told) == 1

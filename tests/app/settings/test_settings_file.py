"""Settings as a file: out and in again, and what is said of a file that cannot be used."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.settings.page import SettingsPage
from app.settings.settings_file import _CHECKS, STAGES, SettingsFileError, read_settings, write_settings
from app.state.settings import PREFERENCES, Settings
from app.window import MainWindow
from workflows.common.stage_cache import read_limit

Make = Callable[..., MainWindow]
GOOD = {"theme": "dark", "language": "de", "zoom": "125", "provider": "qnn", "history.keep": "1000", STAGES: "0"}


def page_of(window: MainWindow) -> SettingsPage:
    window.show_page("settings")
    page = window.stack.page("settings")
    assert isinstance(page, SettingsPage)
    return page


def test_every_preference_is_checked() -> None:
    assert _CHECKS.keys() == {*PREFERENCES, STAGES}
    assert all(_CHECKS[key](value) for key, value in PREFERENCES.items())


def test_out_and_in_again(tmp_path: Path) -> None:
    write_settings(tmp_path / "a.json", GOOD)
    assert read_settings(tmp_path / "a.json") == GOOD


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "holds no settings"),
        (b"{", "holds no settings"),
        (b"[]", "holds no settings"),
        (b'{"theme": "dark"}', "holds no settings"),
        (b'{"joinery_settings": 1, "settings": ["theme"]}', "holds no settings"),
        (b'{"joinery_settings": 2, "settings": {}}', "newer Joinery"),
        (b'{"joinery_settings": "1", "settings": {}}', "holds no settings"),
        (b'{"joinery_settings": 1, "settings": {"theme": "pink"}}', "'theme'"),
        (b'{"joinery_settings": 1, "settings": {"theme": 3}}', "'theme'"),
        (b'{"joinery_settings": 1, "settings": {"zoom": "99"}}', "'zoom'"),
        (b'{"joinery_settings": 1, "settings": {"bundles": "here"}}', "'bundles'"),
        (b'{"joinery_settings": 1, "settings": {"colour": "red"}}', "'colour'"),
        (b'{"joinery_settings": 1, "settings": {"history.keep": "-5"}}', "'history.keep'"),
        (b"[" * 100_000, "holds no settings"),
    ],
)
def test_a_file_that_is_damaged_is_refused_in_one_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(content)
    with pytest.raises(SettingsFileError) as caught:
        read_settings(file)
    message = str(caught.value)
    assert str(file) in message and said in message and message.count(". ") == 0 and message.endswith(".")


def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for act in (
        lambda: read_settings(tmp_path / "none.json"),
        lambda: write_settings(tmp_path / "file" / "a.json", GOOD),
    ):
        with pytest.raises(SettingsFileError, match=str(tmp_path)):
            act()


def test_an_import_replaces_the_settings_and_can_be_undone(qtbot: Any, make_window: Make, home: Path) -> None:
    window = make_window()
    page = page_of(window)
    before = page.values()
    write_settings(home / "other.json", GOOD)
    page.files.import_from(home / "other.json")
    assert Settings(home).preference("theme") == "dark" and page.zoom.currentData() == "125" and read_limit() == 0
    assert window.status.note.message == "The settings of other.json are in effect."
    qtbot.mouseClick(window.status.note.action, Qt.MouseButton.LeftButton)
    assert page.values() == before and read_limit() is None


def test_what_is_exported_comes_back(make_window: Make, home: Path) -> None:
    page = page_of(make_window())
    page.files.import_from(_written(home / "good.json"))
    page.files.export_to(home / "mine.json")
    assert str(home / "mine.json") in page.banner.message
    assert json.loads((home / "mine.json").read_text())["settings"] == {**PREFERENCES, **GOOD}


def test_a_damaged_import_changes_nothing(make_window: Make, home: Path) -> None:
    page = page_of(make_window())
    before = page.values()
    (home / "bad.json").write_text(json.dumps({"joinery_settings": 1, "settings": {"theme": "dark", "zoom": "0"}}))
    page.files.import_from(home / "bad.json")
    assert "'zoom'" in page.banner.message and page.values() == before
    page.files.export_to(home / "bad.json" / "a.json")
    assert os.fspath(home / "bad.json") in page.banner.message


def _written(path: Path) -> Path:
    write_settings(path, GOOD)
    return path

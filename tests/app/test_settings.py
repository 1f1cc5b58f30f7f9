"""The settings page: what is chosen is kept and applied, and can be taken back."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QWidget

from app.main import set_zoom
from app.settings.page import SettingsPage
from app.state.context import AppContext
from app.state.settings import PREFERENCES, Settings
from app.state.unsaved_recipe import free_output_folder
from app.widgets.session_choice import SessionChoice
from app.widgets.theme import theme
from app.window import MainWindow
from tests.fakes.worker import CPU, QNN
from workflows.common.locks import Lock
from workflows.common.stage_cache import read_limit

Make = Callable[..., MainWindow]


def page_of(window: MainWindow) -> SettingsPage:
    window.show_page("settings")
    page = window.stack.page("settings")
    assert isinstance(page, SettingsPage)
    return page


def pick(box: QComboBox, value: str) -> None:
    """As a person does."""
    place = box.findData(value)
    assert place >= 0, value
    box.setCurrentIndex(place)
    box.activated.emit(place)


def test_a_key_and_the_gear_open_it(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert window.stack.current_name == "settings" and window.windowTitle() == "Settings · Joinery"
    window.show_page("home")
    qtbot.mouseClick(window.rail.gear, Qt.MouseButton.LeftButton)
    assert window.stack.current_name == "settings" and window.rail.gear.isChecked()


def test_the_theme_is_applied_and_kept_at_once(make_window: Make, home: Path) -> None:
    window = make_window()
    page = page_of(window)
    pick(page.theme, "dark")
    assert theme().dark and Settings(home).preference("theme") == "dark"
    window.set_theme("light")
    assert page.theme.currentData() == "light"


def test_a_reset_can_be_undone(qtbot: Any, make_window: Make, home: Path) -> None:
    window = make_window()
    page = page_of(window)
    pick(page.theme, "dark")
    pick(page.history_limit, "1000")
    pick(page.stages, "0")
    assert read_limit() == 0
    qtbot.mouseClick(page.reset_button, Qt.MouseButton.LeftButton)
    assert read_limit() is None and page.stages.currentData() == ""
    assert (
        Settings(home).preferences() == PREFERENCES
        and page.history_limit.currentData() == ""
        and theme().mode == "system"
    )
    qtbot.mouseClick(window.status.note.action, Qt.MouseButton.LeftButton)
    assert page.history_limit.currentData() == "1000" and page.theme.currentData() == "dark" and theme().dark
    assert read_limit() == 0 and page.stages.currentData() == "0"


def test_bundles_go_where_the_settings_say(make_window: Make, make_context: Callable[..., AppContext],
                                           home: Path, tmp_path: Path) -> None:  # fmt: skip
    window = make_window()
    page, field = page_of(window), page_of(window).bundles.field
    assert window.context.bundles_folder == home / "bundles"
    field.setText(str(tmp_path / "elsewhere"))
    field.editingFinished.emit()
    assert (
        window.context.bundles_folder
        == free_output_folder(window.context.unsaved_recipe).parent
        == tmp_path / "elsewhere"
    )
    assert make_context().bundles_folder == tmp_path / "elsewhere"
    (tmp_path / "file").write_text("")
    for wrong in (str(tmp_path / "file"), "not/whole"):
        field.setText(wrong)
        field.editingFinished.emit()
        assert f"{wrong} is not a folder" in window.banner.message
        assert field.text() == str(tmp_path / "elsewhere")
    page.reset()
    assert window.context.bundles_folder == home / "bundles" and field.text() == ""


def test_the_provider_is_what_chat_begins_with(make_window: Make, make_context: Callable[..., AppContext]) -> None:
    make_context().settings.set("provider", "qnn")
    window = make_window()
    choices = window.stack.page("chat").findChildren(SessionChoice)
    assert [one.chosen[0] for one in choices] == ["qnn"]
    choices[0].set_devices([CPU, QNN])
    assert choices[0].chosen[0] == ("qnn" if QNN.usable else "cpu")
    choices[0].prefer("nonesuch")
    choices[0].set_devices([CPU])
    assert choices[0].chosen[0] == "cpu"


@pytest.mark.parametrize(("kept", "asked"), [("", 0), ("100", 100), ("nonsense", 0), ("0", 0)])
def test_the_history_is_cut_at_the_start(
    qtbot: Any, make_context: Callable[..., AppContext], kept: str, asked: int
) -> None:
    context = make_context()
    context.settings.set("history.keep", kept)
    context.prune_history()
    assert context._tidying.running == bool(asked)
    qtbot.waitUntil(lambda: not context._tidying.running)


@pytest.mark.parametrize(
    ("zoom", "given", "factor"),
    [("125", "", "1.25"), ("100", "", ""), ("125", "2", "2"), ("0", "", ""), ("much", "", "")],
)
def test_the_size_is_a_factor_unless_the_environment_has_one(
    home: Path, monkeypatch: pytest.MonkeyPatch, zoom: str, given: str, factor: str
) -> None:
    monkeypatch.setenv("QT_SCALE_FACTOR", given)
    if not given:
        monkeypatch.delenv("QT_SCALE_FACTOR")
    settings = Settings(home)
    settings.set("zoom", zoom)
    set_zoom(settings)
    assert os.environ.get("QT_SCALE_FACTOR", "") == factor
    monkeypatch.setenv("QT_SCALE_FACTOR", "1")  # and what set_zoom set is taken back


def test_every_control_has_a_name_and_a_word_of_help(make_window: Make) -> None:
    page = page_of(make_window())
    controls: list[QWidget] = [*page.findChildren(QComboBox), page.bundles]
    assert len(controls) == 7
    assert all(one.accessibleName() and one.accessibleDescription() for one in controls)


@pytest.mark.skipif(os.name == "nt", reason="what Qt leaves there cannot be written by another")
def test_what_killed_windows_left_holds_nobody_up(tmp_path: Path, qapp: object) -> None:
    """A lock in which no process is named yet, for which Qt waits half a minute, and the draft of a file."""
    for name in ("window.ini.lock", "window.ini.aBcDeF"):
        (tmp_path / name).write_text("")
    settings = Settings(tmp_path)
    assert list(tmp_path.iterdir()) == []
    settings.set("theme", "dark")
    assert Settings(tmp_path).preference("theme") == "dark"


def test_what_another_window_writes_now_is_left_to_it(tmp_path: Path, qapp: object) -> None:
    """Its lock is held."""
    lock = Lock(tmp_path / "window.ini.lock")
    lock.acquire()
    (tmp_path / "window.ini.aBcDeF").write_text("half")
    with lock.held():
        Settings(tmp_path)
        assert (tmp_path / "window.ini.aBcDeF").exists()


def test_a_setting_that_cannot_be_saved_is_reported(tmp_path: Path, qapp: object) -> None:
    """It holds until the window is closed; the file is named, and what is free."""
    (tmp_path / "window.ini").mkdir()
    settings, told = Settings(tmp_path), list[str]()
    settings.errorOccurred.connect(told.append)
    settings.set("theme", "dark")
    assert settings.preference("theme") == "dark"
    [message] = told
    assert message.startswith(f"{tmp_path / 'window.ini'} cannot be written") and "MiB are free" in message

"""F1, the list of shortcuts, and About."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QLabel

from app.help.about import about_text, version_facts
from app.help.page_help import page_help
from app.help.shortcuts import action_shortcuts
from app.main import PAGES
from app.window import MainWindow

Make = Callable[..., MainWindow]


@pytest.mark.parametrize("name", [*(page.name for page in PAGES), "settings"])
def test_every_page_has_a_help(qapp: Any, name: str) -> None:
    told = page_help(name)
    assert len(told.what) > 40 and told.what.endswith(".") and told.first.endswith(".")


def test_f1_tells_of_the_page_in_front_and_follows(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    window.show_page("chat")
    help_action = next(one for one in window.every_action() if one.text() == "Help for this page")
    assert help_action.shortcut().toString() == "F1"
    help_action.trigger()
    dialog = window.help.dialog
    assert dialog.isVisible() and dialog.tabs.currentIndex() == 0
    assert dialog.page.title.text() == "Chat" and "conversation" in dialog.page.what.text()
    shown = [part.text() for part in dialog.page.findChildren(QLabel)]
    assert "Shift+Enter" in shown and "a new line" in shown
    window.show_page("devices")
    assert dialog.page.title.text() == "Devices"
    dialog.close()
    window.show_page("home")
    assert dialog.page.title.text() == "Devices"  # nobody looks
    window.help.page()
    assert dialog.page.title.text() == "Home"
    dialog.close()


def test_shortcuts_are_those_of_the_actions_and_can_be_searched(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    for name in window.page_names:
        window.page(name)
    window.help.list()
    sheet = window.help.dialog.shortcuts
    every = sheet.found
    with_keys = {one.text().replace("&", "") for one in window.every_action() if not one.shortcut().isEmpty()}
    assert with_keys <= set(every) and {"Find an action", "Quit", "Keyboard shortcuts", "send"} <= set(every)
    wanted = (("ctrl+k", "Find an action"), ("CHAT new line", "a new line"), ("measure ctrl+5", "Go to Measure"))
    for words, text in wanted:
        sheet.field.setText(words)
        assert text in sheet.found and len(sheet.found) < len(every)
    sheet.field.setText("no such thing")
    assert sheet.found == []
    window.help.dialog.close()


def test_no_two_shortcuts_of_the_window_are_the_same(make_window: Make) -> None:
    window = make_window()
    keys = [one.keys for one in action_shortcuts(window.actions())]
    assert len(keys) == len(set(keys)) > 10


def test_an_action_without_keys_is_none_and_one_twice_is_once(qapp: Any) -> None:
    save, quiet = QAction("&Save"), QAction("Quiet")
    save.setShortcuts(["Ctrl+S", "F2"])
    assert [(one.keys, one.text) for one in action_shortcuts([save, quiet, save])] == [
        ("Ctrl+S", "Save"),
        ("F2", "Save"),
    ]


def test_about_reads_versions_without_importing(qtbot: Any, make_window: Make, home: Path) -> None:
    loaded = {name for name in ("torch", "transformers", "onnxruntime") if name in sys.modules}
    told = {
        name: (version, licence) for name, version, licence in version_facts(("torch", "onnxruntime", "no-such-thing"))
    }
    assert told["torch"][0] == metadata.version("torch") and told["onnxruntime"][1].startswith("MIT")
    assert "no-such-thing" not in told and told["Joinery"][1] == "Apache-2.0"
    assert loaded == {name for name in ("torch", "transformers", "onnxruntime") if name in sys.modules}
    window = make_window()
    window.help.about()
    qtbot.mouseClick(window.help.dialog.about.copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied == about_text(home) and f"torch {metadata.version('torch')}" in copied and copied.endswith(str(home))
    window.help.dialog.close()

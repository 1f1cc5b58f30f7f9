"""An action of a page: found by its words, run by its keys while the page is visible."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.actions import add_action

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window


def test_keys_work_while_the_parent_is_visible(qtbot: QtBot) -> None:
    window, done = QWidget(), list[str]()
    inside, outside = QWidget(), QLineEdit()
    field = QLineEdit(inside)
    column = QVBoxLayout(window)
    for part in (inside, outside):
        column.addWidget(part)
    qtbot.addWidget(window)
    made = add_action(inside, "Do it", lambda: done.append("it"), "Ctrl+D", "refresh")
    assert inside.actions() == [made] and not made.icon().isNull()
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for place in (field, outside):
        place.setFocus()
        qtbot.keyClick(place, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert done == ["it", "it"]
    inside.hide()
    qtbot.keyClick(outside, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert done == ["it", "it"]
    made.trigger()
    assert done == ["it", "it", "it"]
    assert add_action(inside, "No keys", print).shortcut().isEmpty()

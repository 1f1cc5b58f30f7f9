"""The palette by itself: what it lists, how words find, arrows, Enter and the mouse, and where the focus goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget

from app.frame.command_palette import CommandPalette, matches


@pytest.fixture
def done() -> list[str]:
    return []


@pytest.fixture
def palette(qtbot: Any, done: list[str]) -> Iterator[CommandPalette]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 600)
    field = QLineEdit(window)
    every = [QAction(text, window) for text in ("Go to &Home", "Go to Chat", "Quit", "Hidden", "Grey", "")]
    for one in every:
        one.triggered.connect(lambda _checked=False, one=one: done.append(one.text()))
    every[1].setShortcut(QKeySequence("Ctrl+4"))
    every[3].setVisible(False)
    every[4].setEnabled(False)
    made = CommandPalette(lambda: every, window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    field.setFocus()
    yield made


def listed(palette: CommandPalette) -> list[str]:
    return [palette.list.item(at).text() for at in range(palette.list.count())]


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [("", "Quit", True), ("go HOME", "Go to Home", True), ("home go", "Go to Home", True), ("hom", "Go to Home", True),
     ("chat home", "Go to Home", False), ("  ", "Quit", True), ("STRASSE", "straße", True)],
)  # fmt: skip
def test_each_word_is_a_part_wherever_it_stands(words: str, text: str, found: bool) -> None:
    assert matches(words, text) == found


def test_it_lists_what_can_be_done_now_and_the_keys(palette: CommandPalette) -> None:
    palette.open()
    assert listed(palette) == ["Go to Home", "Go to Chat", "Quit"] and palette.list.currentRow() == 0
    assert palette.list.item(1).data(Qt.ItemDataRole.UserRole + 1) == "Ctrl+4"
    assert palette.field.hasFocus() and not palette.grab().isNull()


def test_arrows_move_in_the_list_and_stop_at_its_ends(qtbot: Any, palette: CommandPalette, done: list[str]) -> None:
    palette.open()
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.list.currentRow() == 0
    for _ in range(5):
        qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentRow() == 2
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    qtbot.keyClick(palette.field, Qt.Key.Key_Enter)
    assert done == ["Go to Chat"] and palette.isHidden()


def test_a_click_runs_what_was_clicked(qtbot: Any, palette: CommandPalette, done: list[str]) -> None:
    palette.open()
    at = palette.list.visualItemRect(palette.list.item(2)).center()
    qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert done == ["Quit"] and palette.isHidden()


def test_what_is_not_found_is_reported_and_enter_does_nothing(
    qtbot: Any, palette: CommandPalette, done: list[str]
) -> None:
    palette.open()
    qtbot.keyClicks(palette.field, "paint it black")
    assert listed(palette) == [] and palette._none.isVisible()
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert done == [] and palette.isHidden()
    palette.open()
    assert palette.field.text() == "" and len(listed(palette)) == 3 and not palette._none.isVisible()


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Return])
def test_the_focus_goes_back_to_where_it_was(qtbot: Any, palette: CommandPalette, key: Qt.Key) -> None:
    before = palette._window.focusWidget()
    palette.open()
    qtbot.keyClick(palette.field, key)
    assert palette.isHidden() and before is not None and before.hasFocus()


def test_who_goes_elsewhere_closes_it(palette: CommandPalette, done: list[str]) -> None:
    palette.open()
    palette._window.findChildren(QLineEdit)[0].setFocus()
    assert palette.isHidden() and done == []

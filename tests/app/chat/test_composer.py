"""The box for the prompt by keyboard: sending, lines, editing an earlier prompt, what the button says when."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.composer import MOST_LINES, Composer
from app.chat.intents import EditPrompt, ReplacePrompt, Send, Stop
from app.state.unsent_prompts import UnsentPrompt

Key, Mod = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    made = Composer()
    qtbot.addWidget(made)
    made.resize(600, 200)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.edit.setFocus()
    return made


@pytest.fixture
def told(composer: Composer) -> list[object]:
    """What the composer wanted, in order."""
    wants: list[object] = []
    composer.requested.connect(wants.append)
    return wants


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Enter])
def test_enter_sends_and_empties_the_box(composer: Composer, told: list[object], qtbot: QtBot, key: Key) -> None:
    qtbot.keyClicks(composer.edit, "What is 8 times 7?")
    qtbot.keyClick(composer.edit, key)
    assert told == [Send("What is 8 times 7?")]
    assert composer.unsent_prompt == UnsentPrompt() and not composer.button.isEnabled()


def test_shift_enter_breaks_the_line_and_the_box_grows_to_a_limit(
    composer: Composer, told: list[object], qtbot: QtBot
) -> None:
    heights = [composer.edit.height()]
    for _ in range(MOST_LINES + 3):
        qtbot.keyClick(composer.edit, Key.Key_Return, Mod.ShiftModifier)
        heights.append(composer.edit.height())
    assert told == [] and composer.edit.toPlainText() == "\n" * (MOST_LINES + 3)
    grown = [b - a for a, b in pairwise(heights)]
    assert grown == [composer.edit.fontMetrics().lineSpacing()] * (MOST_LINES - 1) + [0] * 4
    composer.cancel_edit()
    assert composer.edit.height() == heights[0]


@pytest.mark.parametrize("pasted", [True, False])
def test_a_long_word_does_not_stall_the_window(composer: Composer, pasted: bool) -> None:
    """Qt took 6 s to lay out 200,000 letters without a space; lines then end within words, and do not afterwards."""
    modes, word = QTextOption.WrapMode, "x" * 200_000
    begun = time.process_time()
    if pasted:
        data = QMimeData()
        data.setText(word)
        composer.edit.insertFromMimeData(data)
    else:
        composer.show_unsent_prompt(UnsentPrompt(word))
    composer.edit.insertPlainText("y")
    QApplication.processEvents()
    assert composer.edit.toPlainText() == word + "y" and composer.edit.wordWrapMode() == modes.WrapAnywhere
    assert time.process_time() - begun < 3
    composer.edit.setPlainText("short words " * 2000)
    assert composer.edit.wordWrapMode() == modes.WrapAtWordBoundaryOrAnywhere


@pytest.mark.parametrize("text", ["", "   ", "\n\n\t"])
def test_nothing_is_not_sent(composer: Composer, told: list[object], qtbot: QtBot, text: str) -> None:
    composer.edit.setPlainText(text)
    qtbot.keyClick(composer.edit, Key.Key_Return)
    assert told == [] and composer.edit.toPlainText() == text and not composer.button.isEnabled()


def test_while_a_reply_runs_the_next_prompt_is_written_and_waits(
    composer: Composer, told: list[object], qtbot: QtBot
) -> None:
    composer.set_running(True)
    assert composer.button.text() == "Stop" and composer.button.isEnabled()
    qtbot.keyClicks(composer.edit, "next")
    qtbot.keyClick(composer.edit, Key.Key_Return)
    assert told == [] and composer.unsent_prompt == UnsentPrompt("next")
    qtbot.keyClick(composer.edit, Key.Key_Escape)
    qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    assert told == [Stop(), Stop()] and composer.unsent_prompt == UnsentPrompt("next")
    composer.set_running(False)
    assert composer.button.text() == "Send" and composer.button.isEnabled() and composer.edit.hasFocus()
    composer.button.click()
    assert told[2:] == [Send("next")]


def test_without_a_bundle_nothing_can_be_written(composer: Composer, told: list[object]) -> None:
    composer.edit.setPlainText("kept")
    composer.set_enabled(False)
    composer.submit()
    assert told == [] and not composer.edit.isEnabled() and not composer.button.isEnabled()
    composer.set_enabled(True)
    assert composer.unsent_prompt == UnsentPrompt("kept") and composer.button.isEnabled()


def test_an_earlier_prompt_is_sent_in_its_own_place(composer: Composer, told: list[object], qtbot: QtBot) -> None:
    composer.begin_edit(5, "What is 8 times 7?")
    assert composer.unsent_prompt == UnsentPrompt("What is 8 times 7?", 5) and composer.edit.hasFocus()
    qtbot.keyClicks(composer.edit, "!")  # the cursor stands at the end
    qtbot.keyClick(composer.edit, Key.Key_Return)
    assert told == [ReplacePrompt(5, "What is 8 times 7?!")]
    qtbot.keyClicks(composer.edit, "new")
    qtbot.keyClick(composer.edit, Key.Key_Return)
    assert told[1:] == [Send("new")]  # the edit is over


def test_escape_leaves_an_edit_and_nothing_else(composer: Composer, told: list[object], qtbot: QtBot) -> None:
    composer.begin_edit(5, "old")
    qtbot.keyClick(composer.edit, Key.Key_Escape)
    assert composer.unsent_prompt == UnsentPrompt()
    qtbot.keyClicks(composer.edit, "new")
    qtbot.keyClick(composer.edit, Key.Key_Escape)
    assert composer.unsent_prompt == UnsentPrompt("new") and told == []


def test_the_arrow_up_recalls_the_last_prompt_into_an_empty_box_alone(
    composer: Composer, told: list[object], qtbot: QtBot
) -> None:
    qtbot.keyClick(composer.edit, Key.Key_Up)
    assert told == [EditPrompt()]
    composer.edit.setPlainText("a\nb")
    qtbot.keyClick(composer.edit, Key.Key_Up)
    assert told == [EditPrompt()]


def test_the_tabulator_leaves_the_box(composer: Composer, qtbot: QtBot) -> None:
    composer.edit.setPlainText("text")
    qtbot.keyClick(composer.edit, Key.Key_Tab)
    assert composer.button.hasFocus() and composer.edit.toPlainText() == "text"


def test_lines_of_higher_letters_need_no_scroll_bar(composer: Composer) -> None:
    """Chinese, Hindi and Thai come from other fonts, whose lines may be higher."""
    edit = composer.edit
    for text in ("x", "你好，世界", "नमस्ते दुनिया", "สวัสดี", "a\n你好\nนม"):
        edit.setPlainText(text)
        QApplication.processEvents()
        block, needed = edit.document().firstBlock(), 0.0
        while block.isValid():
            needed += edit.blockBoundingRect(block).height()
            block = block.next()
        assert edit.viewport().height() >= needed and not edit.verticalScrollBar().isVisible(), text

"""The tasks of a checkpoint of several parts: one line each, the checkpoint's own first and chosen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from app.builder.task_choice import TaskChoice
from tests.app.builder.test_checkpoint_card import FOUND

TEXT, PICTURES, NOTICE = "text-generation", "image-text-to-text", "This is the text part of Gemma 3 alone."
WHOLE = replace(FOUND, tasks=[PICTURES, TEXT], own_task=PICTURES, left_out={TEXT: NOTICE})


@pytest.fixture
def choice(qtbot: QtBot) -> TaskChoice:
    made = TaskChoice()
    qtbot.addWidget(made)
    return made


def test_it_is_shown_for_several_tasks_alone(choice: TaskChoice) -> None:
    choice.set_report(replace(FOUND, own_task=TEXT), None)
    assert choice.isHidden()
    choice.set_report(WHOLE, None)
    assert not choice.isHidden() and list(choice.cards) == [PICTURES, TEXT]
    lines = {task: card.radio.accessibleDescription() for task, card in choice.cards.items()}
    assert lines == {PICTURES: "Answers prompts of text and pictures.", TEXT: NOTICE}
    assert choice.cards[PICTURES].radio.isChecked()
    choice.set_report(None, None)
    assert choice.isHidden() and not choice.cards


def test_a_click_chooses_and_a_report_does_not(choice: TaskChoice) -> None:
    spy = QSignalSpy(choice.chosen)
    choice.set_report(WHOLE, TEXT)
    assert choice.cards[TEXT].radio.isChecked() and spy.count() == 0
    choice.cards[PICTURES].mousePressEvent(None)  # anywhere on the card
    assert [spy.at(index)[0] for index in range(spy.count())] == [PICTURES]


def test_the_only_task_of_a_part_is_shown_as_a_choice(choice: TaskChoice) -> None:
    choice.set_report(replace(FOUND, own_task=None, left_out={TEXT: NOTICE}), TEXT)
    assert not choice.isHidden() and choice.cards[TEXT].radio.isChecked()

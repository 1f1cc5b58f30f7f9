"""The examples of an empty chat: texts, the shipped pictures with their questions, and the shipped recordings."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.chat.examples import ExamplePrompts, PictureCard, picture_questions
from app.chat.intents import Send
from app.widgets.thumbnail import Thumbnail


def test_a_bundle_that_sees_is_offered_the_shipped_pictures(qtbot: QtBot) -> None:
    examples, sent = ExamplePrompts(), []
    qtbot.addWidget(examples)
    examples.requested.connect(sent.append)
    examples.show_invitation("vision-demo", completes=False, opening=False)
    examples.invite_pictures()
    asks = list(examples.pictures.findChildren(QPushButton))
    assert len(asks) == len(picture_questions()) == 6 and examples.buttons == [] and not examples.pictures.isHidden()
    asks[2].click()
    (asked,) = sent
    assert asked == Send("How many are there?", (asked.files[0],))
    assert Path(asked.files[0]).is_file() and Path(asked.files[0]).name == "3-three-black-squares.png"
    examples.resize(480, 480)  # as beside the lists and the panel in the smallest window
    examples.show()
    cards = examples.findChildren(PictureCard)
    assert all(examples.rect().contains(card.mapTo(examples, card.rect().bottomRight())) for card in cards)
    thumbnail = cards[4].findChild(Thumbnail)
    assert thumbnail is not None and len({card.width() for card in cards}) == 1
    qtbot.mouseClick(thumbnail, Qt.MouseButton.LeftButton)
    assert sent[1].files == (thumbnail.path,)
    examples.show_invitation("qwen3-demo", completes=False, opening=False)
    assert examples.pictures.isHidden() and len(examples.buttons) == 3


def test_a_transcriber_is_offered_the_shipped_recordings(qtbot: QtBot) -> None:
    examples, chosen = ExamplePrompts(), []
    qtbot.addWidget(examples)
    examples.clipChosen.connect(chosen.append)
    examples.invite_recording()
    assert next(one.text() for one in examples.buttons) == "de-drei-fuenf.wav"
    examples.buttons[1].click()
    assert Path(chosen[0]).name == examples.buttons[1].text() and Path(chosen[0]).is_file()


def test_a_long_example_is_cut_at_its_end_where_it_is_narrow(qtbot: QtBot) -> None:
    examples, sent = ExamplePrompts(), []
    qtbot.addWidget(examples)
    examples.requested.connect(sent.append)
    examples.show_invitation("t5-demo", completes=False, opening=False)
    (ask,) = examples.buttons
    whole = ask.accessibleName()
    examples.resize(380, 300)
    examples.show()
    shown = ask.shown_text  # type: ignore[attr-defined]
    assert shown.endswith("…") and whole.startswith(shown[:-1]) and ask.width() <= 380
    ask.click()
    assert sent == [Send(whole)]
    examples.resize(900, 300)
    qtbot.waitUntil(lambda: ask.shown_text == whole)  # type: ignore[attr-defined]

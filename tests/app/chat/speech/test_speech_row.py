"""The choices of a transcript: only what the bundle leaves open, and the request that comes of it."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.chat.speech.speech_row import SpeechRow, language_name
from tests.fakes.worker import SPEECH
from workflows.wire.events import SpeechChoices
from workflows.wire.requests import SoundPrompt


@pytest.fixture
def row(qtbot: QtBot) -> SpeechRow:
    made = SpeechRow()
    qtbot.addWidget(made)
    made.show()
    made.show_choices(SPEECH)
    return made


def entries(row: SpeechRow) -> list[tuple[str, object]]:
    return [(row.language.itemText(place), row.language.itemData(place)) for place in range(row.language.count())]


def test_languages_are_named_as_those_who_speak_them_do(row: SpeechRow) -> None:
    assert entries(row)[1:] == [("Deutsch (de)", "de"), (language_name("en"), "en"), ("xx", "xx")]
    assert language_name("en").endswith("English (en)") and language_name("xx") == "xx"


def test_the_request_has_what_is_chosen(row: SpeechRow) -> None:
    assert row.prompt("a.wav") == SoundPrompt("a.wav")
    row.language.setCurrentIndex(row.language.findData("de"))
    row.task.setCurrentIndex(1)
    row.times.click()
    assert row.prompt("a.wav") == SoundPrompt("a.wav", "de", "translate", timestamps=True)
    row.show_choices(SpeechChoices(languages=["de", "fr"], times=True))  # another bundle has German, too, but one task
    assert row.prompt("a.wav") == SoundPrompt("a.wav", "de", timestamps=True) and not row.task.isVisible()


def test_a_bundle_without_choices_shows_none(row: SpeechRow) -> None:
    row.times.click()
    row.show_choices(SpeechChoices(languages=["en"], tasks=["transcribe"]))
    assert [one.isVisible() for one in (row.language, row.task, row.times)] == [False] * 3
    assert row.prompt("a.wav") == SoundPrompt("a.wav") and row.choose.isVisible()


def test_the_bundles_own_task_comes_first(row: SpeechRow) -> None:
    row.show_choices(SpeechChoices(tasks=["transcribe", "translate"], task="translate"))
    assert [row.task.itemText(place) for place in (0, 1)] == ["Translate into English", "Transcribe"]
    assert row.prompt("a.wav").task is None
    row.task.setCurrentIndex(1)
    assert row.prompt("a.wav").task == "transcribe"

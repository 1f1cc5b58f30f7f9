"""Recordings in the transcript of the chat page: waveform, playing from a segment, what cannot be read or heard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.chat.intents import MoveSound, PlaySegment, PlaySound, SendSound
from app.chat.message_view import MessageView
from app.chat.page import ChatPage
from app.chat.speech.recording_view import RecordingView
from app.chat.speech.recordings import Recordings
from app.state.context import AppContext
from tests.app.chat.speech.fake_player import FakePlayer
from tests.fakes.worker import program
from workflows.wire.requests import SoundPrompt

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
Make = Callable[..., ChatPage]
SOUND = SoundPrompt("/s/call.wav", timestamps=True)


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    """Pages whose chat has a recording with its transcript."""
    made: list[ChatPage] = []

    def build(**scenario: Any) -> ChatPage:
        facts = {"name": "demo", "model_type": "x", "precision": "fp32", "layout": "static", "capacity": 64}
        command = program(listens=True, reply="good morning", **scenario)
        page = ChatPage(AppContext(tmp_path / "home", command, lambda folder: {"path": folder, **facts}))
        qtbot.addWidget(page)
        made.append(page)
        page.resize(900, 700)
        page.context.open_bundle("/b/demo")
        page.show()
        qtbot.waitUntil(lambda: page.context.ready is not None)
        page.do(SendSound(SOUND))
        qtbot.waitUntil(lambda: not page.controller.running and len(page.controller.chat) == 2)
        return page

    yield build
    for page in made:
        page.shut()
        page.hide()
        page.context.close()


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch, qapp: object) -> FakePlayer:
    one = FakePlayer()
    monkeypatch.setattr("app.chat.speech.sound_device.open_player", lambda _owner: one)
    return one


def views(page: ChatPage) -> tuple[RecordingView, MessageView]:
    prompt, reply = page.transcript.views
    assert prompt.recording is not None
    return prompt.recording, reply


def test_a_segment_leads_to_its_place_in_the_recording(make: Make, qtbot: QtBot, player: FakePlayer) -> None:
    page = make()
    recording, reply = views(page)
    qtbot.waitUntil(recording.waveform.isVisible)
    assert recording.waveform.seconds == 10.0 and not recording.note.isVisible()
    assert recording.play.isEnabled() and recording.time.text() == "0:00.0 / 0:10.0"
    assert not page.panel.tabs.isTabVisible(0)  # no system prompt, no tools: a recording is all that is sent
    assert reply.segments is not None
    reply.segments.setFocus()
    qtbot.keyClick(reply.segments, Qt.Key.Key_Down)
    qtbot.keyClick(reply.segments, Qt.Key.Key_Return)
    assert player.calls == [("/s/call.wav", 0.0)] and recording.waveform.span == (0.0, 1.5)
    assert recording.play.accessibleName() == "Pause call.wav"
    player.moved.emit(1.0)
    assert recording.time.text() == "0:01.0 / 0:10.0" and reply.segments.current == 0
    player.moved.emit(4.0)
    assert reply.segments.current == -1
    recording.play.click()
    assert player.calls[-1] == "pause" and recording.play.accessibleName() == "Play call.wav"
    recording.play.click()
    assert player.calls[-1] == ("/s/call.wav", 4.0)
    page.controller.new_chat()
    assert player.calls[-1] == "pause" and page.recordings.playback.playing is None


def test_without_a_loudspeaker_the_button_says_why_and_the_cursor_moves(make: Make, qtbot: QtBot) -> None:
    page = make()
    recording, reply = views(page)
    qtbot.waitUntil(recording.waveform.isVisible)
    assert not recording.play.isEnabled() and "There is no loudspeaker." in recording.play.toolTip()
    assert recording.play.accessibleDescription() == "There is no loudspeaker."
    page.do(MoveSound(1, 3.0))
    assert recording.time.text() == "0:03.0 / 0:10.0"
    assert reply.segments is not None
    reply.segments.chosen.emit(0)
    assert recording.time.text() == "0:00.0 / 0:10.0" and recording.waveform.span == (0.0, 1.5)


def test_the_cursor_is_where_it_was_when_its_message_is_shown_anew(
    make: Make, qtbot: QtBot, player: FakePlayer
) -> None:
    page = make()
    qtbot.waitUntil(views(page)[0].waveform.isVisible)
    page.do(MoveSound(1, 3.0))
    page.transcript.show_path(page.controller.chat)
    page.controller.regenerate()
    qtbot.waitUntil(lambda: not page.controller.running)
    recording, _ = views(page)
    assert recording.time.text() == "0:03.0 / 0:10.0"  # read once
    page.do(PlaySound(2))  # a reply is no recording
    page.do(PlaySegment(1, 0))
    assert player.calls == [] and isinstance(page.recordings, Recordings)


def test_a_file_that_is_no_sound_is_one_sentence(make: Make, qtbot: QtBot) -> None:
    page = make(no_sound="The sound file call.wav cannot be read: No such file or directory.")
    recording, _ = views(page)
    qtbot.waitUntil(lambda: "No such file" in recording.note.text())
    assert recording.note.isVisible() and not recording.waveform.isVisible() and not recording.play.isVisible()


def test_a_player_that_fails_is_reported_above_the_chat(make: Make, qtbot: QtBot, player: FakePlayer) -> None:
    page = make()
    page.do(PlaySound(1))
    player.failed.emit("call.wav cannot be played: no codec")
    assert page.chat_banner.isVisible() and page.recordings.playback.playing is None

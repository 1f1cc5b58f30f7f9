"""One recording at a time, each from its own cursor; without a device cursors move all the same."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.chat.speech.playback import Playback
from tests.app.chat.speech.fake_player import FakePlayer


@pytest.fixture
def player(qapp: object) -> FakePlayer:
    return FakePlayer()


@pytest.fixture
def playback(player: FakePlayer) -> Playback:
    made = Playback(lambda _owner: player)
    made.check()
    return made


def test_each_recording_plays_from_its_cursor(playback: Playback, player: FakePlayer) -> None:
    playback.move(1, "a.wav", 3.0)
    assert player.calls == [] and playback.position(1) == 3.0
    playback.toggle(1, "a.wav")
    player.moved.emit(4.5)
    assert playback.playing == 1 and playback.position(1) == 4.5
    playback.toggle(2, "b.wav")  # in its place
    player.moved.emit(0.5)
    assert (playback.playing, playback.position(1), playback.position(2)) == (2, 4.5, 0.5)
    playback.toggle(2, "b.wav")
    playback.toggle(1, "a.wav")
    assert player.calls == [("a.wav", 3.0), ("b.wav", 0.0), "pause", ("a.wav", 4.5)]


def test_moving_what_plays_goes_on_from_there(playback: Playback, player: FakePlayer) -> None:
    playback.toggle(1, "a.wav")
    playback.move(1, "a.wav", 7.0)
    playback.play_from(1, "a.wav", 2.0)
    assert player.calls == [("a.wav", 0.0), ("a.wav", 7.0), ("a.wav", 2.0)] and playback.playing == 1


def test_the_end_leads_back_to_the_beginning(playback: Playback, player: FakePlayer, qtbot: QtBot) -> None:
    playback.play_from(1, "a.wav", 9.0)
    with qtbot.waitSignal(playback.changed):
        player.ended.emit()
    assert playback.playing is None and playback.position(1) == 0.0
    player.moved.emit(5.0)  # a late one
    assert playback.position(1) == 0.0


def test_a_failure_is_reported_and_another_chat_forgets(playback: Playback, player: FakePlayer, qtbot: QtBot) -> None:
    playback.play_from(1, "a.wav", 2.0)
    with qtbot.waitSignal(playback.failed) as failed:
        player.failed.emit("a.wav cannot be played: no codec")
    assert failed.args == ["a.wav cannot be played: no codec"] and playback.playing is None
    playback.play_from(1, "a.wav", 2.0)
    playback.forget()
    assert playback.playing is None and playback.position(1) == 0.0 and player.calls[-1] == "pause"


def test_without_a_device_the_cursor_moves_and_one_is_looked_for_again(player: FakePlayer) -> None:
    found: list[FakePlayer | str] = ["No loudspeaker."]

    def look(_owner: QObject) -> FakePlayer | str:
        return found[-1]

    playback = Playback(look)
    playback.check()
    assert playback.problem == "No loudspeaker."
    playback.play_from(1, "a.wav", 2.0)
    assert playback.playing is None and playback.position(1) == 2.0
    found.append(player)
    playback.toggle(1, "a.wav")
    assert (playback.problem, playback.playing, player.calls) == ("", 1, [("a.wav", 2.0)])

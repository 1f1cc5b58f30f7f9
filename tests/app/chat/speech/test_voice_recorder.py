"""Recording: a wav file of what was heard, nothing of what was dropped, one sentence for what cannot be."""

from __future__ import annotations

import wave
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.chat.speech import voice_recorder
from app.chat.speech.voice_recorder import VoiceRecorder, save_recording
from tests.app.chat.speech.fake_microphone import FakeMicrophone


@pytest.fixture
def microphone(qapp: object) -> FakeMicrophone:
    return FakeMicrophone()


@pytest.fixture
def recorder(microphone: FakeMicrophone, tmp_path: Path) -> VoiceRecorder:
    made = VoiceRecorder(lambda _owner: microphone)
    made.folder = tmp_path / "recordings"
    return made


def test_what_was_heard_is_in_the_file(recorder: VoiceRecorder, microphone: FakeMicrophone, qtbot: QtBot) -> None:
    recorder.toggle()
    assert recorder.recording and microphone.running
    microphone.speak(-16384, 0.5)
    assert (recorder.seconds, recorder.level) == (0.5, 0.5)
    microphone.speak(100, 0.25)
    with qtbot.waitSignal(recorder.saved) as saved:
        recorder.toggle()
    assert not microphone.running and (recorder.recording, recorder.seconds, recorder.level) == (False, 0.0, 0.0)
    path = Path(saved.args[0])
    assert path.parent == recorder.folder and path.name.startswith("recording-20")
    with wave.open(str(path), "rb") as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (8000, 1, 2)
        samples = file.readframes(10_000)
    assert len(samples) == 2 * 6000 and samples[:2] == (-16384).to_bytes(2, "little", signed=True)


def test_a_dropped_recording_leaves_nothing(
    recorder: VoiceRecorder, microphone: FakeMicrophone, tmp_path: Path
) -> None:
    recorder.toggle()
    microphone.speak(1, 1.0)
    recorder.cancel()
    microphone.speak(1, 1.0)  # late
    assert not recorder.recording and not microphone.running and recorder.seconds == 0.0
    assert list(tmp_path.iterdir()) == []


def test_silence_of_the_device_is_reported(recorder: VoiceRecorder, qtbot: QtBot) -> None:
    recorder.toggle()
    with qtbot.waitSignal(recorder.failed) as failed:
        recorder.toggle()
    assert failed.args[0].startswith("The microphone gave no sound")


def test_a_recording_ends_by_itself(
    recorder: VoiceRecorder, microphone: FakeMicrophone, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voice_recorder, "MOST_SECONDS", 1)
    recorder.toggle()
    with qtbot.waitSignal(recorder.saved):
        microphone.speak(1, 1.0)
    assert not recorder.recording


def test_a_device_that_fails_loses_nothing(recorder: VoiceRecorder, microphone: FakeMicrophone, qtbot: QtBot) -> None:
    recorder.toggle()
    microphone.speak(1, 0.5)
    with qtbot.waitSignals([recorder.saved, recorder.failed]):
        microphone.failed.emit("The microphone cannot be used (IOError).")
    assert not recorder.recording


def test_without_a_microphone_there_is_a_reason_and_one_is_looked_for_again(
    microphone: FakeMicrophone, qtbot: QtBot
) -> None:
    found: list[FakeMicrophone | str] = ["No microphone."]

    def look(_owner: QObject) -> FakeMicrophone | str:
        return found[-1]

    recorder = VoiceRecorder(look)
    with qtbot.waitSignal(recorder.failed) as failed:
        recorder.toggle()
    assert failed.args == ["No microphone."] == [recorder.problem] and not recorder.recording
    found.append(microphone)
    recorder.toggle()
    assert recorder.recording and recorder.problem == ""


def test_a_folder_that_cannot_be_written_is_one_sentence(
    recorder: VoiceRecorder, microphone: FakeMicrophone, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "recordings").write_text("a file")
    recorder.toggle()
    microphone.speak(1, 0.1)
    with qtbot.waitSignal(recorder.failed) as failed:
        recorder.toggle()
    assert "recordings" in failed.args[0]


def test_two_channels_stay_two(tmp_path: Path) -> None:
    with wave.open(str(save_recording(bytes(8), 44100, 2, tmp_path / "a.wav")), "rb") as file:
        assert (file.getnchannels(), file.getnframes(), file.getframerate()) == (2, 2, 44100)

"""The devices of a machine: why there is none, and a file played without a loudspeaker by Qt itself."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.chat.speech import sound_device
from app.chat.speech.sound_device import FilePlayer, multimedia_problem, to_16_bit

REAL_OPEN_PLAYER, REAL_OPEN_MICROPHONE = sound_device.open_player, sound_device.open_microphone
pytestmark = pytest.mark.qt_log_ignore("Couldn't (load|resolve)|FFmpeg|PulseAudio")


def test_a_missing_module_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError("libpulse.so.0: cannot open shared object file")

    monkeypatch.setattr(sound_device, "import_module", missing)
    why = multimedia_problem()
    assert "libpulse.so.0" in why and why.endswith("install the package pyside6-addons.")
    assert REAL_OPEN_PLAYER(QObject()) == why == REAL_OPEN_MICROPHONE(QObject())


@pytest.mark.parametrize(("kind", "values"), [
    ("Int16", np.array([0, 16384, -32768], np.int16)),
    ("Float", np.array([0, 0.5, -1.5], np.float32)),
    ("Int32", np.array([0, 1 << 30, -(1 << 31)], np.int32)),
    ("UInt8", np.array([128, 192, 0], np.uint8)),
])  # fmt: skip
def test_samples_of_any_device_become_16_bits(kind: str, values: NDArray[np.generic]) -> None:
    samples = np.frombuffer(to_16_bit(values.tobytes(), kind), np.int16)
    assert np.allclose(samples, [0, 16384, -32768], atol=2)
    assert np.frombuffer(to_16_bit(np.array([np.nan], np.float32).tobytes(), "Float"), np.int16).tolist() == [0]


def test_qt_plays_a_file_from_a_place_to_its_end(tmp_path: Path, qtbot: QtBot) -> None:
    """Without an output: what plays and where is the same."""
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * 8000)
    if why := multimedia_problem():
        assert why.endswith("install the package pyside6-addons.")
        return
    from PySide6.QtMultimedia import QMediaPlayer

    player, places = FilePlayer(audible=False), list[float]()
    player.moved.connect(places.append)
    player.play(str(tmp_path / "a.wav"), 0.6)
    qtbot.waitUntil(lambda: bool(places) and places[-1] >= 0.9)
    assert min(places) >= 0.6
    player.pause()
    places.clear()
    player.play(str(tmp_path / "a.wav"), 0.3)
    qtbot.waitUntil(lambda: len(places) > 1)
    assert 0.3 <= places[0] < 0.6
    with qtbot.waitSignal(player.ended):  # without an output, Qt does not say so itself
        player._player.mediaStatusChanged.emit(QMediaPlayer.MediaStatus.EndOfMedia)
    (tmp_path / "b.wav").write_bytes(b"no sound at all")
    with qtbot.waitSignal(player.failed) as failed:
        player.play(str(tmp_path / "b.wav"), 0.0)
    assert failed.args[0].startswith("b.wav cannot be played: ")

"""The loudspeaker and the microphone of this machine, by Qt Multimedia; it is imported when first needed.

open_player, open_microphone ──▶ a device, or one sentence that says why there is none
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QIODevice, QObject, QTimer, QUrl, Signal

from app.chat.speech.playback import Player
from app.chat.speech.voice_recorder import Microphone
from app.text.translatable import tr
from workflows.common.errors import printable

if TYPE_CHECKING:
    from PySide6.QtMultimedia import QAudioDevice, QMediaPlayer


def multimedia_problem() -> str:
    """Why Qt Multimedia cannot be used; empty where it can."""
    try:
        import_module("PySide6.QtMultimedia")
    except ImportError as error:
        return tr("Qt Multimedia cannot be loaded ({0}): install the package pyside6-addons.").format(printable(error))
    return ""


def open_player(parent: QObject) -> Player | str:
    """A player on the default output, or why there is none."""
    if problem := multimedia_problem():
        return problem
    from PySide6.QtMultimedia import QMediaDevices

    if not QMediaDevices.audioOutputs():
        return tr("This machine has no sound output: connect a loudspeaker or headphones.")
    return FilePlayer(parent)


def open_microphone(parent: QObject) -> Microphone | str:
    """The default microphone, or why there is none."""
    if problem := multimedia_problem():
        return problem
    from PySide6.QtMultimedia import QMediaDevices

    device = QMediaDevices.defaultAudioInput()
    if device.isNull():
        return tr("This machine has no microphone: connect one, or choose a sound file.")
    return DeviceMicrophone(device, parent)


class FilePlayer(QObject):
    """Plays files by QMediaPlayer, which loads them in threads of its own. See Player."""

    moved = Signal(float)
    ended = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None, *, audible: bool = True) -> None:
        super().__init__(parent)
        from PySide6.QtMultimedia import QAudioOutput, QMediaPlayer

        self._player: QMediaPlayer = QMediaPlayer(self)
        if audible:
            self._player.setAudioOutput(QAudioOutput(self))
        self._path = ""
        self._start_ms: int | None = None  # where to begin once the file is loaded
        self._player.positionChanged.connect(self._on_position)
        self._player.mediaStatusChanged.connect(self._on_status)
        self._player.errorOccurred.connect(self._on_error)

    def play(self, path: str, seconds: float) -> None:
        """See Player."""
        self._start_ms = round(seconds * 1000)
        if path == self._path:
            self._begin()
        else:
            self._path = path
            self._player.setSource(QUrl.fromLocalFile(path))

    def pause(self) -> None:
        """See Player."""
        self._start_ms = None
        self._player.pause()

    def _begin(self) -> None:
        start, self._start_ms = self._start_ms, None
        if start is not None:
            self._player.setPosition(start)
            self._player.play()

    def _on_position(self, position: int) -> None:
        if self._start_ms is None and self._player.isPlaying():
            self.moved.emit(position / 1000)

    def _on_status(self, status: QMediaPlayer.MediaStatus) -> None:
        known = type(status)
        if status in (known.LoadedMedia, known.BufferedMedia):
            self._begin()
        elif status == known.EndOfMedia:
            self.ended.emit()

    def _on_error(self, _kind: object, why: str) -> None:
        name, self._path = Path(self._path).name, ""
        self.failed.emit(tr("{0} cannot be played: {1}").format(name, printable(why, 200)))


RECORDED_RATE = 16_000
"""The rate that models of speech read, in Hz; a device without it records at its own."""
CHECK_MS = 250
"""How often a device that records is checked for errors."""


class DeviceMicrophone(QObject):
    """Hears by QAudioSource, which records in a thread of its own. See Microphone."""

    received = Signal(object)  # bytes
    failed = Signal(str)

    def __init__(self, device: QAudioDevice, parent: QObject | None = None) -> None:
        super().__init__(parent)
        from PySide6.QtMultimedia import QAudioFormat, QAudioSource

        sound = QAudioFormat()
        sound.setSampleRate(RECORDED_RATE)
        sound.setChannelCount(1)
        sound.setSampleFormat(QAudioFormat.SampleFormat.Int16)
        if not device.isFormatSupported(sound):
            sound = device.preferredFormat()
        self.rate, self.channels = sound.sampleRate(), sound.channelCount()
        self._format = sound.sampleFormat().name
        self._source = QAudioSource(device, sound, self)
        self._watch = QTimer(self, interval=CHECK_MS)  # PySide cannot convert the argument of stateChanged
        self._watch.timeout.connect(self._check)
        self._stream: QIODevice | None = None

    def start(self) -> None:
        """See Microphone."""
        self._stream = self._source.start()
        if self._stream is not None:
            self._stream.readyRead.connect(self._read)
        self._watch.start()
        self._check()

    def stop(self) -> None:
        """See Microphone."""
        self._read()
        self._stream = None
        self._watch.stop()
        self._source.stop()

    def _read(self) -> None:
        if self._stream is not None:
            data = bytes(self._stream.readAll().data())
            if samples := to_16_bit(data, self._format):
                self.received.emit(samples)

    def _check(self) -> None:
        if self._watch.isActive() and self._source.error().name != "NoError":
            self._watch.stop()
            self.failed.emit(tr("The microphone cannot be used ({0}).").format(self._source.error().name))


def to_16_bit(data: bytes, kind: str) -> bytes:
    """Samples as 16-bit numbers. kind: the name of a QAudioFormat.SampleFormat."""
    if kind == "Int16":
        return data[: len(data) // 2 * 2]
    import numpy as np  # imported late: it is heavy, and few record

    if kind == "Float":
        values = np.frombuffer(data[: len(data) // 4 * 4], np.float32)
        return (np.clip(np.nan_to_num(values), -1, 1) * 32767).astype(np.int16).tobytes()
    if kind == "Int32":
        return (np.frombuffer(data[: len(data) // 4 * 4], np.int32) >> 16).astype(np.int16).tobytes()
    return ((np.frombuffer(data, np.uint8).astype(np.int16) - 128) << 8).tobytes()  # UInt8

"""The loudspeaker and the microphone of this machine, by Qt Multimedia; it is imported when first needed.

open_player, open_microphone ──▶ a device, or one sentence that says why there is none
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal

from app.chat.speech.playback import Player
from app.text.translatable import tr
from workflows.common.errors import printable

if TYPE_CHECKING:
    from PySide6.QtMultimedia import QMediaPlayer


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

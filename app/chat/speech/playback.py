"""What is heard: one recording at a time, from the place of its cursor.

toggle, play_from, move ──▶ Playback ──Player (app/chat/speech/sound_device.py)──▶ loudspeaker
                               └──changed, moved──▶ views
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance


class Player(Protocol):
    """Plays sound files. moved: seconds from the beginning. failed: a sentence."""

    @property
    def moved(self) -> SignalInstance: ...

    @property
    def ended(self) -> SignalInstance: ...

    @property
    def failed(self) -> SignalInstance: ...

    def play(self, path: str, seconds: float) -> None:
        """Plays a file from a place, instead of what it plays."""

    def pause(self) -> None:
        """Stops playing."""


class Playback(QObject):
    """The cursors of the recordings, and which one plays. open_player: a player, or why there is none.

    A recording is named by the id of its prompt.
    """

    changed = Signal()  # what plays, or the problem
    moved = Signal(int, float)  # recording, seconds
    failed = Signal(str)

    def __init__(self, open_player: Callable[[QObject], Player | str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open_player = open_player
        self._player: Player | None = None
        self._positions: dict[int, float] = {}
        self.playing: int | None = None
        """The recording that plays; None for none."""
        self.problem = ""
        """Why nothing can be heard; found out by `check`."""

    def check(self) -> None:
        """Looks for a device, unless one was found."""
        if self._player is not None:
            return
        found = self._open_player(self)
        if isinstance(found, str):
            self.problem = found
            return
        self._player, self.problem = found, ""
        found.moved.connect(self._on_moved)
        found.ended.connect(self._on_ended)
        found.failed.connect(self._on_failed)

    def position(self, recording: int) -> float:
        """Where the cursor of a recording is, in seconds."""
        return self._positions.get(recording, 0.0)

    def toggle(self, recording: int, path: str) -> None:
        """Pauses a recording that plays; plays another one from its cursor."""
        if self.playing == recording:
            self.stop()
        else:
            self.play_from(recording, path, self.position(recording))

    def play_from(self, recording: int, path: str, seconds: float) -> None:
        """Moves the cursor and plays from there; without a device it only moves."""
        self._move(recording, seconds)
        self.check()
        if self._player is not None:
            self.playing = recording
            self._player.play(path, seconds)
        self.changed.emit()

    def move(self, recording: int, path: str, seconds: float) -> None:
        """Moves the cursor; a recording that plays goes on from there."""
        if self.playing == recording:
            self.play_from(recording, path, seconds)
        else:
            self._move(recording, seconds)

    def stop(self) -> None:
        """Stops what plays; its cursor stays."""
        if self._player is not None and self.playing is not None:
            self._player.pause()
        if self.playing is not None:
            self.playing = None
            self.changed.emit()

    def forget(self) -> None:
        """Stops, and forgets all cursors: another chat is shown."""
        self.stop()
        self._positions.clear()

    def _move(self, recording: int, seconds: float) -> None:
        self._positions[recording] = seconds
        self.moved.emit(recording, seconds)

    def _on_moved(self, seconds: float) -> None:
        if self.playing is not None:
            self._move(self.playing, seconds)

    def _on_ended(self) -> None:
        recording, self.playing = self.playing, None
        if recording is not None:
            self._move(recording, 0.0)
            self.changed.emit()

    def _on_failed(self, why: str) -> None:
        self.stop()
        self.failed.emit(why)

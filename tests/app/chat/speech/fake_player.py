"""A player without a loudspeaker, which notes what it is given."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class FakePlayer(QObject):
    """See Player in app/chat/speech/playback.py."""

    moved = Signal(float)
    ended = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.calls: list[tuple[str, float] | str] = []

    def play(self, path: str, seconds: float) -> None:
        """Notes it."""
        self.calls.append((path, seconds))

    def pause(self) -> None:
        """Notes it."""
        self.calls.append("pause")

"""A microphone without a device: a test speaks into it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class FakeMicrophone(QObject):
    """See Microphone in app/chat/speech/voice_recorder.py."""

    received = Signal(object)
    failed = Signal(str)
    rate, channels = 8000, 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.running = False

    def start(self) -> None:
        """Begins to hear."""
        self.running = True

    def stop(self) -> None:
        """Ends."""
        self.running = False

    def speak(self, value: int, seconds: float) -> None:
        """Samples of one value."""
        self.received.emit(value.to_bytes(2, "little", signed=True) * round(self.rate * seconds))

"""Records from the microphone into a sound file.

toggle ──Microphone (app/chat/speech/sound_device.py)──▶ 16-bit samples ──toggle──▶ thread ──▶ FOLDER/recording-….wav
                                                                     └──cancel──▶ nothing
"""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

from app.jobs.background_tasks import BackgroundTasks
from workflows.common.files import write_atomically

MOST_SECONDS = 30 * 60
"""A recording ends by itself after this time; it is in memory until then."""


class Microphone(Protocol):
    """Hears sound: `received` carries 16-bit samples as bytes, of all channels; `failed` a sentence."""

    @property
    def rate(self) -> int: ...

    @property
    def channels(self) -> int: ...

    @property
    def received(self) -> SignalInstance: ...

    @property
    def failed(self) -> SignalInstance: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...


class VoiceRecorder(QObject):
    """Records one file at a time. open_microphone: a microphone, or why there is none.

    folder: where files are saved; None until the page sets it.
    """

    begun = Signal()
    changed = Signal()  # recording, seconds, level or problem
    saved = Signal(str)  # the path of a complete recording
    failed = Signal(str)

    def __init__(self, open_microphone: Callable[[QObject], Microphone | str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open_microphone = open_microphone
        self._microphone: Microphone | None = None
        self._tasks = BackgroundTasks(self)
        self._samples = bytearray()
        self.folder: Path | None = None
        self.recording = False
        self.level = 0.0
        """The loudest sample of the last part, from 0 to 1."""
        self.problem = ""
        """Why nothing can be recorded; found out by `check`."""

    @property
    def seconds(self) -> float:
        """The length so far."""
        one = self._microphone
        return len(self._samples) / (2 * one.channels * one.rate) if one is not None else 0.0

    def check(self) -> None:
        """Looks for a microphone, unless one was found."""
        if self._microphone is None:
            found = self._open_microphone(self)
            if isinstance(found, str):
                self.problem = found
            else:
                self._microphone, self.problem = found, ""
                found.received.connect(self._on_heard)
                found.failed.connect(self._on_failed)
        self.changed.emit()

    def toggle(self) -> None:
        """Begins a recording, or ends and saves it."""
        if self.recording:
            self.finish()
        else:
            self._begin()

    def _begin(self) -> None:
        self.check()
        if self._microphone is None:
            self.failed.emit(self.problem)
            return
        self._samples.clear()
        self.recording, self.level = True, 0.0
        self.begun.emit()
        self._microphone.start()
        self.changed.emit()

    def finish(self) -> None:
        """Ends a recording and saves it; `saved` or `failed` follows."""
        one = self._microphone
        if not self.recording or one is None:
            return
        samples = self._stop()
        if not samples:
            self.failed.emit(self.tr("The microphone gave no sound: check whether it is muted or used elsewhere."))
        elif self.folder is not None:
            path = self.folder / f"recording-{datetime.now():%Y-%m-%d-%H%M%S}.wav"
            save = partial(save_recording, samples, one.rate, one.channels, path)
            self._tasks.run(save, lambda saved: self.saved.emit(str(saved)), self.failed.emit)

    def cancel(self) -> None:
        """Ends a recording and forgets it."""
        if self.recording:
            self._stop()

    def _stop(self) -> bytes:
        """Ends the recording; returns its samples."""
        self.recording, self.level = False, 0.0
        assert self._microphone is not None
        self._microphone.stop()
        samples = bytes(self._samples)
        self._samples.clear()
        self.changed.emit()
        return samples

    def _on_heard(self, samples: bytes) -> None:
        if not self.recording:
            return
        self._samples += samples
        import numpy as np  # imported late: it is heavy, and few record

        values = np.frombuffer(samples, np.int16).astype(np.int32)
        self.level = float(np.abs(values).max()) / 32768 if len(values) else 0.0
        self.changed.emit()
        if self.seconds >= MOST_SECONDS:
            self.finish()

    def _on_failed(self, why: str) -> None:
        if self.recording:
            self.finish()  # what was heard so far is not lost
        self._microphone = None  # another one is looked for next time
        self.failed.emit(why)


def save_recording(samples: bytes, rate: int, channels: int, path: Path) -> Path:
    """Writes 16-bit samples as a wav file; returns its path. Raises OSError."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples)
    write_atomically(path, buffer.getvalue())
    return path

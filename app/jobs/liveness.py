"""Whether a worker that was asked for something still lives: looked at once a second, and asked where that is not seen.

    look ──▶ it said something, computed, or waits for a disk? ──yes──▶ alive
               └──no──▶ a ping, which a thread of its own answers ──▶ LOOKS later still nothing ──▶ hangs

What computes or loads for long is alive, with or without the interpreter's lock, and so is what waits for a processor.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, Signal

LOOKS, LOOKS_AT_START = 3, 15
"""Looks without a sign of life, one a second, until a worker counts as hung; a process begins before it can answer."""


class LivenessMonitor(QObject):
    """Of one worker after the other. ping: asks the one that runs for a word."""

    changed = Signal(bool)
    """Whether it hangs; False once it is heard of again, or has ended."""

    def __init__(self, ping: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ping = ping
        self._missed, self._spent, self._heard, self._hangs = 0, -1.0, False, False

    def hear(self) -> None:
        """It said something."""
        self._heard = True
        self._live()

    def end(self) -> None:
        """Nobody waits for it, or it is gone; the next one begins anew."""
        self._spent, self._heard = -1.0, False
        self._live()

    def look(self, pid: int) -> None:
        """A second later: something is asked of the process `pid`."""
        if self._moves(pid):
            self._live()
            return
        self._missed += 1
        if self._missed == 1:
            self._ping()
        if self._missed == (LOOKS if self._heard else LOOKS_AT_START):
            self._hangs = True
            self.changed.emit(True)

    def _live(self) -> None:
        self._missed = 0
        if self._hangs:
            self._hangs = False
            self.changed.emit(False)

    def _moves(self, pid: int) -> bool:
        """Whether it has computed since the last look, or would if the machine let it."""
        import psutil

        try:
            times = psutil.Process(pid).cpu_times()
        except psutil.Error:
            return True  # it ends: that is told by itself
        spent, self._spent = self._spent, times.user + times.system
        return spent != self._spent or _is_held_up(pid)


def _is_held_up(pid: int) -> bool:
    """Whether a thread of it waits for a processor or a disk; only Linux says so of each."""
    if sys.platform != "linux":
        return False
    for task in Path(f"/proc/{pid}/task").glob("*/stat"):
        with suppress(OSError):
            if task.read_text("utf-8", "replace").rpartition(")")[2].split()[0] in ("R", "D"):
                return True
    return False

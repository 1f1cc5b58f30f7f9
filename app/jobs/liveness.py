"""Detects a worker process that hangs, by a check once a second while it has work.

    check ──▶ it wrote something, computed, or waits for a disk? ──yes──▶ alive
               └──no──▶ a ping, which a thread of the worker answers ──▶ no answer for CHECKS checks ──▶ hung

A process that computes or loads for long is alive, with or without the interpreter's lock; so is one that waits for a
processor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from workflows.process.activity import ProcessActivity

CHECKS, CHECKS_AT_START = 3, 15
"""Checks without a sign of life, one a second, before a worker counts as hung; a starting process answers late."""


class LivenessMonitor(QObject):
    """Monitors one process after the other. ping: sends a request that the process answers at once."""

    hung = Signal(bool)
    """Emitted with True when the process hangs, with False when it lives again or has ended."""

    def __init__(self, ping: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ping = ping
        self._missed, self._has_output, self._hangs = 0, False, False
        self._activity: ProcessActivity | None = None
        self.remote = False
        """Whether the process only connects to the one that works: its own activity is no sign of life then."""

    def note_output(self) -> None:
        """The process wrote something."""
        self._has_output = True
        self._set_alive()

    def end(self) -> None:
        """The process has no work, or has ended."""
        self._has_output, self._activity = False, None
        self._set_alive()

    def check(self, pid: int) -> None:
        """Checks the process `pid`, which has work."""
        if not self.remote and self._is_active(pid):
            self._set_alive()
            return
        self._missed += 1
        if self._missed == 1:
            self._ping()
        if self._missed == (CHECKS if self._has_output else CHECKS_AT_START):
            self._hangs = True
            self.hung.emit(True)

    def _set_alive(self) -> None:
        self._missed = 0
        if self._hangs:
            self._hangs = False
            self.hung.emit(False)

    def _is_active(self, pid: int) -> bool:
        """Whether the process has computed since the last check, or waits for a processor or a disk."""
        from workflows.process.activity import ProcessActivity  # imports psutil: not while the window starts

        self._activity = self._activity or ProcessActivity()
        return self._activity.sample(pid)


class ProcessMonitor(LivenessMonitor):
    """Samples memory and life of a process once a second. watched: its id (0 for none), and whether it has work."""

    memory = Signal(object)  # resident bytes; 0 when no process runs

    def __init__(
        self, ping: Callable[[], object], watched: Callable[[], tuple[int, bool]], parent: QObject | None = None
    ) -> None:
        super().__init__(ping, parent)
        self._watched = watched
        self._timer = QTimer(self, interval=1000)
        self._timer.timeout.connect(self._sample)

    def start(self) -> None:
        """A process starts."""
        self._timer.start()

    def stop(self) -> None:
        """The process has ended."""
        self._timer.stop()
        self.end()
        self.memory.emit(0)

    def _sample(self) -> None:
        import psutil

        pid, busy = self._watched()
        if busy and pid:
            self.check(pid)
        else:
            self.end()
        if self.remote and pid:
            return  # the worker there reports its own
        try:
            self.memory.emit(psutil.Process(pid).memory_info().rss if pid else 0)
        except psutil.Error:
            self.memory.emit(0)

"""Whether another process works: it computes, or it waits for a processor or a disk."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import psutil


class ProcessActivity:
    """Samples one process after the other; the first sample of each counts as activity."""

    def __init__(self) -> None:
        self._spent = -1.0

    def sample(self, pid: int) -> bool:
        """Whether the process has computed since the last sample, waits for a processor or a disk, or has ended."""
        try:
            times = psutil.Process(pid).cpu_times()
        except psutil.Error:
            return True  # it has ended, which is reported elsewhere
        spent, self._spent = self._spent, times.user + times.system
        return spent != self._spent or is_waiting(pid)


def is_waiting(pid: int) -> bool:
    """Whether a thread of the process waits for a processor or a disk; known on Linux only."""
    if sys.platform != "linux":
        return False
    for task in Path(f"/proc/{pid}/task").glob("*/stat"):
        with suppress(OSError):
            if task.read_text("utf-8", "replace").rpartition(")")[2].split()[0] in ("R", "D"):
                return True
    return False

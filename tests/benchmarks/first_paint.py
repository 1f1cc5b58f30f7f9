"""Opens the window as `python -m app` does, writes the clock at its first picture to stdout, and closes it.

    python -m tests.benchmarks.first_paint

The figure is CLOCK_MONOTONIC in nanoseconds, which the process that started this one can compare with its own.
"""

from __future__ import annotations

import sys
import time

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent

from app import main as entry
from app.window import MainWindow


class WatchedWindow(MainWindow):
    """A main window that tells when its first picture is finished."""

    _told = False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt's name: the children are painted after this and before the event loop goes on."""
        super().paintEvent(event)
        if not self._told:
            self._told = True
            QTimer.singleShot(0, self, self._tell)

    def _tell(self) -> None:
        sys.stdout.write(f"{time.monotonic_ns()}\n")
        sys.stdout.flush()
        self.close()


if __name__ == "__main__":
    entry.MainWindow = WatchedWindow  # type: ignore[misc]
    sys.exit(entry.main(sys.argv[1:]))

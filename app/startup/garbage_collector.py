"""Collects garbage in the window's thread alone.

Python collects in whichever thread allocates the next object. In a background task that could destroy a widget, which
Qt allows in the window's thread only: the process would crash, seldom and elsewhere.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 1000
_OLDEST = 2


class GarbageCollector(QObject):
    """Stands for Python's automatic collector, with its thresholds, while it lives. Make it in the window's thread."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collects the oldest generation whose threshold was reached, and those younger than it."""
        reached = zip(range(_OLDEST + 1), gc.get_count(), gc.get_threshold(), strict=True)
        due = [generation for generation, count, threshold in reached if count > threshold]
        if due:
            gc.collect(due[-1])

    def close(self) -> None:
        """Hands collecting back to Python."""
        self._timer.stop()
        gc.enable()

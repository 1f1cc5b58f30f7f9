"""A pulse in the GUI thread: how long the event loop was away, how much of that it worked itself, and at what.

A gap with little processor time of its own is the scheduler's or the disk's; one that is full of it is ours.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer

BEAT_MS = 5
LIMIT_MS = 50.0


@dataclass(frozen=True, slots=True)
class Gap:
    """Milliseconds between two beats, those that this thread computed in them, and what was done last."""

    wall: float
    own: float
    doing: str


class Heartbeat:
    """Records gaps while it runs; `doing` names what the benchmark does at the moment."""

    def __init__(self) -> None:
        self.gaps: list[Gap] = []
        self.doing = ""
        self.since = 0.0  # the clock at the last beat; 0 while it does not run
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._wall = self._own = 0.0

    def start(self) -> None:
        """From now on."""
        self.gaps.clear()
        self._wall, self._own = time.perf_counter(), time.thread_time()
        self.since = self._wall
        self._timer.start()

    def stop(self) -> None:
        """Until now; a gap that is still open counts."""
        self._beat()
        self._timer.stop()
        self.since = 0.0

    def _beat(self) -> None:
        wall, own = time.perf_counter(), time.thread_time()
        self.gaps.append(Gap((wall - self._wall) * 1000, (own - self._own) * 1000, self.doing))
        self._wall, self._own = wall, own
        self.since = wall

    def figures(self) -> dict[str, float]:
        """The worst gap, p99, the worst share of our own, how many are over the limit, and the thread's load."""
        walls = sorted(gap.wall for gap in self.gaps)
        return {
            "worst_ms": walls[-1],
            "p99_ms": walls[int(len(walls) * 0.99)],
            "worst_own_ms": max(gap.own for gap in self.gaps),
            "over_limit": sum(wall > LIMIT_MS for wall in walls),
            "busy_percent": 100 * sum(gap.own for gap in self.gaps) / sum(walls),
        }

    def worst(self, count: int = 4) -> list[Gap]:
        """The longest gaps, longest first."""
        return sorted(self.gaps, key=lambda gap: -gap.wall)[:count]

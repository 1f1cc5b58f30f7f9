"""Long work in the GUI thread: a generator that runs for one time slice per turn of the event loop.

generator ──≤ SLICE_MS──▶ events ──≤ SLICE_MS──▶ events … ──▶ done(result) | failed(ValueError)

A thread would not help: Python threads compute one at a time, so the window would wait as well.
Garbage collection is off during a slice and skips its objects afterwards (300 ms for 20,000 nodes): they form no
reference cycles, so reference counting frees them.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Generator
from typing import Any

from PySide6.QtCore import QObject, QTimer

SLICE_MS = 10.0


class TimeSlicer(QObject):
    """Runs one generator at a time; the next one replaces one that has not ended."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work: Generator[None, None, Any] | None = None
        self._ended = False
        self._done: Callable[[Any], object]
        self._failed: Callable[[ValueError], object]
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._turn)

    @property
    def busy(self) -> bool:
        """Whether a generator runs."""
        return self._work is not None

    def run(
        self,
        work: Generator[None, None, Any],
        done: Callable[[Any], object] = lambda _result: None,
        failed: Callable[[ValueError], object] = lambda _error: None,
        later: bool = False,
    ) -> None:
        """Runs the first slice at once, so that short work is done on return; later: in the next turn."""
        self.stop()
        self._work, self._done, self._failed = work, done, failed
        self._ended = False
        if later:
            self._timer.start()
        else:
            self._turn()

    def stop(self) -> None:
        """Drops the running generator."""
        if self._work is not None:
            self._work.close()
        self._work = None
        self._timer.stop()

    def _turn(self) -> None:
        work = self._work
        if work is None:
            return
        end = time.perf_counter() + SLICE_MS / 1000
        collected = gc.isenabled()
        gc.disable()
        try:
            next(work)
            while time.perf_counter() < end:
                next(work)
        except StopIteration as stop:
            if self._ended or time.perf_counter() < end - SLICE_MS / 2000:
                self._work = None
                self._done(stop.value)
            else:
                self._work, self._ended = _finished(stop.value), True  # `done` has its own turn
                self._timer.start()
        except ValueError as error:
            self._work = None
            self._failed(error)
        else:
            self._timer.start()
        finally:
            gc.freeze()
            if collected:
                gc.enable()


def _finished(result: Any) -> Generator[None, None, Any]:
    """A generator that returns a known result."""
    yield from ()
    return result


def run_at_once(work: Generator[None, None, Any]) -> Any:
    """Runs a generator to its end and returns its result."""
    while True:
        try:
            next(work)
        except StopIteration as stop:
            return stop.value

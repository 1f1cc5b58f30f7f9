"""Long work in the GUI thread, a slice a turn of the event loop: a generator in, what it returns out.

generator ──≤ SLICE_MS──▶ events ──≤ SLICE_MS──▶ events … ──▶ done(result) | failed(ValueError)

The interpreter computes in one thread at a time, so that a thread of its own would make the window wait as well.
The garbage collector does not look through what is made meanwhile (300 ms for 20,000 nodes): what it is made of has no
circles of references, and goes when the last one who holds it goes.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Generator
from typing import Any

from PySide6.QtCore import QObject, QTimer

SLICE_MS = 10.0


class TimeSlicer(QObject):
    """Runs one generator at a time; the next one takes the place of one that is not done."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work: Generator[None, None, Any] | None = None
        self._ended = False
        self._done: Callable[[Any], object] = lambda _result: None
        self._failed: Callable[[ValueError], object] = lambda _error: None
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._turn)

    @property
    def busy(self) -> bool:
        """Whether something is being worked at."""
        return self._work is not None

    def run(
        self,
        work: Generator[None, None, Any],
        done: Callable[[Any], object],
        failed: Callable[[ValueError], object],
        later: bool = False,
    ) -> None:
        """Begins at once, and what is short is done when this returns; later: in the next turn of the event loop."""
        self.stop()
        self._work, self._done, self._failed = work, done, failed
        self._ended = False
        if later:
            self._timer.start()
        else:
            self._turn()

    def stop(self) -> None:
        """Leaves what is being worked at."""
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
                self._work, self._ended = _found(stop.value), True  # what follows has a turn of its own
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


def _found(result: Any) -> Generator[None, None, Any]:
    """Work that is done: its result."""
    yield from ()
    return result


def run_at_once(work: Generator[None, None, Any]) -> Any:
    """The result of a generator, at once."""
    while True:
        try:
            next(work)
        except StopIteration as stop:
            return stop.value

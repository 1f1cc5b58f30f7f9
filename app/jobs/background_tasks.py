"""Short work that may wait for a disk or a lock, in a thread, one piece after another.

    run(work, done, failed) ──thread──▶ work() ──poll in the GUI thread──▶ done(result) │ failed(sentence)

For what computes long there are workers: the interpreter computes in one thread at a time.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer

from workflows.common.errors import JoineryError

Result = TypeVar("Result")
POLL_MS = 4
EXPECTED = (OSError, JoineryError)


class BackgroundTasks(QObject):
    """One thread at a time, which ends with its piece of work. Failures other than EXPECTED are raised here."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[tuple[threading.Thread, Callable[[], object]]] = deque()
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._poll)

    def run(
        self, work: Callable[[], Result], done: Callable[[Result], object], failed: Callable[[str], object]
    ) -> None:
        """Begins once what was asked before has ended."""
        future = Future[Result]()

        def act() -> None:
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - raised, or told, in the GUI thread
                future.set_exception(error)

        def deliver() -> None:
            if not future.done():
                return
            self._next()
            try:
                result = future.result()
            except EXPECTED as error:
                failed(str(error))
            else:
                done(result)

        self._waiting.append((threading.Thread(target=act, name="aside", daemon=True), deliver))
        if len(self._waiting) == 1:
            self._begin()

    def close(self) -> None:
        """Leaves what has not begun; what has ends in a moment, and is told nobody."""
        self._timer.stop()
        if self._waiting:
            self._waiting[0][0].join(1.0)
        self._waiting.clear()

    def _begin(self) -> None:
        self._waiting[0][0].start()
        self._timer.start()

    def _next(self) -> None:
        self._waiting.popleft()
        self._timer.stop()
        if self._waiting:
            self._begin()

    def _poll(self) -> None:
        self._waiting[0][1]()

"""Short tasks that may wait for a disk or a lock, run in a thread, one after another.

    run(task, done, failed) ──thread──▶ task() ──poll in the GUI thread──▶ done(result) │ failed(message)

Long computations belong in a worker process: Python threads compute one at a time.
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
    """Runs one task at a time, each in its own thread. Exceptions other than EXPECTED are raised in the GUI thread."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[tuple[threading.Thread, Callable[[], object]]] = deque()
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._poll)

    def run(
        self, work: Callable[[], Result], done: Callable[[Result], object], failed: Callable[[str], object]
    ) -> None:
        """Starts `work` after the tasks before it have ended."""
        future = Future[Result]()

        def act() -> None:
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - raised or reported in the GUI thread
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

        self._waiting.append((threading.Thread(target=act, name="background", daemon=True), deliver))
        if len(self._waiting) == 1:
            self._begin()

    def close(self) -> None:
        """Drops the tasks that have not started; the running one ends soon and reports nothing."""
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

"""A worker that has imported what a build takes seconds to import, and waits for the next build.

    prepare() ──Warm──▶ waiting ──take()──▶ the build's own, for that one alone
                           └─ IDLE_MS, or memory runs short ─▶ let go

No process builds twice: what a checkpoint's own code, a plugin or a library left behind in one is of no later build,
and the peak of memory that a build tells is its own.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.jobs.worker_client import WorkerClient
from workflows.wire.requests import PreloadModules

IDLE_MS = 5 * 60_000
NEEDED_BYTES = 4 << 30
"""Bytes that must be free for one to be prepared: it takes a tenth, and the build that comes more."""
RELEASE_BELOW_BYTES = 3 << 29
"""Bytes below which one that waits is let go."""


def free_memory() -> int:
    """Bytes that a worker could still take without swapping, within the control group of the window."""
    from workflows.common.memory import free_bytes  # psutil: not while the window starts

    return free_bytes()


class SpareWorker(QObject):
    """At most one, made by `new_worker`."""

    def __init__(
        self,
        new_worker: Callable[[], WorkerClient],
        parent: QObject | None = None,
        free: Callable[[], int] = free_memory,
    ) -> None:
        super().__init__(parent)
        self._new_worker, self._free = new_worker, free
        self._worker: WorkerClient | None = None
        self._idle = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._idle.timeout.connect(self.let_go)

    @property
    def waiting(self) -> bool:
        """Whether there is one."""
        return self._worker is not None

    def prepare(self) -> None:
        """Has one wait, where memory allows it; one that waits already stays as long again."""
        if self._worker is None and self._free() >= NEEDED_BYTES:
            self._start(self._new_worker())
        if self._worker is not None:
            self._idle.start()

    def take(self) -> WorkerClient:
        """The one that waits, which is the caller's from now on, or else a new one."""
        return self._release() or self._new_worker()

    def let_go(self) -> None:
        """None waits any more."""
        worker = self._release()
        if worker is not None:
            worker.retire()

    def _start(self, worker: WorkerClient) -> None:
        if worker.over:  # the window closes
            worker.retire()
            return
        worker.background = True
        worker.crashed.connect(self.let_go)
        worker.memory.connect(self._look)
        self._worker = worker
        worker.request(PreloadModules())

    def _release(self) -> WorkerClient | None:
        worker, self._worker = self._worker, None
        self._idle.stop()
        if worker is not None:
            worker.crashed.disconnect(self.let_go)
            worker.memory.disconnect(self._look)
        return worker

    def _look(self) -> None:
        if self._free() < RELEASE_BELOW_BYTES:
            self.let_go()

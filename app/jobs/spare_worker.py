"""A worker that has imported what a build needs (which takes seconds), and waits for the next build.

    prepare() ──Warm──▶ waiting ──take()──▶ the worker of one build
                           └─ IDLE_MS, or memory runs short ─▶ discarded

No process builds twice. What a checkpoint's code, a plugin or a library leaves behind in a process cannot affect a
later build, and each build reports its own peak memory.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.jobs.worker_client import WorkerClient
from workflows.wire.requests import PreloadModules

IDLE_MS = 5 * 60_000
NEEDED_BYTES = 4 << 30
"""Free bytes needed to prepare a worker: it takes a tenth of it, and the build that follows takes more."""
RELEASE_BELOW_BYTES = 3 << 29
"""A waiting worker is discarded when less memory is free."""


def free_memory() -> int:
    """Bytes that a worker could take without swapping, within the control group of the window."""
    from workflows.common.memory import free_bytes  # imports psutil: not while the window starts

    return free_bytes()


class SpareWorker(QObject):
    """At most one waiting worker, made by `new_worker`."""

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
        self._idle.timeout.connect(self.discard)

    @property
    def waiting(self) -> bool:
        """Whether a worker waits."""
        return self._worker is not None

    def prepare(self) -> None:
        """Prepares a worker if memory allows; one that waits already waits IDLE_MS longer."""
        if self._worker is None and self._free() >= NEEDED_BYTES:
            self._start(self._new_worker())
        if self._worker is not None:
            self._idle.start()

    def take(self) -> WorkerClient:
        """Returns the waiting worker, or a new one; the caller owns it from now on."""
        return self._release() or self._new_worker()

    def discard(self) -> None:
        """Ends the waiting worker."""
        worker = self._release()
        if worker is not None:
            worker.retire()

    def _start(self, worker: WorkerClient) -> None:
        if worker.refusing:  # the window closes
            worker.retire()
            return
        worker.background = True
        worker.crashed.connect(self.discard)
        worker.memory.connect(self._check_memory)
        self._worker = worker
        worker.request(PreloadModules())

    def _release(self) -> WorkerClient | None:
        worker, self._worker = self._worker, None
        self._idle.stop()
        if worker is not None:
            worker.crashed.disconnect(self.discard)
            worker.memory.disconnect(self._check_memory)
        return worker

    def _check_memory(self) -> None:
        if self._free() < RELEASE_BELOW_BYTES:
            self.discard()

"""Hashes a checkpoint's files while its configuration is read, which takes seconds of imports."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from workflows.checkpoint.checkpoint import Checkpoint
from workflows.wire.events import Event


class BackgroundDigest:
    """Computes a checkpoint's digest in a thread while it is entered; leaving it ends the thread."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="digest")
        self._report: Callable[[Event], None] = lambda _: None
        self._cancelled: Callable[[], bool] = lambda: False
        self._left = False

    def __enter__(self) -> Self:
        self._digest = self._thread.submit(
            self._checkpoint.compute_digest, lambda event: self._report(event), lambda: self._left or self._cancelled()
        )
        return self

    def wait(self, report: Callable[[Event], None], cancelled: Callable[[], bool]) -> str:
        """The digest. Progress is reported meanwhile and not before. Raises as `Checkpoint.compute_digest`."""
        self._report, self._cancelled = report, cancelled
        return self._digest.result()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._left = True
        self._thread.shutdown()

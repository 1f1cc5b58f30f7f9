"""Stopping a model while it is loaded.

    thread that opens: each session ──Loading.of(options)──▶ onnxruntime ──ModelLoadCanceled──▶ Cancelled
    any other thread:  Loading.stop() ──the options' flag──────┘

The flag is looked at between the steps of loading. A plugin that compiles a partition looks at it afterwards, or never:
who cannot wait for that ends the process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import onnxruntime as ort

from workflows.errors import Cancelled


class Loading:
    """The sessions of one model, opened one after another. cancelled: asked before and after each."""

    def __init__(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        self._cancelled, self._stopped = cancelled, False
        self._lock = threading.Lock()
        self._under_way: ort.SessionOptions | None = None

    def stop(self) -> None:
        """Ends the session that is being opened, and lets no other begin; may be called from any thread."""
        with self._lock:
            self._stopped = True
            if self._under_way is not None:
                self._under_way.set_load_cancellation_flag(True)

    @contextmanager
    def of(self, options: ort.SessionOptions) -> Iterator[None]:
        """While a session is opened with `options`. Raises Cancelled in place of what onnxruntime says after `stop`."""
        with self._lock:
            self._under_way = options
        self._check()
        try:
            yield
        except Exception:
            self._check()
            raise
        finally:
            with self._lock:
                self._under_way = None
        self._check()

    def _check(self) -> None:
        if self._stopped or self._cancelled():
            raise Cancelled("The model's loading was cancelled.") from None

"""Stopping a model while it is loaded.

    thread that opens:  with loading: … open_session ──cancellable(options)──▶ onnxruntime ──its error──▶ Cancelled
    any other thread:   loading.stop() ──the options' flag──────────────────────┘

The flag is looked at between the steps of loading. A plugin that compiles a partition looks at it afterwards, or never:
who cannot wait for that ends the process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Self

import onnxruntime as ort

from workflows.common.errors import Cancelled


class LoadCancellation:
    """What is opened within `with loading:` can be stopped. cancelled: asked besides, before and after each session."""

    def __init__(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        self._cancelled, self._stopped = cancelled, False
        self._lock = threading.Lock()
        self._options: ort.SessionOptions | None = None  # of the session that is being opened
        self._before: Token[LoadCancellation | None] | None = None

    def __enter__(self) -> Self:
        self._before = _CURRENT.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        assert self._before is not None
        _CURRENT.reset(self._before)

    def stop(self) -> None:
        """Ends the session that is being opened, and lets no other begin; may be called from any thread."""
        with self._lock:
            self._stopped = True
            if self._options is not None:
                self._options.set_load_cancellation_flag(True)

    def opens(self, options: ort.SessionOptions | None) -> None:
        """Which session is being opened, None for none. Raises Cancelled after `stop`."""
        with self._lock:
            self._options = options
        if self._stopped or self._cancelled():
            raise Cancelled("The model's loading was cancelled.") from None


_CURRENT: ContextVar[LoadCancellation | None] = ContextVar("loading", default=None)


@contextmanager
def cancellable(options: ort.SessionOptions) -> Iterator[None]:
    """While a session is opened with `options`. Raises Cancelled where that is stopped, whatever comes of it."""
    loading = _CURRENT.get()
    if loading is None:
        yield
        return
    loading.opens(options)
    try:
        yield
    finally:
        loading.opens(None)

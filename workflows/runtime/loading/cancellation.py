"""Cancels the loading of a model.

    loading thread:    with loading: … open_session ──cancellable(options)──▶ onnxruntime ──its error──▶ Cancelled
    any other thread:  loading.stop() ──the options' flag──────────────────────┘

onnxruntime reads the flag between the steps of loading; a plugin that compiles a partition reads it afterwards, or
never. A caller that cannot wait ends the process.
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
    """Sessions opened within `with loading:` can be cancelled. cancelled: polled before and after each session."""

    def __init__(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        self._cancelled, self._stopped = cancelled, False
        self._lock = threading.Lock()
        self._options: ort.SessionOptions | None = None  # of the session being opened
        self._before: Token[LoadCancellation | None] | None = None

    def __enter__(self) -> Self:
        self._before = _CURRENT.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        assert self._before is not None
        _CURRENT.reset(self._before)

    def stop(self) -> None:
        """Cancels the session being opened, and all later ones; may be called from any thread."""
        with self._lock:
            self._stopped = True
            if self._options is not None:
                self._options.set_load_cancellation_flag(True)

    def set_current(self, options: ort.SessionOptions | None) -> None:
        """Sets the options of the session being opened; None for no session. Raises Cancelled after `stop`."""
        with self._lock:
            self._options = options
        if self._stopped or self._cancelled():
            raise Cancelled("The model's loading was cancelled.") from None


_CURRENT: ContextVar[LoadCancellation | None] = ContextVar("loading", default=None)


@contextmanager
def cancellable(options: ort.SessionOptions) -> Iterator[None]:
    """Makes the opening of a session with `options` cancellable. Raises Cancelled once it was cancelled."""
    loading = _CURRENT.get()
    if loading is None:
        yield
        return
    loading.set_current(options)
    try:
        yield
    finally:
        loading.set_current(None)

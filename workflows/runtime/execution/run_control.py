"""Runs a binding so that another thread can stop it, and reports onnxruntime's failures in one sentence."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

import onnxruntime as ort

from workflows.common.errors import Cancelled, JoineryError, RequestError, printable
from workflows.common.tensors import Array
from workflows.runtime.execution.binding import Binding
from workflows.runtime.loading.sessions import ORT_ERRORS

_QUICK_S = 0.02


class RunControl:
    """The run options and the state (open, stopped, closed) of a machine. provider: what messages call the device."""

    def __init__(self, provider: str) -> None:
        self.provider = provider
        self._options, self._stopped = ort.RunOptions(), threading.Event()
        self._closed = False
        self._slow = True  # whether the last single token took so long that a person would wait for its end

    def check_open(self) -> None:
        """Raises RequestError after `close`."""
        if self._closed:
            raise RequestError("The model is closed: open the bundle again.")

    def check_running(self) -> None:
        """Raises RequestError after `close`, and Cancelled after `stop`."""
        self.check_open()
        if self._stopped.is_set():
            raise Cancelled("The generation was cancelled.")

    def run(self, bound: Binding, inputs: Mapping[str, Array] | None, step: str, interruptible: bool = True) -> None:
        """Runs `bound` on the cache inputs `inputs`; None for what its arrays hold. step: what a message calls it.

        Raises Cancelled after `stop`, and JoineryError where onnxruntime fails.
        """
        try:
            bound.run(inputs, self._options if interruptible else None)
        except ORT_ERRORS as error:
            if self._stopped.is_set():
                raise Cancelled("The generation was cancelled.") from None
            raise JoineryError(
                f"The {step} step failed on {self.provider}: {printable(error, 200).rstrip('.')}; open the bundle "
                "again, or use another provider."
            ) from error

    def run_tokens(self, bound: Binding, inputs: Mapping[str, Array] | None, step: str, tokens: int) -> None:
        """The same for a run of `tokens` tokens; a quick single token is not interruptible.

        It ends by itself soon enough, and onnxruntime takes 40 µs to look at its options.
        """
        began = time.perf_counter()
        self.run(bound, inputs, step, interruptible=tokens > 1 or self._slow)
        self._slow = time.perf_counter() - began > _QUICK_S if tokens == 1 else self._slow

    def stop(self) -> None:
        """Ends the current run between two nodes; may be called from any thread."""
        self._stopped.set()
        self._options.terminate = True

    def resume(self) -> None:
        """Allows runs again after `stop`."""
        self._stopped.clear()
        self._options.terminate = False

    def close(self) -> None:
        """Allows no further run."""
        self._closed = True

"""Ctrl+C while a model is loaded or runs, handled by a thread because the main thread may be in a driver's code.

    Ctrl+C ──SIGINT──▶ a pipe ──▶ thread: calls stop() at once, and ends the process if the work goes on

Python runs signal handlers in the main thread between two bytecodes; the run of a fused partition or the compilation
of a graph returns to Python only at its end.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from workflows.common.errors import Cancelled, JoineryError

GRACE_S = 1.2  # seconds for the work to stop, so that a user never waits for two seconds
_END = b"\0"  # not the number of a signal


@contextmanager
def stop_on_interrupt(stop: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Yields `cancelled()`, which returns True after Ctrl+C; calls `stop` at once from another thread.

    The process exits with the code of Cancelled if the work continues after GRACE_S, and at a second Ctrl+C.
    """
    interrupted = threading.Event()
    reader, writer = os.pipe()
    if sys.platform != "win32":
        os.set_blocking(writer, False)  # a signal handler must not block

    thread = threading.Thread(target=_listen, args=(reader, interrupted, stop), name="interrupts", daemon=True)
    handler = signal.signal(signal.SIGINT, lambda number, frame: None)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    thread.start()
    try:
        yield interrupted.is_set
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGINT, handler)
        os.write(writer, _END)
        thread.join()
        os.close(reader)
        os.close(writer)


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """Lets Ctrl+C stop the loading of a model. Raises Cancelled."""
    from workflows.runtime import LoadCancellation

    with LoadCancellation() as model, stop_on_interrupt(model.stop) as cancelled:
        try:
            yield
        except JoineryError:
            if cancelled():  # the processes that find devices are interrupted too and fail
                raise Cancelled("Cancelled.") from None
            raise


def _listen(reader: int, interrupted: threading.Event, stop: Callable[[], None]) -> None:
    """Reads signal numbers until _END."""
    timer = threading.Timer(GRACE_S, _exit_process)
    timer.daemon = True
    while (byte := os.read(reader, 1)) != _END:
        if byte != bytes([signal.SIGINT]):
            continue
        if interrupted.is_set():
            _exit_process()
        interrupted.set()
        timer.start()
        stop()
    timer.cancel()


def _exit_process() -> None:
    """Ends the process without waiting for its threads."""
    sys.stderr.write("joinery: Cancelled.\n")
    sys.stderr.flush()
    os._exit(Cancelled.exit_code)

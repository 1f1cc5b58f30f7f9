"""Ctrl+C while a model is loaded or runs: heard by a thread, for the main one may be deep in a driver's code.

    Ctrl+C ─the system's signal─▶ a pipe ─▶ thread: stop() at once, and the end of the process where nothing comes of it

Python tells the main thread of a signal between two lines of Python; a fused partition or a graph that is compiled
comes back to Python only when it is done.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from workflows.common.errors import Cancelled, JoineryError

GRACE_S = 1.2  # in which what can be stopped has stopped, so that a person never waits for two seconds
_END = b"\0"  # no signal has this number


@contextmanager
def stop_on_interrupt(stop: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Gives a question `cancelled()` that Ctrl+C answers with yes; `stop` is called at once, from another thread.

    Where the work still goes on after GRACE_S, or at a second Ctrl+C, the process ends with the exit code of Cancelled.
    """
    asked = threading.Event()
    heard, said = os.pipe()
    if sys.platform != "win32":
        os.set_blocking(said, False)  # a signal's handler may not wait

    thread = threading.Thread(target=_listen, args=(heard, asked, stop), name="interrupts", daemon=True)
    handler = signal.signal(signal.SIGINT, lambda number, frame: None)
    before = signal.set_wakeup_fd(said, warn_on_full_buffer=False)
    thread.start()
    try:
        yield asked.is_set
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGINT, handler)
        os.write(said, _END)
        thread.join()
        os.close(heard)
        os.close(said)


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """While a model is opened, which Ctrl+C ends. Raises Cancelled."""
    from workflows.runtime import LoadCancellation

    with LoadCancellation() as model, stop_on_interrupt(model.stop) as cancelled:
        try:
            yield
        except JoineryError:
            if cancelled():  # the processes that look for devices are interrupted as well, and say so
                raise Cancelled("Cancelled.") from None
            raise


def _listen(heard: int, asked: threading.Event, stop: Callable[[], None]) -> None:
    """Reads the numbers of signals, up to _END."""
    late = threading.Timer(GRACE_S, _exit_process)
    late.daemon = True
    while (byte := os.read(heard, 1)) != _END:
        if byte != bytes([signal.SIGINT]):
            continue
        if asked.is_set():
            _exit_process()
        asked.set()
        late.start()
        stop()
    late.cancel()


def _exit_process() -> None:
    """Ends the process as it is: what runs in it answers to nobody."""
    sys.stderr.write("joinery: Cancelled.\n")
    sys.stderr.flush()
    os._exit(Cancelled.exit_code)

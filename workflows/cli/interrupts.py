"""Ctrl+C, handled by a thread because the main thread may be in an import's, an export's or a driver's code.

    Ctrl+C ──SIGINT──▶ a pipe ──▶ thread: calls stop() at once, and ends the process if the work goes on

Python runs signal handlers in the main thread between two bytecodes; the trace of a model, the run of a fused partition
or the compilation of a graph returns to Python only at its end. What is written is written so that a process may end at
any moment: a build resumes.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

from workflows.common.errors import Cancelled, JoineryError

GRACE_S = 1.0  # seconds for the work to stop, so that a user never waits for two seconds
_END = b"\0"  # not the number of a signal
_SCOPES: list[threading.Event] = []  # whether Ctrl+C was pressed in each `with` of this module, the innermost last
Handler = Callable[[int, FrameType | None], object]


@contextmanager
def stop_on_interrupt(stop: Callable[[], None], ends: bool = False) -> Iterator[Callable[[], bool]]:
    """Yields `cancelled()`, which returns True after Ctrl+C; calls `stop` at once from another thread.

    The process exits with the code of Cancelled if the work continues after GRACE_S, and at a second Ctrl+C.
    ends: the command ends with the work, so that GRACE_S holds for what follows an error, too.
    """
    with _watched(lambda number, frame: None, stop, ends) as cancelled:
        yield cancelled


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Yields `cancelled()` for work that asks now and then, and that the command ends with."""
    with stop_on_interrupt(lambda: None, ends=True) as cancelled:
        yield cancelled


@contextmanager
def end_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Raises KeyboardInterrupt at Ctrl+C, and ends the process after GRACE_S; yields whether Ctrl+C was pressed.

    For a whole command: an import that is interrupted raises errors of any kind, and some code goes on.
    """
    with _watched(signal.default_int_handler, lambda: None, ends=True) as interrupted:
        yield interrupted


@contextmanager
def unwatched() -> Iterator[None]:
    """Leaves Ctrl+C to handlers that the work sets, and that let it finish for longer than GRACE_S."""
    before = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before, warn_on_full_buffer=False)


@contextmanager
def _watched(handler: Handler, stop: Callable[[], None], ends: bool) -> Iterator[Callable[[], bool]]:
    """SIGINT runs `handler` in the main thread and `stop` in another one."""
    interrupted, timer = threading.Event(), threading.Timer(GRACE_S, _exit_process)
    timer.daemon = True
    reader, writer = os.pipe()
    if sys.platform != "win32":
        os.set_blocking(writer, False)  # a signal handler must not block

    listen = partial(_listen, reader, interrupted, timer, stop)
    thread = threading.Thread(target=listen, name="interrupts", daemon=True)
    outer = signal.signal(signal.SIGINT, handler)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    thread.start()
    _SCOPES.append(interrupted)
    failed = True
    try:
        yield interrupted.is_set
        failed = False
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGINT, outer)
        os.write(writer, _END)
        thread.join()
        os.close(reader)
        os.close(writer)
        _SCOPES.pop()
        if not (ends and failed):
            timer.cancel()
        elif interrupted.is_set() and _SCOPES:
            _SCOPES[-1].set()


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """Lets Ctrl+C stop the loading of a model. Raises Cancelled."""
    from workflows.runtime import LoadCancellation

    with LoadCancellation() as model, stop_on_interrupt(model.stop, ends=True) as cancelled:
        try:
            yield
        except JoineryError:
            if cancelled():  # the processes that find devices are interrupted too and fail
                raise Cancelled("Cancelled.") from None
            raise


def _listen(reader: int, interrupted: threading.Event, timer: threading.Timer, stop: Callable[[], None]) -> None:
    """Reads signal numbers until _END; the first SIGINT starts the timer."""
    while (byte := os.read(reader, 1)) != _END:
        if byte != bytes([signal.SIGINT]):
            continue
        if interrupted.is_set():
            _exit_process()
        interrupted.set()
        timer.start()
        stop()


def _exit_process() -> None:
    """Ends the process without waiting for its threads."""
    sys.stderr.write("joinery: Cancelled.\n")
    sys.stderr.flush()
    os._exit(Cancelled.exit_code)

"""Runs one step in a process of its own, on this machine; the same for the local pool and for a cluster's workers.

run_step ──a lock per step──▶ has a result? ──▶ a share of the machine ──▶ [ step_process ] ──▶ result.json

A step that another process runs already is waited for, and its result taken: a cluster may hand out a step twice.
A measurement has the machine alone, whoever started the other steps.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from filelock import ReadWriteLock, Timeout

from workflows.common.errors import Cancelled, printable
from workflows.common.locks import Lock, LockHeldError
from workflows.common.paths import cache_home, make_folder
from workflows.measure.history import current_time
from workflows.measure.sweep_folder import LOG_FILE, SweepFolder
from workflows.process.subprocesses import ProcessResult, run_isolated
from workflows.service.sweep.plan import slug
from workflows.wire.codec import dumps
from workflows.wire.reports.sweep import StepResult, SweepStep

Cancellation = Callable[[], bool]
RunStep = Callable[[Path, SweepStep, Cancellation], StepResult]
ATTEMPTS = 2
"""Processes that a step gets where they end without a result: the system may have killed the first for its memory."""
MODULE = "workflows.service.sweep.step_process"
"""The process of a step: it writes the result."""
_STEP_LOCK = ".lock"
_POLL_S = 0.25
_LOG_BYTES = 1 << 16


def run_step(runs: Path, step: SweepStep, cancelled: Cancellation) -> StepResult:
    """The result of a step, which is then in its file.

    Raises Cancelled, and OSError where the result cannot be written.
    """
    folder = SweepFolder(runs)
    with _step_lock(folder.step(step.id) / _STEP_LOCK, cancelled):
        result = folder.result(step)
        if result is not None and result.state == "done":
            return result
        folder.remove_result(step)  # of a failure, which is tried again
        with machine_share(step.kind == "bench", cancelled):
            return _run_process(folder, step, cancelled)


def _run_process(folder: SweepFolder, step: SweepStep, cancelled: Cancellation) -> StepResult:
    result, ended, took = None, ProcessResult("", ""), 0.0
    for _ in range(ATTEMPTS):
        began = time.monotonic()
        ended = run_isolated(MODULE, [str(folder.path), dumps(step)], step.seconds, cancelled=cancelled)
        took = time.monotonic() - began
        if cancelled():  # Ctrl+C may have ended the process first
            raise Cancelled("The step was cancelled.")
        result = folder.result(step)
        if result is not None or took >= step.seconds:
            break
    if result is None:
        result = _failure(step, ended, took)
        folder.write_result(result)
    if result.state == "failed":
        with suppress(OSError):  # the result has the reason
            (folder.step(step.id) / LOG_FILE).write_text(ended.log[-_LOG_BYTES:], "utf-8")
    return result


def _failure(step: SweepStep, ended: ProcessResult, seconds: float) -> StepResult:
    """The result of a step whose process wrote none."""
    last = printable(next(reversed(ended.log.strip().splitlines()), ""), 200)
    why = f"The process of this step {ended.failure or 'ended without a result'}{last and f': {last}'}"
    return StepResult(
        step=step.id,
        digest=step.digest,
        state="failed",
        time=current_time(),
        machine=platform.node(),
        seconds=round(seconds, 3),
        reason=why.rstrip(".") + ".",
    )


def is_locked(step: Path) -> bool:
    """Whether a process runs the step with this folder."""
    return bool(Lock(step / _STEP_LOCK).held_by())


@contextmanager
def _step_lock(path: Path, cancelled: Cancellation) -> Iterator[None]:
    """Holds a step; waits for another process that runs it. Raises Cancelled."""
    lock = Lock(path)
    while True:
        with suppress(LockHeldError):
            lock.acquire(_POLL_S)
            break
        if cancelled():
            raise Cancelled("The step was cancelled.")
    with lock.held():
        yield


@contextmanager
def machine_share(alone: bool, cancelled: Cancellation, home: Path | None = None) -> Iterator[None]:
    """Shares this machine with other steps of the same user, or has it alone. home: the folder of the lock.

    Raises Cancelled.
    """
    folder = home or cache_home()
    make_folder(folder)
    path = folder / f"measuring-{slug(platform.node())}.db"  # machines may share a home folder
    with closing(ReadWriteLock(path, is_singleton=False)) as lock:
        acquire = lock.acquire_write if alone else lock.acquire_read
        while True:
            with suppress(Timeout):
                acquire(timeout=_POLL_S)
                break
            if cancelled():
                raise Cancelled("The step was cancelled.")
        try:
            yield
        finally:
            lock.release()

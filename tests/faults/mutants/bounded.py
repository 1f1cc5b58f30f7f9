"""Work in a fork of this process, which has imported all: what came of it within the bounds.

CPU seconds end it by a signal of the system. Memory is watched, not limited: a limit of the address space would count
what torch and onnxruntime map and never touch, and would turn what takes too much into a message about too little.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CPU_S = 30  # a build of two layers takes 10 on a slow machine
MEMORY = 2 << 30
LASTS_S = 120
"""What sleeps so long hangs; what computes meets CPU_S first."""
_LOOK_MS = 20
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Ended:
    """How a fork ended. told: what the work gave; wrong: the signal, the bound that was met, or the traceback.

    cpu_s: of all its threads. memory: bytes at its peak, above what this process has. noise: what was written to its
    stderr by native code.
    """

    told: str
    wrong: str
    cpu_s: float
    memory: int
    noise: str


def bounded(work: Callable[[], str], lasts_s: float | None = None) -> Ended:
    """Does `work` in a fork. What it prints goes nowhere. lasts_s: what it may last, where that is not LASTS_S."""
    told, noise = os.memfd_create("told"), os.memfd_create("noise")
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _live(work, told, noise)
    here = _resident(child)  # what it has of this process, before it has done anything
    wrong = _watch(child, here + MEMORY, LASTS_S if lasts_s is None else lasts_s)
    _, status, used = os.wait4(child, 0)
    if not wrong and os.WIFSIGNALED(status):
        ended_by = signal.Signals(os.WTERMSIG(status))
        wrong = f"more than {CPU_S} s of CPU" if ended_by == signal.SIGXCPU else f"ended by {ended_by.name}"
    code = 0 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    text = _all_of(told)
    if not wrong and code:
        wrong, text = text or f"exit code {code} from outside of Python", ""
    memory = used.ru_maxrss * 1024 - here
    if not wrong and memory > MEMORY:
        wrong = _too_much(memory)
    return Ended(text, wrong, used.ru_utime + used.ru_stime, max(memory, 0), _all_of(noise))


def _live(work: Callable[[], str], told: int, noise: int) -> None:
    """The fork's whole life."""
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        nothing = os.open(os.devnull, os.O_RDWR)
        for number, place in enumerate((nothing, nothing, noise)):
            os.dup2(place, number)
        try:
            text, code = work(), 0
        except BaseException:  # noqa: BLE001 - the finding itself
            text = traceback.format_exc()
        os.write(told, text.encode("utf-8", "backslashreplace"))
    finally:
        os._exit(code)


def _watch(child: int, most: int, lasts_s: float) -> str:
    """Waits for the end; ends what takes more memory, or waits for nothing, and says so."""
    handle = os.pidfd_open(child)
    try:
        for _ in range(int(lasts_s * 1000) // _LOOK_MS):
            if select.select([handle], [], [], _LOOK_MS / 1000)[0]:
                return ""
            if (size := _resident(child)) > most:
                os.kill(child, signal.SIGKILL)
                return _too_much(size - most + MEMORY)
        os.kill(child, signal.SIGKILL)
        return f"still there after {lasts_s:g} s"
    finally:
        os.close(handle)


def _too_much(memory: int) -> str:
    return f"more than {MEMORY >> 20:,} MiB of memory: {memory >> 20:,} MiB"


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):  # it has just ended
        return 0


def _all_of(handle: int) -> str:
    with os.fdopen(handle, "rb") as file:
        file.seek(0)
        return file.read().decode("utf-8", "replace")

"""How a Python process of ours is started: with our code, whatever lies in the current folder; and how it ends.

    run_apart(module) ──starts──▶ python -P -m workflows.processes PARENT MODULE … ──▶ Ended │ killed: late, cancelled
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workflows.errors import Cancelled

_POLL_S, _PARENT_S = 0.05, 0.5


def python_command(module: str) -> list[str]:
    """The command line that runs one of our modules; -P keeps the current folder off its import path."""
    return [sys.executable, "-P", "-m", module]


def python_path(given: str) -> str:
    """PYTHONPATH for it: this checkout first, then of what was `given` all that does not hang on the current folder."""
    here = str(Path(__file__).parent.parent)
    others = [entry for entry in given.split(os.pathsep) if Path(entry).is_absolute() and entry != here]
    return os.pathsep.join([here, *others])


@dataclass(frozen=True)
class Ended:
    """How a process of ours ended.

    told: the last line that it printed. log: what it said besides. why: how, in words, where it did not exit with 0.
    """

    told: str
    log: str
    why: str = ""


def run_apart(
    module: str, arguments: Sequence[str], seconds: float, cancelled: Callable[[], bool] = lambda: False
) -> Ended:
    """Runs one of our modules in a process that may crash or hang: after so many seconds it is killed.

    It ends when we do. Raises Cancelled, the process killed, once `cancelled` says so.
    """
    late = time.monotonic() + seconds
    command = [*python_command("workflows.processes"), str(os.getpid()), module, *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment()
    ) as process, _killed_if(process, lambda: cancelled() or time.monotonic() > late):
        told, log = process.communicate()
    if cancelled():
        raise Cancelled("The process was stopped.")
    if time.monotonic() > late and process.returncode:
        return Ended("", "", f"did not answer in {seconds:.0f} s")
    lines = told.decode("utf-8", "replace").splitlines() or [""]
    return Ended(lines[-1], log.decode("utf-8", "replace"), _how(process.returncode))


def run_told(
    module: str, arguments: Sequence[str], told: Callable[[str], None], cancelled: Callable[[], bool] = lambda: False
) -> Ended:
    """Runs a module whose every line is `told` as it comes. Raises Cancelled like run_apart."""
    command = [*python_command("workflows.processes"), str(os.getpid()), module, *arguments]
    last = ""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=_environment()
    ) as process, _killed_if(process, cancelled):
        assert process.stdout is not None
        for raw in process.stdout:
            if line := raw.decode("utf-8", "replace").strip():
                last = line
                told(line)
    if cancelled():
        raise Cancelled("The process was stopped.")
    return Ended(last, "", _how(process.returncode))


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": python_path(os.environ.get("PYTHONPATH", "")), "PYTHONUNBUFFERED": "1"}


def _how(code: int) -> str:
    how = f"signal {-code}" if code < 0 else f"code {code}"
    return f"ended ({how})" if code else ""


@contextmanager
def _killed_if(process: subprocess.Popen[bytes], stop: Callable[[], bool]) -> Iterator[None]:
    """Asks `stop` while the block runs, and kills the process once it says so."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_POLL_S):
            if stop():
                process.kill()
                return

    watcher = threading.Thread(target=watch, name="watcher", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


# -- in the process of its own ---------------------------------------------------------------------------------


def _end_with(parent: int) -> None:
    """A process that hangs in somebody's driver must not outlive the window that nobody looks at any more."""
    import psutil

    try:
        asked = psutil.Process(parent)
        while asked.is_running():
            time.sleep(_PARENT_S)
    except psutil.Error:
        pass
    os._exit(1)


def main(parent: int, module: str, arguments: Sequence[str]) -> None:
    """Runs `module` as a program, which ends with the process that started it."""
    threading.Thread(target=_end_with, args=(parent,), name="parent", daemon=True).start()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])

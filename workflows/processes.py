"""How a Python process of ours is started: with our code, whatever lies in the current folder."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue

from workflows.errors import Cancelled


def python_command(module: str) -> list[str]:
    """The command line that runs one of our modules; -P keeps the current folder off its import path."""
    return [sys.executable, "-P", "-m", module]


def python_path(given: str) -> str:
    """PYTHONPATH for it: this checkout first, then of what was `given` all that does not hang on the current folder."""
    here = str(Path(__file__).parent.parent)
    others = [entry for entry in given.split(os.pathsep) if Path(entry).is_absolute() and entry != here]
    return os.pathsep.join([here, *others])


_GRACE = 10.0  # seconds from a process's last word to its end
_PARENT_S = 0.5  # how often it looks whether we are there


@dataclass(frozen=True)
class Ended:
    """How a process of ours ended.

    told: the last line that it printed. log: what it said besides. why: how, in words, where it did not exit with 0.
    """

    told: str
    log: str
    why: str = ""


def run_apart(
    module: str,
    arguments: Sequence[str],
    seconds: float,
    *,
    heard: Callable[[str], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Ended:
    """Runs one of our modules in a process that may crash or hang: after so many seconds it is killed.

    It ends when we do. heard: told of each line that it prints, as it does. Raises Cancelled on request; the process is
    killed then too.
    """
    environment = os.environ | {"PYTHONPATH": python_path(os.environ.get("PYTHONPATH", ""))}
    command = [*python_command("workflows.processes"), str(os.getpid()), module, *arguments]
    with tempfile.TemporaryFile() as log:
        running = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=environment
        )
        try:
            told = _listen(running, time.monotonic() + seconds, heard, cancelled)
            code = running.wait(_GRACE)
            how = f"signal {-code}" if code < 0 else f"code {code}"
            why = f"ended ({how})" if code else ""
        except subprocess.TimeoutExpired:
            told, why = "", f"did not answer in {seconds:.0f} s"
        finally:
            if running.poll() is None:
                running.kill()
                running.wait()
        log.seek(0)
        return Ended(told, log.read().decode("utf-8", "replace"), why)


def _listen(
    running: subprocess.Popen[bytes], until: float, heard: Callable[[str], None], cancelled: Callable[[], bool]
) -> str:
    """The last line that it prints. Raises TimeoutExpired, by the monotonic clock, and Cancelled."""
    lines: Queue[str | None] = Queue()
    threading.Thread(target=_read_lines, args=(running, lines), daemon=True).start()
    told = ""
    while (line := _next(lines)) is not None:
        if line:
            told = line
            heard(line)
        if cancelled():
            raise Cancelled("The process was cancelled.")
        if time.monotonic() > until:
            raise subprocess.TimeoutExpired(running.args, 0.0)
    return told


def _read_lines(running: subprocess.Popen[bytes], lines: Queue[str | None]) -> None:
    """Every line that the process prints, and None when it prints no more."""
    assert running.stdout is not None
    with running.stdout:
        for line in running.stdout:
            lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
    lines.put(None)


def _next(lines: Queue[str | None]) -> str | None:
    """The next line, an empty one where there is none yet; None at the end."""
    try:
        return lines.get(timeout=0.1)
    except Empty:
        return ""


# -- in the process of its own ---------------------------------------------------------------------------------


def _end_with(parent: int) -> None:
    """A process that hangs in somebody's driver must not outlive the window that started it."""
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

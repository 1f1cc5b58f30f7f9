"""How a Python process of ours is started: with our code, whatever lies in the current folder.

    run_apart(module) ──starts──▶ its main ──stay_with_parent()──▶ told on stdout │ ends with us, or when late
"""

from __future__ import annotations

import faulthandler
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

_CLOCK = "JOINERY_APART_SECONDS"  # after which the process ends by itself, that run_apart starts
_LATER = 5.0  # than it would be killed


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


def run_apart(module: str, arguments: Sequence[str], seconds: float) -> Ended:
    """Runs one of our modules in a process that may crash or hang: after so many seconds it is killed.

    Its main calls stay_with_parent, so that it ends with this process as well.
    """
    own = {"PYTHONPATH": python_path(os.environ.get("PYTHONPATH", "")), _CLOCK: str(seconds + _LATER)}
    environment = os.environ | own
    command = [*python_command(module), *arguments]
    leash, held = os.pipe()  # its other end is closed when this process ends, however it does
    try:
        done = subprocess.run(
            command, stdin=leash, capture_output=True, timeout=seconds, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return Ended("", "", f"did not answer in {seconds:.0f} s")
    finally:
        os.close(leash)
        os.close(held)
    lines = done.stdout.decode("utf-8", "replace").splitlines() or [""]
    how = f"signal {-done.returncode}" if done.returncode < 0 else f"code {done.returncode}"
    return Ended(lines[-1], done.stderr.decode("utf-8", "replace"), f"ended ({how})" if done.returncode else "")


def stay_with_parent() -> None:
    """Called by what run_apart started: this process ends when the other does, and at the latest after its seconds.

    The clock runs without Python's lock, which a driver that hangs may hold.
    """
    faulthandler.dump_traceback_later(float(os.environ[_CLOCK]), exit=True)

    def follow() -> None:
        os.read(0, 1)  # unbuffered: a thread that holds sys.stdin's lock aborts the end of the process
        os._exit(1)

    threading.Thread(target=follow, name="leash", daemon=True).start()


def own_stdout(encoding: str) -> TextIO:
    """stdout for our words alone: what a driver's library prints to file descriptor 1 goes to stderr from now on.

    What `encoding` has no sign for is escaped.
    """
    out = os.fdopen(os.dup(1), "w", encoding=encoding, newline="\n", errors="backslashreplace")
    os.dup2(2, 1)
    return out

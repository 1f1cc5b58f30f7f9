"""How a Python process of ours is started: with our code, whatever lies in the current folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


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
    """Runs one of our modules in a process that may crash or hang: after so many seconds it is killed."""
    environment = os.environ | {"PYTHONPATH": python_path(os.environ.get("PYTHONPATH", ""))}
    command = [*python_command(module), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return Ended("", "", f"did not answer in {seconds:.0f} s")
    lines = done.stdout.decode("utf-8", "replace").splitlines() or [""]
    how = f"signal {-done.returncode}" if done.returncode < 0 else f"code {done.returncode}"
    return Ended(lines[-1], done.stderr.decode("utf-8", "replace"), f"ended ({how})" if done.returncode else "")

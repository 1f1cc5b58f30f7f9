"""How a Python process of ours is started: with our code, whatever lies in the current folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def python_command(module: str) -> list[str]:
    """The command line that runs one of our modules; -P keeps the current folder off its import path."""
    return [sys.executable, "-P", "-m", module]


def python_path(given: str) -> str:
    """PYTHONPATH for it: this checkout first, then of what was `given` all that does not hang on the current folder."""
    here = str(Path(__file__).parent.parent)
    others = [entry for entry in given.split(os.pathsep) if Path(entry).is_absolute() and entry != here]
    return os.pathsep.join([here, *others])

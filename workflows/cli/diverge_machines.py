"""`joinery diverge --on A --on B`: each side runs on its machine; what A computes is a file that goes to B's machine.

A's machine: joinery diverge … --record FILE ──▶ here ──▶ B's machine: joinery diverge … --recorded FILE ──▶ the report
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from typer._click.core import Context

from workflows.cli.remote_flag import line_arguments, run_there
from workflows.common.errors import RequestError
from workflows.process.machines import LOCAL
from workflows.process.subprocesses import module_search_path, python_command
from workflows.service.remote.remote_command import Argument, OutputFile


def diverge_there(names: Sequence[str], context: Context) -> int:
    """Runs the comparison on one machine, or its sides on two; returns the exit code. Raises as run_there does."""
    if len(names) > 2:
        raise RequestError("A comparison has two sides: give --on once for both, or twice.")
    line: list[Argument] = ["diverge", *line_arguments(context)]
    if len({*names}) == 1:
        return _run(names[0], line)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "recording"
        end = line.index("--")
        code = _run(names[0], [*line[:end], OutputFile("--record=", file), *line[end:]])
        return code or _run(names[1], [*line[:end], ("--recorded=", file), *line[end:]])


def _run(name: str, line: Sequence[Argument]) -> int:
    """Runs a command on a machine, or here in a process that gives up the network."""
    if name != LOCAL:
        return run_there(name, line)
    texts = [one if isinstance(one, str) else f"{one[0]}{one[1]}" for one in line]
    environment = os.environ | {"PYTHONPATH": module_search_path(os.environ.get("PYTHONPATH", ""))}
    # descriptor 1 is a driver's here, see streams.py
    done = subprocess.run(
        [*python_command("workflows"), *texts], env=environment, stdout=subprocess.PIPE, encoding="utf-8"
    )
    sys.stdout.write(done.stdout)
    sys.stdout.flush()
    return done.returncode

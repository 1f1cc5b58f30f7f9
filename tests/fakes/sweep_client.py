"""`joinery sweep` whose steps build nothing and take a while: the process that tests kill.

python -m tests.fakes.sweep_client PLAN RUNS
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

from tests.fakes.sweep_step import run_fake_step
from workflows.service.sweep import run as sweep_run
from workflows.service.sweep.executors import LocalPool
from workflows.wire.reports.sweep import StepResult, SweepStep

STEP_S = 0.1


def slow_step(runs: Path, step: SweepStep, cancelled: object) -> StepResult:
    """A step that can be killed before its end."""
    with (runs / "begun.txt").open("a", encoding="utf-8") as begun:
        begun.write(f"{step.id}\n")
    time.sleep(STEP_S)
    return run_fake_step(runs, step)


def main() -> None:
    """Runs the sweep; prints the counts."""
    setattr(sweep_run, "LocalPool", partial(LocalPool, run=slow_step))  # noqa: B010 - the name is imported there
    request = sweep_run.SweepRequest(Path(sys.argv[1]), Path(sys.argv[2]), 2)
    sys.stdout.write(f"{sweep_run.run_sweep(request).counts}\n")


if __name__ == "__main__":
    main()

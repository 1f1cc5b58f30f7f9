"""`joinery sweep` whose steps build nothing and take a while: the process that tests kill.

python -m tests.fakes.sweep_client PLAN RUNS             steps in this process, 0.1 s each
python -m tests.fakes.sweep_client PLAN RUNS SCHEDULER   processes of a cluster's workers, FAKE_STEP_S each
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

from tests.fakes.sweep_step import run_fake_step
from workflows.common.errors import JoineryError
from workflows.service.sweep import run as sweep_run
from workflows.service.sweep import step_runner
from workflows.service.sweep.executors import LocalPool
from workflows.wire.reports.sweep import StepResult, SweepStep

STEP_S = 0.1


def slow_step(runs: Path, step: SweepStep, cancelled: object) -> StepResult:
    """A step that can be killed before its end."""
    with (runs / "begun.txt").open("a", encoding="utf-8") as begun:
        begun.write(f"{step.id}\n")
    time.sleep(STEP_S)
    return run_fake_step(runs, step)


def run_fake_on_worker(runs: str, step: str, session: str) -> str:
    """As `run_on_worker`, with the process of a fake step."""
    from workflows.service.sweep.dask_cluster import run_on_worker

    step_runner.MODULE = "tests.fakes.sweep_step"
    return run_on_worker(runs, step, session)


def end_elsewhere(runs: str, step: str, session: str) -> str:
    """As `run_on_worker` on a machine whose folder is another one: the result never appears here."""
    with (Path(runs) / "started.txt").open("a", encoding="utf-8") as starts:
        starts.write(f"{step}\n")
    return "elsewhere"


def main() -> None:
    """Runs the sweep; prints the counts, or why it ended."""
    plan, runs, scheduler = Path(sys.argv[1]), Path(sys.argv[2]), "".join(sys.argv[3:])
    if scheduler:
        from workflows.service.sweep import dask_cluster

        dask_cluster.CONNECT_S = 6.0
        setattr(dask_cluster, "DaskCluster", partial(dask_cluster.DaskCluster, run=run_fake_on_worker))  # noqa: B010
    else:
        setattr(sweep_run, "LocalPool", partial(LocalPool, run=slow_step))  # noqa: B010 - the name is imported there
    request = sweep_run.SweepRequest(plan, runs, None if scheduler else 2, scheduler)
    try:
        sys.stdout.write(f"{sweep_run.run_sweep(request).counts}\n")
    except JoineryError as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()

"""What a sweep costs besides its steps: 24, 240 and 2,400 steps that do nothing but write their result.

    python -m tests.benchmarks.sweeps [--steps 24 240 2400] [--dask]

Prints, for each number of steps, milliseconds per step of planning (reading the plan, digests), of dispatching and
recording (schedule, pool or cluster, result file, status, report), of reading the folder again, and of a resume that
finds everything done; and how much memory the process took on the way. A process each, so that none warms up another.
Asserts no clock.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import psutil

from tests.fakes.sweep_step import run_fake_step
from workflows.measure.sweep_folder import SweepFolder, SweepReader
from workflows.service.sweep.executors import LocalPool, StepExecutor
from workflows.service.sweep.plan import read_plan
from workflows.service.sweep.run import SweepRun, ended_steps
from workflows.service.sweep.steps import plan_steps
from workflows.wire.reports.sweep import StepResult, SweepPlanFile, SweepStep


def cheap(runs: Path, step: SweepStep, cancelled: object) -> StepResult:
    """A step of no cost."""
    return run_fake_step(runs, step, log=False)


def cheap_on_worker(runs: str, step: str, session: str) -> str:
    """The same on a worker of a cluster."""
    from workflows.wire.codec import read

    wanted = read(SweepStep, json.loads(step))
    run_fake_step(Path(runs), wanted, log=False)
    return wanted.id


def write_plan(folder: Path, steps: int) -> Path:
    """A plan of so many steps: three for each recipe."""
    path = folder / "plan.toml"
    recipes = "".join(f'[[recipe]]\nname = "r{n}"\ncapacity = {64 + n}\n' for n in range(steps // 3))
    path.write_text(f'sources = ["demo:qwen3"]\nlayouts = ["gqa"]\n{recipes}', "utf-8")
    return path


def measure(steps: int, scheduler: str) -> dict[str, float]:
    """The figures of one number of steps, in this process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = SweepFolder(folder / "runs")
        runs.path.mkdir()
        plan, marks = write_plan(folder, steps), [time.perf_counter()]
        planned = plan_steps(read_plan(plan), folder)
        runs.write_plan(SweepPlanFile(str(plan), planned))
        marks.append(time.perf_counter())
        executor: StepExecutor = LocalPool(runs.path, 2, builds=2, run=cheap)
        if scheduler:
            from workflows.service.sweep.dask_cluster import DaskCluster

            executor = DaskCluster(scheduler, runs.path, planned, run=cheap_on_worker)
            marks[-1] = time.perf_counter()
        before, computed = psutil.Process().memory_info().rss, time.process_time()
        report = SweepRun(runs, str(plan), planned, {}).run(executor)
        after = psutil.Process().memory_info().rss
        computed = time.process_time() - computed
        executor.close()
        assert report.counts.done == len(planned) == steps
        marks.append(time.perf_counter())
        SweepReader(runs.path).read()
        marks.append(time.perf_counter())
        assert len(ended_steps(runs, planned)) == steps
        marks.append(time.perf_counter())
        report_bytes = runs.report.stat().st_size
    each = [1000 * (end - begin) / steps for begin, end in pairwise(marks)]
    names = ("planning", "dispatching and recording", "reading", "resuming")
    others = {"of it computing": 1000 * computed / steps, "MiB": (after - before) / 2**20}
    return dict(zip(names, each, strict=True)) | others | {"report KiB": report_bytes / 1024}


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs="+", default=[24, 240, 2400])
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--scheduler", default="")
    parser.add_argument("--child", action="store_true")
    options = parser.parse_args()
    if options.child:
        sys.stdout.write(json.dumps(measure(options.steps[0], options.scheduler)) + "\n")
        return 0
    cluster = None
    if options.dask:
        from distributed import LocalCluster

        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1")
    address = [f"--scheduler={cluster.scheduler_address}"] if cluster else []
    for steps in options.steps:
        command = [sys.executable, "-m", "tests.benchmarks.sweeps", "--child", "--steps", str(steps), *address]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        figures = json.loads(done.stdout.splitlines()[-1])
        text = ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
        sys.stdout.write(f"{steps:>6} steps: {text}; load {os.getloadavg()[0]:.1f}\n")
    if cluster:
        cluster.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`joinery sweep`: builds, evaluates and measures many bundles by a plan."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from workflows.cli.output import JsonFlag, write_json
from workflows.cli.progress import progress_display
from workflows.cli.streams import print_line


def sweep(
    plan: Path = typer.Argument(help="The plan, a TOML file."),
    out: Path = typer.Option(..., "--out", metavar="RUNS", help="The folder of all results; a sweep resumes from it."),
    workers: int | None = typer.Option(
        None, "--workers", help="Steps at once on this machine (default: what suits it, builds one at a time)."
    ),
    scheduler: str = typer.Option(
        "", "--scheduler", metavar="tcp://HOST:PORT", help="Run the steps on the workers of this Dask scheduler."
    ),
    retry_failed: bool = typer.Option(False, "--retry-failed", help="Run steps again that failed before."),
    as_json: bool = JsonFlag,
) -> None:
    """Build, evaluate and measure SOURCES × RECIPES × LAYOUTS on PROVIDERS, as PLAN says.

    \b
    sources = ["demo:qwen3", "checkpoints/mine"]  # folders are relative to the plan
    layouts = ["static", "gqa"]      # without it the build chooses
    providers = ["cpu", { name = "qnn", tags = { npu = 1 } }]
    steps = ["build", "eval", "bench"]
    step_minutes = 120               # a step is ended after that
    [[recipe]]
    name = "int4"
    precision = "int4"               # file, capacity, chunk as well
    set = { "quantize.rounding" = "search" }
    [eval]                           # prompts, steps, questions
    against = "fp32"                 # a recipe; else the source itself
    [bench]                          # prompt_tokens, new_tokens, repeats
    repeats = 5
    tags = { quiet = 1 }             # what a cluster's worker must have

    The same command resumes after any end: no step that has a result runs again. A failed step stops what needs it
    alone. RUNS/report.html shows accuracy against speed while it runs. Benchmarks never run beside another step.

    \b
    On three machines with one shared folder, Joinery installed on each by pip install 'joinery[dask]':
      machine A:  dask scheduler --port 8786
      machine B:  dask worker tcp://A:8786 --nthreads 1
      machine C:  dask worker tcp://A:8786 --nthreads 1 --resources "npu=1"
      machine A:  joinery sweep plan.toml --out /shared/runs --scheduler tcp://A:8786
    """
    from workflows.service.sweep.run import SweepRequest, run_sweep
    from workflows.wire.requests import RunSweep

    RunSweep(str(plan), str(out), workers, scheduler, retry_failed)  # checks the combination
    with progress_display(as_json) as (report, cancelled):
        ended = run_sweep(SweepRequest(plan, out, workers, scheduler, retry_failed), report, cancelled)
    counts = ended.counts
    if as_json:
        write_json({"event": "done", **{name: getattr(ended, name) for name in ("counts", "failures", "report")}})
    else:
        blocked = f", {counts.blocked} that need them" if counts.blocked else ""
        print_line(f"{ended.report}: {counts.done} of {counts.total} steps done, {counts.failed} failed{blocked}")
        for step, reason in ended.failures.items():
            sys.stderr.write(f"joinery: {step}: {reason}\n")
    if counts.failed:
        raise typer.Exit(1)

"""Steps that build nothing: `options` of a build say what it does, all others are done at once.

    python -m tests.fakes.sweep_step RUNS STEP ──▶ result.json, or none
    run_fake_step                              ──▶ the same in this process

sleep: seconds before the result, by default FAKE_STEP_S of the environment. fail: the reason of a failure. crash: how
many of its processes end without a result. Each start is a line in RUNS/started.txt, each end one in RUNS/ended.txt.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from workflows.bundle.manifest import MANIFEST
from workflows.common.strict_json import read_json
from workflows.measure.history import current_time
from workflows.measure.sweep_folder import SweepFolder
from workflows.process.subprocesses import exit_with_parent
from workflows.wire.codec import read
from workflows.wire.reports.runs import Figure, RunRecord
from workflows.wire.reports.sweep import StepResult, StepState, SweepStep


def result_of(step: SweepStep, state: StepState = "done", reason: str = "") -> StepResult:
    """A result whose figures follow from the step alone."""
    number = int(step.digest[:4], 16) / 0xFFFF
    figures: dict[str, dict[str, Figure]] = {
        "build": {"seconds": 1.0, "bytes": 1 << 20},
        "eval": {"top1_agreement": 0.9 + number / 10, "kl_mean": number / 100, "positions": 100},
        "bench": {"decode_tokens_per_s": 100 + 100 * number, "ttft_ms": 5.0, "prompt_tokens": 8, "new_tokens": 8},
    }
    run = RunRecord(
        step.digest[:8], step.kind, current_time(), f"/runs/{step.bundle}", "toy", step.bundle, step.recipe,
        step.layout, step.provider, "fake 1", "here", figures[step.kind],
    )  # fmt: skip
    runs = [run] if state == "done" else []
    return StepResult(step.id, step.digest, state, current_time(), "here", 0.1, reason, step.bundle, runs)


def run_fake_step(runs: Path, step: SweepStep, cancelled: object = None, log: bool = True) -> StepResult:
    """As `run_step`. log: whether the start is written down."""
    folder = SweepFolder(runs)
    options: Any = step.arguments.get("options", {})
    if log:
        with (folder.path / "started.txt").open("a", encoding="utf-8") as starts:
            starts.write(f"{step.id} {os.getpid()}\n")
    time.sleep(options.get("sleep", float(os.environ.get("FAKE_STEP_S", "0"))))
    if "crash" in options and (folder.path / "started.txt").read_text("utf-8").count(step.id) <= options["crash"]:
        sys.stderr.write("out of luck\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
    if step.kind == "build":
        folder.bundle(step.bundle).mkdir(parents=True, exist_ok=True)
        (folder.bundle(step.bundle) / MANIFEST).write_text("{}", "utf-8")
    reason = options.get("fail", "")
    result = result_of(step, "failed" if reason else "done", reason)
    folder.write_result(result)
    if log:
        with (folder.path / "ended.txt").open("a", encoding="utf-8") as ends:
            ends.write(f"{step.id}\n")
    return result


def main() -> None:
    """Runs the step of the command line."""
    exit_with_parent()
    run_fake_step(Path(sys.argv[1]), read(SweepStep, read_json(sys.argv[2])))


if __name__ == "__main__":
    main()

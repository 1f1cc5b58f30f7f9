"""The process of one step: builds, evaluates or measures, and writes the result into the sweep's folder itself.

    argv: RUNS, the step as JSON ──▶ build │ evaluate │ bench ──▶ history, RUNS/steps/STEP/result.json

A step that fails for a known reason has a result too; a process that ends without one has crashed or was killed.
"""

from __future__ import annotations

import platform
import signal
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workflows.common.errors import (
    DeviceError,
    JoineryError,
    describe_os_error,
    error_to_dict,
    printable,
)
from workflows.measure.history import current_time
from workflows.measure.sweep_folder import SweepFolder
from workflows.process.subprocesses import claim_stdout, exit_with_parent
from workflows.wire.codec import read
from workflows.wire.reports.bench import BenchReport, Row, UnusableProviderRow
from workflows.wire.reports.runs import RunRecord
from workflows.wire.reports.sweep import LOCAL_MACHINE, StepResult, SweepStep

if TYPE_CHECKING:
    from workflows.wire.events import StageEvent


class _Outcome(NamedTuple):
    """What a step made: the digest of its bundle, and the runs that the history recorded."""

    bundle_digest: str
    runs: list[RunRecord]


def run_step_here(folder: SweepFolder, step: SweepStep) -> StepResult:
    """Runs a step in this process; a failure is a result with its reason. Confines the process for good."""
    began = time.monotonic()
    outcome, reason = _Outcome("", []), ""
    try:
        outcome = {"build": _build, "eval": _evaluate, "bench": _bench}[step.kind](folder, step)
    except Exception as error:  # noqa: BLE001 - every failure is a result
        traceback.print_exc()
        reason = _reason(error, step)
    return StepResult(
        step=step.id,
        digest=step.digest,
        state="failed" if reason else "done",
        time=current_time(),
        machine=platform.node(),
        seconds=round(time.monotonic() - began, 3),
        reason=reason,
        bundle_digest=outcome.bundle_digest,
        runs=outcome.runs,
    )


def _reason(error: Exception, step: SweepStep) -> str:
    """Why a step failed, as a sentence."""
    known = error_to_dict(error, step.kind)
    if known is not None:
        return printable(known["message"], 600)
    if isinstance(error, OSError):
        return describe_os_error(error)
    return f"{type(error).__name__}: {printable(error, 300)} (a fault of Joinery: its log has the place)."


def _confine(mapped: int = 0) -> None:
    """Gives up network access. mapped: bytes of weights that will be mapped."""
    from workflows.process.sandbox import confine, memory_limit

    if why := confine(memory_limit(mapped)):
        sys.stderr.write(f"joinery: {why}\n")


def _build(folder: SweepFolder, step: SweepStep) -> _Outcome:
    from workflows.builder import BuildRequest, build
    from workflows.bundle import read_bundle
    from workflows.measure.recording import collect_stages, record_build, to_stderr

    arguments: dict[str, Any] = step.arguments
    out = folder.bundle(step.bundle)
    stages: dict[str, StageEvent] = {}
    request = BuildRequest(
        arguments["source"],
        out,
        arguments["options"],
        arguments["trust_remote_code"],
        force=True,  # a bundle of the same name is of another plan, or its result was not written
    )
    done = build(request, collect_stages(lambda _: None, stages), fetched=_confine)
    run = record_build(done, stages, to_stderr)
    return _Outcome(read_bundle(out).digest, [run])


def _evaluate(folder: SweepFolder, step: SweepStep) -> _Outcome:
    from workflows.builder.evaluate import EvalRequest, evaluate
    from workflows.bundle import read_bundle
    from workflows.generate.prompt_sets import QUESTIONS
    from workflows.measure.recording import record_eval, to_stderr

    arguments: dict[str, Any] = step.arguments
    bundle = folder.bundle(step.bundle)
    against = str(folder.bundle(arguments["against"])) if arguments["against"] else arguments["source"]
    request = EvalRequest(
        bundle,
        against,
        Path(arguments["prompts"]) if arguments["prompts"] else None,
        arguments["steps"],
        QUESTIONS if arguments["questions"] is None else arguments["questions"],
        trust_remote_code=arguments["trust_remote_code"],
    )
    report = evaluate(request, fetched=_confine)
    return _Outcome(read_bundle(bundle).digest, [record_eval(bundle, against, report, to_stderr)])


def _bench(folder: SweepFolder, step: SweepStep) -> _Outcome:
    if step.machine == LOCAL_MACHINE:
        _confine()
    from workflows.bundle import read_bundle
    from workflows.measure.bench import BenchLoad, bench
    from workflows.measure.recording import bench_runs, record_bench, to_stderr

    arguments: dict[str, Any] = step.arguments
    bundle = folder.bundle(step.bundle)
    if step.machine == LOCAL_MACHINE:
        load = BenchLoad(arguments["prompt_tokens"], arguments["new_tokens"], arguments["repeats"])
        rows = bench(bundle, [step.provider], load)
        runs = record_bench(bundle, rows, to_stderr)
    else:
        rows = _remote_rows(bundle, step)
        runs = [replace(run, machine=step.machine, version="") for run in bench_runs(bundle, rows)]
    unusable = next((row for row in rows if isinstance(row, UnusableProviderRow)), None)
    if unusable is not None:
        raise DeviceError(unusable.reason)
    return _Outcome(read_bundle(bundle).digest, runs)


def _remote_rows(bundle: Path, step: SweepStep) -> list[Row]:
    """The rows of a benchmark on another machine, to which the bundle is copied; it is recorded in the history.

    Raises RemoteError, and RequestError for a machine that is not known here.
    """
    from workflows.measure.recording import to_stderr
    from workflows.process.machines import machine_named
    from workflows.service.remote.remote_worker import RemoteWorker
    from workflows.wire.events import ResultEvent
    from workflows.wire.requests import Bench

    arguments: dict[str, Any] = step.arguments
    load = (arguments["prompt_tokens"], arguments["new_tokens"], arguments["repeats"])
    worker = RemoteWorker(machine_named(step.machine), to_stderr)
    try:
        *_, last = worker.events(Bench(str(bundle), (step.provider,), *load))
    finally:
        worker.close()
    return last.value.rows if isinstance(last, ResultEvent) and isinstance(last.value, BenchReport) else []


def main() -> None:
    """Runs the step of the command line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the sweep ends its steps itself
    exit_with_parent()
    out = claim_stdout("utf-8")  # open until the end: whoever started this process waits for that
    from workflows.common.strict_json import read_json

    folder, step = SweepFolder(Path(sys.argv[1])), read(SweepStep, read_json(sys.argv[2]))
    try:
        folder.write_result(run_step_here(folder, step))
    except (OSError, JoineryError) as error:
        sys.exit(f"The result of {step.id} cannot be written: {error}")
    finally:
        out.close()


if __name__ == "__main__":
    main()

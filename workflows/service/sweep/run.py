"""Runs a sweep: reads the plan and what has ended, hands out what is ready, and keeps the folder's files current.

    PLAN.toml ─▶ steps ─▶ StepSchedule ◀──results── RUNS/steps/*/result.json
                             │  ▲
                       submit▼  │outcome                 ──▶ status.json, report.html, events
                          StepExecutor: LocalPool │ DaskCluster

The process holds no state that the folder lacks: after any end the same call goes on.
"""

from __future__ import annotations

import os
import platform
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workflows.bundle.manifest import MANIFEST
from workflows.common.errors import Cancelled, RequestError, printable
from workflows.common.files import name_os_errors
from workflows.common.locks import Lock, LockHeldError
from workflows.common.paths import make_folder
from workflows.inspection.report.sweep_report import write_sweep
from workflows.measure.sweep_folder import PLAN_FILE, SweepFolder, SweepSnapshot, step_states
from workflows.service.sweep.executors import LocalPool, StepExecutor, StepOutcome, default_workers
from workflows.service.sweep.plan import read_plan
from workflows.service.sweep.schedule import StepSchedule
from workflows.service.sweep.steps import plan_steps
from workflows.wire.events import Event, ProgressEvent, SweepStepEvent
from workflows.wire.reports.sweep import (
    LOCAL_MACHINE,
    StepProgress,
    StepResult,
    SweepPlanFile,
    SweepReport,
    SweepStatus,
    SweepStep,
)

_POLL_S = 0.25
_STATUS_S = 2.0
"""Seconds between two writings of the status while nothing happens."""
_STATUS_LEAST_S = 0.5
_PROGRESS_S = 0.2
"""Seconds between two reports of the progress, also of a worker, which drops what comes too soon after another."""
_REPORT_S = 5.0
_REPORT_SHARE = 20
"""Writing the report takes at most one part in so many of the time."""

Report = Callable[[Event], None]
Cancellation = Callable[[], bool]


@dataclass(frozen=True)
class SweepRequest:
    """What to run. workers: steps at once here; None suits this machine. scheduler: of a Dask cluster; "" for none.

    retry_failed: runs steps again that failed before.
    """

    plan: Path
    out: Path
    workers: int | None = None
    scheduler: str = ""
    retry_failed: bool = False


def run_sweep(
    request: SweepRequest, report: Report = lambda _: None, cancelled: Cancellation = lambda: False
) -> SweepReport:
    """Runs all steps without a result.

    Raises RequestError before anything runs, for a plan or a folder that cannot be used, ClusterError, OSError, and
    Cancelled after the running steps were ended.
    """
    steps = plan_steps(read_plan(request.plan), request.plan.resolve().parent)
    folder = SweepFolder(request.out.resolve())
    _check_folder(folder)
    lock = Lock(folder.path / ".lock")
    try:
        lock.acquire(1.0)
    except LockHeldError as error:
        raise RequestError(f"Another sweep runs in {folder.path} ({error.holder}): wait for it, or stop it.") from None
    with lock.held():
        results = ended_steps(folder, steps, request.retry_failed)
        executor = _executor(request, folder, [step for step in steps if step.id not in results], report)
        try:
            folder.write_plan(SweepPlanFile(str(request.plan.resolve()), steps))
            return SweepRun(folder, str(request.plan.resolve()), steps, results, report).run(executor, cancelled)
        finally:
            executor.close()


def _executor(request: SweepRequest, folder: SweepFolder, steps: Sequence[SweepStep], report: Report) -> StepExecutor:
    if request.scheduler:
        if remote := next((step.machine for step in steps if step.machine != LOCAL_MACHINE), ""):
            raise RequestError(
                f"The workers of a cluster measure where they run: leave {remote!r} out of 'machines', or --scheduler."
            )
        from workflows.service.sweep.dask_cluster import DaskCluster

        return DaskCluster(request.scheduler, folder.path, steps, report)
    workers = request.workers or default_workers()
    return LocalPool(folder.path, workers, builds=request.workers or 1)


def _check_folder(folder: SweepFolder) -> None:
    """Makes the folder. Raises RequestError for one with other things in it, and OSError."""
    path = folder.path
    if path.exists() and not path.is_dir():
        raise RequestError(f"{path} is a file: give the folder of the sweep's results.")
    with name_os_errors(path):
        make_folder(path)
        names = {entry.name for entry in path.iterdir()}
    if PLAN_FILE not in names and any(not name.startswith(".") for name in names):
        raise RequestError(f"{path} has other files in it and no sweep: give a new folder.")


def ended_steps(folder: SweepFolder, steps: Sequence[SweepStep], retry_failed: bool = False) -> dict[str, StepResult]:
    """The results that count, all of the same inputs.

    A build's counts while its bundle is there or no step needs it; else its file is removed. retry_failed: failures do
    not count.
    """
    results = {step.id: result for step in steps if (result := folder.result(step)) is not None}
    if retry_failed:
        results = {ident: result for ident, result in results.items() if result.state == "done"}
    needed = {one for step in steps if step.id not in results for one in step.needs}
    for step in steps:
        is_built = step.kind == "build" and step.id in results and results[step.id].state == "done"
        if is_built and step.id in needed and not (folder.bundle(step.bundle) / MANIFEST).is_file():
            del results[step.id]
            folder.remove_result(step)
    return results


class SweepRun:
    """One run of a sweep. results: of the steps that ended before. clock: seconds, monotonic."""

    def __init__(
        self,
        folder: SweepFolder,
        plan: str,
        steps: Sequence[SweepStep],
        results: Mapping[str, StepResult],
        report: Report = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._plan, self._report, self._clock = folder, SweepPlanFile(plan, list(steps)), report, clock
        self._results = dict(results)
        self.schedule = StepSchedule(steps, {ident: result.state for ident, result in results.items()})
        self._session = secrets.token_hex(4)
        self._changed = True
        self._status_at = self._report_at = self._shown_at = -float("inf")
        self._shown = self.schedule.counts

    def run(self, executor: StepExecutor, cancelled: Cancellation = lambda: False) -> SweepReport:
        """Runs everything that is ready until nothing is. Raises Cancelled, and what the executor raises."""
        ended = "stopped by an error"
        try:
            self._show_progress()
            while self.schedule.unfinished:
                if cancelled():
                    ended = "stopped"
                    raise Cancelled(self._stopped_text())
                self._submit_ready(executor)
                self._publish()
                for outcome in executor.wait(_POLL_S):
                    self._take(outcome)
            self._show_progress()
            ended = "finished"
        finally:
            self._write_status(ended)
            self._write_report()
        return self._summary()

    def _submit_ready(self, executor: StepExecutor) -> None:
        while (step := self.schedule.next_step(executor.has_room)) is not None:
            executor.submit(step)
            self._notify(step.id, "running")

    def _take(self, outcome: StepOutcome) -> None:
        result = outcome.result
        if result is None:
            self.schedule.put_back(outcome.step)
            return
        self._results[outcome.step] = result
        blocked = self.schedule.finish(outcome.step, result.state)
        self._notify(outcome.step, result.state, result.seconds, result.reason)
        for one in blocked:
            self._notify(one, "blocked", reason=f"It needs {outcome.step}, which failed.")

    def _notify(self, ident: str, state: StepProgress, seconds: float = 0.0, reason: str = "") -> None:
        self._changed = True
        kind, counts = self.schedule.steps[ident].kind, self.schedule.counts
        self._report(SweepStepEvent(step=ident, kind=kind, state=state, seconds=seconds, reason=reason, counts=counts))

    def _show_progress(self) -> None:
        self._shown, self._shown_at = self.schedule.counts, self._clock()
        counts = self.schedule.counts
        parts = [f"{counts.done} done", f"{counts.failed} failed", f"{counts.waiting} waiting"]
        parts += [f"{counts.blocked} blocked"] if counts.blocked else []
        parts += list(self.schedule.running)[:2]
        ended = counts.done + counts.failed + counts.blocked
        message = " · ".join(parts)
        self._report(ProgressEvent(stage="sweep", message=message, done=ended, total=counts.total, unit="steps"))

    def _publish(self) -> None:
        """Writes status and report where they are due: by the clock, whatever the number of steps."""
        now = self._clock()
        if self.schedule.counts != self._shown and now - self._shown_at >= _PROGRESS_S:
            self._show_progress()
        if now - self._status_at >= (_STATUS_LEAST_S if self._changed else _STATUS_S):
            self._write_status(None)
            self._status_at, self._changed = now, False
        if now >= self._report_at:
            self._write_report()
            took = self._clock() - now
            self._report_at = now + max(_REPORT_S, _REPORT_SHARE * took)

    def _write_status(self, ended: str | None) -> None:
        running = list(self.schedule.running) if ended is None else []
        status = SweepStatus(self._session, platform.node(), os.getpid(), time.time(), _STATUS_S, running, ended)
        self._folder.write_status(status)

    def _write_report(self) -> None:
        states = step_states(self._plan.steps, self._results, self.schedule.running)
        write_sweep(SweepSnapshot(self._plan, self._results, states, True, ""), self._folder.report)

    def _stopped_text(self) -> str:
        counts = self.schedule.counts
        return f"The sweep was stopped after {counts.done} of {counts.total} steps: the same command goes on."

    def _summary(self) -> SweepReport:
        failures = {
            ident: printable(result.reason, 600) for ident, result in self._results.items() if result.state == "failed"
        }
        return SweepReport(self.schedule.counts, failures, str(self._folder.report))

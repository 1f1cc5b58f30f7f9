"""The folder of a sweep, whose files are its whole state: any process may read it, and a sweep resumes from it.

RUNS/sweep.json               the steps of the plan                     SweepPlanFile
     status.json              the client: alive, what it runs           SweepStatus
     steps/STEP/result.json   the end of a step, written once           StepResult
     steps/STEP/log.txt       what the process of a failed step printed
     bundles/BUNDLE/          the bundles
     report.html

folder ──SweepReader.read──▶ SweepSnapshot ──▶ the window, the report
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from workflows.common.errors import RequestError
from workflows.common.files import write_atomically
from workflows.common.strict_json import read_json
from workflows.wire.codec import dumps, read
from workflows.wire.reports.runs import RunRecord
from workflows.wire.reports.sweep import (
    LOCAL_MACHINE,
    StepProgress,
    StepResult,
    SweepCounts,
    SweepPlanFile,
    SweepStatus,
    SweepStep,
)

Content = TypeVar("Content")
PLAN_FILE, STATUS_FILE, RESULT_FILE, LOG_FILE, REPORT_FILE = (
    "sweep.json", "status.json", "result.json", "log.txt", "report.html",
)  # fmt: skip
_FOLDER_NAME = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_+.-]*")  # as the parts that `slug` makes, with dots between
_MISSED = 5
"""Rewritings of the status that a client may miss before it counts as ended."""


class SweepFolder:
    """The paths of a sweep's folder, and its files as objects."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def report(self) -> Path:
        return self.path / REPORT_FILE

    def step(self, ident: str) -> Path:
        """The folder of a step."""
        return self.path / "steps" / ident

    def bundle(self, name: str) -> Path:
        """The folder of a bundle."""
        return self.path / "bundles" / name

    def plan(self) -> SweepPlanFile:
        """The steps. Raises RequestError for a folder without them, or with a damaged file."""
        path = self.path / PLAN_FILE
        plan = _read(SweepPlanFile, path)
        if plan is None or not _is_consistent(plan):
            problem = "is damaged" if path.exists() else "does not exist"
            raise RequestError(f"{self.path} is no folder of a sweep: {path.name} {problem}.")
        return plan

    def write_plan(self, plan: SweepPlanFile) -> None:
        _write(self.path / PLAN_FILE, plan)

    def status(self) -> SweepStatus | None:
        """The client's last status; None before the first."""
        return _read(SweepStatus, self.path / STATUS_FILE)

    def write_status(self, status: SweepStatus) -> None:
        _write(self.path / STATUS_FILE, status)

    def result(self, step: SweepStep) -> StepResult | None:
        """The end of a step with these inputs; None if it has not ended, or its file is damaged."""
        result = _read(StepResult, self.step(step.id) / RESULT_FILE)
        return result if result is not None and (result.step, result.digest) == (step.id, step.digest) else None

    def write_result(self, result: StepResult) -> None:
        """Saves the end of a step in one piece. Raises OSError."""
        _write(self.step(result.step) / RESULT_FILE, result)

    def remove_result(self, step: SweepStep) -> None:
        """Makes a step one that has not ended; removes the log of a failure, too."""
        for name in (RESULT_FILE, LOG_FILE):
            (self.step(step.id) / name).unlink(missing_ok=True)


def _read(kind: type[Content], path: Path) -> Content | None:
    """The content of a file; None where it is missing, not readable, or of another form."""
    try:
        return read(kind, read_json(path.read_bytes()))
    except (OSError, ValueError):  # ValueError: no JSON, or other fields
        return None


def _is_consistent(plan: SweepPlanFile) -> bool:
    """Whether each id stands once and is the name of a folder, and each step comes after those that it needs."""
    known = set[str]()
    for step in plan.steps:
        names = (step.id, step.bundle)
        if step.id in known or not known.issuperset(step.needs) or not all(map(_FOLDER_NAME.fullmatch, names)):
            return False
        known.add(step.id)
    return True


def _write(path: Path, content: object) -> None:
    write_atomically(path, (json.dumps(json.loads(dumps(content)), indent=1) + "\n").encode())


def is_alive(status: SweepStatus | None, now: float | None = None) -> bool:
    """Whether the client of a sweep still runs: it has not ended and rewrote its status lately."""
    if status is None or status.ended is not None:
        return False
    return (time.time() if now is None else now) - status.time < _MISSED * status.interval_s


def step_states(
    steps: Iterable[SweepStep], results: Mapping[str, StepResult], running: Iterable[str]
) -> dict[str, StepProgress]:
    """The state of each step by its id. steps: each after those that it needs."""
    active = set(running)
    states = dict[str, StepProgress]()
    for step in steps:
        if step.id in results:
            states[step.id] = results[step.id].state
        elif any(states.get(needed) in ("failed", "blocked") for needed in step.needs):
            states[step.id] = "blocked"
        else:
            states[step.id] = "running" if step.id in active else "waiting"
    return states


def count_states(states: Iterable[StepProgress]) -> SweepCounts:
    counts = Counter(states)
    return SweepCounts(*(counts[state] for state in ("done", "failed", "blocked", "running", "waiting")))


def place_of(step: SweepStep) -> str:
    """The provider of a step, and its machine where that is another one."""
    return step.provider if step.machine == LOCAL_MACHINE else f"{step.provider} on {step.machine}"


@dataclass(frozen=True)
class SweepSnapshot:
    """What the files of a sweep say. states: of each step. alive: whether its client runs."""

    plan: SweepPlanFile
    results: Mapping[str, StepResult]
    states: Mapping[str, StepProgress]
    alive: bool
    ended: str

    @property
    def counts(self) -> SweepCounts:
        return count_states(self.states.values())

    @property
    def runs(self) -> list[RunRecord]:
        """The measurements and evaluations of all steps, in the plan's order.

        The provider of a measurement on another machine has the machine's name, so that they are points of their own.
        """
        ended = (step for step in self.plan.steps if step.id in self.results)
        return [
            run if step.machine == LOCAL_MACHINE else replace(run, provider=place_of(step))
            for step in ended
            for run in self.results[step.id].runs
        ]


class SweepReader:
    """Reads a sweep's folder again and again; a file that has not changed is not read twice."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.folder = SweepFolder(path)
        self._clock = clock
        self._plan: tuple[tuple[int, int], SweepPlanFile] | None = None
        self._results: dict[str, tuple[tuple[int, int], StepResult]] = {}

    def read(self) -> SweepSnapshot:
        """The present state. Raises RequestError for a folder that is no sweep's."""
        plan, status = self._read_plan(), self.folder.status()
        results = {step.id: result for step in plan.steps if (result := self._read_result(step)) is not None}
        alive = is_alive(status, self._clock())
        running = status.running if status is not None and alive else []
        states = step_states(plan.steps, results, running)
        ended = "" if status is None or alive else status.ended or "ended without a status"
        return SweepSnapshot(plan, results, states, alive, ended)

    def _read_plan(self) -> SweepPlanFile:
        stamp = _stamp(self.folder.path / PLAN_FILE)
        if self._plan is None or stamp is None or self._plan[0] != stamp:
            plan = self.folder.plan()
            self._plan = (stamp or (0, 0), plan)
        return self._plan[1]

    def _read_result(self, step: SweepStep) -> StepResult | None:
        stamp = _stamp(self.folder.step(step.id) / RESULT_FILE)
        if stamp is None:
            return None
        before = self._results.get(step.id)
        if before is not None and before[0] == stamp and before[1].digest == step.digest:
            return before[1]
        result = self.folder.result(step)
        if result is not None:
            self._results[step.id] = stamp, result
        return result


def _stamp(path: Path) -> tuple[int, int] | None:
    """Time and size of a file; None if there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size

"""Where the steps of a sweep run: the interface of an executor, and the pool of processes on this machine."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple, Protocol

from workflows.common.errors import Cancelled
from workflows.common.memory import total_bytes
from workflows.processor.cores import usable_cores
from workflows.service.sweep.schedule import Lane
from workflows.service.sweep.step_runner import RunStep, run_step
from workflows.wire.reports.sweep import StepResult, SweepStep

_CORES_PER_STEP = 4
_BYTES_PER_STEP = 8 << 30
_MOST_WORKERS = 4


class StepOutcome(NamedTuple):
    """The end of a submitted step. result: None if it was not run to its end, and is to run again."""

    step: str
    result: StepResult | None


class StepExecutor(Protocol):
    """Runs submitted steps at once, and keeps none of them after it reported their outcome."""

    def has_room(self, lane: Lane, running: Mapping[Lane, int]) -> bool:
        """Whether one more step of a lane may be submitted, beside those that run or wait here."""

    def submit(self, step: SweepStep) -> None:
        """Starts a step, or queues it."""

    def wait(self, seconds: float) -> list[StepOutcome]:
        """The outcomes since the last call; waits so long for the first. Raises JoineryError and OSError."""

    def close(self) -> None:
        """Cancels what runs, and waits for its end."""


def default_workers() -> int:
    """Steps at once that suit the cores and the memory of this machine."""
    cores, memory = usable_cores() // _CORES_PER_STEP, total_bytes() // _BYTES_PER_STEP
    return max(1, min(cores, memory, _MOST_WORKERS))


class LocalPool:
    """At most `workers` steps at once, each in a process of its own; a benchmark beside no other step.

    builds: at most so many builds at once. run: runs one step.
    """

    def __init__(self, runs: Path, workers: int, builds: int, run: RunStep = run_step) -> None:
        self._runs, self._run = runs, run
        self._workers, self._builds = workers, builds
        self._pool = ThreadPoolExecutor(workers, "step")
        self._stopping = threading.Event()
        self._outcomes = SimpleQueue[StepOutcome | Exception]()

    def has_room(self, lane: Lane, running: Mapping[Lane, int]) -> bool:
        """A benchmark needs the machine for itself, a build one of the places of builds."""
        of_kind = {
            kind: sum(count for one, count in running.items() if one.kind == kind) for kind in ("build", "bench")
        }
        total = sum(running.values())
        if lane.kind == "bench":
            return total == 0
        if of_kind["bench"] or total >= self._workers:
            return False
        return lane.kind != "build" or of_kind["build"] < self._builds

    def submit(self, step: SweepStep) -> None:
        self._pool.submit(self._work, step)

    def wait(self, seconds: float) -> list[StepOutcome]:
        """The outcomes since the last call. Raises the error of a step that could not be run."""
        outcomes = list[StepOutcome]()
        try:
            outcome = self._outcomes.get(timeout=seconds)
            while True:
                if isinstance(outcome, Exception):
                    raise outcome
                outcomes.append(outcome)
                outcome = self._outcomes.get_nowait()
        except Empty:
            return outcomes

    def close(self) -> None:
        self._stopping.set()
        self._pool.shutdown(cancel_futures=True)

    def _work(self, step: SweepStep) -> None:
        try:
            self._outcomes.put(StepOutcome(step.id, self._run(self._runs, step, self._stopping.is_set)))
        except Cancelled:
            self._outcomes.put(StepOutcome(step.id, None))
        except Exception as error:  # noqa: BLE001 - raised again by wait, in the thread of the sweep
            self._outcomes.put(error)

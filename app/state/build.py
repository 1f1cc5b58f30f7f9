"""The build that runs, or the last one.

start(Build) ──stage, progress, log──▶ rows, tail ──done | error──▶ outcome
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs.job import Job
from app.jobs.spare_worker import SpareWorker
from app.jobs.worker_client import WorkerClient
from app.text.translatable import tr
from workflows.wire.events import BuildDone, ErrorEvent, Event, LogEvent, NoticeEvent, ProgressEvent, StageEvent
from workflows.wire.reports.plan import PlanReport
from workflows.wire.requests import Build
from workflows.wire.stage_times import OUTER_STAGES, StageTime, stage_times

TAIL = 500
GRACE_MS = 1200
"""Grace period of a cancelled build. It is short: stages are atomic, and an export cannot react to a message."""
WEIGHTS = {
    "checkpoint": 4, "export": 56, "import": 0, "optimize": 22, "goal": 200, "quantize": 12, "measure": 4, "bundle": 6
}  # fmt: skip
"""The stages in order, with their share of a usual build's time where it is not estimated. `import` is in `export`."""
LATE = 1.5
"""How many times its estimate a stage may take before the estimate counts as exceeded."""
SPARE_WORKER_DELAY_MS = 1500
"""Delay from the end of a build to the preparation of the next worker, so that the window shows the result first."""
BuildState = Literal["idle", "running", "done", "failed", "cancelled"]


@dataclass(slots=True)
class StageRow:
    """The row of a stage."""

    stage: str
    state: str = "waiting"
    seconds: float = 0.0
    peak_mib: float = 0.0
    note: str = ""
    began: float = 0.0

    @property
    def title(self) -> str:
        """What the stage does."""
        titles = {
            "checkpoint": tr("checkpoint"),
            "export": tr("export"),
            "import": tr("loading PyTorch"),
            "optimize": tr("optimize"),
            "quantize": tr("quantize"),
            "measure": tr("measure the loss"),
            "bundle": tr("bundle"),
        }
        return titles.get(self.stage, self.stage)

    @property
    def inner(self) -> bool:
        """Whether it is a part of another stage."""
        return self.stage in OUTER_STAGES

    @property
    def elapsed(self) -> float:
        """Seconds that the stage took, or has been running."""
        return time.monotonic() - self.began if self.state == "started" else self.seconds

    @property
    def ended(self) -> bool:
        """Whether the stage has ended."""
        return self.state in ("done", "reused", "skipped", "failed")


class BuildModel(QObject):
    """The build that runs, or the last one. Each build has its own worker process, which may be a spare one."""

    started = Signal()
    changed = Signal()
    logged = Signal(str)
    finished = Signal()

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._spare = SpareWorker(new_worker, self)
        self._worker: WorkerClient | None = None
        self._job: Job[BuildDone] | None = None
        self.request: Build | None = None
        self.plan: PlanReport | None = None
        self.state: BuildState = "idle"
        self.stopping = False
        self.rows: list[StageRow] = []
        self.progress: ProgressEvent | None = None
        self.tail: deque[str] = deque(maxlen=TAIL)
        self.outcome: BuildDone | None = None
        self.error: ErrorEvent | None = None
        self.active = ""
        """Name or role of the component that is being traced or changed."""
        self.traced: set[str] = set()
        """Those of the components that have a graph."""
        self.memory = 0
        self.expected = 0.0
        """Expected seconds; 0 where they are unknown."""
        self._seconds: dict[str, float] = {}
        """Expected seconds of each stage."""
        self.began = self.ended = 0.0

    @property
    def running(self) -> bool:
        """Whether a build runs."""
        return self.state == "running"

    @property
    def elapsed(self) -> float:
        """Seconds since the start, or that the build took."""
        return (time.monotonic() if self.running else self.ended) - self.began

    @property
    def current(self) -> StageRow | None:
        """The running stage; the inner one of nested stages."""
        return max((row for row in self.rows if row.state == "started"), key=lambda row: row.began, default=None)

    @property
    def finishing(self) -> bool:
        """Whether every stage has ended, and the bundle is put in its place."""
        return self.running and bool(self.rows) and all(row.ended for row in self.rows)

    @property
    def failed_row(self) -> StageRow | None:
        """The stage that failed."""
        return next((row for row in self.rows if row.state == "failed"), None)

    @property
    def _left(self) -> float:
        """Expected seconds of what has not ended. It never grows: a running stage uses up its own share alone."""
        open_rows = [row for row in self.rows if not row.ended]
        return sum(max(0.0, self._seconds.get(row.stage, 0.0) - row.elapsed) for row in open_rows)

    @property
    def fraction(self) -> float:
        """The share that is done, 0 to 1, by the expected time: a stage that takes longer adds no more than its own.

        It never shrinks, and is 1 only at the end.
        """
        if self.state == "done":
            return 1.0
        total = sum(self._seconds.get(row.stage, 0.0) for row in self.rows)
        return min(0.99, 1 - self._left / total) if total else 0.0

    @property
    def remaining(self) -> float | None:
        """Estimated remaining seconds, which only shrink; None where they are unknown or the estimate was exceeded."""
        return self._left or None if self.running and self.expected else None

    @property
    def late(self) -> bool:
        """Whether a stage that runs takes much longer than its share; `remaining` is then that of the others."""
        shares = ((row.elapsed, self._seconds.get(row.stage, 0.0)) for row in self.rows if row.state == "started")
        return any(share > 0 and elapsed > LATE * share for elapsed, share in shares)

    @property
    def times(self) -> list[StageTime]:
        """The seconds of each stage, which add up to those of the build."""
        return stage_times({row.stage: row.elapsed for row in self.rows if row.elapsed}, self.elapsed)

    def start(self, request: Build, expected: float = 0.0, plan: PlanReport | None = None) -> bool:
        """Starts a build; returns False while another runs. plan: that of the request, with its estimate.

        expected: the estimate in seconds where there is no plan.
        """
        if self.running:
            return False
        self.request, self.plan = request, plan
        absent = {"goal"} if request.goal is None else set[str]()
        if plan is None or "measure" not in plan.estimate.stages:  # of quantized weights alone
            absent.add("measure")
        self.rows = [StageRow(stage) for stage in WEIGHTS if stage not in absent]
        self.expected = plan.estimate.seconds if plan and request.goal is None else expected
        self._seconds = dict(plan.estimate.stages) if plan and request.goal is None else {}
        if not self._seconds:
            total = sum(WEIGHTS[row.stage] for row in self.rows)
            self._seconds = {row.stage: (self.expected or total) * WEIGHTS[row.stage] / total for row in self.rows}
        self.tail.clear()
        self.outcome = self.error = self.progress = None
        self.active, self.traced = "", set()
        self.stopping, self.memory = False, 0
        self.began = time.monotonic()
        self.state = "running"
        self._worker = self._spare.take()
        self._worker.grace_ms = GRACE_MS
        self._worker.background = True
        self._worker.memory.connect(self._on_memory)
        self._worker.log.connect(self._log)
        self._job = self._worker.request(request)
        self._job.event.connect(self.apply)
        self._job.finished.connect(self.apply)
        self._log(f"{request.source} → {request.out}")
        self.started.emit()
        self.changed.emit()
        return True

    def prepare(self) -> None:
        """Prepares a worker for the build that will probably be requested next."""
        if not self.running:
            self._spare.prepare()

    def retry(self) -> bool:
        """Requests the same build again; the engine resumes where it stopped."""
        return self.request is not None and self.start(self.request, self.expected, self.plan)

    def cancel(self) -> None:
        """Cancels the build; finished stages are reused by the next try."""
        if self._job is not None and self.running:
            self.stopping = True
            self._job.cancel()
            self.changed.emit()

    def reset(self) -> None:
        """Forgets a build that ended."""
        if not self.running:
            self.state, self.rows, self.outcome, self.error = "idle", [], None, None
            self.changed.emit()

    def apply(self, event: Event) -> None:
        """Handles an event of the build."""
        if isinstance(event, StageEvent):
            self._stage(event)
        elif isinstance(event, ProgressEvent):
            self._progress(event)
        elif isinstance(event, LogEvent | NoticeEvent):
            self._log(event.message)
        elif isinstance(event, BuildDone):
            self.outcome = event
            self._end("done")
        elif isinstance(event, ErrorEvent):
            self._fail(event)
        self.changed.emit()

    def _progress(self, event: ProgressEvent) -> None:
        if event.message and (self.progress is None or event.message != self.progress.message):
            self._log(f"{event.stage}: {event.message}")
        self.progress = event
        self._set_active(event.component or "")

    def _set_active(self, component: str) -> None:
        """Another component is in progress; the one before has its graph."""
        if self.active and component != self.active:
            self.traced.add(self.active)
        self.active = component

    def _stage(self, event: StageEvent) -> None:
        row = self._row(event.stage)
        row.state, row.note = event.state, event.note
        if event.stage == "export" and event.state == "reused":  # which imports nothing
            self.rows = [other for other in self.rows if other.stage != "import"]
        self._log(_log_line(event))
        self.progress = None
        self._set_active("")
        if event.stage == "export" and event.state in ("done", "reused") and self.plan is not None:
            self.traced |= {component.name for component in self.plan.components}
        if event.state == "started":
            row.began = time.monotonic()
        else:
            row.seconds, row.peak_mib = event.seconds, event.peak_mib

    def _row(self, stage: str) -> StageRow:
        """The row of a stage; a new one stands where WEIGHTS has it, or last."""
        row = next((row for row in self.rows if row.stage == stage), None)
        if row is None:
            row, order = StageRow(stage), list(WEIGHTS)
            later = order[order.index(stage) :] if stage in order else []
            place = next((at for at, one in enumerate(self.rows) if one.stage in later), len(self.rows))
            self.rows.insert(place, row)
        return row

    def _fail(self, event: ErrorEvent) -> None:
        self.error = event
        self._log(event.message)
        row, stopped = self.current or self.failed_row, event.kind == "cancelled"
        if row is not None:
            row.note = row.note or event.message
        for ended in [one for one in self.rows if one.state in ("started", "failed")]:
            ended.seconds = ended.elapsed
            if stopped:  # the engine reports a cancelled stage as failed
                ended.state, ended.note = "stopped", ""
            else:
                ended.state = "failed"
        self._end("cancelled" if stopped else "failed")

    def _end(self, state: BuildState) -> None:
        self.state, self.ended, self._job, self.stopping = state, time.monotonic(), None, False
        self.rows = [r for r in self.rows if state != "done" or r.state != "waiting"]
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.retire()
        QTimer.singleShot(SPARE_WORKER_DELAY_MS, self, self.prepare)
        self.finished.emit()

    def _on_memory(self, rss: int) -> None:
        if self.running:
            self.memory = rss
            self.changed.emit()

    def _log(self, text: str) -> None:
        line = f"{datetime.now():%H:%M:%S}  {text}"
        self.tail.append(line)
        self.logged.emit(line)


def _log_line(event: StageEvent) -> str:
    """The log line of a stage event."""
    took = f" in {event.seconds:.1f} s, at most {event.peak_mib:,.0f} MiB" if event.seconds else ""
    note = f" ({event.note})" if event.note else ""
    return f"{event.stage}: {event.state}{took}{note}"

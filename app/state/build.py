"""Building: the draft that the wizard fills, and the build that runs.

    Draft: source ──Probe──▶ found ──PlanRecipe──▶ plan
    BuildModel: start(Build) ──stage, progress, log──▶ rows, tail ──done | error──▶ outcome

The two stand apart: a draft can be changed while a build runs. Neither knows a widget.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs.job import Job
from app.jobs.worker import Worker
from workflows.wire.events import (
    BuildDone,
    ErrorEvent,
    Event,
    LogEvent,
    NoticeEvent,
    ProgressEvent,
    StageEvent,
)
from workflows.wire.goals import Goal
from workflows.wire.reports.plan import PlanReport, ProbeReport
from workflows.wire.requests import Build, Options, PlanRecipe, Probe

DEMO = "demo:qwen3"
TAIL = 500
GRACE_MS = 1500
"""How long a build may take to stop by itself. Its stages are atomic and an export hears nothing, so it is short."""
ORDER = ("checkpoint", "export", "optimize", "goal", "quantize", "bundle")
BuildState = Literal["idle", "running", "done", "failed", "cancelled"]


@dataclass(slots=True)
class StageRow:
    """One line of the build's list: a stage."""

    stage: str
    state: str = "waiting"
    seconds: float = 0.0
    peak_mib: float = 0.0
    note: str = ""
    began: float = 0.0

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ("done", "reused", "skipped", "failed")


class BuildModel(QObject):
    """The build that runs, or the last one. Each build has a process of its own."""

    changed = Signal()
    logged = Signal(str)
    finished = Signal()

    def __init__(self, new_worker: Callable[[], Worker], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._new_worker = new_worker
        self._worker: Worker | None = None
        self._job: Job[BuildDone] | None = None
        self.request: Build | None = None
        self.state: BuildState = "idle"
        self.stopping = False
        self.rows: list[StageRow] = []
        self.progress: ProgressEvent | None = None
        self.tail: deque[str] = deque(maxlen=TAIL)
        self.outcome: BuildDone | None = None
        self.error: ErrorEvent | None = None
        self.memory = 0
        self.began = self.ended = 0.0

    @property
    def running(self) -> bool:
        """Whether a build is at work."""
        return self.state == "running"

    @property
    def elapsed(self) -> float:
        """Seconds since the start, or that the build took."""
        return (time.monotonic() if self.running else self.ended) - self.began

    @property
    def current(self) -> StageRow | None:
        """The stage that is at work."""
        return next((row for row in reversed(self.rows) if row.state == "started"), None)

    @property
    def failed_row(self) -> StageRow | None:
        """The stage that failed."""
        return next((row for row in self.rows if row.state == "failed"), None)

    @property
    def fraction(self) -> float:
        """How much is done, 0 to 1: ended stages, and the share of the one at work."""
        if self.state == "done":
            return 1.0
        total = max(len(self.rows), 1)
        share = self.progress.done / self.progress.total if self.progress and self.progress.total else 0.0
        return min(1.0, (sum(r.ended for r in self.rows) + (min(share, 1.0) if self.current else 0.0)) / total)

    def start(self, request: Build) -> bool:
        """Begin a build; False while another runs."""
        if self.running:
            return False
        self.request = request
        self.rows = [StageRow(stage) for stage in ORDER if stage != "goal" or request.goal is not None]
        self.tail.clear()
        self.outcome = self.error = self.progress = None
        self.stopping, self.memory = False, 0
        self.began = time.monotonic()
        self.state = "running"
        self._worker = self._new_worker()
        self._worker.grace_ms = GRACE_MS
        self._worker.background = True
        self._worker.memory.connect(self._on_memory)
        self._worker.log.connect(self._log)
        self._job = self._worker.request(request)
        self._job.event.connect(self.apply)
        self._job.finished.connect(self.apply)
        self.changed.emit()
        return True

    def retry(self) -> bool:
        """Ask for the same build again: the engine goes on where it stopped."""
        return self.request is not None and self.start(self.request)

    def cancel(self) -> None:
        """Stop the build; what was finished is kept for the next try."""
        if self._job is not None and self.running:
            self.stopping = True
            self._job.cancel()
            self.changed.emit()

    def reset(self) -> None:
        """Forget a build that ended."""
        if not self.running:
            self.state, self.rows, self.outcome, self.error = "idle", [], None, None
            self.changed.emit()

    def apply(self, event: Event) -> None:
        """Take one event of the build."""
        if isinstance(event, StageEvent):
            self._stage(event)
        elif isinstance(event, ProgressEvent):
            self.progress = event
        elif isinstance(event, LogEvent | NoticeEvent):
            self._log(event.message)
        elif isinstance(event, BuildDone):
            self.outcome = event
            self._end("done")
        elif isinstance(event, ErrorEvent):
            self._fail(event)
        self.changed.emit()

    def _stage(self, event: StageEvent) -> None:
        row = self._row(event.stage)
        row.state, row.note = event.state, event.note
        if event.state == "started":
            row.began, self.progress = time.monotonic(), None
        else:
            row.seconds, row.peak_mib = event.seconds, event.peak_mib

    def _row(self, stage: str) -> StageRow:
        """The row of a stage; one that is not in ORDER comes last."""
        found = next((row for row in self.rows if row.stage == stage), None)
        if found is None:
            found = StageRow(stage)
            self.rows.append(found)
        return found

    def _fail(self, event: ErrorEvent) -> None:
        self.error = event
        row, stopped = self.current or self.failed_row, event.kind == "cancelled"
        if row is not None:
            row.state = "stopped" if stopped else "failed"
            row.note = "" if stopped else row.note or event.message
        self._end("cancelled" if event.kind == "cancelled" else "failed")

    def _end(self, state: BuildState) -> None:
        self.state, self.ended, self._job, self.stopping = state, time.monotonic(), None, False
        self.rows = [r for r in self.rows if state != "done" or r.state != "waiting"]
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.retire()
        self.finished.emit()

    def _on_memory(self, rss: int) -> None:
        if self.running:
            self.memory = rss
            self.changed.emit()

    def _log(self, text: str) -> None:
        self.tail.append(text)
        self.logged.emit(text)


class Draft(QObject):
    """What the wizard is about to build. Questions to the engine are answered by `probed` and `planned`."""

    changed = Signal()
    probed = Signal()
    planned = Signal()

    def __init__(self, worker: Worker, bundles: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._bundles = bundles
        self._probe: Job[ProbeReport] | None = None
        self._plan: Job[PlanReport] | None = None
        self._debounce = QTimer(self, interval=150, singleShot=True)
        self._debounce.timeout.connect(self._ask_plan)
        self.reset()

    def reset(self) -> None:
        """An empty draft."""
        self.drop_questions()
        self.source = ""
        self.trusted = False
        self.consented: frozenset[str] = frozenset()
        self.options: Options = {}
        self.goal: Goal | None = None
        self.found: ProbeReport | None = None
        self.plan: PlanReport | None = None
        self.out = ""
        self.progress: ProgressEvent | None = None
        self.probe_error: ErrorEvent | None = None
        self.plan_error: ErrorEvent | None = None
        self.changed.emit()

    def drop_questions(self) -> None:
        """Do not wait for what was asked."""
        for job in (self._probe, self._plan):
            if job is not None:
                job.cancel()
        self._probe = self._plan = None
        self._debounce.stop()

    @property
    def probing(self) -> bool:
        """Whether the source is being looked at."""
        return self._probe is not None

    @property
    def planning(self) -> bool:
        """Whether a plan is on its way."""
        return self._plan is not None or self._debounce.isActive()

    @property
    def needs_consent(self) -> bool:
        """Whether the source brings code of its own that nobody agreed to yet: consent is to these very bytes."""
        return not self.consented.issuperset(self.remote_code.values())

    @property
    def remote_code(self) -> dict[str, str]:
        """The code files that the source brings along: name → SHA-256."""
        refused = self.probe_error.files if self.probe_error else None
        return dict((self.found.remote_code if self.found else None) or refused or {})

    @property
    def supported(self) -> bool:
        """Whether the source can be built."""
        return self.found is not None and self.found.supported and not self.needs_consent

    def request(self, out: str | Path) -> Build:
        """The build that was chosen."""
        return Build(self.source, str(out), dict(self.options), tuple(sorted(self.consented)), goal=self.goal)

    def probe(self, source: str, trusted: bool = False) -> None:
        """Look at a source: a folder, a hub id or the demo. trusted: the code that was shown may run."""
        self.drop_questions()
        self.consented = frozenset(self.remote_code.values()) if trusted else frozenset()
        self.source, self.trusted = source.strip(), trusted
        self.found, self.plan, self.options, self.goal = None, None, {}, None
        self.probe_error = self.plan_error = self.progress = None
        self.out = ""
        if self.source:
            job = self._worker.request(Probe(self.source))
            self._probe = job
            job.event.connect(lambda event: self._on_progress(job, event))
            job.on_answer(lambda found: self._on_probed(job, found, None))
            job.on_error(lambda error: self._on_probed(job, None, error))
        self.changed.emit()

    def _on_progress(self, job: Job[ProbeReport], event: Event) -> None:
        if job is self._probe and isinstance(event, ProgressEvent):
            self.progress = event
            self.changed.emit()

    def _on_probed(self, job: Job[ProbeReport], found: ProbeReport | None, error: ErrorEvent | None) -> None:
        if job is not self._probe:
            return
        self._probe, self.progress = None, None
        self.found, self.probe_error = found, error
        if found is not None:
            self.out = str(self.default_out())
        self.probed.emit()
        self.changed.emit()
        if self.supported:
            self.ask_plan()

    def default_out(self) -> Path:
        """A folder for the bundle that says what it is."""
        name = self.source.removeprefix("demo:") + ("-demo" if self.source.startswith("demo:") else "")
        last = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in last).strip(".-") or "bundle"
        folder = self._bundles / safe
        number = 2
        while folder.exists():
            folder = self._bundles / f"{safe}-{number}"
            number += 1
        return folder

    def set_option(self, name: str, value: object) -> None:
        """Choose; the plan is asked for anew."""
        if self.options.get(name) != value:
            self.options[name] = value
            self.ask_plan()
            self.changed.emit()

    def ask_plan(self) -> None:
        """Ask for recipe and estimate, soon and once for several changes."""
        if self.supported:
            self._debounce.start()

    def _ask_plan(self) -> None:
        job = self._worker.request(PlanRecipe(self.source, dict(self.options)))
        self._plan = job
        job.on_answer(lambda plan: self._on_planned(job, plan, None))
        job.on_error(lambda error: self._on_planned(job, None, error))
        self.changed.emit()

    def _on_planned(self, job: Job[PlanReport], plan: PlanReport | None, error: ErrorEvent | None) -> None:
        if job is not self._plan:
            return
        self._plan = None
        self.plan, self.plan_error = plan or self.plan, error  # a wrong option leaves the last plan to be seen
        self.planned.emit()
        self.changed.emit()

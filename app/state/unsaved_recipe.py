"""The draft that the wizard fills: a source, what was found there, what was chosen, and what a build of it would be.

    source ──Probe──▶ found ──PlanRecipe──▶ plan ──request──▶ Build

It can be changed while a build runs, and knows no widget.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs.job import Job
from app.jobs.worker_client import WorkerClient
from workflows.wire.events import ErrorEvent, Event, ProgressEvent
from workflows.wire.goals import Goal
from workflows.wire.reports.plan import PlanReport, ProbeReport
from workflows.wire.requests import Build, Options, PlanRecipe, ProbeSource

DEMO = "demo:qwen3"


class UnsavedRecipe(QObject):
    """What the wizard is about to build, beside what is in the folder that `bundles` gives.

    Questions to the engine are answered by `probed` and `planned`.
    """

    changed = Signal()
    probed = Signal()
    planned = Signal()

    def __init__(self, worker: WorkerClient, bundles: Callable[[], Path], parent: QObject | None = None) -> None:
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
        self.cancel_requests()
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

    def cancel_requests(self) -> None:
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

    @property
    def expected(self) -> float:
        """Seconds that a build is said to take; 0 before there is a plan."""
        return self.plan.estimate.seconds if self.plan else 0.0

    def request(self, out: str | Path) -> Build:
        """The build that was chosen."""
        return Build(self.source, str(out), dict(self.options), tuple(sorted(self.consented)), goal=self.goal)

    def is_of(self, build: Build | None) -> bool:
        """Whether `build` is the one that was chosen here."""
        return build is not None and build == self.request(build.out)

    def keeper(self) -> Callable[[], None]:
        """What brings this draft back, as it is now."""
        return partial(self.restore, self.source, dict(self.options), self.out, self.consented, self.goal)

    def set_goal(self, goal: Goal | None) -> None:
        """Choose what is to be kept, or nothing; the precision of every node is then left to the search."""
        if goal != self.goal:
            self.goal = goal
            self.changed.emit()
        if goal is not None:
            self.set_option("precision", "fp32")

    def probe(self, source: str, trusted: bool = False) -> None:
        """Look at a source: a folder, a hub id or the demo. trusted: the code that was shown may run."""
        self.cancel_requests()
        self.consented = frozenset(self.remote_code.values()) if trusted else frozenset()
        self.source, self.trusted = source.strip(), trusted
        self.found, self.plan, self.options, self.goal = None, None, {}, None
        self.probe_error = self.plan_error = self.progress = None
        self.out = ""
        if self.source:
            job = self._worker.request(ProbeSource(self.source))
            self._probe = job
            job.event.connect(lambda event: self._on_progress(job, event))
            job.on_answer(lambda found: self._on_probed(job, found, None))
            job.on_error(lambda error: self._on_probed(job, None, error))
        self.changed.emit()

    def restore(
        self, source: str, options: Options, out: str, consented: frozenset[str], goal: Goal | None = None
    ) -> None:
        """A draft as it was. Nobody is asked about a hub id before a person asks again: that is the network."""
        if not source.startswith("demo:") and not Path(source).is_dir():
            self.reset()
            self.source = source
            self.changed.emit()
            return
        self.probe(source)
        self.options, self.out, self.consented, self.goal = dict(options), out, consented, goal
        self.trusted = bool(consented)

    def _on_progress(self, job: Job[ProbeReport], event: Event) -> None:
        if job is self._probe and isinstance(event, ProgressEvent):
            self.progress = event
            self.changed.emit()

    def _on_probed(self, job: Job[ProbeReport], found: ProbeReport | None, error: ErrorEvent | None) -> None:
        if job is not self._probe:
            return
        self._probe, self.progress = None, None
        self.found, self.probe_error = found, error
        self.probed.emit()
        self.changed.emit()
        if self.supported:
            self.request_plan()

    def default_out(self) -> Path:
        """A folder for the bundle that says what it is: `qwen3-demo-int4-window512`, or the next that is free."""
        name = self.source.removeprefix("demo:") + ("-demo" if self.source.startswith("demo:") else "")
        last = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        safe = "".join(c if c.isalnum() or c in "-_." else "-" for c in last).strip(".-") or "bundle"
        full = "-".join([safe, *self._kind()])
        bundles = self._bundles()
        folder, number = bundles / full, 2
        while folder.exists():
            folder, number = bundles / f"{full}-{number}", number + 1
        return folder

    def _kind(self) -> list[str]:
        """What tells the bundle from others of its model: precision or goal, cache, and a target but the CPU."""
        if self.plan is None:
            return []
        chosen = self.plan.chosen
        cached = self.found is not None and self.found.decoder is not None
        cache = [f"{chosen.cache}{chosen.capacity}"] if cached else []
        precision = chosen.precision if self.goal is None else f"{self.goal.metric}-{self.goal.limit:g}"
        return [precision, *cache, *([chosen.target] if chosen.target != "cpu" else [])]

    def set_quantize(self, **parts: object) -> None:
        """Choose some of the settings of quantization; the others stay."""
        chosen = self.options.get("quantize")
        self.set_option("quantize", {**(chosen if isinstance(chosen, dict) else {}), **parts})

    def set_options(self, options: Options) -> None:
        """Choose everything anew; the plan is asked for. A precision that is chosen leaves nothing to a goal."""
        self.options = dict(options)
        if options.get("precision") != "fp32":
            self.goal = None
        self.plan_error = None
        self.request_plan()
        self.changed.emit()

    def set_option(self, name: str, value: object) -> None:
        """Choose; the plan is asked for anew."""
        if self.options.get(name) != value:
            self.options[name] = value
            self.request_plan()
            self.changed.emit()

    def request_plan(self) -> None:
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

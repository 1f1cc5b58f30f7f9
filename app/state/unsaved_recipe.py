"""The unsaved recipe that the build wizard edits: a source, its probe report, the chosen options and the plan.

    source ──Probe──▶ probe_report ──PlanRecipe──▶ plan ──request──▶ Build

It can be changed while a build runs. UnsavedRecipeFile saves it soon after each change, for the next start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs.latest_request import LatestRequest
from app.jobs.worker_client import WorkerClient
from app.state.json_file import parse_json
from workflows.common.errors import RecipeError
from workflows.common.files import write_atomically
from workflows.wire.codec import PayloadMismatch, dumps, read
from workflows.wire.events import ErrorEvent, ProgressEvent
from workflows.wire.goals import Goal
from workflows.wire.reports.plan import PlanReport, ProbeReport
from workflows.wire.requests import Build, Options, PlanRecipe, ProbeSource

DEMO = "demo:qwen3"


class UnsavedRecipe(QObject):
    """What the wizard is about to build. bundles: returns the folder that holds new bundles."""

    changed = Signal()
    planned = Signal()

    def __init__(self, worker: WorkerClient, bundles: Callable[[], Path], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.bundles = bundles
        self._probe = LatestRequest(worker, parent=self)
        self._probe.progress.connect(self._on_progress)
        self._probe.answered.connect(lambda report: self._on_probed(report, None))
        self._probe.failed.connect(lambda error: self._on_probed(None, error))
        self._plan = LatestRequest(worker, 150, self)
        self._plan.answered.connect(lambda plan: self._on_planned(plan, None))
        self._plan.failed.connect(lambda error: self._on_planned(self.plan, error))  # the last plan stays visible
        self.reset()

    def reset(self) -> None:
        """Empties the recipe."""
        self.cancel_requests()
        self.source = ""
        self.trusted = False
        self.consented: frozenset[str] = frozenset()
        self.options: Options = {}
        self.goal: Goal | None = None
        self.probe_report: ProbeReport | None = None
        self.plan: PlanReport | None = None
        self.out = ""
        self.progress: ProgressEvent | None = None
        self.probe_error: ErrorEvent | None = None
        self.plan_error: ErrorEvent | None = None
        self.changed.emit()

    def cancel_requests(self) -> None:
        """Waits for no answer any more."""
        self._probe.cancel()
        self._plan.cancel()

    @property
    def probing(self) -> bool:
        """Whether the source is being inspected."""
        return self._probe.busy

    @property
    def planning(self) -> bool:
        """Whether a plan is awaited."""
        return self._plan.busy

    @property
    def needs_consent(self) -> bool:
        """Whether the source has code of its own without the user's consent, which is to exact file contents."""
        return not self.consented.issuperset(self.remote_code.values())

    @property
    def remote_code(self) -> dict[str, str]:
        """The code files of the source: name → SHA-256."""
        refused = self.probe_error.files if self.probe_error else None
        return dict((self.probe_report.remote_code if self.probe_report else None) or refused or {})

    @property
    def supported(self) -> bool:
        """Whether the source can be built."""
        return self.probe_report is not None and self.probe_report.supported and not self.needs_consent

    def request(self, out: str | Path) -> Build:
        """The request for a build with these choices."""
        return Build(
            self.source,
            str(out),
            completed_options(self),
            tuple(sorted(self.consented)),
            goal=self.goal,
        )

    def is_of(self, build: Build | None) -> bool:
        """Whether `build` was requested with exactly these choices."""
        return build is not None and build == self.request(build.out)

    def set_goal(self, goal: Goal | None) -> None:
        """Sets a goal that a search chooses each node's precision for, or None. It takes the cache in floats."""
        if goal != self.goal:
            self.goal = goal
            self.changed.emit()
        if goal is not None:
            if self.options.get("kv_dtype") == "int8":
                self.set_option("kv_dtype", None)
            self.set_option("precision", "fp32")

    def probe(self, source: str, trusted: bool = False) -> None:
        """Inspects a source: a folder, a hub id or the demo. trusted: the user consents to the code that was shown."""
        self.cancel_requests()
        self.consented = frozenset(self.remote_code.values()) if trusted else frozenset()
        self.source, self.trusted = source.strip(), trusted
        self.probe_report, self.plan, self.options, self.goal = None, None, {}, None
        self.probe_error = self.plan_error = self.progress = None
        self.out = ""
        if self.source:
            self._probe.send(ProbeSource(self.source))
        self.changed.emit()

    def restore(
        self, source: str, options: Options, out: str, consented: frozenset[str], goal: Goal | None = None
    ) -> None:
        """Restores a recipe. A hub id is not probed before the user asks for it, as that takes the network."""
        if not source.startswith("demo:") and not Path(source).is_dir():
            self.reset()
            self.source = source
            self.changed.emit()
            return
        self.probe(source)
        self.options, self.out, self.consented, self.goal = dict(options), out, consented, goal
        self.trusted = bool(consented)

    def _on_progress(self, progress: ProgressEvent) -> None:
        self.progress = progress
        self.changed.emit()

    def _on_probed(self, report: ProbeReport | None, error: ErrorEvent | None) -> None:
        self.progress = None
        self.probe_report, self.probe_error = report, error
        self.changed.emit()
        if self.supported:
            self.request_plan()

    def set_quantize(self, **parts: object) -> None:
        """Changes some settings of quantization."""
        chosen = self.options.get("quantize")
        self.set_option("quantize", {**(chosen if isinstance(chosen, dict) else {}), **parts})

    def set_options(self, options: Options) -> None:
        """Replaces all options and requests a plan. Any precision but fp32 removes the goal."""
        self.options = dict(options)
        if options.get("precision") != "fp32":
            self.goal = None
        self.plan_error = None
        self.request_plan()
        self.changed.emit()

    def set_option(self, name: str, value: object) -> None:
        """Changes an option and requests a plan; see changed_options."""
        if self.options.get(name) != value:
            self.options = changed_options(self.options, {name: value})
            self.request_plan()
            self.changed.emit()

    def request_plan(self) -> None:
        """Asks for recipe and estimate, soon, and once for several changes."""
        if self.supported:
            self._plan.send(PlanRecipe(self.source, completed_options(self)))

    def _on_planned(self, plan: PlanReport | None, error: ErrorEvent | None) -> None:
        self.plan, self.plan_error = plan, error
        self.planned.emit()
        self.changed.emit()


def chosen_task(options: Options, report: ProbeReport | None) -> str | None:
    """The task in `options`, or the only one of a model that is built in part alone; None for the checkpoint's own."""
    chosen = options.get("task")
    if isinstance(chosen, str):
        return chosen
    only = report.tasks if report is not None and report.left_out and report.own_task is None else []
    return only[0] if len(only) == 1 else None


def completed_options(recipe: UnsavedRecipe) -> Options:
    """The options, with the task, and with the recommended precision where nothing else was chosen."""
    options = _with_task(recipe.options, recipe.probe_report)
    chosen = any(options.get(name) is not None for name in ("precision", "preset")) or recipe.goal is not None
    best = "" if chosen else recommended_precision(recipe)
    return {**options, "precision": best} if best else options


def recommended_precision(recipe: UnsavedRecipe) -> str:
    """The precision to begin with on the chosen target; empty where the engine chooses."""
    report = recipe.probe_report
    return report.recommended.get(str(recipe.options.get("target") or "cpu"), "") if report else ""


def _with_task(options: Options, report: ProbeReport | None) -> Options:
    task = chosen_task(options, report)
    return dict(options) if task is None else {**options, "task": task}


def changed_options(options: Options, change: Mapping[str, object]) -> Options:
    """The options with a change. A precision ends a preset, which has its own.

    A preset ends a precision, and settings of single weights give way to it; the calibration stays.
    """
    kept = dict(options)
    if "precision" in change:
        kept.pop("preset", None)
    if change.get("preset"):
        kept["precision"] = None
        chosen = kept.pop("quantize", None)
        if isinstance(chosen, dict) and "calibration" in chosen:
            kept["quantize"] = {"calibration": chosen["calibration"]}
    return {**kept, **change}


def choose_preset(recipe: UnsavedRecipe, preset: str) -> None:
    """Chooses size against accuracy; see changed_options."""
    recipe.set_options(changed_options(recipe.options, {"preset": preset}))


def choose_task(recipe: UnsavedRecipe, task: str) -> None:
    """Sets the task, and removes the choices made for another one but for its adapters, precision and target."""
    lasting = "adapter", "adapters", "precision", "target"
    kept = {name: value for name, value in recipe.options.items() if name in lasting}
    own = recipe.probe_report is not None and task == recipe.probe_report.own_task
    recipe.set_options(kept if own else {**kept, "task": task})


def bundle_name(recipe: UnsavedRecipe) -> str:
    """What tells the bundle from others: its source, precision or goal, cache, a target other than the CPU, and options
    that a person has to choose.
    """
    name = recipe.source.removeprefix("demo:") + ("-demo" if recipe.source.startswith("demo:") else "")
    safe = _file_name(name, "bundle")
    adapters = recipe.options.get("adapter")
    for one in adapters if isinstance(adapters, list) else ():
        safe += f"-{_file_name(str(one.get('folder', '')), 'adapter')}" if isinstance(one, dict) else ""
    if recipe.plan is None:
        return safe
    chosen, goal = recipe.plan.chosen, recipe.goal
    has_cache = recipe.probe_report is not None and recipe.probe_report.decoder is not None
    cache = [f"{chosen.cache}{chosen.capacity}"] if has_cache else []
    precision = chosen.precision if goal is None else f"{goal.metric}-{goal.limit:g}"
    asked = recipe.plan.recipe
    marks = {
        chosen.target: chosen.target != "cpu",
        "int8-cache": asked.get("kv_dtype") == "int8",
        "fast-prompts": asked.get("fast_prefill") is True,
        "switched": asked.get("adapters") == "runtime",
    }
    return "-".join([safe, precision, *cache, *(mark for mark, shown in marks.items() if shown)])


def _file_name(path: str, default: str) -> str:
    """The last part of a path with the signs that every system takes in names."""
    last = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    if last.lower().endswith(".gguf"):
        last = last[: -len(".gguf")]
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in last).strip(".-") or default


def free_output_folder(recipe: UnsavedRecipe) -> Path:
    """A folder for the bundle that does not exist: `qwen3-demo-int4-window512`, or with -2, -3 …"""
    bundles, name, number = recipe.bundles(), bundle_name(recipe), 2
    folder = bundles / name
    while folder.exists():
        folder, number = bundles / f"{name}-{number}", number + 1
    return folder


SOON_MS = 400


class UnsavedRecipeFile(QObject):
    """Follows one unsaved recipe. Two windows share the file; the last change is kept."""

    def __init__(self, folder: Path, draft: UnsavedRecipe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path, self._draft = folder / "draft.json", draft
        self._written = ""
        self._restored = False
        self.page: int | None = 0
        """The shown step of the wizard; None if the recipe is built."""
        self._save_timer = QTimer(self, interval=SOON_MS, singleShot=True)
        self._save_timer.timeout.connect(self.save)
        draft.changed.connect(self._save_timer.start)

    def set_page(self, page: int | None) -> None:
        """The wizard shows another step."""
        self.page = page
        self._save_timer.start()

    def save(self) -> None:
        """Saves now; a failed write is ignored."""
        draft = self._draft
        self._save_timer.stop()
        if not (draft.source or self._restored):
            return  # the saved recipe may still be restored
        saved = {"options": draft.options, "out": draft.out, "consented": sorted(draft.consented)}
        source = "" if self.page is None else draft.source
        text = dumps({"source": source, "page": self.page or 0, "goal": draft.goal, **saved})
        if text == self._written:
            return
        try:
            write_atomically(self._path, text.encode())
        except OSError:
            return
        self._written = text

    def restore(self) -> int:
        """Restores the saved recipe into an empty one; returns the saved step, 0 if there is none."""
        self._restored = True
        if self._draft.source:
            return 0
        try:
            saved = parse_json(self._path.read_text("utf-8"))
            source, out, page = read(str, saved["source"]), read(str, saved["out"]), read(int, saved["page"])
            options, consented = read(dict[str, object], saved["options"]), read(list[str], saved["consented"])
            goal = read(Goal, saved["goal"]) if saved.get("goal") else None
        except (OSError, ValueError, TypeError, KeyError, PayloadMismatch, RecipeError):
            return 0
        if not source:
            return 0
        self._draft.restore(source, options, out, frozenset(consented), goal)
        return page

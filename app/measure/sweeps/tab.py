"""The tab "Sweep" of the measure page: the form, how far the sweep is, accuracy against speed, and the steps.

SweepForm ──RunSweep, a folder──▶ SweepModel ──changed──▶ counts and bar │ AccuracySpeedView │ the table of steps
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QFileDialog, QWidget

from app.measure.history.accuracy_speed import AccuracySpeedView
from app.measure.request_form import RequestForm
from app.measure.sweeps.plan_dialog import SweepPlanDialog
from app.state.sweep import SweepModel
from app.text.formatting import format_duration, format_number
from app.text.translatable import tr
from app.widgets import Banner, EmptyState, button, label
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.fields import line_edit, progress_bar
from app.widgets.layouts import STRETCH, grid_layout, hbox, splitter, stack, vbox
from app.widgets.path_field import FolderField, PathField
from app.widgets.plain_text import set_tool_tip
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.measure.sweep_folder import SweepSnapshot
from workflows.wire.reports.runs import RunRecord
from workflows.wire.reports.sweep import StepProgress, SweepCounts
from workflows.wire.requests import RunSweep

if TYPE_CHECKING:
    from app.state.context import AppContext


class _PlanField(PathField):
    def button_text(self) -> str:
        return self.tr("Choose a plan")

    def choose_path(self, title: str) -> str:
        return QFileDialog.getOpenFileName(self, title, "", self.tr("Plans (*.toml);;All (*)"))[0]


class _RunsField(FolderField):
    def start(self) -> str:
        return ""


class SweepForm(RequestForm):
    """Requests a `RunSweep`; `opened` has the folder of a sweep to show."""

    opened = Signal(str)
    planRequested = Signal()  # noqa: N815

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Start sweep"), "play", parent)
        self.plan = line_edit(self.tr("Plan"), self.tr("a TOML file; Help → Documentation → Sweeps"), clear=True)
        self.runs = line_edit(self.tr("Folder of the results"), self.tr("a new one, or that of a sweep"), clear=True)
        self.scheduler = line_edit(self.tr("Dask scheduler"), self.tr("none: on this machine"), clear=True)
        set_tool_tip(self.scheduler, self.tr("The address of a scheduler whose workers run the steps: tcp://HOST:PORT"))
        self.retry = QCheckBox(self.tr("Failed steps again"))
        self.make_plan = button(self.tr("Make a plan …"), "plus", clicked=self.planRequested.emit)
        self._plan_field, self._runs_field = _PlanField(self.plan), _RunsField(self.runs)
        self._plan_field.picked.connect(self.choose_plan)
        self._runs_field.picked.connect(self.show_folder)
        self.runs.editingFinished.connect(self._open_folder)
        for field in (self.plan, self.runs):
            field.textChanged.connect(lambda _: self.refresh())
        self._lay_out()
        self.refresh()

    def _lay_out(self) -> None:
        grid = grid_layout(stretch=(1, 3), parent=self)
        grid.setColumnStretch(1, 2)
        grid.addWidget(label(self.tr("Plan"), "muted"), 0, 0)
        grid.addWidget(self._plan_field, 0, 1)
        grid.addWidget(label(self.tr("Results"), "muted"), 0, 2)
        grid.addWidget(self._runs_field, 0, 3)
        grid.addWidget(label(self.tr("Scheduler"), "muted"), 1, 0)
        grid.addWidget(self.scheduler, 1, 1)
        grid.addLayout(hbox(self.retry, STRETCH, self.make_plan, self.start_button), 1, 2, 1, 2)

    def show_folder(self, path: str) -> None:
        """Fill in the folder of a sweep, and open it."""
        self.runs.setText(path)
        self._open_folder()

    def choose_plan(self, path: str) -> None:
        """Fill in a plan, and the folder beside it for its results."""
        self.plan.setText(path)
        if not self.runs.text().strip():
            self.show_folder(str(Path(path).with_suffix("")) + "-runs")

    def _open_folder(self) -> None:
        if self.runs.text().strip():
            self.opened.emit(self.runs.text().strip())

    @property
    def fields(self) -> Sequence[QWidget]:
        return self._plan_field, self._runs_field, self.scheduler, self.retry

    @property
    def ready(self) -> bool:
        return bool(self.plan.text().strip() and self.runs.text().strip())

    def request(self) -> RunSweep:
        plan, runs, scheduler = (field.text().strip() for field in (self.plan, self.runs, self.scheduler))
        return RunSweep(plan, runs, scheduler=scheduler, retry_failed=self.retry.isChecked())


ORDER: tuple[StepProgress, ...] = ("running", "failed", "blocked", "waiting", "done")
"""The states in the order of the table."""
TINTS: dict[StepProgress, str] = {"running": "accent", "failed": "error", "blocked": "warning"}


def state_titles() -> dict[StepProgress, str]:
    """State → its name."""
    return {
        "done": tr("done"), "failed": tr("failed"), "blocked": tr("blocked"), "running": tr("running"),
        "waiting": tr("waiting"),
    }  # fmt: skip


def counts_text(counts: SweepCounts) -> str:
    """How many steps are in each state."""
    titles = state_titles()
    parts = [tr("{0} of {1} done").format(format_number(counts.done), format_number(counts.total))]
    for state in ("failed", "blocked", "running", "waiting"):
        number = getattr(counts, state)
        if number or state in ("failed", "waiting"):
            parts.append(f"{format_number(number)} {titles[state]}")
    return " · ".join(parts)


def step_rows(sweep: SweepSnapshot) -> tuple[list[Sequence[str]], list[str]]:
    """The rows of the steps, those that run first, and the colour of each."""
    titles = state_titles()
    rows, tints = list[Sequence[str]](), list[str]()
    for state in ORDER:
        for step in sweep.plan.steps:
            if sweep.states[step.id] != state:
                continue
            result = sweep.results.get(step.id)
            took = format_duration(result.seconds) if result else ""
            reason = result.reason if result else ""
            if state == "blocked":
                failed = next(one for one in step.needs if sweep.states[one] in ("failed", "blocked"))
                reason = tr("needs {0}").format(failed)
            rows.append((step.id, titles[state], took, result.machine if result else "", reason))
            tints.append(TINTS.get(state, ""))
    return rows, tints


class SweepTab(QWidget):
    """Shows one sweep; it reads the files only while it is visible, and at the end of a run."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = SweepModel(context.new_worker, self)
        self._context = context
        self.form = SweepForm()
        self.form.planRequested.connect(self.make_plan)
        self.banner = Banner()
        self.counts = label("", "heading")
        self.note = label("", "muted", wrap=True)
        self.bar = progress_bar(self.tr("Progress of the sweep"), height=6)
        self.scatter = AccuracySpeedView()
        headings = (self.tr("step"), self.tr("state"), self.tr("time"), self.tr("machine"), self.tr("reason"))
        self.table = ReadOnlyTable(TextTableModel(headings, numbers=(2,)), self.tr("Steps"), stretch=4)
        self._runs: list[RunRecord] | None = None  # those in the chart
        self._lay_out()
        self.form.requested.connect(self.start)
        self.form.stopped.connect(self.model.cancel)
        self.form.opened.connect(lambda path: self.model.open(Path(path)))
        self.model.changed.connect(self._refresh)
        context.closing.connect(self.model.close)
        self._refresh()

    def _lay_out(self) -> None:
        self.empty = EmptyState(
            self.tr("No sweep yet"),
            self.tr(
                "A plan lists sources, recipes, layouts and providers. A sweep builds, evaluates and measures all of "
                "them. Its steps and accuracy against speed appear here; the folder of any sweep can be opened."
            ),
            "",
            "measure",
        )
        page = QWidget()
        head = vbox(hbox(self.counts, (self.note, 1), spacing=2 * G), self.bar, spacing=G // 2)
        parts = splitter(Qt.Orientation.Vertical, (self.scatter, 3), (self.table, 2))
        vbox(head, (parts, 1), parent=page)
        self.stack = stack(self.empty, page)
        vbox(self.form, (self.stack, 1), parent=self, margins=(2 * G, 2 * G, 2 * G, G))
        self.overlay = BannerOverlay(self, self.banner, area=self.stack)

    def make_plan(self) -> SweepPlanDialog:
        """Show the dialog that makes a plan; the form takes the saved one."""
        dialog = SweepPlanDialog(self._context, self.window())
        dialog.saved.connect(self.form.choose_plan)
        dialog.show()
        return dialog

    def start(self, request: RunSweep) -> None:
        """Start a sweep, or resume it."""
        self.banner.clear()
        self.model.start(request)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.model.watch(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.model.watch(False)

    def _refresh(self) -> None:
        model, sweep = self.model, self.model.snapshot
        self.form.set_running(model.running)
        self._show_problem()
        self.empty.title.setText(self.tr("Reading the plan …") if model.running else self.tr("No sweep yet"))
        self.stack.setCurrentIndex(0 if sweep is None else 1)
        if sweep is None:
            return
        counts = sweep.counts
        self.counts.setText(counts_text(counts))
        self.note.setText(self._note_text(sweep))
        self.bar.setRange(0, max(counts.total, 1))
        self.bar.setValue(counts.done + counts.failed + counts.blocked)
        self.table.rows.fill(*step_rows(sweep))
        if sweep.runs != self._runs:
            self._runs = sweep.runs
            self.scatter.show_runs(self._runs)

    def _note_text(self, sweep: SweepSnapshot) -> str:
        """Where the sweep runs, or how it ended."""
        if self.model.running or not (sweep.alive or sweep.ended):
            return ""
        if sweep.alive:
            return self.tr("It runs in another process.")
        if sweep.counts.waiting:
            return self.tr("It has ended before its last step; Start sweep goes on.")
        return ""

    def _show_problem(self) -> None:
        error = self.model.error
        if self.model.state == "failed" and error is not None:
            self.banner.error(error.message, error.details)
        elif self.model.problem and self.model.folder is not None and self.model.folder.exists():
            self.banner.show_message("info", self.model.problem)
        else:
            self.banner.clear()

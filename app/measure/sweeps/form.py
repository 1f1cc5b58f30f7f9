"""The form of a sweep: the plan and the folder of its results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QWidget

from app.measure.request_form import RequestForm
from app.text.translatable import tr
from app.widgets import button, label
from app.widgets.fields import line_edit
from app.widgets.layouts import STRETCH, grid_layout, hbox
from app.widgets.path_field import FolderField, PathField
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G
from workflows.wire.requests import RunSweep


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
        self.start_button.setMinimumWidth(14 * G)
        self._lay_out()
        self.refresh()

    def _lay_out(self) -> None:
        grid = grid_layout(stretch=(1, 3), parent=self)
        grid.addWidget(label(self.tr("Plan"), "muted"), 0, 0)
        grid.addWidget(self._plan_field, 0, 1)
        grid.addWidget(label(self.tr("Results"), "muted"), 0, 2)
        grid.addWidget(self._runs_field, 0, 3)
        grid.addWidget(label(self.tr("Scheduler"), "muted"), 1, 0)
        grid.addWidget(self.scheduler, 1, 1)
        grid.addLayout(hbox(self.retry, STRETCH, self.make_plan, self.start_button), 1, 3)

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

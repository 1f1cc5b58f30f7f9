"""The form of a divergence search: A and B, each a bundle, a stage of its build, a machine and a provider; a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.measure.request_form import RequestForm
from app.state.context import AppContext
from app.state.machines import LOCAL
from app.text.translatable import tr
from app.widgets.basics import label
from app.widgets.bundle_field import BundleField
from app.widgets.fields import combo_box, line_edit
from app.widgets.layouts import grid_layout, hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.session_choice import allow_entry, unavailable_reason
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.reports.inspection import InspectReport
from workflows.wire.requests import Diverge, DivergenceSide, InspectPath, ListDevices

EXPORT_STAGE = "export"


class SideForm(QObject):
    """The fields of A or B for a row of a grid.

    The stages are requested when the bundle changes, the providers when the machine does.
    """

    failed = Signal(object)  # why a machine's providers cannot be listed: an ErrorEvent

    def __init__(self, context: AppContext, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._requested_path = self.preferred_stage = ""
        self.bundle = BundleField(context.recents, self.tr("Bundle {0}").format(name), self.tr("A bundle's folder"))
        self.stage = self._combo(self.tr("Stage of the build of {0}").format(name), self.tr("As it runs"), "")
        self.machine = self._combo(self.tr("Machine of {0}").format(name), self.tr("This machine"), LOCAL)
        for one in context.machines.machines:
            self.machine.addItem(one.name, one.name)
        self.machine.setCurrentIndex(max(0, self.machine.findData(context.machines.current)))
        self.machine.setVisible(self.machine.count() > 1)
        self.machine.currentIndexChanged.connect(self._request_devices)
        self.provider = self._combo(self.tr("Provider of {0}").format(name), "CPU", "cpu")
        self.bundle.changed.connect(self._request_stages)
        self._request_devices()

    def _combo(self, name: str, first_text: str, first_value: str) -> QComboBox:
        combo = ignore_wheel(combo_box(name, [(first_text, first_value)], width=10))
        set_tool_tip(combo, name)
        return combo

    @property
    def fields(self) -> tuple[QWidget, ...]:
        """The widgets, from left to right."""
        return self.bundle, self.stage, self.machine, self.provider

    @property
    def side(self) -> DivergenceSide:
        return DivergenceSide(
            self.bundle.path, str(self.stage.currentData() or ""), str(self.provider.currentData() or "cpu")
        )

    @property
    def machine_name(self) -> str:
        """The machine that runs this side; LOCAL for this one."""
        return str(self.machine.currentData() or LOCAL)

    def _request_devices(self) -> None:
        """Request the providers of the machine; until they are there, the CPU can be chosen."""
        name = self.machine_name
        self.provider.clear()
        self.provider.addItem("CPU", "cpu")
        if name == LOCAL:
            self._context.probe_worker.request(ListDevices()).on_answer(partial(self._on_devices, name), self)
            return
        worker = self._context.new_machine_worker(name)
        job = worker.request(ListDevices())
        job.on_answer(partial(self._on_devices, name), self)
        job.on_error(self.failed.emit, self)
        for ended in (job.on_answer, job.on_error):
            ended(lambda _: worker.retire())

    def _on_devices(self, machine: str, report: DevicesReport) -> None:
        if machine == self.machine_name:
            self.show_devices(report)

    def show_devices(self, report: DevicesReport) -> None:
        """List the providers; an unusable one is disabled, with the reason as its tool tip."""
        selected = self.provider.currentData()
        self.provider.clear()
        for device in report.devices:
            self.provider.addItem(device.title, device.name)
            allow_entry(self.provider, self.provider.count() - 1, unavailable_reason(device))
        self.provider.setCurrentIndex(max(0, self.provider.findData(selected)))

    def _request_stages(self) -> None:
        """Request the stages of the bundle; an incomplete path has none."""
        path = self.bundle.path
        if path == self._requested_path:
            return
        self._requested_path = path
        self._fill_stages([])
        if self._context.recents.find(path) is not None:
            job = self._context.probe_worker.request(InspectPath(path))
            job.on_answer(lambda report: self._on_stages(path, report), self)

    def _on_stages(self, path: str, report: InspectReport) -> None:
        if path == self._requested_path:
            names = [EXPORT_STAGE, *(step.name for stage in report.stages for step in stage.passes)]
            self._fill_stages(list(dict.fromkeys(names)) if report.stages else [])

    def _fill_stages(self, names: list[str]) -> None:
        while self.stage.count() > 1:
            self.stage.removeItem(1)
        for name in names:
            self.stage.addItem(name, name)
        if names:
            self.stage.setCurrentIndex(max(0, self.stage.findData(self.preferred_stage)))
            self.preferred_stage = ""


class DivergenceForm(RequestForm):
    """Requests a `Diverge`; `machines` are those of its sides."""

    failed = Signal(object)  # an ErrorEvent

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(tr("Find"), "search", parent)
        context.machines.read()
        self.a, self.b = SideForm(context, "A", self), SideForm(context, "B", self)
        for side in (self.a, self.b):
            side.failed.connect(self.failed)
        self.prompt = line_edit(self.tr("Prompt"), self.tr("The prompt for both; A generates two tokens after it"))
        self._lay_out()
        for changed in (self.a.bundle.changed, self.b.bundle.changed, self.prompt.textChanged):
            changed.connect(self.refresh)
        self.prompt.returnPressed.connect(self.start)
        self.refresh()

    def _lay_out(self) -> None:
        grid = grid_layout(parent=self)
        titles = (self.tr("A, the reference"), self.tr("B, the candidate"))
        for row, (side, title) in enumerate(zip((self.a, self.b), titles, strict=True)):
            grid.addWidget(label(title, "muted"), row, 0)
            for column, part in enumerate(side.fields, 1):
                grid.addWidget(part, row, column)
        last = hbox((self.prompt, 1), self.start_button)
        grid.addWidget(label(self.tr("Prompt"), "muted"), 2, 0)
        grid.addLayout(last, 2, 1, 1, 4)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(2, 1)
        grid.setColumnStretch(4, 1)

    @property
    def fields(self) -> Sequence[QWidget]:
        return *self.a.fields, *self.b.fields, self.prompt

    @property
    def ready(self) -> bool:
        return bool(self.a.bundle.path and self.b.bundle.path and self.prompt.text().strip())

    def request(self) -> Diverge:
        return Diverge(self.a.side, self.b.side, self.prompt.text())

    @property
    def machines(self) -> tuple[str, str]:
        """The machines of A and B; LOCAL for this one."""
        return self.a.machine_name, self.b.machine_name

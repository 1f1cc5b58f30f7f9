"""What is to be compared: A and B, each a bundle, a stage of its build and a provider; and a prompt."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QWidget

from app.state.context import AppContext
from app.widgets.basics import button, label, set_role
from app.widgets.bundle_field import BundleField
from app.widgets.plain_text import set_tool_tip
from app.widgets.session_choice import allow_entry, unavailable_reason
from app.widgets.theme import G, set_icon
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.reports.inspection import InspectReport
from workflows.wire.requests import Diverge, DivergenceSide, InspectPath, ListDevices


class SideForm(QObject):
    """One of the two, as fields for a row of a grid; `stages` are asked for when a bundle is named."""

    def __init__(self, context: AppContext, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._asked = ""
        self.bundle = BundleField(context.recents, self.tr("Bundle {0}").format(name), self.tr("A bundle's folder"))
        self.stage = self._combo(self.tr("Stage of the build of {0}").format(name))
        self.stage.addItem(self.tr("As it runs"), "")
        self.provider = self._combo(self.tr("Provider of {0}").format(name))
        self.provider.addItem("CPU", "cpu")
        self.bundle.changed.connect(self._ask_stages)

    def _combo(self, name: str) -> QComboBox:
        combo = ignore_wheel(QComboBox())
        combo.setAccessibleName(name)
        set_tool_tip(combo, name)
        combo.setMinimumContentsLength(10)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        return combo

    @property
    def parts(self) -> tuple[QWidget, ...]:
        """The fields, from left to right."""
        return self.bundle, self.stage, self.provider

    @property
    def side(self) -> DivergenceSide:
        """What was chosen."""
        return DivergenceSide(
            self.bundle.path, str(self.stage.currentData() or ""), str(self.provider.currentData() or "cpu")
        )

    def show_devices(self, found: DevicesReport) -> None:
        """Lists the providers; one that cannot be used is greyed and says why."""
        chosen = self.provider.currentData()
        self.provider.clear()
        for device in found.devices:
            self.provider.addItem(device.title, device.name)
            allow_entry(self.provider, self.provider.count() - 1, unavailable_reason(device))
        self.provider.setCurrentIndex(max(0, self.provider.findData(chosen)))

    def _ask_stages(self) -> None:
        """The stages are those of the bundle; a path that is half typed is no bundle, and has none."""
        path = self.bundle.path
        if path == self._asked:
            return
        self._asked = path
        self._fill([])
        if self._context.recents.find(path) is not None:
            job = self._context.probe_worker.request(InspectPath(path))
            job.on_answer(lambda found: self._on_stages(path, found))

    def _on_stages(self, path: str, found: InspectReport) -> None:
        if path == self._asked:
            names = ["export", *(step.name for stage in found.stages for step in stage.passes)]
            self._fill(list(dict.fromkeys(names)) if found.stages else [])

    def _fill(self, names: list[str]) -> None:
        while self.stage.count() > 1:
            self.stage.removeItem(1)
        for name in names:
            self.stage.addItem(name, name)


class DivergenceForm(QWidget):
    """`asked` with a Diverge; `stopped` when it is to end."""

    asked = Signal(object)
    stopped = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._running = False
        self.a, self.b = SideForm(context, "A", self), SideForm(context, "B", self)
        self.prompt = QLineEdit()
        self.prompt.setAccessibleName(self.tr("Prompt"))
        self.prompt.setPlaceholderText(self.tr("A text that both read; A then goes on for two tokens"))
        self.go = button(self.tr("Find"), "search", "primary", self._on_button)
        self._lay_out()
        for changed in (self.a.bundle.changed, self.b.bundle.changed, self.prompt.textChanged):
            changed.connect(self._refresh)
        self.prompt.returnPressed.connect(self.ask)
        context.probe_worker.request(ListDevices()).on_answer(self._show_devices)
        self._refresh()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(G)
        grid.setVerticalSpacing(G)
        titles = (self.tr("A, held to be right"), self.tr("B, which is judged"))
        for row, (side, title) in enumerate(zip((self.a, self.b), titles, strict=True)):
            grid.addWidget(label(title, "muted"), row, 0)
            for column, part in enumerate(side.parts, 1):
                grid.addWidget(part, row, column)
        last = QHBoxLayout()
        last.setSpacing(G)
        last.addWidget(self.prompt, 1)
        last.addWidget(self.go)
        grid.addWidget(label(self.tr("Prompt"), "muted"), 2, 0)
        grid.addLayout(last, 2, 1, 1, 3)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(2, 1)
        grid.setColumnStretch(3, 1)

    @property
    def ready(self) -> bool:
        """Whether there is enough to begin with."""
        return bool(self.a.bundle.path and self.b.bundle.path and self.prompt.text().strip())

    def ask(self) -> None:
        """Begins, where all is named."""
        if self.ready and not self._running:
            self.asked.emit(Diverge(self.a.side, self.b.side, self.prompt.text()))

    def set_running(self, running: bool) -> None:
        """The button begins, or ends."""
        self._running = running
        for part in (*self.a.parts, *self.b.parts, self.prompt):
            part.setEnabled(not running)
        self.go.setText(self.tr("Stop") if running else self.tr("Find"))
        self.go.setAccessibleName(self.go.text())
        set_role(self.go, "danger" if running else "primary")
        set_icon(self.go, "stop" if running else "search", "error" if running else "accent_text")
        self._refresh()

    def _show_devices(self, found: DevicesReport) -> None:
        for side in (self.a, self.b):
            side.show_devices(found)

    def _refresh(self) -> None:
        self.go.setEnabled(self._running or self.ready)

    def _on_button(self) -> None:
        if self._running:
            self.stopped.emit()
        else:
            self.ask()

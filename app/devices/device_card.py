"""The card of a device: its facts, or what is missing and how to install it; and its results for the bundle."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from app.state.context import AppContext
from app.state.device_jobs import DeviceJobs
from app.text.formatting import format_bytes
from app.widgets.basics import CardFrame, ElidedLabel, PillLabel, button, label
from app.widgets.fields import progress_bar
from app.widgets.layouts import grid_layout, hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.preflight_view import PreflightView
from app.widgets.theme import G, set_icon
from workflows.wire.reports.devices import Device
from workflows.wire.requests import Compile

_ICONS = {"CPU": "devices", "GPU": "memory", "NPU": "component"}


class DeviceCard(CardFrame):
    """One device; follows installations and checks."""

    installRequested = Signal()  # noqa: N815
    removalRequested = Signal()  # noqa: N815

    def __init__(self, device: Device, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.device, self._context = device, context
        self.setAccessibleName(device.title)
        self.body.addLayout(self._head())
        self.body.addLayout(self._facts())
        if not device.usable:
            self.body.addWidget(label(device.reason, "small", wrap=True))
        if device.remedy:
            self.body.addWidget(label(device.remedy, "muted", wrap=True))
        self.act = button(self.tr("Install {0}").format(device.install), "plus", clicked=self.installRequested.emit)
        tip = self.tr("Removes {0} from Joinery's own environment.").format(device.uninstall)
        self.remove = button(self.tr("Uninstall"), "trash", clicked=self.removalRequested.emit, tool_tip=tip)
        tip = self.tr("Compile the graphs for this provider once and save the result, so that they open faster.")
        self.compile = button(self.tr("Compile"), "play", clicked=self._compile, tool_tip=tip)
        self.check = button(self.tr("Check a bundle"), "play", clicked=self._check)
        self.cancel = button(self.tr("Cancel"), "stop", clicked=self._cancel)
        self.progress = progress_bar(height=6)
        self.status = ElidedLabel("")
        self.problem = label("", "error", wrap=True)
        self.preflight_view: PreflightView | None = None
        self._lay_out()
        self.refresh()

    def _head(self) -> QHBoxLayout:
        usable = self.device.usable
        picture = label()
        set_icon(picture, _ICONS[self.device.kind], "text" if usable else "muted", 24)
        return hbox(
            picture,
            (label(self.device.title, "heading", wrap=True), 1),
            PillLabel(self.tr("usable") if usable else self.tr("not usable"), "ok" if usable else "warning"),
        )

    def _facts(self) -> QGridLayout:
        device = self.device
        grid = grid_layout(2 * G, G // 2, stretch=(1,))
        memory = device.memory_bytes
        facts = (
            (self.tr("Provider"), device.provider),
            (self.tr("Kind"), device.kind),
            (self.tr("Vendor"), device.vendor or self.tr("not reported")),
            (self.tr("Memory"), format_bytes(memory) if memory else self.tr("not reported")),
        )
        for row, (name, value) in enumerate(facts):
            grid.addWidget(label(name, "muted"), row, 0)
            grid.addWidget(label(value, "small", wrap=True), row, 1)
        grid.setColumnMinimumWidth(0, 9 * G)
        return grid

    def _lay_out(self) -> None:
        buttons = (self.act, self.check, self.compile, self.cancel)
        left = ((part, 0, Qt.AlignmentFlag.AlignLeft) for part in buttons)
        self.body.addLayout(hbox(*left, (self.status, 1), self.remove))
        self.body.addWidget(self.progress)
        self.body.addWidget(self.problem)
        self.body.addStretch(1)

    # -- what it shows ---------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Update after an installation, a check, or a change of the bundle."""
        device, plugins, tried = self.device, self._context.plugins, self._context.preflights
        work = self._work()
        bundle = self._context.bundle
        checking = tried.running is not None and tried.running[1] == device.name
        busy = work is not None or checking
        focused = any(one.hasFocus() for one in (self.act, self.check, self.compile, self.cancel))
        self.act.setVisible(bool(device.install) and not busy)
        self.act.setEnabled(not plugins.device)
        self.remove.setVisible(bool(device.uninstall) and not busy)
        self.remove.setEnabled(not plugins.device)
        self.compile.setVisible(device.compiles and not busy)
        self.compile.setEnabled(bundle is not None and not self._context.compiler.device)
        self.check.setVisible(device.usable and not busy)
        self.check.setEnabled(bundle is not None and tried.running is None)
        set_tool_tip(self.check, "" if bundle else self.tr("Open a bundle first; the Home page lists recent bundles."))
        self.cancel.setVisible(busy)
        if focused:  # hiding the focused button would move the focus to the next one, which may install something
            (self.cancel if busy else self.check if device.usable else self.act).setFocus()
        self.progress.setVisible(busy)
        self.status.set_whole(work.line if work is not None else self._status_text(checking))
        wrong = tried.failure_of(bundle, device.name)
        self.problem.setText(wrong)
        self.problem.setVisible(bool(wrong))
        self._show_preflight(checking)

    def _status_text(self, checking: bool) -> str:
        bundle, running = self._context.bundle, self._context.preflights.running
        if checking and running is not None:
            name = running[0].replace("\\", "/").rsplit("/", 1)[-1]
            return self.tr("Checking {0}: one chunk and one step, compared with the CPU …").format(name)
        return str(bundle["name"]) if bundle and self.device.usable else ""

    def _show_preflight(self, checking: bool) -> None:
        if self.preflight_view is not None:
            self.body.removeWidget(self.preflight_view)
            self.preflight_view.hide()
            self.preflight_view.deleteLater()
            self.preflight_view = None
        bundle = self._context.bundle
        checked = self._context.preflights.find(bundle, self.device.name) if bundle and not checking else None
        if checked is not None:
            self.preflight_view = PreflightView(checked, self.device.title)
            self.body.insertWidget(self.body.count() - 1, self.preflight_view)

    # -- what it does ----------------------------------------------------------------------------------------

    def _work(self) -> DeviceJobs | None:
        """What is compiled for this device."""
        both = self._context.plugins, self._context.compiler
        return next((work for work in both if work.device == self.device.name), None)

    def _compile(self) -> None:
        bundle, name = self._context.bundle, self.device.name
        if bundle is not None:
            self._context.compiler.start(name, Compile(str(bundle["path"]), name), self.tr("Opening the bundle …"))

    def _check(self) -> None:
        if self._context.bundle is not None:
            self._context.preflights.check(self._context.bundle, self.device.name)

    def _cancel(self) -> None:
        work = self._work()
        if work is not None:
            work.cancel()
        else:
            self._context.preflights.cancel()

"""The dialog of other machines: adds one over ssh and shows what its check says; checks and removes those there are.

name, address, path ──▶ MachinesModel.add ──▶ a row of the table, and the check's answer in the banner
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHeaderView, QWidget

from app.state.machines import MachinesModel
from app.text.formatting import format_bytes
from app.text.translatable import tr
from app.widgets.basics import Banner, button, label
from app.widgets.fields import line_edit, progress_bar
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from app.widgets.work_dialog import WorkDialog
from workflows.wire.reports.machines import MachineReport


class MachinesDialog(WorkDialog):
    """Does not block the window. Closing it stops a check."""

    model: MachinesModel

    def __init__(self, model: MachinesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.setWindowTitle(self.tr("Other machines"))
        self.setMinimumWidth(88 * G)
        self.name = line_edit(self.tr("Name"), self.tr("Name"))
        self.address = line_edit(self.tr("Address"), "ssh://user@host:22")
        self.path = line_edit(self.tr("Joinery there"), self.tr("Folder of Joinery there; empty: searched for"))
        self.add = button(self.tr("Add and check"), "plus", "primary", self._add)
        self._shown = list[list[str]]()
        self.rows = TextTableModel([self.tr("Machine"), self.tr("Address"), self.tr("State")])
        self.table = ReadOnlyTable(self.rows, self.tr("Other machines"))
        self.check = button(self.tr("Check"), "refresh", clicked=lambda: self._act(model.check))
        self.remove = button(self.tr("Remove"), "trash", clicked=lambda: self._act(model.remove))
        self.bar = progress_bar(self.tr("The machine is being checked"), height=4)
        self.banner = Banner()
        self._lay_out()
        for field in (self.name, self.address):
            field.textChanged.connect(self.refresh)
        self.table.selectionModel().selectionChanged.connect(self.refresh)
        model.changed.connect(self.refresh)
        model.read()
        self.refresh()

    def _lay_out(self) -> None:
        text = self.tr(
            "Bundles run on another machine over the system's ssh client, with your own keys and configuration. "
            "Joinery of this version must be installed there; a bundle is copied when it is first used."
        )
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.table.setMinimumHeight(14 * G)
        fields = hbox((self.name, 1), (self.address, 2), (self.path, 2), self.add)
        ends = hbox(self.check, self.remove, STRETCH, button(self.tr("Close"), clicked=self.close))
        parts = (label(text, "muted", wrap=True), fields, self.bar, self.banner, (self.table, 1), ends)
        vbox(*parts, parent=self, margins=2 * G)
        for one in (self.check, self.remove):
            one.setAutoDefault(False)
        self.add.setDefault(True)

    @property
    def selected(self) -> str:
        """The name of the selected machine; empty if there is none."""
        rows = self.table.selectionModel().selectedRows()
        return self.model.machines[rows[0].row()].name if rows and rows[0].row() < len(self.model.machines) else ""

    def refresh(self, *_: object) -> None:
        """Show the machines and the last check's answer."""
        model, selected = self.model, self.selected
        rows = [[one.name, one.address, state_text(one)] for one in model.machines]
        if rows != self._shown:
            self._shown = rows
            self.rows.fill(rows)
        for row, one in enumerate(model.machines):
            if one.name == selected:
                self.table.selectRow(row)
        self.bar.setVisible(model.running)
        complete = bool(self.name.text().strip() and self.address.text().strip())
        self.add.setEnabled(complete and not model.running)
        for button_ in (self.check, self.remove):
            button_.setEnabled(bool(self.selected) and not model.running)
        if model.running:
            self.banner.clear()
        elif model.state == "failed" and model.error is not None:
            self.banner.error(model.error.message, model.error.details)
        elif model.report is not None and model.report.problem:
            self.banner.error(model.report.problem)
        elif model.report is not None:
            self.banner.show_message("ok", f"{model.report.name}: {state_text(model.report)}")
        self.settle()

    def _add(self) -> None:
        self.model.add(self.name.text().strip(), self.address.text().strip(), self.path.text().strip())

    def _act(self, act: Callable[[str], bool]) -> None:
        if self.selected:
            act(self.selected)


def state_text(report: MachineReport) -> str:
    """What a check said of a machine, on one line."""
    if report.problem:
        return report.problem
    if not report.usable:
        return tr("not checked")
    devices = ", ".join(one.name for one in report.devices if one.usable)
    text = tr("Joinery {0}, Python {1}, {2} · {3} free, {4} of copies · runs on {5}")
    sizes = format_bytes(report.free_bytes), format_bytes(report.copied_bytes)
    return text.format(report.joinery, report.python, report.system, *sizes, devices)

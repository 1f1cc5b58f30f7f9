"""What this machine can do: processor, memory, disk, devices, and which well-known models fit, by their size."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from app.jobs.one_shot_worker import ReportModel
from app.state.context import AppContext
from app.text.capabilities import fit_text, machine_facts, short_name
from app.text.engine_text import translate_engine_text
from app.text.formatting import compact_number, format_bytes
from app.widgets.actions import tool_button
from app.widgets.basics import Banner, Section, button, label
from app.widgets.layouts import STRETCH, clear_layout, hbox, vbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.reports.capabilities import CapabilitiesReport, ModelFit
from workflows.wire.reports.devices import Device


class MachineSheet(QWidget):
    """Follows `context.capabilities`, which is requested when the sheet is first shown, and again on request."""

    convertRequested = Signal(str)  # noqa: N815  the hub id of a model

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._model: ReportModel = context.capabilities
        self.facts, self.state = label("", wrap=True), label("", "muted", wrap=True)
        self.banner = Banner()
        self.again = tool_button("refresh", self.tr("Look again"), clicked=context.describe_machine)
        self.devices = QGridLayout()
        self.devices.setColumnStretch(2, 1)
        self.devices.setHorizontalSpacing(2 * G)
        self.table: ReadOnlyTable | None = None
        self._models = vbox()
        self.convert = button(self.tr("Convert the chosen model …"), "build", clicked=self._convert)
        self.convert.setEnabled(False)
        note = self.tr(
            "Computed from the models' sizes; nothing is fetched. The weights as published, the memory to build them, "
            "and for each preset the weights and the tokens of context that fit the free memory beside them on the "
            "CPU, in brackets all memory."
        )
        running, models = Section(self.tr("Devices")), Section(self.tr("Well-known models"), note)
        running.body.addLayout(self.devices)
        models.body.addLayout(self._models)
        models.body.addLayout(hbox(self.convert, STRETCH))
        head = hbox(label(self.tr("What this machine can do"), "title"), STRETCH, self.again)
        self._report_parts = (self.facts, running, models)
        parts = (head, self.banner, self.state, *self._report_parts, STRETCH)
        vbox(*parts, parent=self, margins=2 * G, spacing=2 * G)
        self._model.changed.connect(self._follow)
        self._follow()

    def load(self) -> None:
        """Request the report, unless there is one."""
        if self._model.report is None:
            self._context.describe_machine()

    def _follow(self) -> None:
        report, error = self._model.report, self._model.error
        self.again.setEnabled(not self._model.running)
        self.state.setText(self.tr("Looking at processor, memory and devices …"))
        self.state.setVisible(report is None and error is None)
        if error is not None:
            self.banner.error(translate_engine_text(error.message), error.details, self.tr("Try again"), self.load)
        else:
            self.banner.clear()
        for part in self._report_parts:
            part.setVisible(report is not None)
        if report is not None:
            self._show(report)

    def _show(self, report: CapabilitiesReport) -> None:
        self.facts.setText(machine_facts(report))
        clear_layout(self.devices)
        for row, device in enumerate(report.devices):
            self._add_device(row, device)
        clear_layout(self._models)
        self.table = self._table_of(report.models)
        self._models.addWidget(self.table)
        self._enable()

    def _table_of(self, models: Sequence[ModelFit]) -> ReadOnlyTable:
        presets = [f"{one.precision} {one.preset}" for one in models[0].presets] if models else []
        names = (self.tr("Model"), self.tr("Parameters"), self.tr("Download"), self.tr("To build"))
        rows = TextTableModel([*names, *presets], numbers=(1, 2, 3))
        fits = [any(one.fits for one in model.presets) for model in models]
        rows.fill([self._row(model) for model in models], ["text" if fit else "muted" for fit in fits])
        table = ReadOnlyTable(rows, self.tr("Well-known models by size"))
        table.show_all_rows()
        table.selectionModel().selectionChanged.connect(lambda *_: self._enable())
        return table

    def _add_device(self, row: int, device: Device) -> None:
        usable = self.tr("available") if device.usable else self.tr("not available")
        why = "" if device.usable else translate_engine_text(f"{device.reason} {device.remedy}".strip())
        self.devices.addWidget(label(device.title), row, 0)
        self.devices.addWidget(label(usable, "small" if device.usable else "muted"), row, 1)
        self.devices.addWidget(label(why, "muted", wrap=True), row, 2)

    def _row(self, model: ModelFit) -> list[str]:
        sizes = format_bytes(model.download_bytes), format_bytes(model.build_memory_bytes)
        return [short_name(model), compact_number(model.parameters), *sizes, *map(fit_text, model.presets)]

    def _chosen(self) -> ModelFit | None:
        rows = self.table.selectionModel().selectedRows() if self.table is not None else []
        report = self._model.report
        return report.models[rows[0].row()] if len(rows) == 1 and report is not None else None

    def _enable(self) -> None:
        self.convert.setEnabled(self._chosen() is not None)

    def _convert(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.convertRequested.emit(chosen.name)

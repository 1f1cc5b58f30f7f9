"""The run tab: one run of the chosen graph on random inputs or on those of a file, and what came out.

axes, inputs ──TryGraph──▶ worker ──TrialReport──▶ a table of the arrays ──a row──▶ its histogram
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QFileDialog, QWidget

from app.inspect.graph.tensor_card import TensorCard, short_number
from app.inspect.inspect_tab import InspectTab
from app.jobs.latest_request import LatestRequest
from app.jobs.worker_client import WorkerClient
from app.state.inspection import Inspection
from app.text.formatting import format_milliseconds, format_number
from app.text.translatable import tr
from app.widgets import Banner, button, label
from app.widgets.actions import add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.fields import line_edit, progress_bar
from app.widgets.layouts import grid_layout, hbox, vbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.graphs import TensorReport, TrialReport
from workflows.wire.reports.inspection import ComponentReport
from workflows.wire.requests import TryGraph

_USUAL = {"height": 224, "width": 224, "sequence": 16}


class RunTab(InspectTab):
    """Figures are of the shown component; another one removes them. new_worker: makes the worker of the first run."""

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._requests = LatestRequest(new_worker, parent=self)
        self._requests.answered.connect(self._on_answer)
        self._requests.failed.connect(self._on_error)
        self._folder, self._file = "", ""
        self._sent: TryGraph | None = None
        self._report: TrialReport | None = None
        self.sizes = line_edit(self.tr("Sizes of the open axes"), self.tr("The graph has no open axis"))
        self.inputs = line_edit(self.tr("File of inputs"), self.tr("Random numbers, or an .npz file"), clear=True)
        self.choose = button(self.tr("Choose …"), "folder", clicked=self._choose_inputs)
        self.start = button(self.tr("Run the graph"), "play", "primary", self.run)
        self.stop = button(self.tr("Cancel"), "stop", clicked=self.cancel)
        self.save = button(self.tr("Run and save the outputs …"), "save", clicked=self._choose_outputs)
        self.working = progress_bar(self.tr("The graph runs"), height=4)
        self.banner = Banner()
        self.summary = label("", "muted", wrap=True)
        self.table = self._new_table()
        self.card = TensorCard()
        self._lay_out()
        self.table.selectionModel().currentChanged.connect(self._show_array)
        for field in (self.sizes, self.inputs):
            field.returnPressed.connect(self.run)
        add_action(self, self.tr("Run the graph once"), self.run)
        self._forget()

    def _new_table(self) -> ReadOnlyTable:
        headings = ["", self.tr("Name"), self.tr("Type"), self.tr("Shape"), self.tr("Least"), self.tr("Mean")]
        headings += [self.tr("Most"), self.tr("NaN, infinite")]
        model = TextTableModel(headings, numbers=(4, 5, 6, 7), mono=(1, 3))
        return ReadOnlyTable(model, self.tr("Inputs and outputs of the run"), stretch=1)

    def _lay_out(self) -> None:
        form = grid_layout(2 * G, G, stretch=(1,))
        for row, (field, more) in enumerate(((self.sizes, None), (self.inputs, self.choose))):
            form.addWidget(label(field.accessibleName(), "muted"), row, 0)
            form.addWidget(field, row, 1)
            if more is not None:
                form.addWidget(more, row, 2)
        acts = hbox(self.start, self.stop, self.save, (self.summary, 1))
        parts = (form, acts, self.working, (self.table, 1), self.card)
        vbox(*parts, parent=self, margins=(G, 2 * G, 0, 0))
        self.overlay = BannerOverlay(self, self.banner, area=self.table)

    def set_inspection(self, inspection: Inspection | None) -> None:
        self._folder = inspection.bundle if inspection is not None else ""
        self._file = inspection.path if inspection is not None else ""
        self._forget()

    def set_component(self, component: ComponentReport) -> None:
        if self._folder:
            self._file = str(Path(self._folder) / component.file)
        axes = dict.fromkeys(axis for one in component.inputs for axis in one.shape if isinstance(axis, str))
        usual = {axis: next((size for word, size in _USUAL.items() if word in axis), 1) for axis in axes}
        self.sizes.setText(", ".join(f"{axis}={size}" for axis, size in usual.items()))
        self._forget()

    def _forget(self) -> None:
        """Removes figures: they are of another graph."""
        self.cancel()
        self.banner.clear()
        self._show_report(None)

    def run(self, outputs: str = "") -> None:
        """Runs the graph; outputs: the file to write what comes out to."""
        self.banner.clear()
        try:
            sizes = read_sizes(self.sizes.text())
        except ValueError as error:
            self.banner.show_message("warning", str(error))
            return
        if self._file:
            self._sent = TryGraph(self._file, self.inputs.text().strip(), outputs, sizes)
            self._requests.send(self._sent)
            self._show_running(True)

    def cancel(self) -> None:
        """Ends the run."""
        self._requests.cancel()
        self._show_running(False)

    def _on_answer(self, report: TrialReport) -> None:
        self._show_running(False)
        self._show_report(report)

    def _on_error(self, error: ErrorEvent) -> None:
        self._show_running(False)
        self.banner.error(error.message, error.details)

    def _show_running(self, running: bool) -> None:
        for part in (self.stop, self.working):
            part.setVisible(running)
        for part in (self.start, self.save):
            part.setEnabled(not running)

    def _show_report(self, report: TrialReport | None) -> None:
        self._report = report
        arrays = [*report.inputs, *report.outputs] if report is not None else []
        ways = [self.tr("in")] * len(report.inputs) if report is not None else []
        ways += [self.tr("out")] * (len(arrays) - len(ways))
        self.table.rows.fill([(way, *_cells(one)) for way, one in zip(ways, arrays, strict=True)])
        self.card.hide()
        self.summary.setText("")
        if report is None:
            return
        where = self._sent.provider if self._sent is not None else ""
        parts = [self.tr("{0} on {1}, after a first run").format(format_milliseconds(report.ms), where)]
        if report.random:
            parts.append(self.tr("random: {0}").format(", ".join(report.random)))
        self.summary.setText(" · ".join(parts))
        self.table.selectRow(len(report.inputs))

    def _show_array(self, current: QModelIndex, _before: object = None) -> None:
        report = self._report
        if report is not None and current.isValid():
            self.card.show_tensor([*report.inputs, *report.outputs][current.row()])

    def _choose_inputs(self) -> None:
        start = str(Path(self._file).parent)
        name, _ = QFileDialog.getOpenFileName(self, self.tr("A file of inputs"), start, self.tr("NumPy files (*.npz)"))
        if name:
            self.inputs.setText(name)

    def _choose_outputs(self) -> None:
        start = str(Path(self._file).parent / "outputs.npz")
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Save the outputs"), start, self.tr("NumPy files (*.npz)"))
        if name:
            self.run(name)


def read_sizes(text: str) -> dict[str, int]:
    """The sizes in a text such as `batch=1, sequence=16`. Raises ValueError for another one."""
    sizes: dict[str, int] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, _, size = (one.strip() for one in part.rpartition("="))
        if not name or not size.isdecimal() or int(size) < 1:
            raise ValueError(tr("'{0}' is no size of an axis: write name=number, such as sequence=16.").format(part))
        sizes[name] = int(size)
    return sizes


def _cells(array: TensorReport) -> tuple[str, ...]:
    shape = " × ".join(map(str, array.shape)) or tr("scalar")
    figures = (short_number(value) for value in (array.min, array.mean, array.max))
    return (array.name, array.dtype, shape, *figures, format_number(array.nan + array.inf))

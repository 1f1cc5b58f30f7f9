"""Graphs that lie about as files: what they make together, drawn before it is written, and what is missing.

files, names, pipeline, tokenizer ──PlanAssembly──▶ picture, what lacks ──Assemble──▶ bundle
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QFileDialog, QGridLayout, QLineEdit, QStackedWidget, QWidget

from app.composite.composite_view import CompositeView
from app.composite.labels import composite_labels
from app.interop.interop_dialog import InteropDialog, plain_file_name, unused_path
from app.jobs.job import Job
from app.state.context import AppContext
from app.widgets.basics import ElidedLabel, EmptyState, button, label
from app.widgets.theme import G
from workflows.inspection.picture.layout import lay_out
from workflows.wire.events import BuildDone, ErrorEvent
from workflows.wire.reports.assembly import AssemblyReport
from workflows.wire.requests import Assemble, PlanAssembly

_PAUSE_MS = 250  # after a key, before the graphs are looked at again


class AssembleDialog(InteropDialog):
    """A name for each file, the picture of what they make, and what it lacks."""

    def __init__(self, context: AppContext, files: Sequence[Path]) -> None:
        self.report: AssemblyReport | None = None
        self._job: Job[AssemblyReport] | None = None
        self._files = list(files)
        self.names = [QLineEdit(name) for name in _component_names(files)]
        self.pipeline, self.tokenizer = QLineEdit(), QLineEdit()
        self.view = CompositeView()
        self.lacking, self.notes = label("", "error", wrap=True), label("", "muted", wrap=True)
        super().__init__(context, context.tr("Put graphs together"), context.tr("Assemble"))
        self.resize(960, 720)
        self._empty = EmptyState(
            self.tr("No picture yet"), self.tr("What the graphs take and give is being read."), icon="component"
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.view)
        self._fill()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self.plan)
        for field in (*self.names, self.pipeline, self.tokenizer):
            field.textChanged.connect(self._changed)
        self.target.setText(str(unused_path(context.bundles_folder, plain_file_name(_common_name(self._files)))))
        self.plan()

    def _fill(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(G)
        grid.setVerticalSpacing(G // 2)
        for row, (field, file) in enumerate(zip(self.names, self._files, strict=True)):
            field.setAccessibleName(self.tr("Component of {0}").format(file.name))
            field.setMaximumWidth(220)
            grid.addWidget(field, row, 0)
            grid.addWidget(ElidedLabel(str(file)), row, 1, 1, 2)
        rows = (
            (self.tr("Tokenizer folder (optional)"), self.tokenizer, self._choose_tokenizer),
            (self.tr("Pipeline file (optional)"), self.pipeline, self._choose_pipeline),
        )
        for row, (text, field, choose) in enumerate(rows, len(self._files)):
            field.setAccessibleName(text)
            grid.addWidget(label(text), row, 0)
            grid.addWidget(field, row, 1)
            grid.addWidget(button(self.tr("Choose …"), "folder", clicked=choose), row, 2)
        grid.setColumnStretch(1, 1)
        self.body.addLayout(grid)
        self.body.addWidget(self._stack, 1)
        self.body.addWidget(self.lacking)
        self.body.addWidget(self.notes)

    # -- what they make --------------------------------------------------------------------------------------

    def components(self) -> dict[str, str]:
        """Component → file."""
        return {field.text().strip(): str(file) for field, file in zip(self.names, self._files, strict=True)}

    def plan(self) -> None:
        """Has the graphs looked at, as they are named now."""
        if len(self.components()) < len(self._files) or "" in self.components():
            self._take(AssemblyReport("", None, [self.tr("Each file needs a name of its own.")], []))
            return
        request = PlanAssembly(self.components(), self.pipeline.text().strip(), self.tokenizer.text().strip())
        job = self.context.probe_worker.request(request)
        self._job = job
        job.on_answer(lambda report: self._take(report) if self._job is job else None)
        job.on_error(lambda error: self._failed(error) if self._job is job else None)

    def _changed(self) -> None:
        self.report = None
        self.refresh()
        self._timer.start()

    def _take(self, report: AssemblyReport) -> None:
        self.report, self._job = report, None
        for part, said in ((self.lacking, report.lacking), (self.notes, report.notes)):
            part.setText("\n".join(said))
            part.setVisible(bool(said))
        drawing = lay_out(report.composite, composite_labels(self)) if report.composite else None
        self.view.show_drawing(drawing)
        shown: QWidget = self.view if drawing else self._empty
        self._empty.set(self.tr("No picture"), self.tr("What the graphs make cannot be told yet."))
        self._stack.setCurrentWidget(shown)
        self.refresh()

    def _failed(self, error: ErrorEvent) -> None:
        self._take(AssemblyReport("", None, [error.message], []))

    # -- the work --------------------------------------------------------------------------------------------

    def ready(self) -> bool:
        """Whether the picture is whole."""
        return super().ready() and self.report is not None and not self.report.lacking

    def request(self) -> Assemble:
        """The bundle."""
        named = self.pipeline.text().strip(), self.tokenizer.text().strip()
        return Assemble(self.components(), self.target.text().strip(), *named)

    def arrived(self, outcome: BuildDone) -> None:
        """Opens the bundle where it can be looked at."""
        if self.context.open_bundle(outcome.bundle):
            self.context.navigate.emit("inspect")
            self.close()

    def _choose_tokenizer(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("The folder with tokenizer.json"))
        if folder:
            self.tokenizer.setText(folder)

    def _choose_pipeline(self) -> None:
        name, _kind = QFileDialog.getOpenFileName(self, self.tr("The pipeline file"), "", self.tr("JSON (*.json)"))
        if name:
            self.pipeline.setText(name)

    def closeEvent(self, event: QCloseEvent) -> None:
        """What the graphs make is of no interest any more."""
        self._job = None
        self._timer.stop()
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter in a field is no order to write."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)


def _common_name(files: Sequence[Path]) -> str:
    """What to call them together: their folder, or the one around it where exporters call theirs after the format."""
    folder = files[0].absolute().parent
    return folder.parent.name if folder.name.lower() == "onnx" else folder.name


def _component_names(files: Sequence[Path]) -> list[str]:
    """The files' names, without what exporters put around them."""
    found: list[str] = []
    for file in files:
        name = plain_file_name(file.stem.removesuffix("_model")).replace(".", "_")
        found.append(name if name not in found else f"{name}_{len(found)}")
    return found

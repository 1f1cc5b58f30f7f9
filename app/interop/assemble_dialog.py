"""The dialog that assembles separate .onnx files: what they form, a picture, and what is missing.

files, names, pipeline, tokenizer ──PlanAssembly──▶ picture, missing parts ──Assemble──▶ bundle
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from app.composite.composite_view import CompositeView, composite_labels
from app.interop.interop_dialog import InteropDialog, plain_file_name, unused_path
from app.jobs.job import Job
from app.state.context import AppContext
from app.widgets.basics import ElidedLabel, EmptyState, button, label
from app.widgets.layouts import grid_layout, stack
from app.widgets.theme import G
from workflows.inspection.picture.layout import lay_out
from workflows.wire.events import BuildDone, ErrorEvent
from workflows.wire.reports.composite import AssemblyReport
from workflows.wire.requests import Assemble, PlanAssembly

_PAUSE_MS = 250  # from the last key press to the next analysis of the graphs


class AssembleDialog(InteropDialog):
    """A name for each file, the picture of the model, and its missing parts."""

    def __init__(self, context: AppContext, files: Sequence[Path]) -> None:
        self.report: AssemblyReport | None = None
        self._job: Job[AssemblyReport] | None = None
        self._files = list(files)
        self.names = [QLineEdit(name) for name in _component_names(files)]
        self.pipeline, self.tokenizer = QLineEdit(), QLineEdit()
        self.view = CompositeView()
        self.missing, self.notes = label("", "error", wrap=True), label("", "muted", wrap=True)
        super().__init__(context, context.tr("Assemble graphs"), context.tr("Assemble"))
        self.resize(960, 720)
        self._empty = EmptyState(
            self.tr("No picture yet"), self.tr("The inputs and outputs of the graphs are being read."), icon="component"
        )
        self._stack = stack(self._empty, self.view)
        self._fill()
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.plan)
        for field in (*self.names, self.pipeline, self.tokenizer):
            field.textChanged.connect(self._changed)
        self.target.setText(str(unused_path(context.bundles_folder, plain_file_name(_common_name(self._files)))))
        self.plan()

    def _fill(self) -> None:
        grid = grid_layout(G, G // 2, stretch=(1,))
        for row, (field, file) in enumerate(zip(self.names, self._files, strict=True)):
            field.setAccessibleName(self.tr("Component of {0}").format(file.name))
            field.setMaximumWidth(220)
            grid.addWidget(field, row, 0)
            grid.addWidget(ElidedLabel(str(file), cut=Qt.TextElideMode.ElideMiddle), row, 1, 1, 2)
        rows = (
            (self.tr("Tokenizer folder (optional)"), self.tokenizer, self._choose_tokenizer),
            (self.tr("Pipeline file (optional)"), self.pipeline, self._choose_pipeline),
        )
        for row, (text, field, choose) in enumerate(rows, len(self._files)):
            field.setAccessibleName(text)
            grid.addWidget(label(text), row, 0)
            grid.addWidget(field, row, 1)
            grid.addWidget(button(self.tr("Choose …"), "folder", clicked=choose), row, 2)
        self.body.addLayout(grid)
        self.body.addWidget(self._stack, 1)
        self.body.addWidget(self.missing)
        self.body.addWidget(self.notes)

    # -- what they make --------------------------------------------------------------------------------------

    def components(self) -> dict[str, str]:
        """Component → file."""
        return {field.text().strip(): str(file) for field, file in zip(self.names, self._files, strict=True)}

    def plan(self) -> None:
        """Analyse the graphs with the current names."""
        if len(self.components()) < len(self._files) or "" in self.components():
            self._show_report(AssemblyReport("", None, [self.tr("Each file needs a different name.")], []))
            return
        request = PlanAssembly(self.components(), self.pipeline.text().strip(), self.tokenizer.text().strip())
        job = self.context.probe_worker.request(request)
        self._job = job
        job.on_answer(lambda report: self._show_report(report) if self._job is job else None, self)
        job.on_error(lambda error: self._failed(error) if self._job is job else None, self)

    def _changed(self) -> None:
        self.report = None
        self.refresh()
        self._timer.start()

    def _show_report(self, report: AssemblyReport) -> None:
        self.report, self._job = report, None
        for part, lines in ((self.missing, report.lacking), (self.notes, report.notes)):
            part.setText("\n".join(lines))
            part.setVisible(bool(lines))
        drawing = lay_out(report.composite, composite_labels(self)) if report.composite else None
        self.view.show_drawing(drawing)
        shown: QWidget = self.view if drawing else self._empty
        self._empty.set(self.tr("No picture"), self.tr("The graphs do not form a model yet."))
        self._stack.setCurrentWidget(shown)
        self.refresh()

    def _failed(self, error: ErrorEvent) -> None:
        self._show_report(AssemblyReport("", None, [error.message], []))

    # -- the work --------------------------------------------------------------------------------------------

    def ready(self) -> bool:
        """Whether nothing is missing."""
        return super().ready() and self.report is not None and not self.report.lacking

    def request(self) -> Assemble:
        paths = self.pipeline.text().strip(), self.tokenizer.text().strip()
        return Assemble(self.components(), self.target.text().strip(), *paths)

    def show_outcome(self, outcome: BuildDone) -> None:
        """Offer the bundle."""
        self.context.recents.add(outcome.bundle)
        self.context.offer_bundle(outcome.bundle)
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
        self._job = None
        self._timer.stop()
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore Enter in a field: it must not start the work (Qt's name)."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)


def _common_name(files: Sequence[Path]) -> str:
    """A common name: the folder of the files, or its parent if exporters give the folder a generic name."""
    folder = files[0].absolute().parent
    return folder.parent.name if folder.name.lower() == "onnx" else folder.name


def _component_names(files: Sequence[Path]) -> list[str]:
    """The files' names without the additions of exporters."""
    names: list[str] = []
    for file in files:
        name = plain_file_name(file.stem.removesuffix("_model")).replace(".", "_")
        names.append(name if name not in names else f"{name}_{len(names)}")
    return names

"""The dialog that searches where two runs diverge; it does not block the main window."""

from __future__ import annotations

from typing import Self

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QProgressBar, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.measure.divergence.form import DivergenceForm
from app.measure.divergence.results import DivergenceResults
from app.state.context import AppContext
from app.state.divergence import DivergenceModel
from app.state.inspection import InspectTarget
from app.state.notes import Note
from app.widgets.actions import add_action
from app.widgets.basics import Banner, EmptyState, button, label
from app.widgets.theme import G
from app.widgets.work_dialog import WorkDialog
from workflows.wire.reports.divergence import ComparedNode
from workflows.wire.requests import Diverge


class DivergenceDialog(WorkDialog):
    """The form above, the results below. Closing the dialog stops the search."""

    model: DivergenceModel

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.model = DivergenceModel(context.new_worker, self)
        self._note: Note | None = None
        self.setWindowTitle(self.tr("Find the divergence"))
        self.resize(940, 640)
        self.form, self.banner, self.results = DivergenceForm(context), Banner(), DivergenceResults()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(self.tr("How much is compared"))
        self.empty = EmptyState(self.tr("Where do two runs part?"), self._advice(), icon="branch")
        self.stack = QStackedWidget()
        for page in (self.empty, self.results):
            self.stack.addWidget(page)
        self._lay_out()
        self.form.requested.connect(self.start)
        self.form.stopped.connect(self.model.cancel)
        self.results.node_requested.connect(self.show_node)
        self.model.changed.connect(self.refresh)
        for one in self.results.actions():
            self.addAction(one)
        add_action(self, self.tr("Divergence: find"), self.form.start, "Ctrl+Return")
        if context.bundle:
            for side in (self.form.a, self.form.b):
                side.bundle.choose(str(context.bundle["path"]))
        self.refresh()

    @classmethod
    def waiting(cls, window: QWidget) -> Self | None:
        """The hidden dialog of `window` that waits while a graph is shown."""
        return next((one for one in window.findChildren(cls) if one.isHidden() and not one.model.running), None)

    def _advice(self) -> str:
        return self.tr(
            "Two bundles, two stages of one build or two providers read the same prompt. Every node of B is given what "
            "A's has to read, so that the one that differs by itself is found, not those that it misleads."
        )

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * G, 2 * G, 2 * G, 2 * G)
        column.setSpacing(G)
        column.addWidget(label(self.windowTitle(), "title"))
        for part in (self.form, self.bar, self.banner):
            column.addWidget(part)
        column.addWidget(self.stack, 1)
        column.addWidget(button(self.tr("Close"), clicked=self.close), 0, Qt.AlignmentFlag.AlignRight)
        for one in self.findChildren(QPushButton):
            one.setAutoDefault(False)  # Enter belongs to the prompt and the table

    def start(self, request: Diverge) -> None:
        """Start a search; the last result is removed."""
        self.banner.clear()
        self.model.start(request)

    def show_node(self, node: ComparedNode) -> None:
        """Show a node in the graph of B's bundle. The dialog hides, since it would cover the graph."""
        request = self.model.request
        assert request is not None  # rows exist only with an answer
        self.context.navigate.emit("inspect")
        self.context.inspectRequested.emit(InspectTarget(request.b.bundle, component=node.component, node=node.node))
        self.hide()
        self._note = self.context.show_note(
            self.tr("What the divergence found is kept."), self.tr("Back to it"), self.show
        )

    def showEvent(self, event: QShowEvent) -> None:
        """Remove the note that leads back to the dialog (Qt's name)."""
        super().showEvent(event)
        if self._note is not None:
            self.context.notes.drop(self._note)
            self._note = None

    def refresh(self) -> None:
        """Show the progress or the result."""
        model = self.model
        self.form.set_running(model.running)
        self.bar.setVisible(model.running)
        self.bar.setRange(0, 1000 if model.share else 0)
        self.bar.setValue(round(1000 * model.share))
        if model.state == "failed" and model.error is not None:
            self.banner.error(model.error.message, model.error.details)
        elif model.state == "cancelled":
            self.banner.show_message("info", self.tr("Stopped; nothing was found yet."))
        self.stack.setCurrentWidget(self.empty if model.report is None else self.results)
        if model.report is not None and model.report is not self.results.report:
            self.results.show_report(model.report)
        self.settle()

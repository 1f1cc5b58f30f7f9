"""The window in which it is asked and answered where two runs part; it stands beside the main one."""

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
    """A form above, what came of it below; closing it stops what runs."""

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
        self.form.asked.connect(self.start)
        self.form.stopped.connect(self.model.cancel)
        self.results.went.connect(self.show_node)
        self.model.changed.connect(self.refresh)
        for one in self.results.actions():
            self.addAction(one)
        add_action(self, self.tr("Divergence: find"), self.form.ask, "Ctrl+Return")
        if context.bundle:
            for side in (self.form.a, self.form.b):
                side.bundle.choose(str(context.bundle["path"]))
        self.refresh()

    @classmethod
    def waiting(cls, window: QWidget) -> Self | None:
        """The one of `window` that made room for the graph."""
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
            one.setAutoDefault(False)  # Enter is the prompt's, and the table's

    def start(self, request: Diverge) -> None:
        """Begins; what was found before makes room."""
        self.banner.clear()
        self.model.start(request)

    def show_node(self, node: ComparedNode) -> None:
        """The node, in the graph of B's bundle as it runs; the dialog would lie over it, and waits to be asked back."""
        request = self.model.request
        assert request is not None  # rows are those of an answer
        self.context.navigate.emit("inspect")
        self.context.inspectRequested.emit(InspectTarget(request.b.bundle, component=node.component, node=node.node))
        self.hide()
        self._note = self.context.show_note(
            self.tr("What the divergence found is kept."), self.tr("Back to it"), self.show
        )

    def showEvent(self, event: QShowEvent) -> None:
        """Nobody has to be told where it is."""
        super().showEvent(event)
        if self._note is not None:
            self.context.notes.drop(self._note)
            self._note = None

    def refresh(self) -> None:
        """Shows how far it is, or what came of it."""
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

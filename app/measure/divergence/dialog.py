"""The dialog that searches where two runs diverge; it does not block the main window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHeaderView, QPushButton, QWidget

from app.measure.divergence.form import EXPORT_STAGE, DivergenceForm
from app.measure.measure_dialog import MeasureDialog
from app.state.context import AppContext
from app.state.divergence import DivergenceModel
from app.state.inspection import InspectTarget
from app.state.notes import Note
from app.text.formatting import format_figures, format_number
from app.widgets.actions import add_action
from app.widgets.basics import Banner, CardFrame, EmptyState, button, label
from app.widgets.fields import progress_bar
from app.widgets.layouts import hbox, splitter, stack, vbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.reports.divergence import ComparedNode, DivergenceReport
from workflows.wire.requests import Diverge

if TYPE_CHECKING:
    from app.measure.divergence.growth_chart import GrowthChart


class DivergenceResults(QWidget):
    """Shows a report; a chosen node can be shown in its graph."""

    node_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.report: DivergenceReport | None = None
        self.chart: GrowthChart | None = None
        self.summary = label("", "heading", wrap=True)
        self.facts = label("", "muted", wrap=True)
        self.show_button = button(self.tr("Show in graph"), "inspect", clicked=self._show_chosen)
        self.chart_card = CardFrame(self.tr("Growth of the difference"))
        self.chart_card.body.setContentsMargins(G, G, G, G)
        self.chart_card.setMinimumHeight(26 * G)
        headings = (
            self.tr("depth"), self.tr("operator"), self.tr("node"), self.tr("component"), self.tr("by itself"),
            self.tr("rounding"), self.tr("in the run"), self.tr("largest value"),
        )  # fmt: skip
        self.table = ReadOnlyTable(
            TextTableModel(headings, numbers=(0, 4, 5, 6, 7)), self.tr("Nodes that were compared"), stretch=2
        )
        self.table.setSelectionMode(ReadOnlyTable.SelectionMode.SingleSelection)
        self.table.activated.connect(self._on_activated)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._refresh())
        self.table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Interactive)
        self.table.setColumnWidth(1, 16 * G)
        self._lay_out()
        add_action(self, self.tr("Divergence: show the node in the graph"), self._show_chosen)

    def _lay_out(self) -> None:
        texts = vbox(self.summary, self.facts, spacing=G // 2)
        head = hbox((texts, 1), (self.show_button, 0, Qt.AlignmentFlag.AlignTop))
        parts = splitter(Qt.Orientation.Vertical, (self.chart_card, 1), (self.table, 1))
        vbox(head, (parts, 1), parent=self)

    def show_report(self, report: DivergenceReport) -> None:
        """Show a report, and select the first divergent node."""
        self.report = report
        self.summary.setText(self._sentence(report))
        self.facts.setText(" ".join([*self._facts(report), *report.notes]))
        rows = [_row(node) for node in report.nodes]
        self.table.rows.fill(rows, ["error" if node.parts else "" for node in report.nodes])
        if self.chart is None:
            from app.measure.divergence.growth_chart import GrowthChart  # imports pyqtgraph, which takes a second

            self.chart = GrowthChart()
            self.chart_card.body.addWidget(self.chart, 1)
        self.chart.show_report(report)
        if report.first is not None:
            self.table.selectRow(report.first.depth - 1)
            self.table.scrollTo(self.table.currentIndex(), ReadOnlyTable.ScrollHint.PositionAtCenter)
        self._refresh()

    def _sentence(self, report: DivergenceReport) -> str:
        first = report.first
        if first is None:
            return self.tr("No divergence: the outputs of all nodes are equal within rounding.")
        return self.tr("B first differs at {0}, {1}.").format(first.op.rpartition(".")[2], first.node)

    def _facts(self, report: DivergenceReport) -> list[str]:
        tokens = format_number(len(report.prompt_ids) + len(report.token_ids))
        facts = [self.tr("Nodes compared: {0}; tokens: {1}.").format(format_number(report.nodes_compared), tokens)]
        first = report.first
        if first is not None:
            off, largest = _figure(first.max_abs_diff), format_figures(first.reference_max, 3)
            where = first.scope or first.component
            facts.insert(0, self.tr("In {0}: difference {1}, largest value of A {2}.").format(where, off, largest))
        return facts

    @property
    def chosen(self) -> ComparedNode | None:
        """The node of the selected row."""
        rows = self.table.selectionModel().selectedRows()
        return self.report.nodes[rows[0].row()] if rows and self.report is not None else None

    def _refresh(self) -> None:
        self.show_button.setEnabled(self.chosen is not None)

    def _show_chosen(self) -> None:
        if self.chosen is not None:
            self.node_requested.emit(self.chosen)

    def _on_activated(self, index: QModelIndex) -> None:
        if self.report is not None:
            self.node_requested.emit(self.report.nodes[index.row()])


def _row(node: ComparedNode) -> tuple[str, ...]:
    figures = (_figure(node.own_abs_diff), format_figures(node.tolerance, 2), _figure(node.max_abs_diff))
    largest, operator = format_figures(node.reference_max, 3), node.op.rpartition(".")[2]
    return format_number(node.depth), operator, node.node, node.component, *figures, largest


def _figure(value: float | None) -> str:
    return "NaN, ∞" if value is None else format_figures(value, 3)


class DivergenceDialog(MeasureDialog):
    """The form above, the results below. Closing the dialog stops the search."""

    model: DivergenceModel
    form: DivergenceForm

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.model = DivergenceModel(context.new_machine_worker, self)
        self._note: Note | None = None
        self.setWindowTitle(self.tr("Find the divergence"))
        self.resize(940, 640)
        self.form, self.banner, self.results = DivergenceForm(context), Banner(), DivergenceResults()
        self.bar = progress_bar(self.tr("Progress of the comparison"), height=6)
        self.empty = EmptyState(self.tr("No search yet"), self._advice(), icon="branch")
        self.stack = stack(self.empty, self.results)
        self._lay_out()
        self.form.requested.connect(self.start)
        self.form.failed.connect(lambda error: self.banner.error(error.message, error.details))
        self.form.stopped.connect(self.model.cancel)
        self.results.node_requested.connect(self.show_node)
        self.model.changed.connect(self.refresh)
        for one in self.results.actions():
            self.addAction(one)
        add_action(self, self.tr("Divergence: find"), self.form.start, "Ctrl+Return")
        self._choose_bundles()
        self.refresh()

    def _choose_bundles(self) -> None:
        """B is the current bundle; A the last other one, else the same bundle before its optimization."""
        if self.context.bundle is None:
            return
        current = str(self.context.bundle["path"])
        others = (one.path for one in self.context.recents.entries if one.path != current and not one.problem)
        reference = next(others, current)
        if reference == current:
            self.form.a.preferred_stage = EXPORT_STAGE
        self.form.a.bundle.choose(reference)
        self.form.b.bundle.choose(current)

    @classmethod
    def waiting(cls, window: QWidget) -> Self | None:
        """The hidden dialog of `window` that waits while a graph is shown."""
        return next((one for one in window.findChildren(cls) if one.isHidden() and not one.model.running), None)

    def _advice(self) -> str:
        return self.tr(
            "A and B (bundles, stages of one build, providers, or machines) read the same prompt. Every node of B gets "
            "the inputs of A's node, so that only nodes that differ by themselves are reported, not those "
            "after them."
        )

    def _lay_out(self) -> None:
        parts = (label(self.windowTitle(), "title"), self.form, self.bar, self.banner, (self.stack, 1))
        close = (button(self.tr("Close"), clicked=self.close), 0, Qt.AlignmentFlag.AlignRight)
        vbox(*parts, close, parent=self, margins=2 * G)
        for one in self.findChildren(QPushButton):
            one.setAutoDefault(False)  # Enter belongs to the prompt and the table

    def start(self, request: Diverge) -> None:
        """Start a search; the last result is removed."""
        self.banner.clear()
        self.model.compare(request, self.form.machines)

    def show_node(self, node: ComparedNode) -> None:
        """Show a node in the graph of B's bundle. The dialog hides, since it would cover the graph."""
        request = self.model.request
        assert request is not None  # rows exist only with an answer
        self.context.navigate.emit("inspect")
        self.context.inspectRequested.emit(InspectTarget(request.b.bundle, component=node.component, node=node.node))
        self.hide()
        self._note = self.context.show_note(
            self.tr("The result of the divergence search is still available."), self.tr("Show the result"), self.show
        )

    def showEvent(self, event: QShowEvent) -> None:
        """Remove the note that leads back to the dialog (Qt's name)."""
        super().showEvent(event)
        if self._note is not None:
            self.context.notes.drop(self._note)
            self._note = None

    def refresh(self) -> None:
        model = self.model
        self.show_work(self.tr("The search was stopped without a result."))
        self.stack.setCurrentWidget(self.empty if model.report is None else self.results)
        if model.report is not None and model.report is not self.results.report:
            self.results.show_report(model.report)
        self.settle()

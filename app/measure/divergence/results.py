"""The result of a search: a summary, the growth of the difference, and all compared nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QSplitter, QVBoxLayout, QWidget

from app.text.formatting import format_number
from app.widgets.actions import add_action
from app.widgets.basics import CardFrame, button, label
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.reports.divergence import ComparedNode, DivergenceReport

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
        self.table.setColumnWidth(1, 18 * G)
        self._lay_out()
        add_action(self, self.tr("Divergence: show the node in the graph"), self._show_chosen)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(G)
        texts = QVBoxLayout()
        texts.setSpacing(G // 2)
        texts.addWidget(self.summary)
        texts.addWidget(self.facts)
        head.addLayout(texts, 1)
        head.addWidget(self.show_button, 0, Qt.AlignmentFlag.AlignTop)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.chart_card)
        splitter.addWidget(self.table)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(G)
        column.addLayout(head)
        column.addWidget(splitter, 1)

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
            return self.tr("No divergence: every node of B gives what A's gives, but for rounding.")
        return self.tr("B first parts at {0}, {1}.").format(first.op.rpartition(".")[2], first.node)

    def _facts(self, report: DivergenceReport) -> list[str]:
        tokens = format_number(len(report.prompt_ids) + len(report.token_ids))
        facts = [self.tr("Nodes compared: {0}; tokens: {1}.").format(format_number(report.nodes_compared), tokens)]
        first = report.first
        if first is not None:
            off, largest = _figure(first.max_abs_diff), f"{first.reference_max:.3g}"
            where = first.scope or first.component
            facts.insert(0, self.tr("In {0}, off by {1} where A's largest value is {2}.").format(where, off, largest))
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
    figures = (_figure(node.own_abs_diff), f"{node.tolerance:.2g}", _figure(node.max_abs_diff))
    operator = node.op.rpartition(".")[2]
    return format_number(node.depth), operator, node.node, node.component, *figures, f"{node.reference_max:.3g}"


def _figure(value: float | None) -> str:
    return "NaN, ∞" if value is None else f"{value:.3g}"

"""The tabs of a component's inputs and outputs, and of its operators."""

from __future__ import annotations

from PySide6.QtWidgets import QHeaderView, QVBoxLayout, QWidget

from app.inspect.inspect_tab import InspectTab
from app.text.formatting import format_number, pluralize
from app.widgets import label
from app.widgets.tables import BarDelegate, CountTableModel, ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.reports.inspection import ComponentReport, TensorFacts


class SignatureTab(InspectTab):
    """The inputs and outputs of a component with shapes and types."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(G, 2 * G, 0, 0)
        column.setSpacing(G)
        headings = (self.tr("Name"), self.tr("Shape"), self.tr("Type"))
        self.inputs = ReadOnlyTable(TextTableModel(headings, mono=(0, 1)), self.tr("Inputs"))
        self.outputs = ReadOnlyTable(TextTableModel(headings, mono=(0, 1)), self.tr("Outputs"))
        self.inputs_title = label(self.tr("Inputs"), "heading")
        self.outputs_title = label(self.tr("Outputs"), "heading")
        for title, table in ((self.inputs_title, self.inputs), (self.outputs_title, self.outputs)):
            column.addWidget(title)
            column.addWidget(table, 1)
            table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
            table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Fixed)
            table.setColumnWidth(2, 12 * G)

    def set_component(self, component: ComponentReport) -> None:
        """Shows another component."""
        self.inputs.rows.fill([_row(t) for t in component.inputs])
        self.outputs.rows.fill([_row(t) for t in component.outputs])
        self.inputs_title.setText(self.tr("Inputs · {0}").format(format_number(len(component.inputs))))
        self.outputs_title.setText(self.tr("Outputs · {0}").format(format_number(len(component.outputs))))


class OperatorsTab(InspectTab):
    """The number of nodes of each operator."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(G, 2 * G, 0, 0)
        column.setSpacing(G)
        self.opset = label("", "muted")
        self._counts = CountTableModel((self.tr("Operator"), self.tr("Nodes"), ""), numbers=(1,), mono=(0,))
        self.table = ReadOnlyTable(self._counts, self.tr("Operators"), stretch=2)
        self._bars = BarDelegate("accent", self.table)
        self.table.setItemDelegateForColumn(2, self._bars)
        column.addWidget(self.opset)
        column.addWidget(self.table, 1)

    def set_component(self, component: ComponentReport) -> None:
        """Shows another component."""
        self._counts.set_counts(component.op_counts, format_number)
        opsets = " · ".join(f"{domain or 'ai.onnx'} {version}" for domain, version in component.opset.items())
        nodes = pluralize(component.nodes, self.tr("1 node"), self.tr("{0} nodes"))
        kinds = pluralize(len(component.op_counts), self.tr("1 kind of operator"), self.tr("{0} kinds of operator"))
        self.opset.setText(f"{nodes}, {kinds} · {self.tr('opset {0}').format(opsets or '?')}")


def _row(tensor: TensorFacts) -> tuple[str, str, str]:
    return tensor.name, "[" + ", ".join(str(d) for d in tensor.shape) + "]", tensor.dtype

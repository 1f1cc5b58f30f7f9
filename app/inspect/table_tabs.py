"""The tabs that are tables: inputs and outputs, operators, and the passes with their changes and refusals."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QHeaderView, QWidget

from app.inspect.inspect_tab import InspectTab
from app.state.inspection import Inspection, PassRow
from app.text.formatting import format_number, pluralize
from app.widgets import EmptyState, label
from app.widgets.layouts import vbox
from app.widgets.tables import BarDelegate, CountTableModel, ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.reports.inspection import ComponentReport, TensorFacts


class SignatureTab(InspectTab):
    """The inputs and outputs of a component with shapes and types."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = vbox(parent=self, margins=(G, 2 * G, 0, 0))
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
        self.inputs.rows.fill([_row(t) for t in component.inputs])
        self.outputs.rows.fill([_row(t) for t in component.outputs])
        self.inputs_title.setText(self.tr("Inputs · {0}").format(format_number(len(component.inputs))))
        self.outputs_title.setText(self.tr("Outputs · {0}").format(format_number(len(component.outputs))))


class OperatorsTab(InspectTab):
    """The number of nodes of each operator."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.opset = label("", "muted")
        self._counts = CountTableModel((self.tr("Operator"), self.tr("Nodes"), ""), numbers=(1,), mono=(0,))
        self.table = ReadOnlyTable(self._counts, self.tr("Operators"), stretch=2)
        self._bars = BarDelegate("accent", self.table)
        self.table.setItemDelegateForColumn(2, self._bars)
        vbox(self.opset, (self.table, 1), parent=self, margins=(G, 2 * G, 0, 0))

    def set_component(self, component: ComponentReport) -> None:
        self._counts.set_counts(component.op_counts, format_number)
        opsets = " · ".join(f"{domain or 'ai.onnx'} {version}" for domain, version in component.opset.items())
        nodes = pluralize(component.nodes, self.tr("1 node"), self.tr("{0} nodes"))
        kinds = pluralize(len(component.op_counts), self.tr("1 kind of operator"), self.tr("{0} kinds of operator"))
        self.opset.setText(f"{nodes}, {kinds} · {self.tr('opset {0}').format(opsets or '?')}")


def _row(tensor: TensorFacts) -> tuple[str, str, str]:
    return tensor.name, "[" + ", ".join(str(d) for d in tensor.shape) + "]", tensor.dtype


class PassesTab(InspectTab):
    """One row per pass; the refusals of the chosen pass in full below the table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._passes: tuple[PassRow, ...] = ()
        headings = (
            self.tr("Stage"),
            self.tr("Component"),
            self.tr("Pass"),
            self.tr("Changed"),
            self.tr("Before"),
            self.tr("After"),
            self.tr("Refused"),
        )
        self.table = ReadOnlyTable(TextTableModel(headings, numbers=(4, 5)), self.tr("Passes"), stretch=6)
        self.empty = EmptyState(
            self.tr("No passes are recorded"),
            self.tr("For a bundle, this table lists what each pass changed and refused."),
            icon="build",
        )
        self.refusals = label("", "small", wrap=True)
        vbox((self.table, 1), self.refusals, (self.empty, 1), parent=self, margins=(G, 2 * G, 0, 0))
        self.table.selectionModel().currentRowChanged.connect(self._show_refusals)

    def set_inspection(self, inspection: Inspection | None) -> None:
        passes = inspection.passes if inspection else ()
        rows, tints = [], []
        for row in passes:
            done = row.done
            refused = "; ".join(f"{r.reason} ({r.node})" if r.node else r.reason for r in done.refused)
            changed = self.tr("changed") if done.modified else self.tr("unchanged")
            counts = (format_number(done.nodes_before), format_number(done.nodes_after))
            named = f"{done.title} ({done.name})" if done.title not in ("", done.name) else done.name
            rows.append((row.stage, row.component, named, changed, *counts, refused))
            tints.append("" if done.modified else "muted")
        self._passes = passes
        self.table.rows.fill(rows, tints)
        self.refusals.setText("")
        self.table.setVisible(bool(rows))
        self.empty.setVisible(not rows)

    def _show_refusals(self, current: QModelIndex, _previous: QModelIndex) -> None:
        """Shows the refusals of the chosen pass in full, since they are longer than a cell."""
        refused = self._passes[current.row()].done.refused if 0 <= current.row() < len(self._passes) else []
        self.refusals.setText("\n".join(f"{r.reason}  {r.node}".rstrip() for r in refused))

"""The passes tab: the changes of each pass in each stage, and its refusals with their reasons."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.inspect.inspect_tab import InspectTab
from app.state.inspection import Inspection, PassRow
from app.text.formatting import format_number
from app.widgets import EmptyState, label
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G


class PassesTab(InspectTab):
    """One row per pass; the refusals of the chosen pass in full below the table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._passes: tuple[PassRow, ...] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(G, 2 * G, 0, 0)
        column.setSpacing(G)
        headings = (
            self.tr("Stage"),
            self.tr("Component"),
            self.tr("Pass"),
            self.tr("Changed"),
            self.tr("Before"),
            self.tr("After"),
            self.tr("Refused"),
        )
        self.table = ReadOnlyTable(TextTableModel(headings, numbers=(4, 5), mono=(2,)), self.tr("Passes"), stretch=6)
        self.empty = EmptyState(
            self.tr("No passes are recorded"),
            self.tr("For a bundle, this table lists what each pass changed and refused."),
            icon="build",
        )
        self.refusals = label("", "small", wrap=True)
        column.addWidget(self.table, 1)
        column.addWidget(self.refusals)
        column.addWidget(self.empty, 1)
        self.table.selectionModel().currentRowChanged.connect(self._show_refusals)

    def set_inspection(self, inspection: Inspection | None) -> None:
        """Shows the passes of another inspection."""
        passes = inspection.passes if inspection else ()
        rows, tints = [], []
        for row in passes:
            done = row.done
            refused = "; ".join(f"{r.reason} ({r.node})" if r.node else r.reason for r in done.refused)
            changed = self.tr("changed") if done.modified else self.tr("unchanged")
            counts = (format_number(done.nodes_before), format_number(done.nodes_after))
            rows.append((row.stage, row.component, done.name, changed, *counts, refused))
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

"""What each pass changed in each stage, and what it refused with its reason."""

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
    """A row for each pass; the chosen one's refusals in full under the table."""

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
        self.nothing = EmptyState(
            self.tr("No passes are recorded"),
            self.tr("A bundle tells here what each pass changed and refused."),
            icon="build",
        )
        self.refusals = label("", "small", wrap=True)
        column.addWidget(self.table, 1)
        column.addWidget(self.refusals)
        column.addWidget(self.nothing, 1)
        self.table.selectionModel().currentRowChanged.connect(self._show_refusals)

    def fill(self, found: Inspection | None) -> None:
        """Shows another bundle's."""
        passes = found.passes if found else ()
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
        self.nothing.setVisible(not rows)

    def _show_refusals(self, current: QModelIndex, _previous: QModelIndex) -> None:
        """The chosen pass's refusals in full: they are longer than a cell."""
        refused = self._passes[current.row()].done.refused if 0 <= current.row() < len(self._passes) else []
        self.refusals.setText("\n".join(f"{r.reason}  {r.node}".rstrip() for r in refused))

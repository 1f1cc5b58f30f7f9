"""The card of a cache's state of fixed size: its tensors by layer, the tokens in it, and where it can go back to.

KvGroup ──▶ facts, table of tensors;   GroupView ──▶ tokens, possible lengths
"""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.inspect.fact_grid import FactGrid
from app.state.inspection import KvGroup, state_tensor_bytes
from app.text.cache_lengths import format_lengths
from app.text.formatting import format_bytes, format_number, pluralize
from app.widgets import CardFrame, PillLabel, label
from app.widgets.layouts import STRETCH, hbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from workflows.wire.events import GroupView
from workflows.wire.reports.composite import format_ranges


class StateGroupCard(CardFrame):
    """The layers with state of fixed size. It has no slots: each token replaces all of it."""

    def __init__(self, group: KvGroup, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.group = group
        pill = PillLabel(self.tr("replaced by every token"), "cache")
        self.body.addLayout(hbox(label(self.tr("State of fixed size"), "heading"), pill, STRETCH))
        self.grid = FactGrid(self.facts(None))
        self.state = label("", "small", wrap=True)
        self.table = self._table()
        for part in (self.grid, self.state, self.table):
            self.body.addWidget(part)
        self.show_view(None, live=False)

    def facts(self, view: GroupView | None) -> list[tuple[str, str]]:
        """Names and values; view: the state of a session."""
        layers, length, lengths, snapshots = self.group.layers, "–", "–", "–"
        if view is not None:
            stored = format_bytes(view.snapshots * view.bytes)
            snapshots = f"{format_number(view.snapshots)} ({stored})" if view.snapshots else self.tr("none")
            length = pluralize(view.length, self.tr("1 token"), self.tr("{0} tokens"))
            lengths = format_lengths(view.rewindable) or "–"
        return [
            (self.tr("Layers"), f"{format_number(len(layers))} ({format_ranges(layers)})" if layers else "–"),
            (self.tr("In all"), format_bytes(self.group.bytes)),
            (self.tr("Summarizes"), length),
            (self.tr("Snapshots"), snapshots),
            (self.tr("Can go back to"), lengths),
        ]

    def rows(self) -> list[tuple[str, ...]]:
        """A row for each tensor of each kind of layer: layers, name, shape, type, bytes in a layer, bytes in all."""
        rows: list[tuple[str, ...]] = []
        for one in self.group.states:
            for tensor in one.tensors:
                size = state_tensor_bytes(tensor)
                shape, layers = " × ".join(map(str, tensor.shape)), format_ranges(one.layers) if one.layers else "–"
                total = size * max(len(one.layers), 1)
                rows.append((layers, tensor.name, shape, tensor.dtype, format_bytes(size), format_bytes(total)))
        return rows

    def _table(self) -> ReadOnlyTable:
        headings = [
            self.tr("Layers"),
            self.tr("Tensor"),
            self.tr("Shape"),
            self.tr("Type"),
            self.tr("In a layer"),
            self.tr("In all"),
        ]
        table = ReadOnlyTable(TextTableModel(headings, numbers=(4, 5)), self.tr("Tensors of the state"), stretch=2)
        table.show_all_rows()
        table.rows.fill(self.rows())
        return table

    def show_view(self, view: GroupView | None, live: bool) -> None:
        """Shows the state of a session, or that there is none. live: whether it is the session's present state."""
        if view is not None:
            text = self.tr("live") if live else self.tr("then")
        elif live:
            text = self.tr("zero: no token has been generated yet")
        else:
            text = self.tr("zero: no session of this bundle runs")
        self.state.setText(text)
        self.grid.set_facts(self.facts(view))

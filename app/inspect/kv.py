"""The KV cache tab: a card a group with geometry, strip and what the pointer is on; live with a session."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.inspect.strip import KvStrip, Legend
from app.state.inspection import EMPTY, EVICTED, UNALLOCATED, KvGroup, SlotTable, parse_group
from app.widgets import Card, EmptyState, Pill, label, scrolled
from app.widgets.format import number, size
from app.widgets.theme import G


class GroupCard(Card):
    """One group of layers."""

    def __init__(self, group: KvGroup, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.group = group
        self.strip = KvStrip(group)
        self.state = label("", "small", wrap=True)
        self.readout = label("", "muted")
        head = QHBoxLayout()
        head.setSpacing(G)
        head.addWidget(label(self.tr("Group {0}").format(group.name), "heading"))
        head.addWidget(Pill(group.layout, "cache"))
        head.addWidget(Pill(group.dtype))
        head.addStretch(1)
        self.body.addLayout(head)
        self.body.addWidget(label(self.geometry_text(), "muted", wrap=True))
        self.body.addWidget(self.state)
        if group.capacity:
            self.body.addWidget(self.strip)
            self.body.addWidget(self.readout)
        else:
            self.strip.hide()
        self.strip.hovered.connect(self._on_hover)
        self.show_table(None)

    def geometry_text(self) -> str:
        """The group's geometry in one line."""
        g = self.group
        shape = " × ".join(str(d) for d in g.shape)
        parts = [
            self.tr("{0} layers × {1} slots").format(number(len(g.layers)), number(g.capacity) if g.capacity else "?"),
            self.tr("tensor {0}").format(shape) if shape else "",
            self.tr("{0} a token").format(size(g.bytes_per_token)) if g.bytes_per_token else "",
            self.tr("{0} in all").format(size(g.bytes)) if g.bytes else "",
            self.tr("window of {0}").format(number(g.window)) if g.window else "",
            self.tr("written by the {0}").format(g.writer) if g.writer else "",
        ]
        return " · ".join(p for p in parts if p)

    def show_table(self, table: SlotTable | None) -> None:
        """Shows live slots, or the empty geometry."""
        if table is None:
            self.state.setText(self.tr("empty: no session of this bundle runs"))
            self.strip.set_table(SlotTable(self.group.capacity))
        else:
            self.state.setText(
                self.tr("live · {0} of {1} used · {2} evicted · {3} allocated").format(
                    number(table.used),
                    number(table.capacity),
                    number(table.evicted),
                    size(table.allocated * self.group.bytes_per_token),
                )
            )
            self.strip.set_table(table)
        self._on_hover(-1, -1)

    def describe(self, layer: int, slot: int) -> str:
        """One cell in words: layer, slot, position, bytes."""
        table = self.strip.table
        position, state = table.positions[slot], table.states[slot]
        what = {
            EMPTY: self.tr("empty"),
            EVICTED: self.tr("empty; its token is gone"),
            UNALLOCATED: self.tr("not allocated yet"),
        }.get(state, self.tr("position {0}").format(number(position)))
        parts = [self.tr("layer {0}").format(layer), self.tr("slot {0}").format(number(slot)), what]
        if self.group.bytes_per_slot:
            parts.append(size(self.group.bytes_per_slot))
        if slot == table.head:
            parts.append(self.tr("the next token goes here"))
        return " · ".join(parts)

    def _on_hover(self, layer: int, slot: int) -> None:
        self.readout.setText(
            self.describe(layer, slot) if slot >= 0 else self.tr("Point at a slot, or use the arrow keys.")
        )


class KvTab(QWidget):
    """All groups of a bundle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: list[GroupCard] = []
        self._tables: dict[str, SlotTable] = {}
        self._static: tuple[KvGroup, ...] = ()
        self._none = EmptyState(
            self.tr("No KV cache"), self.tr("None of these graphs has past and present tensors."), icon="cache"
        )
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(G, 2 * G, G, 2 * G)
        self._column.setSpacing(2 * G)
        self._legend = Legend()
        self._column.addWidget(self._none, 1)
        self._column.addWidget(self._legend)
        self._column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))

    def set_groups(self, groups: tuple[KvGroup, ...]) -> None:
        """Shows the geometry of a bundle, its slots empty."""
        self._static = groups
        self._tables.clear()
        self._rebuild(groups)

    def set_live(self, groups: list[dict[str, Any]] | None) -> None:
        """Shows the slots of a session; None goes back to the empty geometry."""
        if not groups:
            self._tables.clear()
            if tuple(c.group for c in self.cards) != self._static:
                self._rebuild(self._static)
            for card in self.cards:
                card.show_table(None)
            return
        live = tuple(parse_group(g) for g in groups)
        if [c.group.name for c in self.cards] != [g.name for g in live] or any(
            card.group.capacity != g.capacity or card.group.layout != g.layout
            for card, g in zip(self.cards, live, strict=False)
        ):
            self._tables.clear()
            self._rebuild(live)
        for card, raw in zip(self.cards, groups, strict=True):
            table = self._tables.setdefault(card.group.name, SlotTable(card.group.capacity))
            table.update(raw)
            card.show_table(table)

    def _rebuild(self, groups: tuple[KvGroup, ...]) -> None:
        for card in self.cards:
            self._column.removeWidget(card)
            card.deleteLater()
        self.cards = [GroupCard(g) for g in groups]
        for place, card in enumerate(self.cards):
            self._column.insertWidget(1 + place, card)
        self._none.setVisible(not groups)
        self._legend.setVisible(any(g.capacity for g in groups))

"""The card of a cache group: its facts, its strip, and the text of the hovered slot.

KvGroup ──▶ facts;   SlotOccupancy ──▶ strip;   pointer, arrow keys ──▶ text
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.inspect.fact_grid import FactGrid
from app.inspect.kv_strip import KvStrip
from app.state.inspection import CROSS, EMPTY, EVICTED, PASSED, PICTURE, UNALLOCATED, KvGroup, SlotOccupancy
from app.text.formatting import format_bytes, format_number, pluralize
from app.widgets import CardFrame, PillLabel, label
from app.widgets.layouts import STRETCH, hbox
from app.widgets.plain_text import set_tool_tip
from workflows.wire.reports.composite import format_ranges


class CacheGroupCard(CardFrame):
    """One group of layers. kind: "decoder" beside a cross cache, else empty."""

    def __init__(self, group: KvGroup, kind: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.group = group
        self.strip = KvStrip(group)
        self.state = label("", "small", wrap=True)
        self.readout = label("", "muted", wrap=True)
        pills = [PillLabel(group.layout, "prefill" if group.layout == CROSS else "cache")]
        if group.layout == CROSS:
            pills.append(PillLabel(self.tr("frozen")))
        self.body.addLayout(hbox(label(self._title(kind), "heading"), *pills, STRETCH))
        self.grid = FactGrid(self.facts())
        self.body.addWidget(self.grid)
        self.body.addWidget(self.state)
        if group.capacity:
            self.body.addWidget(self.strip)
            self.body.addWidget(self.readout)
        else:
            self.strip.hide()
        self.strip.hovered.connect(self._on_hover)
        self.strip.handle.previewed.connect(self._on_preview)
        self.show_table(None, live=False)

    def _title(self, kind: str) -> str:
        if self.group.layout == CROSS:
            return self.tr("Cross cache")
        name = self.tr("Group {0}").format(self.group.name)
        return self.tr("Decoder cache · {0}").format(name) if kind == "decoder" else name

    def facts(self, table: SlotOccupancy | None = None) -> list[tuple[str, str]]:
        """Names and values of the group's geometry, and with a table the allocated slots."""
        g = self.group
        slots = format_number(g.capacity) if g.capacity else self.tr("one a source token")
        window = format_number(g.window) if g.window else self.tr("none: sees all")
        if g.layout == CROSS:
            window = self.tr("none: the source")
        allocated = "–" if table is None else pluralize(table.allocated, self.tr("1 slot"), self.tr("{0} slots"))
        return [
            (self.tr("Layers"), f"{format_number(len(g.layers))} ({format_ranges(g.layers)})"),
            (self.tr("Capacity"), slots),
            (self.tr("Allocated"), allocated),
            (self.tr("Window"), window),
            (self.tr("Tensor"), "\n".join(g.shape_texts()) + f"  {g.dtype}"),
            (self.tr("A token"), format_bytes(g.bytes_per_token) if g.bytes_per_token else "–"),
            (self.tr("All slots"), format_bytes(g.bytes) if g.bytes else "–"),
            (self.tr("Written by"), self._writer()),
        ]

    def _writer(self) -> str:
        known = {
            "host": self.tr("the host"),
            "encoder": self.tr("the encoder, once"),
            "gqa": self.tr("the graph, GroupQueryAttention"),
            "scatter": self.tr("the graph, TensorScatter"),
        }
        g = self.group
        return known.get(g.layout if g.writer == "graph" else g.writer, g.writer or "–")

    def show_table(self, table: SlotOccupancy | None, live: bool = True) -> None:
        """Shows the slots of a table, or the empty geometry. live: whether the table is the session's present one."""
        if table is None:
            frozen = self.tr("computed once per source by the encoder, then only read")
            empty = (
                self.tr("empty: no token has been generated yet")
                if live
                else self.tr("empty: no session of this bundle runs")
            )
            self.state.setText(frozen if self.group.layout == CROSS else empty)
            capacity = self.group.capacity
            self.strip.set_table(SlotOccupancy(capacity) if live else SlotOccupancy.unallocated(capacity))
        else:
            self.state.setText(self._state_text(table, live))
            self.strip.set_table(table)
        self.grid.set_facts(self.facts(table))
        self._on_hover(*self.strip.cell)

    def _state_text(self, table: SlotOccupancy, live: bool) -> str:
        when = self.tr("live") if live else self.tr("then")
        if self.group.layout == CROSS:
            text = self.tr("{0} · {1} source tokens · computed once by the encoder, then only read")
            return text.format(when, format_number(table.used))
        parts = [when, self.tr("{0} of {1} used").format(format_number(table.used), format_number(table.capacity))]
        passed = table.states.count(PASSED)
        if passed:
            parts.append(self.tr("{0} before the window").format(format_number(passed)))
        padded = table.states.count(EMPTY) if table.slides else 0
        if padded:
            parts.append(self.tr("{0} padded at the left").format(format_number(padded)))
        pictured = table.states.count(PICTURE)
        if pictured:
            parts.append(self.tr("{0} of pictures").format(format_number(pictured)))
        parts.append(self.tr("{0} evicted").format(format_number(table.evicted)))
        parts.append(self.tr("{0} allocated").format(format_bytes(table.allocated * self.group.bytes_per_token)))
        return " · ".join(parts)

    def describe(self, layer: int, slot: int) -> str:
        """The text of one cell: layer, slot, position, bytes."""
        table = self.strip.table
        position, state = table.positions[slot], table.states[slot]
        cross = self.group.layout == CROSS
        content = {
            EMPTY: self.tr("padding") if cross or table.slides else self.tr("empty"),
            EVICTED: self.tr("empty; its token is gone"),
            UNALLOCATED: self.tr("not allocated yet"),
            PASSED: self.tr("position {0}, before the window").format(format_number(position)),
        }.get(
            state, (self.tr("source token {0}") if cross else self.tr("position {0}")).format(format_number(position))
        )
        parts = [self.tr("layer {0}").format(layer), self.tr("slot {0}").format(format_number(slot)), content]
        if name := self._picture_name(slot):
            parts.append(name)
        if held := self.group.bytes_per_slot(layer):
            parts.append(format_bytes(held))
        if slot == table.head:
            parts.append(self.tr("the next token goes here"))
        return " · ".join(parts)

    def _picture_name(self, slot: int) -> str:
        """The picture in a slot, with the number of its tokens; empty for a slot that holds none."""
        picture = self.strip.table.picture_at(slot) if slot >= 0 else None
        if picture is None:
            return ""
        return pluralize(
            picture.count, self.tr("picture {1}, 1 token"), self.tr("picture {1}, {0} tokens"), Path(picture.path).name
        )

    def _on_hover(self, layer: int, slot: int) -> None:
        cell = self.describe(layer, slot) if slot >= 0 else ""
        set_tool_tip(self.strip, self._picture_name(slot))
        self.readout.setText(cell or self.tr("Point at a slot, or use the arrow keys."))
        self.strip.spoken.select(cell)

    def _on_preview(self, length: int) -> None:
        if length < 0:
            self._on_hover(-1, -1)
            return
        table = self.strip.table
        gone = self.tr("forgets {0} of {1} tokens").format(
            format_number(table.length - length), format_number(table.length)
        )
        refused = self.tr("no possible length: the cache no longer holds what the next token needs")
        back = pluralize(length, self.tr("Back to 1 token"), self.tr("Back to {0} tokens"))
        self.readout.setText(f"{back} · {gone if table.can_rewind_to(length) else refused}")

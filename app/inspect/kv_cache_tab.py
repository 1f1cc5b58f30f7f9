"""The KV cache tab: one card per cache group, the controls of the session's cache, and the steps of a generation.

inspection ──▶ empty geometry;   session cache ──▶ live slots;   CacheHistorySlider ──▶ the slots of an earlier step
CacheControls ──rewind, save, load──▶ session

A group has slots, drawn as a strip, or is the state of fixed size, which is a table of tensors.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSlider, QWidget

from app.inspect.cache_controls import CacheControls
from app.inspect.cache_group_card import CacheGroupCard
from app.inspect.inspect_tab import InspectTab
from app.inspect.slot_legend import SlotLegend
from app.inspect.state_group_card import StateGroupCard
from app.state.chosen_devices import follow_devices
from app.state.context import AppContext
from app.state.inspection import CROSS, Inspection, KvGroup, SlotOccupancy, session_group
from app.state.session_cache import CacheHistory, CacheSnapshot
from app.text.formatting import format_number, pluralize
from app.widgets import EmptyState, button, label, scroll_area
from app.widgets.actions import add_action
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G
from workflows.wire.events import STATE, GroupView
from workflows.wire.reports.devices import DevicesReport


class CacheHistorySlider(QWidget):
    """A slider over the cache snapshots of the last generation; `moved` carries None for the live cache."""

    moved = Signal(object)

    def __init__(self, history: CacheHistory, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.history = history
        self.snapshot: CacheSnapshot | None = None
        self._first: CacheSnapshot | None = None
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(self.tr("Step of the generation"))
        set_tool_tip(self.slider, self.tr("Arrow keys walk through the steps of the last generation"))
        self.slider.setPageStep(10)
        self.moment_label = label("", "muted", selectable=False)
        tip = self.tr("Show the cache as it is now")
        self.live_button = button(self.tr("Live"), "play", clicked=self.show_live, tool_tip=tip)
        hbox((self.slider, 1), self.moment_label, self.live_button, parent=self, margins=G, spacing=2 * G)
        self.moment_label.setMinimumWidth(26 * G)
        self.slider.valueChanged.connect(self._on_value)
        self.refresh()

    def show_live(self) -> None:
        """Shows the cache as it is now."""
        was, self.snapshot = self.snapshot, None
        self.refresh()
        if was is not None:
            self.moved.emit(None)

    def refresh(self) -> None:
        """Follows the history as it grows; a new generation ends the view of a snapshot of the last one."""
        snapshots = self.history.snapshots
        first, self._first = self._first, snapshots[0] if snapshots else None
        if self.snapshot is not None and first is self._first:  # thinned out perhaps: the nearest one remains
            self.snapshot = self._nearest(self.snapshot)
        place = next((i for i, one in enumerate(snapshots) if one is self.snapshot), -1)
        lost = self.snapshot is not None and place < 0
        if lost:
            self.snapshot = None
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(len(snapshots) - 1, 0))
        self.slider.setValue(place if place >= 0 else len(snapshots) - 1)
        self.slider.blockSignals(False)
        self._show_moment()
        if lost:
            self.moved.emit(None)

    def _nearest(self, snapshot: CacheSnapshot) -> CacheSnapshot:
        snapshots = self.history.snapshots
        if any(one is snapshot for one in snapshots):
            return snapshot
        return min(snapshots, key=lambda one: abs(one.step - snapshot.step))

    def _on_value(self, place: int) -> None:
        snapshots = self.history.snapshots
        if not 0 <= place < len(snapshots):
            return
        self.snapshot = snapshots[place] if place < len(snapshots) - 1 else None
        self._show_moment()
        self.moved.emit(self.snapshot)

    def _show_moment(self) -> None:
        snapshots = self.history.snapshots
        self.live_button.setEnabled(self.snapshot is not None)
        if snapshots:
            text = self.describe(self.snapshot or snapshots[-1])
            self.moment_label.setText(text if self.snapshot else self.tr("live · {0}").format(text))

    def describe(self, snapshot: CacheSnapshot) -> str:
        """The text of a snapshot: its moment and its length."""
        held = pluralize(snapshot.length, self.tr("1 token held"), self.tr("{0} tokens held"))
        moment = {
            "before": self.tr("before it began"),
            "prefill": self.tr("prefill"),
            "decode": self.tr("step {0}").format(format_number(snapshot.step)),
            "rewind": self.tr("after a rewind"),
            "load": self.tr("after a load"),
        }[snapshot.moment]
        return f"{moment} · {held}"


class KvCacheTab(InspectTab):
    """All cache groups of a bundle, live while its session runs. folder: where prompt caches are saved."""

    def __init__(self, context: AppContext, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        session = self.session = context.session
        self._context = context
        self._devices_requested = False
        self.cards: list[CacheGroupCard] = []
        self.state_cards: list[StateGroupCard] = []
        self._shown: list[CacheGroupCard | StateGroupCard] = []  # both kinds, in the order of the groups
        self._bundle = ""
        self._tables: dict[str, SlotOccupancy] = {}
        self._static: tuple[KvGroup, ...] = ()
        self._live: list[GroupView] = []
        self._encoder = ""
        self._none = EmptyState(
            self.tr("No KV cache"), self.tr("No graph here has past and present tensors."), icon="cache"
        )
        self.controls = CacheControls(session, folder)
        self.history_slider = CacheHistorySlider(session.cache.history)
        self.encoder = label("", "muted", wrap=True)
        self._legend = SlotLegend()
        content = QWidget()
        self._column = vbox(
            self.controls, self.encoder, (self._none, 1), self._legend, STRETCH,
            parent=content, margins=(G, 2 * G, G, 2 * G), spacing=2 * G,
        )  # fmt: skip
        vbox((scroll_area(content), 1), self.history_slider, parent=self, spacing=0)
        self.history_slider.moved.connect(self._on_scrub)
        self.controls.changed.connect(self._refresh_handles)
        self.controls.openRequested.connect(self._open_session)
        session.cache.changed.connect(self._follow)
        session.stateChanged.connect(self._follow)
        self._add_actions()
        self.set_groups(())

    # -- inspection and session --------------------------------------------------------------------------------

    def set_inspection(self, inspection: Inspection | None) -> None:
        """Shows the cache of another inspection, live where its session runs."""
        if inspection is None:
            self.set_groups(())
            return
        self.set_groups(inspection.kv, inspection.bundle, inspection.encoder)
        self.controls.set_default_layout(str(dict(inspection.facts).get("layout") or ""))
        self._follow()

    def _follow(self, *_: object) -> None:
        """Shows the slots of the session, if it runs the inspected bundle."""
        self.set_live(self.session.groups_for(self._bundle))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._devices_requested:
            self._devices_requested = True
            follow_devices(self._context, self.set_devices, self)

    def set_devices(self, report: DevicesReport) -> None:
        """Offers these devices for a new session."""
        self.controls.choice.set_devices(report.devices)

    def _open_session(self) -> None:
        if self._bundle:
            self.session.open(self._bundle, *self.controls.choice.chosen)

    def _add_actions(self) -> None:
        """Actions of the command palette, each enabled while it can be done."""
        controls, history_slider = self.controls, self.history_slider
        self.cache_actions = {
            "rewind": add_action(self, self.tr("KV cache: rewind …"), controls.spin.setFocus),
            "save": add_action(self, self.tr("KV cache: save the prompt cache …"), controls.choose_save_file),
            "load": add_action(self, self.tr("KV cache: load a prompt cache …"), controls.choose_load_file),
            "scrub": add_action(self, self.tr("KV cache: walk through the steps"), history_slider.slider.setFocus),
            "live": add_action(self, self.tr("KV cache: follow live"), history_slider.show_live),
        }
        controls.changed.connect(self._refresh_actions)

    def _refresh_actions(self) -> None:
        controls, history_slider = self.controls, self.history_slider
        self.cache_actions["rewind"].setEnabled(controls.access.can_rewind)
        self.cache_actions["save"].setEnabled(controls.access.can_save)
        self.cache_actions["load"].setEnabled(controls.access.can_load)
        self.cache_actions["scrub"].setEnabled(not history_slider.isHidden())
        self.cache_actions["live"].setEnabled(history_slider.snapshot is not None)

    # -- groups and slots --------------------------------------------------------------------------------------

    def set_groups(self, groups: tuple[KvGroup, ...], bundle: str = "", encoder: str = "") -> None:
        """Shows the geometry of groups with empty slots. bundle: its folder, empty for a single graph."""
        self._bundle, self._static, self._encoder, self._live = bundle, groups, encoder, []
        self._tables.clear()
        self.controls.set_bundle(bundle, bool(encoder))
        self.controls.setVisible(bool(bundle and groups))
        handed = self.tr("The encoder ({0}) has no cache of its own: it reads a source once and fills the cross cache.")
        self.encoder.setText(handed.format(encoder))
        self.encoder.setVisible(bool(encoder and groups))
        self._rebuild(groups)
        self._show_scrubber()

    def set_live(self, groups: list[GroupView] | None) -> None:
        """Shows the slots of a session; None restores the empty geometry."""
        self._live = groups or []
        self.history_slider.refresh()
        self._show_scrubber()
        if not groups:
            self._tables.clear()
            if tuple(c.group for c in self._shown) != self._static:
                self._rebuild(self._static)
            ready = self.session.ready_for(self._bundle) is not None
            for card in self.cards:
                card.show_table(None, live=ready)
            for state_card in self.state_cards:
                state_card.show_view(None, live=ready)
            self.controls.set_table(None, False)
        else:
            self._update_tables(groups)
            self._show(self.history_slider.snapshot)

    def _update_tables(self, groups: list[GroupView]) -> None:
        """Updates the live tables, also while a snapshot is shown."""
        for group in groups:
            table = self._tables.get(group.name)
            if table is None or table.capacity != group.capacity:
                table = self._tables[group.name] = SlotOccupancy(group.capacity)
            table.update(group, self.session.cache.pictures)
        self._tables = {group.name: self._tables[group.name] for group in groups}

    def _show(self, snapshot: CacheSnapshot | None) -> None:
        groups = snapshot.groups if snapshot else self._live
        self._match_cards(groups)
        by_name = {group.name: group for group in groups}
        for card in self.cards:
            name = card.group.name
            table = self._table_at(by_name[name], snapshot) if snapshot else self._tables[name]
            card.show_table(table, live=snapshot is None)
        for state_card in self.state_cards:
            state_card.show_view(by_name[state_card.group.name], live=snapshot is None)
        self._legend.set_pictures(bool(snapshot.pictures if snapshot else self.session.cache.pictures))
        first = next((self._tables[group.name] for group in self._live if group.layout != CROSS), None)
        self.controls.set_table(first, snapshot is not None, any(group.layout == STATE for group in self._live))

    def _table_at(self, group: GroupView, snapshot: CacheSnapshot) -> SlotOccupancy:
        """The table of a snapshot's group; the first snapshot says which slots had lost their tokens."""
        table = SlotOccupancy(group.capacity)
        first = self.history_slider.history.snapshots[0].groups
        before = next((one for one in first if (one.name, one.capacity) == (group.name, group.capacity)), None)
        if before is not None:
            table.update(before)
        table.update(group, snapshot.pictures)
        return table

    def _match_cards(self, groups: list[GroupView]) -> None:
        """Rebuilds the cards where their groups are not these."""
        live = tuple(session_group(group) for group in groups)
        shown = [(c.group.name, c.group.capacity, c.group.layout) for c in self._shown]
        if shown != [(g.name, g.capacity, g.layout) for g in live]:
            self._rebuild(live)

    def _rebuild(self, groups: tuple[KvGroup, ...]) -> None:
        for shown in self._shown:
            self._column.removeWidget(shown)
            shown.deleteLater()
        kind = "decoder" if self._encoder else ""
        self._shown = [StateGroupCard(g) if g.layout == STATE else CacheGroupCard(g, kind) for g in groups]
        self.cards = [card for card in self._shown if isinstance(card, CacheGroupCard)]
        self.state_cards = [card for card in self._shown if isinstance(card, StateGroupCard)]
        first = self._column.indexOf(self._none)
        for place, shown in enumerate(self._shown):
            self._column.insertWidget(first + place, shown)
        for card in self.cards:
            card.strip.handle.previewed.connect(self._on_preview)
            card.strip.handle.rewindRequested.connect(self.controls.rewind)
        self._none.setVisible(not groups)
        self._legend.setVisible(any(g.capacity for g in groups))
        self._legend.set_groups(groups)
        self._refresh_handles()

    def _refresh_handles(self) -> None:
        for card in self.cards:
            card.strip.set_movable(self.controls.access.can_rewind and card.group.layout != CROSS)

    def _on_preview(self, length: int) -> None:
        for card in self.cards:
            card.strip.handle.preview(length)

    def _on_scrub(self, snapshot: CacheSnapshot | None) -> None:
        if self._live:
            self._show(snapshot)

    def _show_scrubber(self) -> None:
        self.history_slider.setVisible(bool(self._live) and len(self.history_slider.history) > 1)

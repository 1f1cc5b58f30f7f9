"""The KV cache tab: one card per cache group, the controls of the session's cache, and the steps of a generation.

inspection ──▶ empty geometry;   session cache ──▶ live slots;   CacheHistorySlider ──▶ the slots of an earlier step
CacheControls ──rewind, save, load──▶ session
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.inspect.cache_controls import CacheControls
from app.inspect.cache_group_card import CacheGroupCard
from app.inspect.cache_history_slider import CacheHistorySlider
from app.inspect.inspect_tab import InspectTab
from app.inspect.slot_legend import SlotLegend
from app.jobs.worker_client import WorkerClient
from app.state.bundle_session import BundleSession
from app.state.inspection import CROSS, Inspection, KvGroup, SlotOccupancy, session_group
from app.state.session_cache import CacheSnapshot
from app.widgets import EmptyState, label, scroll_area
from app.widgets.actions import add_action
from app.widgets.theme import G
from workflows.wire.events import GroupView
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.requests import ListDevices


class KvCacheTab(InspectTab):
    """All cache groups of a bundle, live while its session runs. folder: where prompt caches are saved."""

    def __init__(
        self, session: BundleSession, worker: WorkerClient, folder: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.session = session
        self._worker = worker
        self._devices_requested = False
        self.cards: list[CacheGroupCard] = []
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
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(G, 2 * G, G, 2 * G)
        self._column.setSpacing(2 * G)
        for part in (self.controls, self.encoder, self._none, self._legend):
            self._column.addWidget(part, 1 if part is self._none else 0)
        self._column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(scroll_area(content), 1)
        outer.addWidget(self.history_slider)
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
        """Qt's name: requests the devices that a session can run on, once."""
        super().showEvent(event)
        if not self._devices_requested:
            self._devices_requested = True
            self._worker.request(ListDevices()).on_answer(self.set_devices)

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
            "live": add_action(self, self.tr("KV cache: follow live"), history_slider.follow),
        }
        controls.changed.connect(self._refresh_actions)

    def _refresh_actions(self) -> None:
        controls, history_slider = self.controls, self.history_slider
        self.cache_actions["rewind"].setEnabled(controls.access.can_rewind)
        self.cache_actions["save"].setEnabled(controls.access.can_save)
        self.cache_actions["load"].setEnabled(controls.access.can_load)
        self.cache_actions["scrub"].setEnabled(not history_slider.isHidden())
        self.cache_actions["live"].setEnabled(history_slider.shown is not None)

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
            if tuple(c.group for c in self.cards) != self._static:
                self._rebuild(self._static)
            for card in self.cards:
                card.show_table(None, live=self.session.ready_for(self._bundle) is not None)
            self.controls.set_table(None, False)
        else:
            self._update_tables(groups)
            self._show(self.history_slider.shown)

    def _update_tables(self, groups: list[GroupView]) -> None:
        """Updates the live tables, also while a snapshot is shown."""
        for group in groups:
            table = self._tables.get(group.name)
            if table is None or table.capacity != group.capacity:
                table = self._tables[group.name] = SlotOccupancy(group.capacity)
            table.update(group)
        self._tables = {group.name: self._tables[group.name] for group in groups}

    def _show(self, snapshot: CacheSnapshot | None) -> None:
        groups = snapshot.groups if snapshot else self._live
        self._match_cards(groups)
        for card, group in zip(self.cards, groups, strict=True):
            table = self._table_at(group) if snapshot else self._tables[card.group.name]
            card.show_table(table, live=snapshot is None)
        first = next((self._tables[group.name] for group in self._live if group.layout != CROSS), None)
        self.controls.set_table(first, snapshot is not None)

    def _table_at(self, group: GroupView) -> SlotOccupancy:
        """The table of a snapshot's group; the first snapshot says which slots had lost their tokens."""
        table = SlotOccupancy(group.capacity)
        first = self.history_slider.history.snapshots[0].groups
        before = next((one for one in first if (one.name, one.capacity) == (group.name, group.capacity)), None)
        if before is not None:
            table.update(before)
        table.update(group)
        return table

    def _match_cards(self, groups: list[GroupView]) -> None:
        """Rebuilds the cards where their groups are not these."""
        live = tuple(session_group(group) for group in groups)
        shown = [(c.group.name, c.group.capacity, c.group.layout) for c in self.cards]
        if shown != [(g.name, g.capacity, g.layout) for g in live]:
            self._rebuild(live)

    def _rebuild(self, groups: tuple[KvGroup, ...]) -> None:
        for card in self.cards:
            self._column.removeWidget(card)
            card.deleteLater()
        self.cards = [CacheGroupCard(g, "decoder" if self._encoder else "") for g in groups]
        first = self._column.indexOf(self._none)
        for place, card in enumerate(self.cards):
            self._column.insertWidget(first + place, card)
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

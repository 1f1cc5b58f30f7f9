"""The KV cache tab: a card a group; live with a session, and what can be done with its cache.

inspection ──▶ empty geometry;   Session's cache ──▶ live slots;   Scrubber ──▶ the slots of an earlier step
CacheControls ──rewind, save, load──▶ Session
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.inspect.cache_controls import CacheControls, CacheHistorySlider
from app.inspect.cache_group_card import CacheGroupCard
from app.inspect.inspect_tab import InspectTab
from app.inspect.slot_legend import SlotLegend
from app.state.bundle_session import BundleSession
from app.state.cache_history import CacheSnapshot
from app.state.inspection import CROSS, Inspection, KvGroup, SlotTable, session_group
from app.widgets import EmptyState, label, scroll_area
from app.widgets.actions import add_action
from app.widgets.theme import G
from workflows.wire.events import GroupView


class KvCacheTab(InspectTab):
    """All groups of a bundle, what can be done with them, and the steps of the last generation."""

    def __init__(self, session: BundleSession, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.cards: list[CacheGroupCard] = []
        self._bundle = ""
        self._ask: Callable[[], object] = lambda: None
        self._tables: dict[str, SlotTable] = {}
        self._static: tuple[KvGroup, ...] = ()
        self._live: list[GroupView] = []
        self._encoder = ""
        self._none = EmptyState(
            self.tr("No KV cache"), self.tr("None of these graphs has past and present tensors."), icon="cache"
        )
        self.controls = CacheControls(session, folder)
        self.scrubber = CacheHistorySlider(session.history)
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
        outer.addWidget(self.scrubber)
        self.scrubber.moved.connect(self._on_scrub)
        self.controls.changed.connect(self._refresh_handles)
        self.controls.openRequested.connect(self._open_session)
        session.cacheChanged.connect(self._follow)
        session.stateChanged.connect(self._follow)
        self._add_actions()
        self.set_groups(())

    # -- what is inspected, and what of it runs ----------------------------------------------------------------

    def fill(self, found: Inspection | None) -> None:
        """Shows another bundle's cache, live where its session runs."""
        if found is None:
            self.set_groups(())
            return
        self.set_groups(found.kv, found.bundle, found.encoder)
        self.controls.offer(str(dict(found.facts).get("layout") or ""))
        self._follow()

    def _follow(self, *_: object) -> None:
        """What the session holds, where it is this bundle's."""
        self.set_live(self.session.groups_for(self._bundle))

    def ask_devices_with(self, ask: Callable[[], object]) -> None:
        """Called once, when a session could first be opened from here."""
        self._ask = ask
        if self.isVisible():
            self._ask_once()

    def _ask_once(self) -> None:
        ask, self._ask = self._ask, lambda: None
        ask()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: asks what a session could run on."""
        super().showEvent(event)
        self._ask_once()

    def _open_session(self) -> None:
        if self._bundle:
            self.session.open(self._bundle, *self.controls.choice.chosen)

    def _add_actions(self) -> None:
        """What can be done with the cache, each while it can be."""
        controls, scrubber = self.controls, self.scrubber
        self.cache_actions = {
            "rewind": add_action(self, self.tr("KV cache: rewind …"), controls.spin.setFocus),
            "save": add_action(self, self.tr("KV cache: save the prompt cache …"), controls.ask_save),
            "load": add_action(self, self.tr("KV cache: load a prompt cache …"), controls.ask_load),
            "scrub": add_action(self, self.tr("KV cache: walk through the steps"), scrubber.slider.setFocus),
            "live": add_action(self, self.tr("KV cache: follow live"), scrubber.follow),
        }
        controls.changed.connect(self._refresh_actions)

    def _refresh_actions(self) -> None:
        controls, scrubber = self.controls, self.scrubber
        self.cache_actions["rewind"].setEnabled(controls.movable)
        self.cache_actions["save"].setEnabled(controls.can_save)
        self.cache_actions["load"].setEnabled(controls.idle)
        self.cache_actions["scrub"].setEnabled(not scrubber.isHidden())
        self.cache_actions["live"].setEnabled(scrubber.shown is not None)

    # -- the groups and their slots ----------------------------------------------------------------------------

    def set_groups(self, groups: tuple[KvGroup, ...], bundle: str = "", encoder: str = "") -> None:
        """Shows the geometry of a bundle, its slots empty; `bundle` is its folder, empty for a graph alone."""
        self._bundle, self._static, self._encoder, self._live = bundle, groups, encoder, []
        self._tables.clear()
        self.controls.set_bundle(bundle, bool(encoder))
        self.controls.setVisible(bool(bundle and groups))
        handed = self.tr("The encoder ({0}) keeps no cache: it reads a source once and hands the cross cache over.")
        self.encoder.setText(handed.format(encoder))
        self.encoder.setVisible(bool(encoder and groups))
        self._rebuild(groups)
        self._show_scrubber()

    def set_live(self, groups: list[GroupView] | None) -> None:
        """Shows the slots of a session; None goes back to the empty geometry."""
        self._live = groups or []
        self.scrubber.refresh()
        self._show_scrubber()
        if not groups:
            self._tables.clear()
            if tuple(c.group for c in self.cards) != self._static:
                self._rebuild(self._static)
            for card in self.cards:
                card.show_table(None, live=self.session.ready_for(self._bundle) is not None)
            self.controls.set_table(None, False)
        else:
            self._take(groups)
            self._show(self.scrubber.shown)

    def _take(self, groups: list[GroupView]) -> None:
        """The live tables go on, looked at or not."""
        for group in groups:
            table = self._tables.get(group.name)
            if table is None or table.capacity != group.capacity:
                table = self._tables[group.name] = SlotTable(group.capacity)
            table.update(group)
        self._tables = {group.name: self._tables[group.name] for group in groups}

    def _show(self, snapshot: CacheSnapshot | None) -> None:
        groups = snapshot.groups if snapshot else self._live
        self._fit(groups)
        for card, group in zip(self.cards, groups, strict=True):
            table = self._then(group) if snapshot else self._tables[card.group.name]
            card.show_table(table, live=snapshot is None)
        first = next((self._tables[group.name] for group in self._live if group.layout != CROSS), None)
        self.controls.set_table(first, snapshot is not None)

    def _then(self, group: GroupView) -> SlotTable:
        """A group as it was: what it began with tells which slots had lost their tokens."""
        table = SlotTable(group.capacity)
        began = self.scrubber.history.snapshots[0].groups
        before = next((one for one in began if (one.name, one.capacity) == (group.name, group.capacity)), None)
        if before is not None:
            table.update(before)
        table.update(group)
        return table

    def _fit(self, groups: list[GroupView]) -> None:
        """Cards for these groups, unless they are there."""
        wanted = tuple(session_group(group) for group in groups)
        shown = [(c.group.name, c.group.capacity, c.group.layout) for c in self.cards]
        if shown != [(g.name, g.capacity, g.layout) for g in wanted]:
            self._rebuild(wanted)

    def _rebuild(self, groups: tuple[KvGroup, ...]) -> None:
        for card in self.cards:
            self._column.removeWidget(card)
            card.deleteLater()
        self.cards = [CacheGroupCard(g, "decoder" if self._encoder else "") for g in groups]
        first = self._column.indexOf(self._none)
        for place, card in enumerate(self.cards):
            self._column.insertWidget(first + place, card)
            card.strip.previewed.connect(self._on_preview)
            card.strip.rewindRequested.connect(self.controls.rewind)
        self._none.setVisible(not groups)
        self._legend.setVisible(any(g.capacity for g in groups))
        self._legend.set_groups(groups)
        self._refresh_handles()

    def _refresh_handles(self) -> None:
        for card in self.cards:
            card.strip.set_movable(self.controls.movable and card.group.layout != CROSS)

    def _on_preview(self, length: int) -> None:
        for card in self.cards:
            card.strip.preview(length)

    def _on_scrub(self, snapshot: CacheSnapshot | None) -> None:
        if self._live:
            self._show(snapshot)

    def _show_scrubber(self) -> None:
        self.scrubber.setVisible(bool(self._live) and len(self.scrubber.history) > 1)

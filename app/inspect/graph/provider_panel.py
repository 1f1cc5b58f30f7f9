"""The panel that colors a graph by provider: the number of nodes on it, and the nodes that run on the CPU instead.

a provider ──▶ ProviderOverlay ──▶ legend, list ─a row─▶ revealRequested(node);   Check ──▶ preflight check
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTreeWidgetItem, QWidget

from app.inspect.graph.changes_panel import KEY_ROLE, NodeTree
from app.state.chosen_devices import follow_devices
from app.state.graph_model import GraphModel
from app.state.provider_overlay import ProviderOverlay
from app.text.formatting import format_local_time, format_number
from app.widgets import PillLabel, button, label
from app.widgets.fields import combo_box, progress_bar
from app.widgets.layouts import Stretch, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.preflight_view import session_nodes_hint
from app.widgets.theme import G, theme
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.reports.preflight import FallbackNode

if TYPE_CHECKING:
    from app.state.context import AppContext


class ProviderPanel(QWidget):
    """Colors the graph by `overlay`; `revealRequested` carries the node of a chosen row."""

    revealRequested = Signal(object)  # noqa: N815

    def __init__(self, model: GraphModel, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._context = model, context
        self._devices_requested = self._on = False
        self.overlay = ProviderOverlay(model, context.preflights, self)
        self.provider = combo_box(self.tr("Provider that colors the graph"))
        self.provider.activated.connect(lambda _index: self.switch(True))
        self.check = button(self.tr("Check"), "play", clicked=self._check)
        self.cancel = button(self.tr("Cancel"), "stop", clicked=context.preflights.cancel)
        self.progress = progress_bar(height=6)
        self.description = label("", "small", wrap=True)
        self.on, self.off = PillLabel("", "ok"), PillLabel("", "warning")
        self.tree = NodeTree(self.tr("Nodes on the CPU"))
        self.tree.picked.connect(self._on_picked)
        parts = (self.provider, self.description, self.progress, self.check, self.cancel, self.on, self.off)
        filler = Stretch(0)  # where there is no list
        vbox(*parts, (self.tree, 1), filler, parent=self, spacing=G // 2)
        self.overlay.changed.connect(self.refresh)
        context.bundleChanged.connect(self._on_bundle)
        self._on_bundle(context.bundle)

    @property
    def chosen(self) -> str:
        """The chosen provider; empty where only the CPU is available."""
        return str(self.provider.currentData() or "")

    def switch(self, on: bool) -> None:
        """Switches the coloring of the graph on or off."""
        self._on = on
        self.overlay.choose(self.chosen if on else "")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._devices_requested:
            self._devices_requested = True
            follow_devices(self._context, self._on_devices, self)

    def _on_devices(self, report: DevicesReport) -> None:
        """Offers the usable providers except the CPU, which runs every node."""
        self.provider.clear()
        for one in report.devices:
            if one.usable and one.name != "cpu":
                self.provider.addItem(one.title, one.name)
        if self.overlay.provider:
            self.provider.setCurrentIndex(max(0, self.provider.findData(self.overlay.provider)))
        self.switch(self._on)

    def _on_bundle(self, bundle: Mapping[str, Any] | None) -> None:
        self.overlay.bundle = bundle
        self.overlay.refresh()

    def _check(self) -> None:
        if self.overlay.bundle is not None:
            self._context.preflights.check(self.overlay.bundle, self.overlay.provider)

    def _on_picked(self, key: object) -> None:
        if isinstance(key, int):
            self.revealRequested.emit(key)

    # -- texts and rows --------------------------------------------------------------------------------------

    def refresh(self) -> None:
        overlay, preflights = self.overlay, self._context.preflights
        busy = preflights.is_checking(overlay.bundle, overlay.provider)
        self.progress.setVisible(busy)
        self.cancel.setVisible(busy)
        self.check.setVisible(not busy)
        self.check.setEnabled(bool(overlay.provider) and self._is_open_bundle and preflights.running is None)
        self.check.setText(self.tr("Check again") if overlay.result else self.tr("Check this bundle"))
        self.description.setText(self._description(busy))
        part = overlay.component
        for pill in (self.on, self.off):
            pill.setVisible(part is not None)
        if part is not None:
            self.on.setText(
                self.tr("on the provider: {0} of {1} nodes").format(
                    format_number(part.on_provider), format_number(part.nodes)
                )
            )
            set_tool_tip(self.on, session_nodes_hint())
            self.off.setText(self.tr("on the CPU: {0}").format(format_number(len(part.elsewhere))))
        self._fill()

    @property
    def _is_open_bundle(self) -> bool:
        where, bundle = self._model.where, self.overlay.bundle
        return where is not None and bundle is not None and where.path == str(bundle["path"])

    def _description(self, busy: bool) -> str:
        checked = self.overlay.result
        failed = self._context.preflights.failure_of(self.overlay.bundle, self.overlay.provider)
        if not self._is_open_bundle:
            return self.tr("Only graphs of the open bundle can be checked.")
        if self._devices_requested and not self.overlay.provider:
            return self.tr("Only the CPU is available here: the Devices page says how to add another provider.")
        if busy:
            return self.tr("Checking the bundle: one chunk and one step, compared with the CPU …")
        if failed:
            return failed
        if checked is None:
            return self.tr(
                "Not checked yet: a check runs one chunk and one step, and shows which nodes run on the provider."
            )
        if self.overlay.component is None:
            return checked.report.reason
        text = self.tr("Checked {0}, on the graph after onnxruntime's fusions.").format(format_local_time(checked.at))
        hidden = self.tr("A comparison has its own colors.") if not self.overlay.is_coloring else ""
        wrong = "" if checked.report.usable else checked.report.reason
        return " ".join(filter(None, (text, wrong, hidden)))

    def _fill(self) -> None:
        """Lists the nodes on the CPU by operator and reason."""
        self.tree.clear()
        overlay, made = self.overlay, self.tr("Created by onnxruntime: in no graph of the bundle.")
        groups: dict[tuple[str, str], list[tuple[FallbackNode, int | None]]] = {}
        for place, one in overlay.fallback_nodes.items():
            groups.setdefault((one.op, one.reason), []).append((one, place))
        for one in overlay.unmatched_nodes:
            why = " ".join(filter(None, (one.reason, made)))
            groups.setdefault((one.op, why), []).append((one, None))
        for (op, why), nodes in groups.items():
            self._group(op, why, nodes)
        self.tree.setVisible(bool(groups))

    def _group(self, op: str, why: str, nodes: list[tuple[FallbackNode, int | None]]) -> None:
        many = f" ×{format_number(len(nodes))}" if len(nodes) > 1 else ""
        item = _row(self.tree.invisibleRootItem(), op.rpartition(".")[2] + many, f"{op}\n{why}".rstrip(), nodes[0][1])
        if why:
            _row(item, why, why, None)
        for one, place in nodes:
            _row(item, one.node, one.node, place)
        item.setExpanded(True)


def _row(above: QTreeWidgetItem, text: str, tip: str, place: int | None) -> QTreeWidgetItem:
    """A row for the node at `place`; None for a row without a node."""
    item = QTreeWidgetItem(above, [text, ""])
    item.setData(0, KEY_ROLE, place)
    set_tool_tip(item, tip, 0)
    if place is None:
        item.setForeground(0, theme().color("muted"))
    return item

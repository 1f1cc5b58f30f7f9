"""Shows and hides the panels beside the graph: those that a person chose, as far as the width allows.

tool bar switches, the tab's width, a comparison ──▶ PanelArrangement ──▶ ChangesPanel, NodePanel, overlays, panes
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from app.inspect.graph.changes_panel import ChangesPanel
from app.inspect.graph.graph_view import GraphView
from app.inspect.graph.heat_panel import HeatPanel
from app.inspect.graph.node_panel import NodePanel
from app.inspect.graph.provider_panel import ProviderPanel
from app.inspect.graph.tool_bar import GraphToolBar
from app.inspect.netron.netron_panel import NetronSwitch
from app.state.node_costs import NodeCosts
from app.state.settings import Settings
from app.widgets.theme import G

if TYPE_CHECKING:
    from app.state.context import AppContext


class ColorOverlays(QObject):
    """Owns the two panels; `switched` carries whether one was shown or hidden."""

    switched = Signal(bool)

    def __init__(
        self, view: GraphView, tools: GraphToolBar, context: AppContext, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._view, self._tools, model = view, tools, view.model
        self.providers = ProviderPanel(model, context)
        self.heat = HeatPanel(model, NodeCosts(model, context.new_worker, self), context.probe_worker)
        for requested in (self.providers.revealRequested, self.heat.revealRequested):
            requested.connect(view.reveal)
        for changed in (self.providers.overlay.changed, self.heat.heat.changed):
            changed.connect(view.canvas.update)
            changed.connect(view.minimap.redraw)
        for switch, act in ((tools.providers, self._on_providers), (tools.heat, self._on_heat)):
            switch.show()
            switch.toggled.connect(act)

    def add_to(self, splitter: QSplitter) -> None:
        """Inserts the panels at the left of the graph, which alone is stretched."""
        for place, panel in enumerate((self.providers, self.heat), 1):
            panel.hide()
            splitter.insertWidget(place, panel)
            splitter.setStretchFactor(place, 0)
        splitter.setStretchFactor(3, 1)

    def arrange(self, graph_shown: bool) -> None:
        """Shows the panel of the active switch. graph_shown: False while Netron is shown in its place."""
        self.providers.setVisible(graph_shown and self._tools.providers.isChecked())
        self.heat.setVisible(graph_shown and self._tools.heat.isChecked())

    def _on_providers(self, on: bool) -> None:
        if on:
            self._tools.heat.setChecked(False)
            self._view.canvas.set_coloring(self.providers.overlay)
        self.providers.overlay.choose(self.providers.chosen if on else "")
        self.switched.emit(on)

    def _on_heat(self, on: bool) -> None:
        if on:
            self._tools.providers.setChecked(False)
            self._view.canvas.set_coloring(self.heat.coloring)
        self.heat.switch(on)
        self.switched.emit(on)


NARROW = 110 * G
"""Width below which only one panel fits beside the graph."""
WIDE = 180 * G
"""Width below which no panel fits beside two panes."""


class PanelArrangement(QObject):
    """Arranges the panels of one tab, which passes its width to `resize`."""

    def __init__(
        self, view: GraphView, tools: GraphToolBar, netron: NetronSwitch, changes: ChangesPanel, details: NodePanel
    ) -> None:
        super().__init__(tools)
        self._view, self._tools, self._netron = view, tools, netron
        self._changes, self._details = changes, details
        self._overlays: ColorOverlays | None = None
        self._settings: Settings | None = None
        self._compared, self._width = False, 0
        self._switches = {
            "details": tools.details,
            "changes": tools.changes,
            "folds": tools.folds,
            "split": tools.split,
        }
        tools.providers.hide()
        tools.heat.hide()
        for name, switch in self._switches.items():
            switch.clicked.connect(partial(self._store, name))  # stores clicks, not what the width forced
        tools.split.clicked.connect(self._on_split)
        for switch in (tools.details, tools.changes, tools.split):
            switch.toggled.connect(self._arrange)
        netron.changed.connect(self._arrange)

    def restore(self, settings: Settings) -> None:
        """Restores the stored switches, and stores each click from now on."""
        self._settings = settings
        for name, switch in self._switches.items():
            usual = "1" if switch.isChecked() else "0"
            switch.setChecked(settings.text(f"inspect.graph.{name}", usual) == "1")

    def _store(self, name: str) -> None:
        if self._settings is not None:
            self._settings.set(f"inspect.graph.{name}", "1" if self._switches[name].isChecked() else "0")

    def add_overlays(self, overlays: ColorOverlays) -> None:
        """Arranges the panels of the color overlays too."""
        self._overlays = overlays
        overlays.switched.connect(self._make_room)

    def resize(self, width: int) -> None:
        """Arranges the panels for another width."""
        self._width = width
        self._arrange()

    def update_comparison(self) -> None:
        """Follows the beginning or the end of a comparison."""
        compared = self._view.model.diff is not None
        if compared != self._compared and self._width < NARROW:
            self._tools.details.setChecked(not compared)
        self._compared = compared
        self._arrange()
        self._tools.set_compared(compared)

    def _arrange(self) -> None:
        """Shows either details or changes where the width is small, and no panel beside Netron."""
        compared, details = self._view.model.diff is not None, self._tools.details.isChecked()
        netron = self._netron.is_shown
        narrow = compared and self._width < NARROW
        if self._overlays is not None:
            self._overlays.arrange(not netron)
        self._details.setVisible(details and not netron)
        self._view.set_split(compared and self._tools.split.isChecked())
        self._changes.setVisible(
            compared and not netron and self._tools.changes.isChecked() and not (narrow and details)
        )
        self._tools.set_graph_shown(not netron)

    def _on_split(self, on: bool) -> None:
        """Hides the panels of a small window beside two panes."""
        if self._width < WIDE:
            self._tools.details.setChecked(False)
            self._tools.changes.setChecked(not on)

    def _make_room(self, on: bool) -> None:
        """Hides the details of a small window while an overlay's panel is shown."""
        if self._width < NARROW:
            self._tools.details.setChecked(not on)
        self._arrange()

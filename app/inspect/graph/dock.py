"""The dock at the right of the graph, with one tab per panel, and the colorings that two of the panels control.

a comparison, switches of the tool bar ──offer──▶ GraphDock ──▶ details, changes, cost, providers
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QTabWidget, QToolButton, QWidget

from app.inspect.graph.graph_view import GraphView
from app.inspect.graph.heat_panel import HeatPanel
from app.inspect.graph.provider_panel import ProviderPanel
from app.inspect.graph.tool_bar import GraphToolBar
from app.inspect.netron.netron_panel import NetronSwitch
from app.state.node_costs import NodeCosts
from app.state.provider_overlay import BoxColoring
from app.widgets.theme import G

if TYPE_CHECKING:
    from app.state.context import AppContext

WIDTH, MIN_WIDTH = 40 * G, 36 * G
"""The width of the dock at first, and the least one; the graph has at least half of the tab."""
WIDE = 180 * G
"""Width of the tab below which the dock is folded beside two panes."""


class GraphDock(QTabWidget):
    """The first panel always applies, each other one while it is offered. `tools.dock` folds and unfolds the dock."""

    def __init__(self, tools: GraphToolBar, netron: NetronSwitch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tools, self._netron, self._room = tools, netron, 0
        self.setDocumentMode(True)
        self.tabBar().setDrawBase(False)
        self.setAccessibleName(self.tr("Panels of the graph"))
        tools.dock.toggled.connect(self._arrange)
        tools.split.clicked.connect(self._make_room)
        netron.changed.connect(self._arrange)

    def add_panel(self, panel: QWidget, title: str) -> None:
        """Adds a panel as a tab, which all but the first hide until they are offered."""
        panel.setContentsMargins(G, G // 2, 0, 0)
        self.addTab(panel, title)
        self.setTabVisible(self.count() - 1, self.count() == 1)

    def offer(self, panel: QWidget, on: bool) -> None:
        """Shows the tab of a panel and selects it, or hides the tab."""
        place = self.indexOf(panel)
        if on == self.isTabVisible(place):
            return
        if not on and self.currentIndex() == place:
            self.setCurrentIndex(0)
        self.setTabVisible(place, on)
        if on:
            self.setCurrentIndex(place)

    def shows(self, panel: QWidget) -> bool:
        """Whether the panel is visible."""
        return self._tools.dock.isChecked() and self.currentWidget() is panel

    def show_panel(self, panel: QWidget) -> None:
        """Unfolds the dock at an offered panel; folds it where that panel is visible."""
        place, dock = self.indexOf(panel), self._tools.dock
        if self.isTabVisible(place):
            if not dock.isChecked() or self.currentIndex() == place:
                dock.click()
            self.setCurrentIndex(place)

    def resize_for(self, width: int) -> None:
        """Limits the width to half of the tab's."""
        self._room = width
        self.setMinimumWidth(min(MIN_WIDTH, width // 2))
        self.setMaximumWidth(max(width // 2, 1))

    def _arrange(self) -> None:
        self.setVisible(self._tools.dock.isChecked() and not self._netron.is_shown)

    def _make_room(self, split: bool) -> None:
        """Folds the dock beside two panes in a small window."""
        if self._room < WIDE:
            self._tools.dock.setChecked(not split)


class ColorOverlays(QObject):
    """The panels that color the graph by provider and by cost: at most one does."""

    def __init__(
        self, view: GraphView, tools: GraphToolBar, dock: GraphDock, context: AppContext, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._view, self._tools, self._dock, model = view, tools, dock, view.model
        self.providers = ProviderPanel(model, context)
        self.heat = HeatPanel(model, NodeCosts(model, context.new_worker, self), context.probe_worker)
        for requested in (self.providers.revealRequested, self.heat.revealRequested):
            requested.connect(view.reveal)
        for changed in (self.providers.overlay.changed, self.heat.heat.changed):
            changed.connect(view.canvas.update)
            changed.connect(view.minimap.redraw)
        dock.add_panel(self.heat, self.tr("Cost"))
        dock.add_panel(self.providers, self.tr("Providers"))
        for switch, other, panel, coloring in (
            (tools.providers, tools.heat, self.providers, self.providers.overlay),
            (tools.heat, tools.providers, self.heat, self.heat.coloring),
        ):
            switch.show()
            switch.toggled.connect(partial(self._on_switch, other, panel, coloring))

    def _on_switch(self, other: QToolButton, panel: ProviderPanel | HeatPanel, coloring: BoxColoring, on: bool) -> None:
        """A coloring is switched on, in place of the other one, or off."""
        if on:
            other.setChecked(False)
            self._view.canvas.set_coloring(coloring)
        panel.switch(on)
        self._dock.offer(panel, on)
        if on:
            self._tools.dock.setChecked(True)

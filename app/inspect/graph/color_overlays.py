"""The colorings of the graph, by provider or by cost: one at a time, each with a panel beside the graph.

a switch ──▶ ColorOverlays ──▶ panel and GraphCanvas.set_coloring;   a row of the panel ──▶ GraphView.reveal
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from app.inspect.graph.graph_view import GraphView
from app.inspect.graph.heat_panel import HeatPanel
from app.inspect.graph.provider_panel import ProviderPanel
from app.inspect.graph.tool_bar import GraphToolBar
from app.state.node_costs import NodeCosts

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
            changed.connect(view.minimap.renew)
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

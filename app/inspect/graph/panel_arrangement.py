"""Which panels stand beside the picture: what a person chose, as far as there is room for it.

switches of Tools, the tab's width, the model's comparison ──▶ Room ──▶ ChangesPanel, NodePanel, Colours, the panes
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from app.inspect.graph.changes_panel import ChangesPanel
from app.inspect.graph.color_overlays import ColorOverlays
from app.inspect.graph.graph_view import GraphView
from app.inspect.graph.netron_switch import NetronSwitch
from app.inspect.graph.node_panel import NodePanel
from app.inspect.graph.tool_bar import GraphToolBar
from app.state.settings import Settings
from app.widgets.theme import G

NARROW = 110 * G
"""Less than this has no room for two panels and a picture."""
WIDE = 180 * G
"""Less than this has no room for two pictures and panels."""


class PanelArrangement(QObject):
    """Shows and hides the panels of one tab, which tells its width."""

    def __init__(
        self, view: GraphView, tools: GraphToolBar, netron: NetronSwitch, changes: ChangesPanel, details: NodePanel
    ) -> None:
        super().__init__(tools)
        self._view, self._tools, self._netron = view, tools, netron
        self._changes, self._details = changes, details
        self._colours: ColorOverlays | None = None
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
            switch.clicked.connect(partial(self._keep, name))  # what a person chose, and not what room there was
        tools.split.clicked.connect(self._on_split)
        for switch in (tools.details, tools.changes, tools.split):
            switch.toggled.connect(self._arrange)
        netron.changed.connect(self._arrange)

    def restore(self, settings: Settings) -> None:
        """The panels that were there last time; what is chosen from now on is kept."""
        self._settings = settings
        for name, switch in self._switches.items():
            usual = "1" if switch.isChecked() else "0"
            switch.setChecked(settings.text(f"inspect.graph.{name}", usual) == "1")

    def _keep(self, name: str) -> None:
        if self._settings is not None:
            self._settings.set(f"inspect.graph.{name}", "1" if self._switches[name].isChecked() else "0")

    def give_to(self, colours: ColorOverlays) -> None:
        """These panels may come too."""
        self._colours = colours
        colours.switched.connect(self._make_room)

    def resize(self, width: int) -> None:
        """There may be room for more, or for less."""
        self._width = width
        self._arrange()

    def follow(self) -> None:
        """Two graphs are compared, or not any more."""
        compared = self._view.model.diff is not None
        if compared != self._compared and self._width < NARROW:
            self._tools.details.setChecked(not compared)
        self._compared = compared
        self._arrange()
        self._tools.set_compared(compared)

    def _arrange(self) -> None:
        """Where there is little room, details or changes, and none at Netron."""
        compared, wanted = self._view.model.diff is not None, self._tools.details.isChecked()
        alone = self._netron.drawn
        narrow = compared and self._width < NARROW
        if self._colours is not None:
            self._colours.arrange(not alone)
        self._details.setVisible(wanted and not alone)
        self._view.split(compared and self._tools.split.isChecked())
        self._changes.setVisible(compared and not alone and self._tools.changes.isChecked() and not (narrow and wanted))
        self._tools.set_for_picture(not alone)

    def _on_split(self, on: bool) -> None:
        """Two panes have no room for panels beside them in a small window."""
        if self._width < WIDE:
            self._tools.details.setChecked(False)
            self._tools.changes.setChecked(not on)

    def _make_room(self, on: bool) -> None:
        """Where there is little room the details make place."""
        if self._width < NARROW:
            self._tools.details.setChecked(not on)
        self._arrange()

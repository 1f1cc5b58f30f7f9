"""The tool bar over the graph: breadcrumbs, search, and buttons."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from app.inspect.graph.breadcrumbs import ScopeBreadcrumbs
from app.inspect.graph.node_search import NodeSearch
from app.widgets.actions import tool_button


class GraphToolBar(QWidget):
    """Owns the buttons; the tab connects them."""

    def __init__(self, crumbs: ScopeBreadcrumbs, finder: NodeSearch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._finder = finder
        self.changes = tool_button("panel-left", self.tr("Changes at the left (Ctrl+J)"), "muted")
        self.changes.setCheckable(True)
        self.changes.setChecked(True)
        self.split = tool_button("split", self.tr("Before and after side by side (Ctrl+D)"), "muted")
        self.split.setCheckable(True)
        self.previous_change = tool_button("chevron-up", self.tr("Previous change ([)"), "muted")
        self.next_change = tool_button("chevron-down", self.tr("Next change (])"), "muted")
        self.out = tool_button("minus", self.tr("Smaller (-)"), "muted")
        self.fit = tool_button("zoom", self.tr("Fit the whole graph (0)"), "muted")
        self.into = tool_button("plus", self.tr("Larger (+)"), "muted")
        self.netron = tool_button("component", self.tr("Draw this component or scope with Netron"), "muted")
        self.netron.setCheckable(True)
        self.folds = tool_button("layers", self.tr("Draw repeated layers as one"), "muted")
        self.folds.setCheckable(True)
        self.folds.setChecked(True)
        self.providers = tool_button("devices", self.tr("Color by provider"), "muted")
        self.providers.setCheckable(True)
        self.heat = tool_button("heat", self.tr("Color by time or bytes"), "muted")
        self.heat.setCheckable(True)
        self.details = tool_button("info", self.tr("Details at the right (Ctrl+I)"), "muted")
        self.details.setCheckable(True)
        self.details.setChecked(True)
        self.more = tool_button("more", self.tr("Export and more"), "muted")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(crumbs, 1)
        for part in (self.changes, self.split):
            row.addWidget(part)
        for change in (self.previous_change, self.next_change):
            row.addWidget(change)
        row.addWidget(finder)
        for part in (self.out, self.fit, self.into, self.folds, self.netron):
            row.addWidget(part)
        for part in (self.heat, self.providers, self.details, self.more):
            row.addWidget(part)

    def set_compared(self, on: bool) -> None:
        """Shows the buttons of a comparison."""
        for part in (self.changes, self.split, self.previous_change, self.next_change):
            part.setVisible(on)

    def set_graph_shown(self, on: bool) -> None:
        """Enables the buttons that act on the graph; False while Netron is shown in its place."""
        view = (self.out, self.fit, self.into, self.folds, self.heat, self.providers, self.details)
        changes = (self.changes, self.split, self.previous_change, self.next_change)
        for part in (self._finder, *view, *changes):
            part.setEnabled(on)

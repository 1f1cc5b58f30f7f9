"""The line over the picture: where one is, the search, and the buttons."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from app.inspect.graph.breadcrumbs import ScopeBreadcrumbs
from app.inspect.graph.node_search import NodeSearch
from app.inspect.graph.stage_bar import tool_button


class GraphToolBar(QWidget):
    """Buttons that the tab connects; each is a picture with a tip and an accessible name."""

    def __init__(self, crumbs: ScopeBreadcrumbs, finder: NodeSearch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._finder = finder
        self.changes = tool_button("panel-left", self.tr("Changes at the left (Ctrl+J)"))
        self.changes.setCheckable(True)
        self.changes.setChecked(True)
        self.split = tool_button("split", self.tr("Before and after side by side (Ctrl+D)"))
        self.split.setCheckable(True)
        self.previous_change = tool_button("chevron-up", self.tr("Previous change ([)"))
        self.next_change = tool_button("chevron-down", self.tr("Next change (])"))
        self.out = tool_button("minus", self.tr("Smaller (-)"))
        self.fit = tool_button("zoom", self.tr("Fit the whole graph (0)"))
        self.into = tool_button("plus", self.tr("Larger (+)"))
        self.netron = tool_button("component", self.tr("Draw this component or scope with Netron"))
        self.netron.setCheckable(True)
        self.folds = tool_button("layers", self.tr("Draw layers of one structure as one"))
        self.folds.setCheckable(True)
        self.folds.setChecked(True)
        self.providers = tool_button("devices", self.tr("Colour by provider"))
        self.providers.setCheckable(True)
        self.heat = tool_button("heat", self.tr("Colour by time or bytes"))
        self.heat.setCheckable(True)
        self.details = tool_button("info", self.tr("Details at the right (Ctrl+I)"))
        self.details.setCheckable(True)
        self.details.setChecked(True)
        self.more = tool_button("more", self.tr("Export and more"))
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
        """Whether there are changes to go through."""
        for part in (self.changes, self.split, self.previous_change, self.next_change):
            part.setVisible(on)

    def set_for_picture(self, on: bool) -> None:
        """Whether the picture is there to be searched and zoomed, and not Netron in its place."""
        looks = (self.out, self.fit, self.into, self.folds, self.heat, self.providers, self.details)
        changes = (self.changes, self.split, self.previous_change, self.next_change)
        for part in (self._finder, *looks, *changes):
            part.setEnabled(on)

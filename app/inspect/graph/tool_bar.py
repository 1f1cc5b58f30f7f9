"""The tool bar over the graph: breadcrumbs, search, and buttons."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolButton, QWidget

from app.graph_scene.boxes import BoxKey, shorten
from app.inspect.graph.node_search import NodeSearch
from app.state.graph_model import GraphModel
from app.state.settings import Settings
from app.widgets import button, label
from app.widgets.actions import tool_button
from app.widgets.layouts import clear_layout, hbox
from app.widgets.theme import G

SHORTEST = 4 * G
"""Pixels of an elided name."""


class ScopeBreadcrumbs(QWidget):
    """graph › model › layers.3 › self_attn; `chosen` carries the path of a clicked scope, "" for the whole graph."""

    chosen = Signal(str)

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self._row = hbox(parent=self, spacing=0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        model.selectionChanged.connect(self._fill)
        model.sceneChanged.connect(lambda _new: self._fill(model.selected))
        self._fill(None)

    @property
    def paths(self) -> list[str]:
        """The paths of the links, the whole graph first."""
        key, outline = self.model.selected, self.model.outline
        if outline is None:
            return []
        if key is None:
            return [""]
        scope = outline.scopes[key] if isinstance(key, str) else outline.of[key]
        return [one.path for one in scope.line]

    def _fill(self, _key: BoxKey | None) -> None:
        clear_layout(self._row)
        self._links: list[tuple[QWidget, ...]] = []
        self._texts: list[str] = []
        for place, path in enumerate(self.paths):
            name = path.rpartition("/")[2] or (self.tr("(unnamed)") if path else self.tr("Graph"))
            tip = path or self.tr("The whole graph")
            text = shorten(name, 18)
            link = button(text, role="link", clicked=partial(self.chosen.emit, path), tool_tip=tip)
            link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            parts = (label("›", "muted", selectable=False), link) if place else (link,)
            for part in parts:
                self._row.addWidget(part)
            self._links.append(parts)
            self._texts.append(text)
        self._row.addStretch(1)
        self._fit()

    def _fit(self) -> None:
        """Hides scopes where the width is too small, the first one last; the last one stays, elided at need."""
        if not self._links:
            return
        last, text = self._links[-1][-1], self._texts[-1]
        assert isinstance(last, QPushButton)
        last.setText(text)
        widths = [sum(part.sizeHint().width() for part in parts) for parts in self._links]
        hidden = set[int]()
        for place in (*range(1, len(widths) - 1), 0)[: len(widths) - 1]:
            room = self.width() - sum(width for at, width in enumerate(widths) if at not in hidden)
            if room < (0 if place else SHORTEST - widths[-1]):
                hidden.add(place)
        for place, parts in enumerate(self._links):
            for part in parts:
                part.setVisible(place not in hidden)
        missing = sum(width for at, width in enumerate(widths) if at not in hidden) - self.width()
        if missing > 0:
            metrics = last.fontMetrics()
            width = max(SHORTEST, metrics.horizontalAdvance(text) - missing)
            last.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, width))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: hides or shows links to match the width."""
        super().resizeEvent(event)
        self._fit()


class GraphToolBar(QWidget):
    """Owns the buttons; the tab connects them."""

    def __init__(self, crumbs: ScopeBreadcrumbs, finder: NodeSearch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._finder, tool = finder, partial(tool_button, color="muted")
        self.split = tool("split", self.tr("Before and after side by side (Ctrl+D)"), checked=False)
        self.previous_change = tool("chevron-up", self.tr("Previous change ([)"))
        self.next_change = tool("chevron-down", self.tr("Next change (])"))
        self.out = tool("minus", self.tr("Smaller (-)"))
        self.fit = tool("zoom", self.tr("Fit the whole graph (0)"))
        self.into = tool("plus", self.tr("Larger (+)"))
        self.netron = tool("component", self.tr("Draw this component or scope with Netron"), checked=False)
        self.folds = tool("layers", self.tr("Draw repeated layers as one"), checked=True)
        self.providers = tool("devices", self.tr("Color by provider"), checked=False)
        self.heat = tool("heat", self.tr("Color by time or bytes"), checked=False)
        self.dock = tool("panel-right", self.tr("Panels at the right (Ctrl+I)"), checked=True)
        self.more = tool("more", self.tr("Export and more"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        for switch in (self.providers, self.heat):
            switch.hide()
        self._changes = (self.split, self.previous_change, self.next_change)
        zoom = (self.out, self.fit, self.into)
        panels = (self.folds, self.netron, self.heat, self.providers, self.dock, self.more)
        hbox((crumbs, 1), *self._changes, finder, *zoom, *panels, parent=self, spacing=2)

    def restore(self, settings: Settings) -> None:
        """Restores the stored switches, and stores each click from now on, not what the width forced."""
        for name, switch in (("details", self.dock), ("folds", self.folds), ("split", self.split)):
            key = f"inspect.graph.{name}"
            switch.setChecked(settings.text(key, "1" if switch.isChecked() else "0") == "1")
            switch.clicked.connect(lambda on, key=key: settings.set(key, "1" if on else "0"))

    def set_compared(self, on: bool) -> None:
        for part in self._changes:
            part.setVisible(on)

    def set_graph_shown(self, on: bool) -> None:
        """Enables the buttons that act on the graph; False while Netron is shown in its place."""
        view = (self.out, self.fit, self.into, self.folds, self.heat, self.providers, self.dock)
        for part in (self._finder, *view, *self._changes):
            part.setEnabled(on)

"""The changes of a comparison: a tree of scopes and nodes, and the operators whose counts differ.

DiffReport + ScopeTree ──▶ rows;   a chosen row ──▶ revealRequested(key)
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTabWidget, QTreeWidget, QTreeWidgetItem, QWidget

from app.graph_scene.boxes import BoxKey
from app.graph_scene.indexed_graph import CHANGE_SIGNS
from app.graph_scene.scope_tree import Scope
from app.state.graph_model import GraphModel
from app.text.formatting import format_number, pluralize
from app.widgets import PillLabel, label
from app.widgets.layouts import FlowLayout, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import SMALL, G, mono_font, sans_font, theme
from workflows.wire.reports.graphs import CHANGES, DiffReport

KEY_ROLE = Qt.ItemDataRole.UserRole
_MAX_NODES, _EXPANDED_ROWS = 200, 8
"""Nodes listed per scope (the graph shows all), and rows up to which branches are expanded at first."""


class NodeTree(QTreeWidget):
    """A tree of nodes and scopes; `picked` carries the key of a clicked row, or of the current row on Enter."""

    picked = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setColumnCount(2)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setStyleSheet("QTreeView::item { padding: 2px 0; }")
        self.setFont(sans_font(SMALL))
        self.setIndentation(12)
        self.setUniformRowHeights(True)
        self.itemClicked.connect(lambda item: self.picked.emit(item.data(0, KEY_ROLE)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self.picked.emit(item.data(0, KEY_ROLE))
        else:
            super().keyPressEvent(event)


class ChangesPanel(QWidget):
    """The list of changes beside a comparison; `revealRequested` carries the key of a chosen row."""

    revealRequested = Signal(object)  # noqa: N815

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.pills = {change: PillLabel("", change) for change in CHANGES}
        self.same = label("", "muted", wrap=True)
        self.notes = label("", "small", wrap=True)
        self.tree = NodeTree(self.tr("Changes by scope"))
        self.tree.picked.connect(self.revealRequested)
        self.tree.itemExpanded.connect(self._on_expanded)
        self._rows = TextTableModel(
            (self.tr("Operator"), self.tr("Before"), self.tr("After")), numbers=(1, 2), mono=(0,)
        )
        self.ops = ReadOnlyTable(self._rows, self.tr("Operators whose counts differ"))
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.tree, self.tr("Scopes"))
        self.tabs.addTab(self.ops, self.tr("Operators"))
        counts = FlowLayout()
        for pill in self.pills.values():
            counts.addWidget(pill)
        vbox(counts, self.same, self.notes, (self.tabs, 1), parent=self, spacing=G // 2)
        model.sceneChanged.connect(lambda another: self.refresh() if another else None)
        theme().changed.connect(self.refresh)

    def refresh(self) -> None:
        diff, outline = self.model.diff, self.model.outline
        self.tree.clear()
        if diff is None or outline is None:
            return
        texts = {"removed": self.tr("{0} removed"), "added": self.tr("{0} added"), "changed": self.tr("{0} changed")}
        for change, pill in self.pills.items():
            pill.setText(f"{CHANGE_SIGNS[change]} {texts[change].format(format_number(diff.counts[change]))}")
        self.same.setText(self._same(diff))
        self.notes.setText("\n".join(diff.notes))
        self.notes.setVisible(bool(diff.notes))
        self._rows.fill([(row.op, format_number(row.before), format_number(row.after)) for row in diff.ops])
        root = self.tree.invisibleRootItem()
        self._fill(outline.root, root)
        self._expand_few(root)

    def _same(self, diff: DiffReport) -> str:
        text = pluralize(diff.counts["same"], self.tr("1 node is the same."), self.tr("{0} nodes are the same."))
        weights = [
            f"{CHANGE_SIGNS[c]}{format_number(len(diff.initializers[c]))}" for c in CHANGES if diff.initializers[c]
        ]
        return text + (" " + self.tr("Initializers: {0}.").format(" ".join(weights)) if weights else "")

    def _expand_few(self, root: QTreeWidgetItem) -> None:
        """Expands scope after scope while there are few rows."""
        edge = [root]
        while 0 < sum(item.childCount() for item in edge) <= _EXPANDED_ROWS:
            below = [item.child(place) for item in edge for place in range(item.childCount())]
            edge = [item for item in below if item is not None]
            for item in edge:
                item.setExpanded(True)

    def _on_expanded(self, item: QTreeWidgetItem) -> None:
        """Fills a branch when it is first expanded: a big model has ten thousand changes."""
        key, outline = item.data(0, KEY_ROLE), self.model.outline
        if not item.childCount() and outline is not None and isinstance(key, str) and key in outline.scopes:
            self._fill(outline.scopes[key], item)

    def _fill(self, scope: Scope, parent: QTreeWidgetItem) -> None:
        """Adds the child scopes with changes, and the changed nodes."""
        outline, graph = self.model.outline, self.model.graph
        if outline is None or graph is None:
            return
        for child in outline.children(scope):
            touched = " ".join(
                f"{CHANGE_SIGNS[c]}{format_number(child.changes[c])}" for c in CHANGES if child.changes[c]
            )
            if touched:
                item = self._item(parent, child.name, child.path, "", touched)
                item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        nodes = [graph.nodes[n] for n in scope.nodes if graph.nodes[n].change]
        for node in nodes[:_MAX_NODES]:
            self._item(parent, f"{CHANGE_SIGNS[node.change]} {node.op}", node.index, node.change)
        if len(nodes) > _MAX_NODES:
            self._item(parent, self.tr("… {0} more").format(format_number(len(nodes) - _MAX_NODES)), scope.path, "")

    def _item(self, parent: QTreeWidgetItem, text: str, key: BoxKey, change: str, counts: str = "") -> QTreeWidgetItem:
        item = QTreeWidgetItem(parent, [text, counts])
        item.setData(0, KEY_ROLE, key)
        set_tool_tip(item, str(key) if isinstance(key, str) else text, 0)
        if change:
            item.setForeground(0, theme().color(change))
            item.setFont(0, mono_font(SMALL))
        return item

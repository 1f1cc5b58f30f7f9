"""The graph tab: stage bar, tools, and side by side what differs, the picture, and the details.

InspectPage.choose ──show_graph──▶ GraphModel ──▶ StageBar, GraphView, ChangesPanel, NodePanel;  Netron over the picture
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QSplitter, QVBoxLayout, QWidget

from app.graph_scene.boxes import BoxKey
from app.inspect.graph.breadcrumbs import ScopeBreadcrumbs
from app.inspect.graph.changes_panel import ChangesPanel
from app.inspect.graph.color_overlays import ColorOverlays
from app.inspect.graph.graph_actions import add_graph_actions
from app.inspect.graph.graph_view import GraphView
from app.inspect.graph.netron_switch import NetronSwitch
from app.inspect.graph.node_panel import NodePanel
from app.inspect.graph.node_search import NodeSearch
from app.inspect.graph.panel_arrangement import PanelArrangement
from app.inspect.graph.picture_saver import PictureSaver
from app.inspect.graph.stage_bar import StageBar
from app.inspect.graph.tool_bar import GraphToolBar
from app.inspect.inspect_tab import InspectTab
from app.jobs.worker_client import WorkerClient
from app.state.graph_model import GraphModel
from app.state.inspection import Inspection
from app.widgets import Banner
from app.widgets.actions import add_action
from app.widgets.theme import G
from workflows.wire.reports.inspection import ComponentReport
from workflows.wire.requests import GraphReference

if TYPE_CHECKING:
    from app.state.context import AppContext


class GraphTab(InspectTab):
    """One graph, or two as one."""

    compareAsked = Signal()  # noqa: N815  a file is to be chosen

    def __init__(
        self, worker: WorkerClient, folder: Path, context: AppContext | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.model = GraphModel(worker, self)
        self._wanted: Callable[[], None] | None = None
        self._found: Inspection | None = None
        self._known: dict[str, Inspection] = {}
        self.exports: list[QAction] = []
        self.banner = Banner()
        self.stages = StageBar(self.model)
        self.view = GraphView(self.model)
        self.saver = PictureSaver(self.view, self.banner, folder, self)
        self.crumbs = ScopeBreadcrumbs(self.model)
        self.finder = NodeSearch(self.model)
        self.changes = ChangesPanel(self.model)
        self.panel = NodePanel(self.model)
        self.colours: ColorOverlays | None = None
        self.tools = GraphToolBar(self.crumbs, self.finder)
        self.netron = NetronSwitch(self.model, self.view, self.tools.netron, self.banner, self)
        self._lay_out()
        self.room = PanelArrangement(self.view, self.tools, self.netron, self.changes, self.panel)
        self._connect()
        add_graph_actions(self)
        if context is not None:
            self.room.restore(context.settings)
            self._add_colours(ColorOverlays(self.view, self.tools, context, self))
        self._refresh()

    # -- what others may call --------------------------------------------------------------------------------

    def fill(self, found: Inspection | None) -> None:
        """Shows nothing until a component of it is chosen; what is known of another at its place goes."""
        if found is not None and self._known.setdefault(found.path, found) != found:
            self._known[found.path] = found
            self.model.forget(found.path)
        self._found = found
        if found is None or not found.components:
            self.model.clear()

    def choose(self, component: ComponentReport) -> None:
        """Shows the graph of a component, or what two files differ in."""
        found = self._found
        assert found is not None  # a component is of what was inspected
        if found.before:
            self.show_pair(found.before, found.path)
        else:
            self.show_graph(found.path, component.name if found.is_bundle else "")

    def show_graph(self, path: str, component: str) -> None:
        """Shows a component of a bundle, or an .onnx file; asked for when the tab is looked at."""
        self._want(partial(self.model.open, path, component))

    def show_pair(self, before: str, after: str) -> None:
        """Shows the difference of two files."""
        self._want(partial(self.model.compare_files, before, after))

    def _want(self, act: Callable[[], None]) -> None:
        self.banner.clear()
        self.view.say("")
        self._wanted = act
        if self.isVisible():
            self._catch_up()

    def _catch_up(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            wanted()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: asks for what is wanted."""
        super().showEvent(event)
        self._catch_up()

    def go_to(self, name: str) -> None:
        """Opens the scopes around the node `name`, selects it and centres it, as soon as it is there."""
        self.view.want(name, now=self._wanted is None and not self.model.busy)

    def _add_colours(self, colours: ColorOverlays) -> None:
        self.colours = colours
        colours.add_to(self.splitter)
        self.room.give_to(colours)
        add_action(self, self.tr("Graph: colour by provider"), self.tools.providers.toggle)
        add_action(self, self.tr("Graph: colour by time or bytes"), self.tools.heat.toggle)

    # -- building --------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(self.changes)
        self.splitter.addWidget(self.netron.stack)
        self.splitter.addWidget(self.panel)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([32 * G, 900, 32 * G])
        self.splitter.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(G, G, 0, 0)
        column.setSpacing(G)
        column.addWidget(self.stages)
        column.addWidget(self.tools)
        column.addWidget(self.banner)
        column.addWidget(self.splitter, 1)

    def _connect(self) -> None:
        view, model = self.view, self.model
        tools, canvas = self.tools, view.canvas
        tools.out.clicked.connect(lambda: canvas.zoom(1 / 1.2))
        tools.fit.clicked.connect(lambda: canvas.fit())
        tools.into.clicked.connect(lambda: canvas.zoom(1.2))
        tools.previous_change.clicked.connect(lambda: self.step_change(-1))
        tools.next_change.clicked.connect(lambda: self.step_change(1))
        tools.folds.toggled.connect(model.set_folds)
        self.finder.went.connect(view.go)
        self.finder.found.connect(self._mark)
        self.finder.left.connect(view.canvas.setFocus)
        self.crumbs.chosen.connect(self._to_scope)
        self.changes.went.connect(view.go)
        self.panel.went.connect(view.go)
        self.stages.fileRequested.connect(self.ask_file)
        model.failed.connect(self._on_failed)
        model.sceneChanged.connect(self._on_scene)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Qt's name: what can be done with the box under the pointer."""
        canvas = self.view.canvas
        hit = canvas.box_at(canvas.mapFrom(self, event.pos())) if not self.netron.drawn else None
        if hit is None:
            return
        self.model.select(hit[0].key)
        self._context_menu(hit[0].key, event.globalPos())

    def _context_menu(self, key: BoxKey, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if isinstance(key, str):
            menu.addAction(self.tr("Open or close"), partial(self.view.toggle, key))
            menu.addAction(self.tr("Draw with Netron"), partial(self.netron.show, key))
        menu.addAction(self.tr("Copy the details"), self.panel.copy)
        menu.addAction(self.tr("Into the middle"), partial(self.view.canvas.centre, key))
        menu.popup(at)

    # -- what happens ----------------------------------------------------------------------------------------

    def _on_failed(self, message: str, details: str) -> None:
        self.banner.error(message, details, self.tr("Try again"), self.model.reload)
        if self.model.scene is None:
            self.view.say(self.tr("No graph is shown."))

    def _on_scene(self, another: bool) -> None:
        if self.banner.isVisible() and another:
            self.banner.clear()
        scene = self.model.scene
        empty = scene is not None and not scene.graph.nodes
        same = self.model.diff is not None and not self.model.changes()
        self.view.say(self.tr("The graph has no nodes.") if empty else "")
        if another and same and not empty:
            self.banner.show_message("ok", self.tr("No node differs between the two graphs."))
        if another and self.tools.netron.isChecked():
            self.netron.leave()
        self._mark(self.finder.hits)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: there may be room for more, or for less."""
        super().resizeEvent(event)
        self.room.resize(self.width())

    def _refresh(self) -> None:
        self.room.follow()
        known = self.model.scene is not None
        for one in self.exports:
            one.setEnabled(known)
        self.tools.netron.setEnabled(known)

    def _mark(self, hits: list[int]) -> None:
        scene = self.model.scene
        self.view.canvas.mark(scene.shown_of(hits) if scene is not None else set())

    def search(self) -> None:
        """The search field, its words chosen."""
        self.finder.field.setFocus()
        self.finder.field.selectAll()

    def _to_scope(self, path: str) -> None:
        if path:
            self.view.go(path)
        else:
            self.model.select(None)
            self.view.canvas.fit()

    def step_change(self, by: int) -> None:
        """Goes to the next node that differs, or to the one before."""
        changes = self.model.changes()
        if not changes:
            return
        key = self.model.selected
        here = key if isinstance(key, int) else -1
        if isinstance(key, str) and self.model.outline is not None:
            here = self.model.outline.scopes[key].first
        after = [n for n in changes if n > here]
        before = [n for n in changes if n < here]
        target = (after[0] if after else changes[0]) if by > 0 else (before[-1] if before else changes[-1])
        self.view.go(target)

    def open_all(self) -> None:
        """Every scope is open."""
        if self.model.outline is not None:
            self.view.remember()
            self.model.set_opened(set(self.model.outline.scopes))

    def close_all(self) -> None:
        """As it was at first."""
        if self.model.outline is not None:
            self.view.remember()
            self.model.set_opened(self.model.outline.overview())

    def toggle_split(self) -> None:
        """Side by side or not; compares with the stage before where nothing is compared yet."""
        if self.model.diff is None:
            self.stages.compare_before()
        self.tools.split.click()

    # -- files -----------------------------------------------------------------------------------------------

    def ask_file(self) -> None:
        """Asks for the file that is compared with this graph: this one is before, that one after."""
        here = self.model.where.path if self.model.where else ""
        name, _kind = QFileDialog.getOpenFileName(self, self.tr("Compare with"), here, self.tr("ONNX files (*.onnx)"))
        if name:
            self.compare_with(name)

    def compare_with(self, path: str) -> None:
        """Shows what is different in this graph from that in another file."""
        self.model.compare(GraphReference(path))

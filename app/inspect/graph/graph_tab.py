"""The graph tab: stage bar, tool bar, and beside the graph a dock with the details of a node and other panels.

InspectTabs.choose ──show_graph──▶ GraphModel ──▶ StageBar, GraphView, GraphDock; Netron in place of the graph
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.inspect.graph.changes_panel import ChangesPanel
from app.inspect.graph.dock import WIDTH, ColorOverlays, GraphDock
from app.inspect.graph.graph_navigation import GraphNavigation
from app.inspect.graph.graph_view import GraphView
from app.inspect.graph.node_panel import NodePanel
from app.inspect.graph.node_search import NodeSearch
from app.inspect.graph.picture_export import PictureSaver
from app.inspect.graph.stage_bar import StageBar
from app.inspect.graph.tool_bar import GraphToolBar, ScopeBreadcrumbs
from app.inspect.inspect_tab import InspectTab
from app.inspect.netron.netron_panel import NetronSwitch
from app.jobs.worker_client import WorkerClient
from app.state.graph_model import GraphModel
from app.state.inspection import Inspection
from app.widgets import Banner
from app.widgets.actions import add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.layouts import splitter, vbox
from app.widgets.theme import G
from workflows.wire.reports.inspection import ComponentReport

if TYPE_CHECKING:
    from app.state.context import AppContext


Switch = tuple[str, Callable[[], object], Callable[[], bool]]
"""Its text, what switches it, and whether it is on."""


class GraphMenu(QMenu):
    """The commands of the graph in groups, the switches with a mark where they are on."""

    def __init__(self, parent: QWidget, groups: Iterable[Sequence[QAction]], switches: Iterable[Switch]) -> None:
        super().__init__(parent)
        self._states: list[tuple[QAction, Callable[[], bool]]] = []
        for group in groups:
            for action in group:
                self._add(action)
            self.addSeparator()
        for text, act, is_on in switches:
            entry = self.addAction(text)
            entry.setCheckable(True)
            entry.triggered.connect(lambda _checked=False, act=act: act())
            self._states.append((entry, is_on))
        self.aboutToShow.connect(self._mark)

    def _add(self, action: QAction) -> None:
        """Adds an entry for an action of the palette, without the prefix that says there what it is of."""
        text = action.text().partition(": ")[2]
        entry = self.addAction(text[:1].upper() + text[1:])
        entry.triggered.connect(lambda _checked=False: action.trigger())
        action.enabledChanged.connect(entry.setEnabled)
        entry.setEnabled(action.isEnabled())

    def _mark(self) -> None:
        for entry, is_on in self._states:
            entry.setChecked(is_on())


class GraphTab(InspectTab):
    """One graph, or the difference of two. folder: where pictures are saved by default."""

    def __init__(
        self, worker: WorkerClient, folder: Path, context: AppContext | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.model = GraphModel(worker, self)
        self._pending: Callable[[], None] | None = None
        self._inspection: Inspection | None = None
        self._known: dict[str, Inspection] = {}
        self.banner = Banner()
        self.stages = StageBar(self.model)
        self.view = GraphView(self.model)
        self.navigation = GraphNavigation(self.view)
        self.saver = PictureSaver(self.view, self.banner, folder, self)
        self.breadcrumbs = ScopeBreadcrumbs(self.model)
        self.node_search = NodeSearch(self.model)
        self.changes = ChangesPanel(self.model)
        self.panel = NodePanel(self.model)
        self.colors: ColorOverlays | None = None
        self.tools = GraphToolBar(self.breadcrumbs, self.node_search)
        self.netron = NetronSwitch(self.model, self.view, self.tools.netron, self.banner, self)
        self.dock = GraphDock(self.tools, self.netron)
        self._lay_out()
        self._connect()
        self._add_actions()
        if context is not None:
            self.tools.restore(context.settings)
            self.colors = ColorOverlays(self.view, self.tools, self.dock, context, self)
            add_action(self, self.tr("Graph: color by provider"), self.tools.providers.toggle)
            add_action(self, self.tr("Graph: color by time or bytes"), self.tools.heat.toggle)
        self._refresh()

    # -- the shown graph -------------------------------------------------------------------------------------

    def set_inspection(self, inspection: Inspection | None) -> None:
        """Follows another inspection; forgets the graphs of a bundle that has changed on disk."""
        if inspection is not None and self._known.setdefault(inspection.path, inspection) != inspection:
            self._known[inspection.path] = inspection
            self.model.forget(inspection.path)
        self._inspection = inspection
        if inspection is None or not inspection.components:
            self.model.clear()

    def set_component(self, component: ComponentReport) -> None:
        """Shows the graph of a component, or the difference of two files."""
        inspection = self._inspection
        assert inspection is not None  # the component belongs to an inspection
        if inspection.before:
            self.show_pair(inspection.before, inspection.path)
        else:
            self.show_graph(inspection.path, component.name if inspection.is_bundle else "")

    def show_graph(self, path: str, component: str) -> None:
        """Shows a component of a bundle, or an .onnx file, as soon as the tab is visible."""
        self._when_visible(partial(self.model.open, path, component))

    def show_pair(self, before: str, after: str) -> None:
        """Shows the difference of two files, as soon as the tab is visible."""
        self._when_visible(partial(self.model.compare_files, before, after))

    def _when_visible(self, request: Callable[[], None]) -> None:
        self.banner.clear()
        self.view.show_message("")
        self._pending = request
        if self.isVisible():
            self._run_pending()

    def _run_pending(self) -> None:
        request, self._pending = self._pending, None
        if request is not None:
            request()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._run_pending()

    def go_to(self, name: str) -> None:
        """Reveals the node called `name`, as soon as its graph is shown."""
        self.view.reveal_node(name, now=self._pending is None and not self.model.busy)

    # -- widgets and actions ---------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.dock.add_panel(self.panel, self.tr("Details"))
        self.dock.add_panel(self.changes, self.tr("Changes"))
        parts = splitter(Qt.Orientation.Horizontal, (self.netron.stack, 1), self.dock)
        parts.setSizes([900, WIDTH])
        vbox(self.stages, self.tools, (parts, 1), parent=self, margins=(G, G, 0, 0))
        self.overlay = BannerOverlay(self, self.banner, area=parts)

    def _connect(self) -> None:
        view, model = self.view, self.model
        tools, canvas = self.tools, view.canvas
        tools.out.clicked.connect(lambda: canvas.zoom(1 / 1.2))
        tools.fit.clicked.connect(lambda: canvas.fit())
        tools.into.clicked.connect(lambda: canvas.zoom(1.2))
        tools.previous_change.clicked.connect(lambda: self.navigation.step_change(-1))
        tools.next_change.clicked.connect(lambda: self.navigation.step_change(1))
        tools.folds.toggled.connect(model.set_folds)
        tools.split.toggled.connect(self._refresh)
        self.netron.changed.connect(lambda: tools.set_graph_shown(not self.netron.is_shown))
        self.node_search.revealRequested.connect(view.reveal)
        self.node_search.matchesChanged.connect(self._highlight)
        self.node_search.closed.connect(view.canvas.setFocus)
        self.breadcrumbs.chosen.connect(self.navigation.show_scope)
        self.changes.revealRequested.connect(view.reveal)
        self.panel.revealRequested.connect(view.reveal)
        model.failed.connect(self._on_failed)
        model.sceneChanged.connect(self._on_scene)

    def _add_actions(self) -> None:
        """Adds the tab's actions with their keys, the menu of all of them, and the keys of the canvas."""
        navigation, tools = self.navigation, self.tools
        rows = (
            (self.tr("Graph: find a node"), self.node_search.focus_field, "Ctrl+F"),
            (self.tr("Graph: copy the details"), self.panel.copy, "Ctrl+Shift+C"),
            (self.tr("Graph: next change"), partial(navigation.step_change, 1), "F8"),
            (self.tr("Graph: previous change"), partial(navigation.step_change, -1), "Shift+F8"),
            (self.tr("Graph: compare with the stage before"), self.stages.compare_before, ""),
            (self.tr("Graph: compare with another file …"), self.stages.choose_file, ""),
            (self.tr("Graph: no comparison"), partial(self.model.compare, None), ""),
            (self.tr("Graph: draw with Netron"), partial(self.netron.set_shown, True), ""),
            (self.tr("Graph: open every scope"), navigation.open_all, ""),
            (self.tr("Graph: draw repeated layers as one, or each"), tools.folds.click, "Ctrl+L"),
            (self.tr("Graph: show or hide the details"), partial(self.dock.show_panel, self.panel), "Ctrl+I"),
            (self.tr("Graph: show or hide the changes"), partial(self.dock.show_panel, self.changes), "Ctrl+J"),
            (self.tr("Graph: before and after side by side, or as one"), self.toggle_split, "Ctrl+D"),
            (self.tr("Graph: close every scope"), navigation.close_all, ""),
        )
        actions = [add_action(self, text, act, keys) for text, act, keys in rows]
        self._exports = [
            add_action(self, text, partial(self.saver.choose_file, suffix, everything))
            for text, suffix, everything in (
                (self.tr("Graph: save the whole graph as SVG …"), ".svg", True),
                (self.tr("Graph: save the whole graph as PNG …"), ".png", True),
                (self.tr("Graph: save the visible part as SVG …"), ".svg", False),
                (self.tr("Graph: save the visible part as PNG …"), ".png", False),
            )
        ]
        groups = (actions[:2], actions[2:7], [actions[8], actions[13]], self._exports)
        tools.more.setMenu(GraphMenu(self, groups, graph_switches(self)))
        self._add_canvas_keys()

    def _add_canvas_keys(self) -> None:
        """Adds single letters, which only the canvas may take: a text field needs them."""
        canvas = self.view.canvas
        for keys, act in (
            ("n", partial(self.node_search.step, 1)),
            ("Shift+N", partial(self.node_search.step, -1)),
            ("]", partial(self.navigation.step_change, 1)),
            ("[", partial(self.navigation.step_change, -1)),
            ("/", self.node_search.focus_field),
        ):
            key = QAction(canvas)
            key.setShortcut(QKeySequence(keys))
            key.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            key.triggered.connect(lambda _checked=False, act=act: act())
            canvas.addAction(key)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Qt's name: selects the box under the pointer, and shows its commands."""
        canvas = self.view.canvas
        hit = canvas.box_at(canvas.mapFrom(self, event.pos())) if not self.netron.is_shown else None
        if hit is None:
            return
        key = hit[0].key
        self.model.select(key)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if isinstance(key, str):
            menu.addAction(self.tr("Open or close"), partial(self.view.toggle, key))
            menu.addAction(self.tr("Draw with Netron"), partial(self.netron.show, key))
        menu.addAction(self.tr("Copy the details"), self.panel.copy)
        menu.addAction(self.tr("Center"), partial(canvas.center_on, key))
        menu.popup(event.globalPos())

    # -- events ----------------------------------------------------------------------------------------------

    def _on_failed(self, message: str, details: str) -> None:
        self.banner.error(message, details, self.tr("Try again"), self.model.reload)
        if self.model.scene is None:
            self.view.show_message(self.tr("No graph is shown."))

    def _on_scene(self, another: bool) -> None:
        if self.banner.isVisible() and another:
            self.banner.clear()
        scene = self.model.scene
        empty = scene is not None and not scene.graph.nodes
        same = self.model.diff is not None and not self.model.changes()
        self.view.show_message(self.tr("The graph has no nodes.") if empty else "")
        if another and same and not empty:
            self.banner.show_message("ok", self.tr("No node differs between the two graphs."))
        if another and self.tools.netron.isChecked():
            self.netron.close()
        self._highlight(self.node_search.matches)
        self._refresh()
        if another and self.model.selected is None:
            self.navigation.step_change(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: the graph has at least half of the width."""
        super().resizeEvent(event)
        self.dock.resize_for(self.width())

    def _refresh(self) -> None:
        compared = self.model.diff is not None
        self.tools.set_compared(compared)
        self.dock.offer(self.changes, compared)
        self.view.set_split(compared and self.tools.split.isChecked())
        known = self.model.scene is not None
        for one in self._exports:
            one.setEnabled(known)
        self.tools.netron.setEnabled(known)

    def _highlight(self, hits: list[int]) -> None:
        scene = self.model.scene
        self.view.canvas.highlight_matches(scene.visible_boxes(hits) if scene is not None else set())

    def toggle_split(self) -> None:
        """Shows a comparison in two panes or one; compares with the stage before where there is no comparison."""
        if self.model.diff is None:
            self.stages.compare_before()
        self.tools.split.click()


def graph_switches(tab: GraphTab) -> list[Switch]:
    """The switches of the graph's menu."""
    tools, dock = tab.tools, tab.dock
    return [
        (tab.tr("Repeated layers as one"), tools.folds.click, tools.folds.isChecked),
        (tab.tr("Before and after side by side"), tab.toggle_split, tools.split.isChecked),
        (tab.tr("Panel of details"), partial(dock.show_panel, tab.panel), lambda: dock.shows(tab.panel)),
        (tab.tr("Panel of changes"), partial(dock.show_panel, tab.changes), lambda: dock.shows(tab.changes)),
        (tab.tr("Draw with Netron"), tools.netron.click, lambda: tab.netron.is_shown),
    ]

"""The graph tab: stage bar, tools, and side by side what differs, the picture, and the details.

InspectPage.choose ──show_graph──▶ GraphModel ──▶ StageBar, GraphView, ChangesPanel, NodePanel;  Netron over the picture
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QMenu,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.inspect.graph.changes import ChangesPanel
from app.inspect.graph.crumbs import Crumbs
from app.inspect.graph.finder import Finder
from app.inspect.graph.panel import NodePanel
from app.inspect.graph.providers import ProviderPanel
from app.inspect.graph.saving import Saver
from app.inspect.graph.stages import StageBar
from app.inspect.graph.tools import Tools
from app.inspect.graph.view import GraphView
from app.inspect.lazy import InspectTab
from app.inspect.netron.panel import NetronPanel
from app.jobs.worker import Worker
from app.scene.boxes import Key
from app.state.graphs import GraphModel
from app.state.inspection import Inspection
from app.widgets import Banner
from app.widgets.actions import action
from app.widgets.theme import G
from workflows.wire.reports.inspection import ComponentReport
from workflows.wire.requests import Where

if TYPE_CHECKING:
    from app.state.context import AppContext

NARROW = 110 * G
"""Less than this has no room for two panels and a picture."""


class GraphTab(InspectTab):
    """One graph, or two as one."""

    compareAsked = Signal()  # noqa: N815  a file is to be chosen

    def __init__(
        self, worker: Worker, folder: Path, context: AppContext | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.model = GraphModel(worker, self)
        self._wanted: Callable[[], None] | None = None
        self._compared = False
        self._found: Inspection | None = None
        self.banner = Banner()
        self.stages = StageBar(self.model)
        self.view = GraphView(self.model)
        self.saver = Saver(self.view, self.banner, folder, self)
        self.crumbs = Crumbs(self.model)
        self.finder = Finder(self.model)
        self.changes = ChangesPanel(self.model)
        self.panel = NodePanel(self.model)
        self.providers: ProviderPanel | None = None
        self.netron = NetronPanel(self.model)
        self.tools = Tools(self.crumbs, self.finder)
        self.tools.providers.hide()
        self._lay_out()
        self._connect()
        self._add_actions()
        if context is not None:
            self._add_providers(context)
        self._refresh()

    # -- what others may call --------------------------------------------------------------------------------

    def fill(self, found: Inspection | None) -> None:
        """Shows nothing until a component of it is chosen."""
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
        """Opens what is around the node called `name`, chooses it and moves it into the middle, as soon as it is there.
        """
        self.view.want(name, now=self._wanted is None and not self.model.busy)

    def _add_providers(self, context: AppContext) -> None:
        """The panel of the context's bundle by which the picture can be coloured."""
        self.providers = ProviderPanel(self.model, context)
        self.providers.went.connect(self.view.go)
        self.providers.hide()
        self.view.canvas.colour(self.providers.overlay)
        self.providers.overlay.changed.connect(self.view.minimap.renew)
        self.splitter.insertWidget(1, self.providers)
        self.splitter.setStretchFactor(1, 0)
        self.splitter.setStretchFactor(2, 1)
        self.tools.providers.setVisible(True)
        self.tools.providers.toggled.connect(self._on_providers)
        action(self, self.tr("Graph: colour by provider"), self.tools.providers.toggle)

    # -- building --------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.stack = QStackedWidget()
        self.stack.addWidget(self.view)
        self.stack.addWidget(self.netron)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(self.changes)
        self.splitter.addWidget(self.stack)
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
        tools.netron.clicked.connect(self._on_netron)
        tools.details.toggled.connect(lambda _on: self._arrange())
        self.finder.went.connect(view.go)
        self.finder.found.connect(self._mark)
        self.finder.left.connect(view.canvas.setFocus)
        self.crumbs.chosen.connect(self._to_scope)
        self.changes.went.connect(view.go)
        self.panel.went.connect(view.go)
        self.stages.fileAsked.connect(self.ask_file)
        self.netron.shown.connect(self._on_netron_shown)
        self.netron.refused.connect(self._on_netron_refused)
        self.netron.left.connect(self.leave_netron)
        model.failed.connect(self._on_failed)
        model.sceneChanged.connect(self._on_scene)

    def _add_actions(self) -> None:
        """Keys of this tab; Ctrl+K finds them on the page, which takes them over."""
        action(self, self.tr("Graph: find a node"), self._find, "Ctrl+F")
        action(self, self.tr("Graph: copy the details"), self.panel.copy, "Ctrl+Shift+C")
        for keys, text, act in (
            ("F8", self.tr("Graph: next change"), partial(self.step_change, 1)),
            ("Shift+F8", self.tr("Graph: previous change"), partial(self.step_change, -1)),
        ):
            action(self, text, act, keys)
        action(self, self.tr("Graph: compare with the stage before"), self.stages.compare_before)
        action(self, self.tr("Graph: compare with another file …"), self.ask_file)
        action(self, self.tr("Graph: no comparison"), partial(self.model.compare, None))
        action(self, self.tr("Graph: draw with Netron"), partial(self._on_netron, True))
        action(self, self.tr("Graph: open every scope"), self.open_all)
        action(self, self.tr("Graph: close every scope"), self.close_all)
        self.exports = [
            action(self, self.tr("Graph: save all as SVG …"), partial(self.saver.ask, ".svg", True)),
            action(self, self.tr("Graph: save all as PNG …"), partial(self.saver.ask, ".png", True)),
            action(self, self.tr("Graph: save what is seen as SVG …"), partial(self.saver.ask, ".svg", False)),
            action(self, self.tr("Graph: save what is seen as PNG …"), partial(self.saver.ask, ".png", False)),
        ]
        menu = QMenu(self)
        menu.addActions(self.actions())
        self.tools.more.setMenu(menu)
        self._canvas_keys()

    def _canvas_keys(self) -> None:
        """Single letters, which belong to the picture alone: in a field they are written."""
        for keys, act in (
            ("n", partial(self.finder.step, 1)),
            ("Shift+N", partial(self.finder.step, -1)),
            ("]", partial(self.step_change, 1)),
            ("[", partial(self.step_change, -1)),
            ("/", self._find),
        ):
            key = QAction(self.view.canvas)
            key.setShortcut(QKeySequence(keys))
            key.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            key.triggered.connect(lambda _checked=False, act=act: act())
            self.view.canvas.addAction(key)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Qt's name: what can be done with the box under the pointer."""
        canvas = self.view.canvas
        hit = canvas.box_at(canvas.mapFrom(self, event.pos())) if self.stack.currentWidget() is self.view else None
        if hit is None:
            return
        self.model.select(hit[0].key)
        self._context_menu(hit[0].key, event.globalPos())

    def _context_menu(self, key: Key, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if isinstance(key, str):
            menu.addAction(self.tr("Open or close"), partial(self.view.toggle, key))
            menu.addAction(self.tr("Draw with Netron"), partial(self.show_netron, key))
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
            self.leave_netron()
        self._mark(self.finder.hits)
        self._refresh()

    def _arrange(self) -> None:
        """Which panels stand beside the picture: where there is little room, details or changes, and none at Netron."""
        compared, wanted = self.model.diff is not None, self.tools.details.isChecked()
        alone = self.stack.currentWidget() is self.netron
        narrow = compared and self.width() < NARROW
        if self.providers is not None:
            self.providers.setVisible(self.tools.providers.isChecked() and not alone)
        self.panel.setVisible(wanted and not alone)
        self.changes.setVisible(compared and not alone and not (narrow and wanted))
        self.tools.set_for_picture(not alone)

    def _on_providers(self, on: bool) -> None:
        """Where there is little room the details make place."""
        assert self.providers is not None
        self.providers.overlay.choose(self.providers.chosen if on else "")
        if self.width() < NARROW:
            self.tools.details.setChecked(not on)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: there may be room for more, or for less."""
        super().resizeEvent(event)
        self._arrange()

    def _refresh(self) -> None:
        compared = self.model.diff is not None
        if compared != self._compared and self.width() < NARROW:
            self.tools.details.setChecked(not compared)
        self._compared = compared
        self._arrange()
        self.tools.set_compared(compared)
        known = self.model.scene is not None
        for one in self.exports:
            one.setEnabled(known)
        self.tools.netron.setEnabled(known)

    def _mark(self, hits: list[int]) -> None:
        scene = self.model.scene
        self.view.canvas.mark({scene.shown(n) for n in hits} if scene is not None else set())

    def _find(self) -> None:
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

    # -- files -----------------------------------------------------------------------------------------------

    def ask_file(self) -> None:
        """Asks for the file that is compared with this graph: this one is before, that one after."""
        here = self.model.where.path if self.model.where else ""
        name, _kind = QFileDialog.getOpenFileName(self, self.tr("Compare with"), here, self.tr("ONNX files (*.onnx)"))
        if name:
            self.compare_with(name)

    def compare_with(self, path: str) -> None:
        """Shows what is different in this graph from that in another file."""
        self.model.compare(Where(path))

    # -- Netron ----------------------------------------------------------------------------------------------

    def _on_netron(self, on: bool) -> None:
        if on:
            key = self.model.selected
            path = key if isinstance(key, str) else ""
            if isinstance(key, int) and self.model.outline is not None:
                path = self.model.outline.of[key].path
            self.show_netron(path)
        else:
            self.leave_netron()

    def show_netron(self, scope: str) -> None:
        """Netron draws a scope, or the whole graph where `scope` is empty; the picture stays until it can."""
        self.banner.clear()
        self.tools.netron.setChecked(True)
        self.netron.ask(scope)

    def _on_netron_shown(self) -> None:
        self.stack.setCurrentWidget(self.netron)
        self._arrange()

    def _on_netron_refused(self, sentence: str) -> None:
        self.leave_netron()
        self.banner.show_message("info", sentence)

    def leave_netron(self) -> None:
        """Back to the picture."""
        self.netron.clear()
        self.tools.netron.setChecked(False)
        self.stack.setCurrentWidget(self.view)
        self._arrange()

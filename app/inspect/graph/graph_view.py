"""The canvas of a graph with its overlays: minimap, progress bar, stop button, and the text of an empty view.

GraphModel ──sceneChanged──▶ canvas and minimap;   keys and clicks ──▶ selection and open scopes of the model
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QProgressBar, QWidget

from app.graph_scene.boxes import BoxKey
from app.inspect.graph.canvas_pair import CanvasPair
from app.inspect.graph.graph_canvas import GraphCanvas
from app.inspect.graph.minimap import Minimap
from app.inspect.graph.view_anchor import ViewAnchor
from app.state.graph_model import GraphModel
from app.widgets import button, label
from app.widgets.plain_text import PlainLabel
from app.widgets.theme import G

STOP_AFTER_MS = 1000
"""Delay before the stop button is shown."""


class GraphView(QWidget):
    """Shows the scene of a model; arrow keys, Enter and double clicks select boxes and open or close scopes."""

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.canvas = GraphCanvas(self)
        self.pair = CanvasPair(self.canvas)
        self.anchor = ViewAnchor(model, self.canvas)
        self.minimap = Minimap(self.canvas, self)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("The graph is being read"))
        self.stop = button(self.tr("Stop"), "stop", clicked=model.stop)
        self.stop.setParent(self)
        self.stop.hide()
        self._stop_timer = QTimer(self, singleShot=True, interval=STOP_AFTER_MS)
        self._stop_timer.timeout.connect(self._show_stop)
        self.message: PlainLabel = label("", "body-muted", wrap=True)
        self.message.setParent(self)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.hide()
        self.setFocusProxy(self.canvas)
        self.setMinimumSize(20 * G, 16 * G)
        self._shown: tuple[str, str] | None = None
        self._started = False
        self._goal: BoxKey | None = None
        self._node_name = ""
        model.sceneChanged.connect(self._on_scene)
        model.selectionChanged.connect(self._on_selection)
        model.busyChanged.connect(self._on_busy)
        for canvas in (self.canvas, self.pair.before):
            canvas.chosen.connect(model.select)
            canvas.activated.connect(self.toggle)
            canvas.followed.connect(self.reveal)
        self._on_busy(False)

    # -- the scene -------------------------------------------------------------------------------------------

    def _on_scene(self, another: bool) -> None:
        scene, model = self.model.scene, self.model
        self.canvas.highlights.selected = None
        self.canvas.highlights.neighbours = (set(), set())
        if another:
            self.canvas.highlights.matches, self._goal = set(), None
        identity = (model.graph.where.path, model.graph.where.component) if model.graph else None
        self.canvas.show_scene(scene)
        self.canvas.setAccessibleName(self.tr("Graph {0}").format(model.title) if scene else self.tr("Graph"))
        if identity != self._shown or not self._started:
            self._started = self.isVisible() and scene is not None
            self.canvas.start()
        else:
            self.anchor.restore()
        self._shown = identity
        self.canvas.select(model.selected)
        self.pair.show_scene()
        self._center_goal()
        self.anchor.remember()
        self.minimap.renew()
        self._arrange()
        if another:
            self._reveal_named()

    # -- selecting and opening ---------------------------------------------------------------------------------

    def _on_selection(self, key: BoxKey | None) -> None:
        self.canvas.select(key)
        self.pair.update_highlights()

    def set_split(self, on: bool) -> None:
        """Shows a comparison in two panes, before and after, or in one."""
        if on == self.pair.is_shown:
            return
        self.pair.set_shown(on)
        self.pair.lay_out(self.rect())
        self._arrange()

    def toggle(self, key: BoxKey) -> None:
        """Opens or closes a scope; centers a node."""
        if isinstance(key, str):
            self.model.select(key)
            self.anchor.remember()
            self.model.toggle(key)
        else:
            self.canvas.center_on(key)

    def reveal(self, key: BoxKey) -> None:
        """Opens the scopes around a box, selects it and centers it."""
        self._goal = key
        self.model.reveal(key)
        if not self.model.relaying:
            self._center_goal()

    def reveal_node(self, name: str, now: bool) -> None:
        """Reveals the node called `name`: now, or with the next graph."""
        self._node_name = name
        if now:
            self._reveal_named()

    def _reveal_named(self) -> None:
        name, self._node_name = self._node_name, ""
        key = self.model.key_of(("node", name)) if name else None
        if key is not None:
            self.reveal(key)

    def _center_goal(self) -> None:
        goal, self._goal = self._goal, None
        if goal is not None:
            self.canvas.center_on(goal)

    # -- overlays ----------------------------------------------------------------------------------------------

    def _on_busy(self, busy: bool) -> None:
        for canvas in (self.canvas, self.pair.before):
            canvas.setUpdatesEnabled(not self.model.relaying)  # the layout is changing: the last frame stays
        if busy and not self.model.relaying:
            self.anchor.remember()
        self.progress.setVisible(busy)
        if not busy:
            self._stop_timer.stop()
            self.stop.hide()
        elif not self._stop_timer.isActive() and self.stop.isHidden():
            self._stop_timer.start()
        self._arrange()

    def _show_stop(self) -> None:
        self.stop.show()
        self._arrange()

    def show_message(self, text: str) -> None:
        """Shows a text in place of the graph; an empty text removes it."""
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: places the canvas and its overlays."""
        super().resizeEvent(event)
        self.pair.lay_out(self.rect())
        if not self._started and self.model.scene is not None and self.isVisible():
            self._started = True
            self.canvas.start()
        self._arrange()

    def _arrange(self) -> None:
        mini, canvas = self.minimap, self.canvas
        small = canvas.bounds().width() * canvas.scale < self.width() and canvas.bounds().height() < self.height()
        room = canvas.width() > 4 * mini.width() and self.height() > mini.height() + 4 * G
        mini.setVisible(canvas.scene is not None and not small and room)
        mini.move(self.width() - mini.width() - G, self.height() - mini.height() - G)
        self.progress.setGeometry(0, 0, self.width(), 6)
        self.stop.adjustSize()
        self.stop.move((self.width() - self.stop.width()) // 2, 2 * G)
        self.message.setGeometry(self.rect().adjusted(4 * G, 4 * G, -4 * G, -4 * G))

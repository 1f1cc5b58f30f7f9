"""The canvas of a graph with its overlays: minimap, progress bar, stop button, and the text of an empty view.

GraphModel ──sceneChanged──▶ canvas and minimap;   keys and clicks ──▶ selection and open scopes of the model
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.graph_scene.boxes import BoxKey
from app.inspect.graph.canvas_pair import CanvasPair
from app.inspect.graph.graph_canvas import GraphCanvas
from app.inspect.graph.scene_painter import draw_in_bands
from app.jobs.time_slices import TimeSlicer
from app.state.graph_model import GraphModel
from app.widgets import button, label
from app.widgets.fields import progress_bar
from app.widgets.plain_text import PlainLabel
from app.widgets.theme import G, theme

MAX_SIDE, MIN_SIDE = 160, 56
"""Upper limit of the longer side and lower limit of the shorter side, in pixels."""


class Minimap(QWidget):
    """A sibling of the canvas, so that panning does not move it."""

    def __init__(self, canvas: GraphCanvas, parent: QWidget) -> None:
        super().__init__(parent)
        self.canvas = canvas
        self._image: QImage | None = None
        self._slices = TimeSlicer(self)
        self._scale = 1.0
        self.setAccessibleName(self.tr("Overview of the graph"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        canvas.moved.connect(self.update)
        theme().changed.connect(self.redraw)

    def redraw(self) -> None:
        """Draws the graph again after a change of layout, colors or theme."""
        self._image = None
        self._slices.stop()
        bounds = self.canvas.bounds()
        self._scale = min(MAX_SIDE / bounds.width(), MAX_SIDE / bounds.height())
        width = max(MIN_SIDE, round(bounds.width() * self._scale)) + 8
        height = max(MIN_SIDE, round(bounds.height() * self._scale)) + 8
        self.resize(width, height)
        self.update()

    def _corner(self) -> QPointF:
        """The upper left corner of the graph, which is centered."""
        bounds = self.canvas.bounds()
        return QPointF(
            (self.width() - bounds.width() * self._scale) / 2, (self.height() - bounds.height() * self._scale) / 2
        )

    def _render(self) -> None:
        """Begins to draw; a small graph is complete on return."""
        ratio = self.devicePixelRatioF()
        image = self._image = QImage(self.size() * ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(theme().color("surface"))
        canvas, scene = self.canvas, self.canvas.scene
        if scene is not None:
            work = draw_in_bands(image, canvas.painter, scene, canvas.bounds(), self._scale, self._corner())
            self._slices.run(work, lambda _none: self.update(), lambda _error: None)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._image is None:
            self._render()
        painter = QPainter(self)
        assert self._image is not None
        painter.drawImage(0, 0, self._image)
        painter.setPen(theme().color("border"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        seen, corner, s = self.canvas.visible(), self._corner(), self._scale
        rect = QRectF(seen.x() * s, seen.y() * s, seen.width() * s, seen.height() * s).translated(corner)
        rect = rect.intersected(QRectF(self.rect()).adjusted(2, 2, -2, -2))
        if rect.height() < 3:
            rect.setHeight(3)
        painter.setPen(QPen(theme().color("accent"), 2))
        painter.drawRect(rect)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())

    def _go(self, at: QPointF) -> None:
        plane = (at - self._corner()) / self._scale
        self.canvas.set_view(self.canvas.scale, QPointF(self.canvas.rect().center()) - plane * self.canvas.scale)


class ViewAnchor:
    """Remembers one box by name, since its key is another in the next scene, and the canvas point of its corner."""

    def __init__(self, model: GraphModel, canvas: GraphCanvas) -> None:
        self._model, self._canvas = model, canvas
        self._name: tuple[str, str] | None = None
        self._corner = QPointF()

    def remember(self) -> None:
        """Remembers the selected box where it is visible, else the box nearest to the center."""
        canvas, model = self._canvas, self._model
        key = model.selected
        place = canvas.place_of(key) if key is not None else None
        if place is None or not place.intersects(canvas.visible()):
            key = self.center_box()
            place = canvas.place_of(key) if key is not None else None
        self._name = model.name_of(key) if place is not None else None
        if place is not None:
            self._corner = canvas.to_screen(place).topLeft()

    def restore(self) -> None:
        """Moves the remembered box, or the nearest visible scope around it, to its point of the canvas."""
        place = self._place() if self._name is not None else None
        if place is not None:
            self._canvas.set_view(self._canvas.scale, self._corner - place.topLeft() * self._canvas.scale)

    def _place(self) -> QRectF | None:
        scene, outline = self._model.scene, self._model.outline
        if scene is None or outline is None or self._name is None:
            return None
        key = self._model.key_of(self._name)
        if key is None:
            key = outline.nearest(self._name[1]).path
        return self._canvas.place_of(scene.visible_box(key) if isinstance(key, int) else key)

    def center_box(self) -> BoxKey | None:
        """The box nearest to the center of the canvas."""
        scene = self._model.scene
        if scene is None:
            return None
        center = self._canvas.visible().center()
        hit = scene.at(center.x(), center.y())
        if hit is not None:
            return hit[0].key
        near = scene.root.boxes_in(center.y() - 400, center.y() + 400)
        best = min(near, key=lambda b: abs(b.y + b.h / 2 - center.y()) + abs(b.x + b.w / 2 - center.x()), default=None)
        return best.key if best else None


REVEAL_MARGIN = 1 / 6
"""Share of the canvas at each side in which a revealed box is not left."""
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
        self.progress = progress_bar(self.tr("The graph is being read"))
        self.progress.setParent(self)
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
        self.canvas.moved.connect(self._arrange_minimap)
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
        self.canvas.spoken.set_title(self.tr("Graph {0}").format(model.title) if scene else self.tr("Graph"))
        if identity != self._shown or not self._started:
            self._started = self.isVisible() and scene is not None
            self.canvas.start()
        elif not (another and model.selected is None and self.canvas.reframe()):
            self.anchor.restore()
        self._shown = identity
        self.canvas.select(model.selected)
        self.pair.show_scene()
        self._center_goal()
        self.anchor.remember()
        self.minimap.redraw()
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
            self.canvas.center_on(goal, REVEAL_MARGIN)

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
        super().resizeEvent(event)
        self.pair.lay_out(self.rect())
        if not self._started and self.model.scene is not None and self.isVisible():
            self._started = True
            self.canvas.start()
        self._arrange()

    def _arrange(self) -> None:
        self._arrange_minimap()
        self.progress.setGeometry(0, 0, self.width(), 6)
        self.stop.adjustSize()
        self.stop.move((self.width() - self.stop.width()) // 2, 2 * G)
        self.message.setGeometry(self.rect().adjusted(4 * G, 4 * G, -4 * G, -4 * G))

    def _arrange_minimap(self) -> None:
        """Shows the minimap where a part of the graph is not visible and the canvas has space for it."""
        mini, canvas = self.minimap, self.canvas
        whole = canvas.visible().contains(canvas.bounds())
        room = canvas.width() > 3 * mini.width() and self.height() > mini.height() + 4 * G
        mini.setVisible(canvas.scene is not None and not whole and room)
        mini.move(self.width() - mini.width() - G, self.height() - mini.height() - G)

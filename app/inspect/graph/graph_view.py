"""The canvas with what floats over it: the minimap, the busy line, what is said where there is nothing.

Keeps what is looked at in place while scopes open and stages change: the anchor is a name, not a number.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QProgressBar, QWidget

from app.graph_scene.boxes import BoxKey, GraphBox, SceneLevel
from app.inspect.graph.canvas_pair import CanvasPair
from app.inspect.graph.graph_canvas import GraphCanvas
from app.inspect.graph.minimap import Minimap
from app.state.graph_model import GraphModel
from app.widgets import button, label
from app.widgets.plain_text import PlainLabel
from app.widgets.theme import G

LATE_MS = 1000
"""What takes longer can be stopped."""
Anchor = tuple[tuple[str, str], QPointF]


class GraphView(QWidget):
    """Shows the scene of a model; arrows, Enter and double clicks open, close and choose."""

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.canvas = GraphCanvas(self)
        self.pair = CanvasPair(self.canvas)
        self.minimap = Minimap(self.canvas, self)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("The graph is being read"))
        self.stop = button(self.tr("Stop"), "stop", clicked=model.stop)
        self.stop.setParent(self)
        self.stop.hide()
        self._late = QTimer(self, singleShot=True, interval=LATE_MS)
        self._late.timeout.connect(self._offer_stop)
        self.nothing: PlainLabel = label("", "body-muted", wrap=True)
        self.nothing.setParent(self)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.hide()
        self.setFocusProxy(self.canvas)
        self.setMinimumSize(20 * G, 16 * G)
        self._shown: tuple[str, str] | None = None
        self._started = False
        self._anchor: Anchor | None = None
        self._goal: BoxKey | None = None
        self._wanted = ""
        model.sceneChanged.connect(self._on_scene)
        model.selectionChanged.connect(self._on_selection)
        model.busyChanged.connect(self._on_busy)
        for canvas in (self.canvas, self.pair.before):
            canvas.chosen.connect(model.select)
            canvas.activated.connect(self.toggle)
            canvas.followed.connect(self.go)
            canvas.keyed.connect(self._on_key)
        self._on_busy(False)

    # -- the scene -------------------------------------------------------------------------------------------

    def _on_scene(self, another: bool) -> None:
        scene, model = self.model.scene, self.model
        self.canvas.marks.selected = None
        self.canvas.marks.near = (set(), set())
        if another:
            self.canvas.marks.found, self._goal = set(), None
        identity = (model.graph.where.path, model.graph.where.component) if model.graph else None
        self.canvas.show_scene(scene)
        self.canvas.setAccessibleName(self.tr("Graph {0}").format(model.title) if scene else self.tr("Graph"))
        if identity != self._shown or not self._started:
            self._started = self.isVisible() and scene is not None
            self.canvas.start()
        else:
            self._hold()
        self._shown = identity
        self.canvas.select(model.selected)
        self.pair.show_scene()
        self._arrive()
        self._anchor = self._find_anchor()
        self.minimap.renew()
        self._arrange()
        if another:
            self._go_wanted()

    def _hold(self) -> None:
        """What was in the middle, or chosen, stays where it was on the screen."""
        if self._anchor is None:
            return
        name, corner = self._anchor
        key = self.model.key_of(name)
        place = self._nearest_place(key, name)
        if place is not None:
            self.canvas.set_view(self.canvas.scale, corner - place.topLeft() * self.canvas.scale)

    def _nearest_place(self, key: BoxKey | None, name: tuple[str, str]) -> QRectF | None:
        scene, outline = self.model.scene, self.model.outline
        if scene is None or outline is None:
            return None
        if key is None:
            key = outline.nearest(name[1]).path
        if isinstance(key, int):
            key = scene.shown(key)
        return self.canvas.place_of(key)

    def _find_anchor(self) -> Anchor | None:
        """The chosen box where it is seen, else the one nearest to the middle."""
        canvas, model = self.canvas, self.model
        key = model.selected
        place = canvas.place_of(key) if key is not None else None
        if place is None or not place.intersects(canvas.visible()):
            key = self._middle()
            place = canvas.place_of(key) if key is not None else None
        name = model.name_of(key)
        if place is None or name is None:
            return None
        return name, canvas.to_screen(place).topLeft()

    def _middle(self) -> BoxKey | None:
        scene = self.model.scene
        if scene is None:
            return None
        centre = self.canvas.visible().center()
        hit = scene.at(centre.x(), centre.y())
        if hit is not None:
            return hit[0].key
        level: SceneLevel = scene.root
        near: list[GraphBox] = list(level.boxes_in(centre.y() - 400, centre.y() + 400))
        best = min(near, key=lambda b: abs(b.y + b.h / 2 - centre.y()) + abs(b.x + b.w / 2 - centre.x()), default=None)
        return best.key if best else None

    def remember(self) -> None:
        """Takes what is looked at now as what has to stay in place."""
        self._anchor = self._find_anchor()

    # -- choosing, opening -----------------------------------------------------------------------------------

    def _on_selection(self, key: BoxKey | None) -> None:
        self.canvas.select(key)
        self.pair.update()

    def split(self, on: bool) -> None:
        """Two panes, before and after, of a comparison; or one that has both."""
        if on == self.pair.on:
            return
        self.pair.set_on(on)
        self.pair.lay_out(self.rect())
        self._arrange()

    def toggle(self, key: BoxKey) -> None:
        """Opens or closes a scope; a node is moved into the middle."""
        if isinstance(key, str):
            self.model.select(key)
            self.remember()
            self.model.toggle(key)
        else:
            self.canvas.centre(key)

    def go(self, key: BoxKey) -> None:
        """Opens what is around a box, chooses it and moves it into the middle."""
        self._goal = key
        self.model.reveal(key)
        if not self.model.relaying:
            self._arrive()

    def want(self, name: str, now: bool) -> None:
        """Goes to the node called `name`, at once or when the graph that is being fetched has come."""
        self._wanted = name
        if now:
            self._go_wanted()

    def _go_wanted(self) -> None:
        name, self._wanted = self._wanted, ""
        key = self.model.key_of(("node", name)) if name else None
        if key is not None:
            self.go(key)

    def _arrive(self) -> None:
        goal, self._goal = self._goal, None
        if goal is not None:
            self.canvas.centre(goal)

    def _on_key(self, pressed: int) -> None:
        model, scene = self.model, self.model.scene
        if scene is None:
            return
        key = model.selected
        if key is None:
            self._choose(self._middle())
        elif pressed in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            near = self.canvas.marks.near[0 if pressed == Qt.Key.Key_Up else 1]
            self._choose(self._closest(near))
        elif pressed == Qt.Key.Key_Right:
            self._inwards(key)
        else:
            self._outwards(key)

    def _closest(self, keys: set[BoxKey]) -> BoxKey | None:
        here = self.canvas.place_of(self.model.selected) if self.model.selected is not None else None
        places = [(key, self.canvas.place_of(key)) for key in keys]
        known = [(key, place) for key, place in places if place is not None]
        if here is None or not known:
            return None
        middle = here.center()
        return min(known, key=lambda one: (one[1].center() - middle).manhattanLength())[0]

    def _choose(self, key: BoxKey | None) -> None:
        if key is not None:
            self.model.select(key)
            self.canvas.centre(key)

    def _inwards(self, key: BoxKey) -> None:
        scene = self.model.scene
        if scene is None or not isinstance(key, str):
            return
        if key not in scene.opened:
            self.toggle(key)
            return
        found = scene.find(key)
        if found and found[0].inner and found[0].inner.boxes:
            self._choose(found[0].inner.boxes[0].key)

    def _outwards(self, key: BoxKey) -> None:
        scene = self.model.scene
        if scene is None:
            return
        if isinstance(key, str) and key in scene.opened:
            self.toggle(key)
            return
        outline = scene.outline
        above = outline.scopes[key].above[-1] if isinstance(key, str) else outline.of[key]
        if above.path:
            self._choose(above.path)

    # -- what floats -----------------------------------------------------------------------------------------

    def _on_busy(self, busy: bool) -> None:
        for canvas in (self.canvas, self.pair.before):
            canvas.setUpdatesEnabled(not self.model.relaying)  # boxes are on the move: the last picture stays
        if busy and not self.model.relaying:
            self.remember()
        self.progress.setVisible(busy)
        if not busy:
            self._late.stop()
            self.stop.hide()
        elif not self._late.isActive() and self.stop.isHidden():
            self._late.start()
        self._arrange()

    def _offer_stop(self) -> None:
        self.stop.show()
        self._arrange()

    def say(self, text: str) -> None:
        """A sentence in the place of a picture; empty takes it away."""
        self.nothing.setText(text)
        self.nothing.setVisible(bool(text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: the canvas takes all, the minimap its corner."""
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
        self.nothing.setGeometry(self.rect().adjusted(4 * G, 4 * G, -4 * G, -4 * G))

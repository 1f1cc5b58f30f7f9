"""The picture in the window: seen whole, zoomed, dragged, walked through by keys, lit by what runs.

Drawing ──▶ items;   keys, pointer ──▶ the chosen box ──Enter, click──▶ opened(node)
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsScene, QGraphicsView, QWidget

from app.composite.items import OPENABLE_KINDS, LinkItem, NodeItem
from app.widgets.theme import theme
from workflows.inspection.picture.drawing import CompositeDrawing, DrawnBox

STEP = 1.2
LEAST, MOST, READABLE, BEGINNING = 0.1, 3.0, 0.62, 0.8
"""Scales; a drawing that would have to be smaller than READABLE is shown from its beginning."""
_CLICK = 5  # pixels that a hand may tremble

WAYS = {
    Qt.Key.Key_Left: QPointF(-1, 0),
    Qt.Key.Key_Right: QPointF(1, 0),
    Qt.Key.Key_Up: QPointF(0, -1),
    Qt.Key.Key_Down: QPointF(0, 1),
}


class CompositeView(QGraphicsView):
    """Shows a drawing; `chosen` is the box that keys act on."""

    opened = Signal(object)  # the Node of a session or a state that was clicked, or Enter pressed on

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setScene(QGraphicsScene(self))
        self.nodes: list[NodeItem] = []
        self.links: list[LinkItem] = []
        self.chosen: NodeItem | None = None
        self._over: NodeItem | None = None
        self._hold: Callable[[], None] | None = self.start
        self._pressed: QPoint | None = None
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setFrameShape(QGraphicsView.Shape.NoFrame)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMouseTracking(True)
        self.setMinimumSize(160, 120)
        self.setAccessibleName(self.tr("Composite"))
        theme().changed.connect(self._retheme)
        self._retheme()

    def show_drawing(self, drawing: CompositeDrawing | None) -> None:
        """Shows another drawing, all of it."""
        scene = self.scene()
        self.chosen = self._over = None
        scene.clear()
        self.nodes = [NodeItem(node) for node in drawing.nodes] if drawing else []
        self.nodes.sort(key=lambda item: (item.node.x, item.node.y))
        self.links = [LinkItem(link) for link in drawing.links] if drawing else []
        for item in (*self.links, *self.nodes):
            scene.addItem(item)
        scene.setSceneRect(0, 0, drawing.width if drawing else 1, drawing.height if drawing else 1)
        self.choose(None)
        self.start()

    def set_run(self, run: str) -> None:
        """Lights up what takes part in a run; an empty name is the end."""
        for item in (*self.nodes, *self.links):
            item.set_run(run)

    def _retheme(self) -> None:
        self.setBackgroundBrush(theme().color("window"))
        self.scene().update()

    # -- how it is seen --------------------------------------------------------------------------------------

    def start(self) -> None:
        """All of it where that can be read, else its beginning; it stays so while the room changes."""
        self._see(self._whole() if self._whole() >= READABLE else BEGINNING)
        self._hold = self.start

    def fit(self) -> None:
        """All of it, no larger than it is; it stays so while the room changes."""
        self._see(self._whole())
        self._hold = self.fit

    def _whole(self) -> float:
        """The scale at which there is room for all of it."""
        room, rect = self.viewport().rect(), self.sceneRect()
        return min(room.width() / max(rect.width(), 1), room.height() / max(rect.height(), 1), 1.0)

    def _see(self, scale: float) -> None:
        """From the left, at a scale."""
        self.resetTransform()
        self.scale(max(scale, LEAST), max(scale, LEAST))
        self.horizontalScrollBar().setValue(self.horizontalScrollBar().minimum())

    def zoom(self, factor: float) -> None:
        """Larger or smaller."""
        self._hold = None
        scale = min(max(self.transform().m11() * factor, LEAST), MOST)
        factor = scale / self.transform().m11()
        self.scale(factor, factor)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: sees as much as before, unless a person has zoomed."""
        super().resizeEvent(event)
        if self._hold is not None:
            self._hold()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt's name: a wheel zooms, a touch pad moves, and zooms with Ctrl."""
        ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if not event.pixelDelta().isNull() and not ctrl:
            super().wheelEvent(event)
        else:
            self.zoom(STEP ** (event.angleDelta().y() / 120))
            event.accept()

    # -- what is chosen --------------------------------------------------------------------------------------

    def choose(self, item: NodeItem | None) -> None:
        """Marks a box and the lines that meet it, and says it to those who hear the window."""
        self.chosen = item
        self._mark()
        if item is not None:
            self.ensureVisible(item, 24, 24)
        self.setAccessibleDescription(item.node.description if item else "")
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def _mark(self) -> None:
        shown = {item.node.key for item in (self._over, self.chosen if self.hasFocus() else None) if item}
        for node in self.nodes:
            node.mark(node.node.key in shown)
        for link in self.links:
            link.mark(bool(shown & {link.link.source, link.link.target}))

    def _open(self, node: DrawnBox) -> None:
        if node.kind in OPENABLE_KINDS:
            self.opened.emit(node)

    def node_at(self, point: QPoint) -> NodeItem | None:
        """The box at a point of the widget."""
        at = self.mapToScene(point)
        return next((item for item in self.nodes if item.box.contains(at)), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt's name: a click, or the begin of a drag."""
        self._pressed = event.position().toPoint() if event.button() == Qt.MouseButton.LeftButton else None
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt's name: opens what was clicked, unless it was dragged."""
        super().mouseReleaseEvent(event)
        at, pressed = event.position().toPoint(), self._pressed
        self._pressed = None
        if pressed is None or (at - pressed).manhattanLength() > _CLICK:
            return
        item = self.node_at(at)
        self.choose(item)
        if item is not None:
            self._open(item.node)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: points at a box."""
        super().mouseMoveEvent(event)
        over = self.node_at(event.position().toPoint()) if self._pressed is None else self._over
        if over is not self._over:
            self._over = over
            self._mark()

    # -- keys ------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: arrows go to the next box that way, Enter opens, +, - and 0 zoom."""
        key, text = event.key(), event.text()
        if key in WAYS and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._go(WAYS[Qt.Key(key)])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen is not None:
            self._open(self.chosen.node)
        elif key == Qt.Key.Key_Escape and self.chosen is not None:
            self.choose(None)
        elif text in ("+", "=", "-"):
            self.zoom(1 / STEP if text == "-" else STEP)
        elif text == "0":
            self.fit()
        else:
            super().keyPressEvent(event)

    def _go(self, way: QPointF) -> None:
        """To the box that is nearest in a direction; what lies aside counts double."""
        if self.chosen is None:
            self.choose(self.nodes[0] if self.nodes else None)
            return
        here, best, least = self.chosen.box.center(), None, 0.0
        for item in self.nodes:
            step = item.box.center() - here
            ahead, aside = QPointF.dotProduct(step, way), abs(step.x() * way.y() - step.y() * way.x())
            cost = ahead + 2 * aside
            if item is not self.chosen and ahead > 1 and (best is None or cost < least):
                best, least = item, cost
        if best is not None:
            self.choose(best)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802
        """Qt's name: Tab goes from box to box, and on from the last of them."""
        place = self.nodes.index(self.chosen) if self.chosen in self.nodes else -1 if forward else len(self.nodes)
        place += 1 if forward else -1
        if 0 <= place < len(self.nodes):
            self.choose(self.nodes[place])
            return True
        return super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt's name: keys act on a box from now on; by Tab on the first, by Shift+Tab on the last."""
        super().focusInEvent(event)
        if self.nodes and event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.choose(self.nodes[0 if event.reason() == Qt.FocusReason.TabFocusReason else -1])
        self._mark()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Qt's name: the mark goes with the focus."""
        super().focusOutEvent(event)
        self._mark()

"""The view of a composite's picture: boxes are chosen by pointer or keys, and highlighted while their run is active.

CompositeDrawing ──▶ items;   keys, pointer ──▶ the chosen box ──Enter, click──▶ opened(node)
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsScene, QGraphicsView, QWidget

from app.composite.items import OPENABLE_KINDS, LinkItem, NodeItem
from app.widgets.spoken_selection import SpokenSelection
from app.widgets.theme import theme
from workflows.inspection.picture.diagram import PictureLabels
from workflows.inspection.picture.drawing import CompositeDrawing, DrawnBox

ZOOM_STEP = 1.2
"""Factor of one wheel notch, key or button."""
MIN_SCALE, MAX_SCALE = 0.1, 3.0
READABLE_SCALE, START_SCALE = 0.62, 0.8
"""A scene that would need a smaller scale than the first is shown from its left edge at the second."""


class ZoomView(QGraphicsView):
    """Owns the scale at which a scene is seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setScene(QGraphicsScene(self))
        self._after_resize: Callable[[], None] | None = self.start
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setFrameShape(QGraphicsView.Shape.NoFrame)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def start(self) -> None:
        """Shows the whole scene where it is readable, else its left part; does so again after each resize."""
        whole = self._fitting_scale()
        self._set_scale(whole if whole >= READABLE_SCALE else START_SCALE)
        self._after_resize = self.start

    def fit(self) -> None:
        """Shows the whole scene, at most at 100 %; does so again after each resize."""
        self._set_scale(self._fitting_scale())
        self._after_resize = self.fit

    def _fitting_scale(self) -> float:
        """The scale at which the viewport holds the whole scene."""
        size, rect = self.viewport().rect(), self.sceneRect()
        return min(size.width() / max(rect.width(), 1), size.height() / max(rect.height(), 1), 1.0)

    def _set_scale(self, scale: float) -> None:
        """Shows the scene from its left edge."""
        self.resetTransform()
        self.scale(max(scale, MIN_SCALE), max(scale, MIN_SCALE))
        self.horizontalScrollBar().setValue(self.horizontalScrollBar().minimum())

    def zoom(self, factor: float) -> None:
        """Multiplies the scale by `factor`; from now on a resize leaves it as it is."""
        self._after_resize = None
        scale = min(max(self.transform().m11() * factor, MIN_SCALE), MAX_SCALE)
        factor = scale / self.transform().m11()
        self.scale(factor, factor)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: shows as much as before, unless a person has zoomed."""
        super().resizeEvent(event)
        if self._after_resize is not None:
            self._after_resize()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt's name: a wheel zooms; a touch pad scrolls, and zooms with Ctrl."""
        ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if not event.pixelDelta().isNull() and not ctrl:
            super().wheelEvent(event)
        else:
            self.zoom(ZOOM_STEP ** (event.angleDelta().y() / 120))
            event.accept()


def composite_labels(owner: QObject) -> PictureLabels:
    """The labels, translated by `owner`."""
    return PictureLabels(
        cache=owner.tr("KV cache"),
        cross=owner.tr("Cross cache"),
        carried=owner.tr("State of fixed size"),
        driver=owner.tr("Drivers"),
        given=owner.tr("Given"),
        output=owner.tr("Output"),
        host=owner.tr("written by the host"),
        graph=owner.tr("written by the graph"),
        frozen=owner.tr("written once, then read"),
        layer=owner.tr("layer {0}"),
        layers=owner.tr("layers {0}"),
        more=owner.tr("+ {0} more"),
    )


CLICK_DISTANCE = 5
"""Pixels that the pointer may move during a click."""
DIRECTIONS = {
    Qt.Key.Key_Left: QPointF(-1, 0),
    Qt.Key.Key_Right: QPointF(1, 0),
    Qt.Key.Key_Up: QPointF(0, -1),
    Qt.Key.Key_Down: QPointF(0, 1),
}


class CompositeView(ZoomView):
    """Shows a drawing; `chosen` is the box that keys act on, `opened` carries the node of a session or a state."""

    opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.nodes: list[NodeItem] = []
        self.links: list[LinkItem] = []
        self.chosen: NodeItem | None = None
        self._hovered: NodeItem | None = None
        self._pressed: QPoint | None = None
        self.setMouseTracking(True)
        self.setMinimumSize(160, 120)
        self.spoken = SpokenSelection(self, self.tr("Composite"))
        theme().changed.connect(self._retheme)
        self._retheme()

    def show_drawing(self, drawing: CompositeDrawing | None) -> None:
        scene = self.scene()
        self.chosen = self._hovered = None
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
        """Highlights the boxes and lines of the active run; an empty name is its end."""
        for item in (*self.nodes, *self.links):
            item.set_run(run)

    def _retheme(self) -> None:
        self.setBackgroundBrush(theme().color("window"))
        self.scene().update()

    # -- choosing a box --------------------------------------------------------------------------------------

    def choose(self, item: NodeItem | None) -> None:
        """Marks a box and its lines, and passes its description to screen readers."""
        self.chosen = item
        self._mark()
        if item is not None:
            self.ensureVisible(item, 24, 24)
        self.spoken.select(*((item.node.name, item.node.description) if item else ("", "")))

    def _mark(self) -> None:
        shown = {item.node.key for item in (self._hovered, self.chosen if self.hasFocus() else None) if item}
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
        """Qt's name: begins a click or a drag."""
        self._pressed = event.position().toPoint() if event.button() == Qt.MouseButton.LeftButton else None
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt's name: opens the clicked box, unless the picture was dragged."""
        super().mouseReleaseEvent(event)
        at, pressed = event.position().toPoint(), self._pressed
        self._pressed = None
        if pressed is None or (at - pressed).manhattanLength() > CLICK_DISTANCE:
            return
        item = self.node_at(at)
        self.choose(item)
        if item is not None:
            self._open(item.node)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        over = self.node_at(event.position().toPoint()) if self._pressed is None else self._hovered
        if over is not self._hovered:
            self._hovered = over
            self._mark()

    # -- keys ------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: arrows choose the next box in their direction, Enter opens it, +, - and 0 zoom."""
        key, text = event.key(), event.text()
        if key in DIRECTIONS and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._choose_towards(DIRECTIONS[Qt.Key(key)])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen is not None:
            self._open(self.chosen.node)
        elif key == Qt.Key.Key_Escape and self.chosen is not None:
            self.choose(None)
        elif text in ("+", "=", "-"):
            self.zoom(1 / ZOOM_STEP if text == "-" else ZOOM_STEP)
        elif text == "0":
            self.fit()
        else:
            super().keyPressEvent(event)

    def _choose_towards(self, direction: QPointF) -> None:
        """Chooses the nearest box in a direction; the distance across the direction counts double."""
        if self.chosen is None:
            self.choose(self.nodes[0] if self.nodes else None)
            return
        here, best, least = self.chosen.box.center(), None, 0.0
        for item in self.nodes:
            step = item.box.center() - here
            along = QPointF.dotProduct(step, direction)
            cost = along + 2 * abs(step.x() * direction.y() - step.y() * direction.x())
            if item is not self.chosen and along > 1 and (best is None or cost < least):
                best, least = item, cost
        if best is not None:
            self.choose(best)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802
        """Qt's name: Tab goes from box to box, and from the last one to the next widget."""
        place = self.nodes.index(self.chosen) if self.chosen in self.nodes else -1 if forward else len(self.nodes)
        place += 1 if forward else -1
        if 0 <= place < len(self.nodes):
            self.choose(self.nodes[place])
            return True
        return super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt's name: marks the chosen box; Tab chooses the first, Shift+Tab the last."""
        super().focusInEvent(event)
        if self.nodes and event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.choose(self.nodes[0 if event.reason() == Qt.FocusReason.TabFocusReason else -1])
        self._mark()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._mark()

"""The surface that a scene is seen on: panned, zoomed, pointed at, walked through by keys.

wheel, drag, pinch, keys ──▶ scale and offset ──▶ the exposed part drawn by Art;  click, keys ──▶ chosen(key)
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from app.graph_scene.boxes import LINE_H, TITLE_H, BoxKey, GraphBox
from app.graph_scene.scene import Scene
from app.inspect.graph.highlights import Highlights, draw_highlights
from app.inspect.graph.scene_painter import ScenePainter
from app.inspect.graph.viewport import Viewport
from app.state.provider_overlay import BoxColoring
from app.widgets.plain_text import show_tool_tip
from app.widgets.theme import theme
from workflows.wire.reports.graphs import Change

ZOOM_STEP = 1.2
"""What a notch of the wheel and a key zoom by."""


class GraphCanvas(Viewport):
    """Shows one scene; `chosen` is the key of the selected box, "" where nothing is."""

    chosen = Signal(object)
    activated = Signal(object)  # a box was double-clicked, or Enter was pressed on it
    followed = Signal(int)  # the node at the other end of a port
    hovered = Signal(object)
    keyed = Signal(int)  # a key that moves: left, right, up, down, backspace

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.art = ScenePainter()
        self._by: BoxColoring | None = None
        self._hidden: Change = ""
        self.marks = Highlights()
        self._press: QPoint | None = None
        self._grabbed = QPoint()
        self._dragging = False
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(160, 120)
        self.setAccessibleName(self.tr("Graph"))
        theme().changed.connect(self._retheme)

    def show_scene(self, scene: Scene | None) -> None:
        """Shows another scene where the view stands; nothing in it is pointed at yet."""
        self.marks.over = None
        super().show_scene(scene)

    def colour(self, by: BoxColoring | None) -> None:
        """From now on boxes have the colours of this; None gives them their own."""
        self._by = by
        self._retheme()

    def hide_change(self, change: Change) -> None:
        """Draws all but what has this change: added before, removed after; "" leaves nothing out."""
        if change != self._hidden:
            self._hidden = change
            self._retheme()

    def _retheme(self) -> None:
        self.art = ScenePainter(self._by, self._hidden)
        self.update()

    # -- what is pointed at ----------------------------------------------------------------------------------

    def select(self, key: BoxKey | None) -> None:
        """Marks a box and those that give to it and take from it."""
        self.marks.selected = key
        self.marks.near = self._neighbours(key) if key is not None and self.scene else (set(), set())
        self.update()
        self._tell()

    def _neighbours(self, key: BoxKey) -> tuple[set[BoxKey], set[BoxKey]]:
        scene = self.scene
        assert scene is not None
        if key == "":
            return set(), set()  # all is inside
        graph = scene.graph
        inside = {key} if isinstance(key, int) else set(scene.outline.every_node(scene.outline.scopes[key]))
        sources, targets = graph.sources(inside), graph.targets(inside)
        return {scene.shown(n) for n in sources} - {key}, {scene.shown(n) for n in targets} - {key}

    def mark(self, keys: set[BoxKey]) -> None:
        """Marks what a search found."""
        self.marks.found = keys
        self.update()

    def _tell(self) -> None:
        """For those who hear the window instead of seeing it."""
        found = self.scene.find(self.marks.selected) if self.scene and self.marks.selected is not None else None
        text = self.describe(found[0]) if found else ""
        self.setAccessibleDescription(text)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def describe(self, box: GraphBox) -> str:
        """A box in words."""
        if self.scene is None:
            return ""
        if isinstance(box.key, str):
            state = self.tr("open") if box.inner else self.tr("closed")
            return self.tr("Scope {0}, {1}. {2}").format(box.key, state, " · ".join(box.detail))
        node = self.scene.graph.nodes[box.key]
        out = [self.scene.graph.values[v] for v in node.outputs if v >= 0]
        lines = [f"{node.op}  {node.change}".rstrip(), node.name, *(f"↗ {v.name}: {v.type}" for v in out[:4])]
        return "\n".join(line for line in lines if line)

    def box_at(self, point: QPoint) -> tuple[GraphBox, float, float] | None:
        """The innermost box at a point of the widget."""
        if self.scene is None:
            return None
        plane = self.to_plane(QRectF(point, point))
        hit = self.scene.at(plane.x(), plane.y())
        return None if hit is not None and self.art.hides(hit[0].change) else hit

    # -- Qt's events -----------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt's name: draws the exposed parts."""
        painter = QPainter(self)
        for rect in _parts(event):
            painter.setClipRect(rect)
            painter.fillRect(rect, self.art.paper)
            if self.scene is not None:
                self._draw(painter, QRectF(rect))
        painter.end()

    def _draw(self, painter: QPainter, rect: QRectF) -> None:
        assert self.scene is not None
        painter.save()
        painter.translate(self.offset)
        painter.scale(self.scale, self.scale)
        grown = rect.adjusted(-8, -8, 8, 8)
        self.art.draw(painter, self.scene, self.to_plane(grown), self.scale)
        painter.restore()
        draw_highlights(self, self.marks, painter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: what was in the middle stays there."""
        super().resizeEvent(event)
        if event.oldSize().isValid():
            self.offset += QPoint((event.size().width() - event.oldSize().width()) // 2, 0)
        self.moved.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt's name: a wheel zooms; a touch pad moves, and zooms with Ctrl."""
        pixels, ctrl = event.pixelDelta(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if not pixels.isNull() and not ctrl:
            self.pan(pixels.x(), pixels.y())
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(event.angleDelta().y() or event.angleDelta().x(), 0)
        else:
            self.zoom(ZOOM_STEP ** (event.angleDelta().y() / 120), event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Qt's name: two fingers zoom, the pointer at rest asks what is there."""
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self.zoom(1 + event.value(), event.position())
            return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            hit = self.box_at(event.pos())
            show_tool_tip(event.globalPos(), self.describe(hit[0]) if hit else "", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt's name: a drag may begin."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._press = self._grabbed = event.position().toPoint()
            self._dragging = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: drags, or points at a box."""
        at = event.position().toPoint()
        if self._press is None:
            self._hover(at)
            return
        if not self._dragging and (at - self._press).manhattanLength() > 5:
            self._dragging = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragging:
            step = at - self._grabbed
            self._grabbed = at
            self.pan(step.x(), step.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt's name: a click chooses, or follows a port of the box that is chosen."""
        press, self._press = self._press, None
        self.unsetCursor()
        if press is None or self._dragging:
            return
        hit = self.box_at(event.position().toPoint())
        key = hit[0].key if hit else None
        target = self._port_at(hit, event.position()) if hit and key == self.marks.selected else -1
        if target >= 0:
            self.followed.emit(target)
        else:
            self.chosen.emit(key)

    def _port_at(self, hit: tuple[GraphBox, float, float], at: QPointF) -> int:
        box, _, top = hit
        y = self.to_plane(QRectF(at, at)).y() - top - TITLE_H
        lines = box.lines()
        place = int(y // LINE_H)
        if box.inner is not None or y < 0 or place >= len(lines) or lines[place][1] is None:
            return -1
        port = lines[place][1]
        return port.node if port else -1

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt's name: opens or closes."""
        hit = self.box_at(event.position().toPoint())
        if hit is not None:
            self.activated.emit(hit[0].key)

    def leaveEvent(self, event: QEvent) -> None:
        """Qt's name: nothing is pointed at."""
        super().leaveEvent(event)
        self._set_over(None)

    def _hover(self, at: QPoint) -> None:
        hit = self.box_at(at)
        self._set_over(hit[0].key if hit else None)

    def _set_over(self, key: BoxKey | None) -> None:
        if key == self.marks.over:
            return
        for one in (self.marks.over, key):
            place = self.place_of(one) if one is not None else None
            if place is not None:
                self.update(self.to_screen(place).adjusted(-5, -5, 5, 5).toAlignedRect())
        self.marks.over = key
        self.hovered.emit(key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: zoom, fit, open and close, and go to neighbours."""
        key, text = event.key(), event.text()
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        moves = {
            Qt.Key.Key_Left: (80, 0),
            Qt.Key.Key_Right: (-80, 0),
            Qt.Key.Key_Up: (0, 80),
            Qt.Key.Key_Down: (0, -80),
        }
        if key in moves and shifted:
            self.pan(*moves[Qt.Key(key)])
        elif key in moves or key == Qt.Key.Key_Backspace:
            self.keyed.emit(key)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.pan(0, self.height() * (1 if key == Qt.Key.Key_PageUp else -1) * 9 // 10)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.marks.selected is not None:
            self.activated.emit(self.marks.selected)
        elif key == Qt.Key.Key_Escape and self.marks.selected is not None:
            self.chosen.emit(None)
        elif text in ("+", "="):
            self.zoom(ZOOM_STEP)
        elif text == "-":
            self.zoom(1 / ZOOM_STEP)
        elif text == "1":
            self.zoom_to(1.0)
        elif text == "0":
            self.fit()
        else:
            super().keyPressEvent(event)


def _parts(event: QPaintEvent) -> list[QRect]:
    """The exposed rectangles; all at once where they are many."""
    parts = list(event.region())  # type: ignore[call-overload]
    return parts if len(parts) <= 4 else [event.rect()]

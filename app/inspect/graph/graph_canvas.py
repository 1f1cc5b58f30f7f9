"""The canvas of a scene: it is panned and zoomed, and its boxes are chosen by pointer and keys.

wheel, drag, pinch, keys ──▶ scale and offset ──▶ ScenePainter draws the exposed part;  click, keys ──▶ chosen(key)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from app.graph_scene.boxes import BoxKey, GraphBox
from app.graph_scene.scene import Scene
from app.inspect.graph.scene_painter import ScenePainter
from app.inspect.graph.viewport import Viewport
from app.state.provider_overlay import BoxColoring
from app.widgets.plain_text import show_tool_tip
from app.widgets.spoken_selection import SpokenSelection
from app.widgets.theme import theme
from workflows.wire.reports.graphs import Change

MANY = 300
"""Boxes from which on they are too small for round corners."""


@dataclass
class Highlights:
    """The keys of the highlighted boxes. neighbours: sources and targets of the selected box."""

    selected: BoxKey | None = None
    neighbours: tuple[set[BoxKey], set[BoxKey]] = (set(), set())
    matches: set[BoxKey] = field(default_factory=set)
    hovered: BoxKey | None = None


def draw_highlights(view: Viewport, highlights: Highlights, painter: QPainter) -> None:
    """Draws outlines around the highlighted boxes, and lines from the selected box to its neighbours."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    visible = view.visible()
    _match_outlines(view, highlights.matches, painter, visible)
    for keys, color in zip(highlights.neighbours, ("decode", "prefill"), strict=True):
        for key in keys:
            _outline(view, painter, key, theme().color(color), 2, visible)
    if highlights.selected is not None:
        _neighbour_lines(view, highlights, painter)
        _outline(view, painter, highlights.selected, theme().color("accent"), 3, visible)
    if highlights.hovered is not None and highlights.hovered != highlights.selected:
        _outline(view, painter, highlights.hovered, theme().color("muted"), 1, visible)


def _match_outlines(view: Viewport, matches: set[BoxKey], painter: QPainter, visible: QRectF) -> None:
    """Outlines the visible matches: a single letter matches every node."""
    if view.scene is None or not matches:
        return
    boxes = view.scene.boxes_within((visible.left(), visible.top(), visible.right(), visible.bottom()))
    places = [QRectF(x, y, box.w, box.h) for box, x, y in boxes if box.key in matches]
    painter.setPen(QPen(theme().color("warning"), 2))
    if len(places) > MANY:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawRects([view.to_screen(place).adjusted(-2, -2, 2, 2) for place in places])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        return
    for place in places:
        painter.drawRoundedRect(view.to_screen(place).adjusted(-2, -2, 2, 2), 6, 6)


def _outline(view: Viewport, painter: QPainter, key: BoxKey, color: QColor, width: int, visible: QRectF) -> None:
    place = view.place_of(key)
    if place is not None and place.intersects(visible):
        painter.setPen(QPen(color, width))
        painter.drawRoundedRect(view.to_screen(place).adjusted(-2, -2, 2, 2), 6, 6)


def _neighbour_lines(view: Viewport, highlights: Highlights, painter: QPainter) -> None:
    """Draws dashed lines from the selected box to neighbours that no line of the picture connects."""
    assert highlights.selected is not None
    here = view.place_of(highlights.selected)
    if here is None or max(len(highlights.neighbours[0]), len(highlights.neighbours[1])) > 40:
        return
    for keys, color, inward in (
        (highlights.neighbours[0], "decode", True),
        (highlights.neighbours[1], "prefill", False),
    ):
        painter.setPen(QPen(theme().color(color), 1.2, Qt.PenStyle.DashLine))
        for key in keys:
            other = view.place_of(key)
            pair = (key, highlights.selected) if inward else (highlights.selected, key)
            if other is not None and view.scene is not None and not view.scene.has_line(*pair):
                upper, lower = (other, here) if inward else (here, other)
                a, b = view.to_screen(upper), view.to_screen(lower)
                painter.drawLine(QPointF(a.center().x(), a.bottom()), QPointF(b.center().x(), b.top()))


ZOOM_STEP = 1.2
"""Factor of one wheel notch or key."""


class GraphCanvas(Viewport):
    """Shows one scene. `chosen` and `hovered` carry a box's key or None."""

    chosen = Signal(object)
    activated = Signal(object)  # the key of a box: double click, Enter
    followed = Signal(int)  # the node at the other end of a port
    hovered = Signal(object)
    key_pressed = Signal(int)  # an arrow key or Backspace

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.painter = ScenePainter()
        self._coloring: BoxColoring | None = None
        self._hidden_change: Change = ""
        self.highlights = Highlights()
        self._press: QPoint | None = None
        self._grabbed = QPoint()
        self._dragging = False
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(160, 120)
        self.spoken = SpokenSelection(self, self.tr("Graph"))
        theme().changed.connect(self._retheme)

    def show_scene(self, scene: Scene | None) -> None:
        """Shows another scene at the same scale and offset, without a hovered box."""
        self.highlights.hovered = None
        super().show_scene(scene)

    def set_coloring(self, coloring: BoxColoring | None) -> None:
        """Colors the boxes by provider or cost; None restores their own colors."""
        self._coloring = coloring
        self._retheme()

    def hide_change(self, change: Change) -> None:
        """Hides nodes and lines with this change; "" hides none."""
        if change != self._hidden_change:
            self._hidden_change = change
            self._retheme()

    def _retheme(self) -> None:
        self.painter = ScenePainter(self._coloring, self._hidden_change)
        self.update()

    # -- boxes -----------------------------------------------------------------------------------------------

    def select(self, key: BoxKey | None) -> None:
        """Marks a box and its neighbours, and passes its description to screen readers."""
        self.highlights.selected = key
        self.highlights.neighbours = self.scene.neighbours(key) if key is not None and self.scene else (set(), set())
        self.update()
        hit = self.scene.find(key) if self.scene and key is not None else None
        self.spoken.select(*((hit[0].title, self.describe(hit[0])) if hit else ("", "")))

    def highlight_matches(self, keys: set[BoxKey]) -> None:
        self.highlights.matches = keys
        self.update()

    def describe(self, box: GraphBox) -> str:
        """The text of a box for tool tips and screen readers."""
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
        return None if hit is not None and self.painter.hides(hit[0].change) else hit

    # -- Qt's events -----------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for rect in _exposed_parts(event):
            painter.setClipRect(rect)
            painter.fillRect(rect, self.painter.paper)
            if self.scene is None:
                continue
            painter.save()
            painter.translate(self.offset)
            painter.scale(self.scale, self.scale)
            self.painter.draw(painter, self.scene, self.to_plane(QRectF(rect).adjusted(-8, -8, 8, 8)), self.scale)
            painter.restore()
            draw_highlights(self, self.highlights, painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: a selected box that was visible is centered again where it no longer fits."""
        key = self.highlights.selected
        place = self.place_of(key) if key is not None else None
        before = self.to_plane(QRectF(QPointF(), QSizeF(event.oldSize())))
        super().resizeEvent(event)
        if place is not None and place.intersects(before) and not self.visible().contains(place):
            self.center_at(place, self.scale)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt's name: a wheel zooms; a touch pad pans, and zooms with Ctrl."""
        pixels, ctrl = event.pixelDelta(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if not pixels.isNull() and not ctrl:
            self.pan(pixels.x(), pixels.y())
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(event.angleDelta().y() or event.angleDelta().x(), 0)
        else:
            self.zoom(ZOOM_STEP ** (event.angleDelta().y() / 120), event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Qt's name: a pinch zooms, a resting pointer shows a tool tip."""
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
        """Qt's name: begins a click or a drag."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._press = self._grabbed = event.position().toPoint()
            self._dragging = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: drags the picture, or hovers over a box."""
        at = event.position().toPoint()
        if self._press is None:
            hit = self.box_at(at)
            self._set_hovered(hit[0].key if hit else None)
            return
        if not self._dragging and (at - self._press).manhattanLength() > 5:
            self._dragging = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragging:
            step = at - self._grabbed
            self._grabbed = at
            self.pan(step.x(), step.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt's name: a click chooses a box, or follows a port of the chosen box."""
        press, self._press = self._press, None
        self.unsetCursor()
        if press is None or self._dragging:
            return
        at = event.position()
        hit = self.box_at(at.toPoint())
        key, port = hit[0].key if hit else None, None
        if hit is not None and key == self.highlights.selected:
            port = hit[0].port_at(self.to_plane(QRectF(at, at)).y() - hit[2])
        if port is not None and port.node >= 0:
            self.followed.emit(port.node)
        else:
            self.chosen.emit(key)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        hit = self.box_at(event.position().toPoint())
        if hit is not None:
            self.activated.emit(hit[0].key)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._set_hovered(None)

    def _set_hovered(self, key: BoxKey | None) -> None:
        if key == self.highlights.hovered:
            return
        for one in (self.highlights.hovered, key):
            place = self.place_of(one) if one is not None else None
            if place is not None:
                self.update(self.to_screen(place).adjusted(-5, -5, 5, 5).toAlignedRect())
        self.highlights.hovered = key
        self.hovered.emit(key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: zooms, pans, activates the selected box, and reports arrow keys."""
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
            self.key_pressed.emit(key)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.pan(0, self.height() * (1 if key == Qt.Key.Key_PageUp else -1) * 9 // 10)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.highlights.selected is not None:
            self.activated.emit(self.highlights.selected)
        elif key == Qt.Key.Key_Escape and self.highlights.selected is not None:
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


def _exposed_parts(event: QPaintEvent) -> list[QRect]:
    """The exposed rectangles; their bounding box where there are more than four."""
    parts = list(event.region())  # type: ignore[call-overload]
    return parts if len(parts) <= 4 else [event.rect()]

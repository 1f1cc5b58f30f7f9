"""The visible part of a scene: a scale and an offset in the plane of the scene.

Fit and start hold through changes of size until the view is moved.

zoom, fit, centre, pan ──▶ scale and offset ──▶ to_plane, to_screen
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, QRectF, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.graph_scene.boxes import PAD, BoxKey
from app.graph_scene.scene import Scene

MIN_SCALE, MAX_SCALE = 0.004, 3.0
MIN_START_SCALE, START_SCALE = 0.5, 0.7
"""Least scale of a graph that is opened, and the scale of one that is narrow enough for it but taller than the widget.
"""
MARGIN = 32


class Viewport(QWidget):
    """A widget that shows a part of a scene's plane; subclasses draw it. `moved` follows each change of the part."""

    moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene: Scene | None = None
        self.scale = 1.0
        self.offset = QPoint(0, 0)
        self._framing: Callable[[], None] | None = None

    def show_scene(self, scene: Scene | None) -> None:
        """Shows another scene at the same scale and offset."""
        self.scene = scene
        self.update()
        self.moved.emit()

    def bounds(self) -> QRectF:
        if self.scene is None:
            return QRectF(0, 0, 1, 1)
        return QRectF(0, 0, max(self.scene.root.width, 1), max(self.scene.root.height, 1))

    def visible(self) -> QRectF:
        return self.to_plane(QRectF(self.rect()))

    def to_plane(self, rect: QRectF) -> QRectF:
        """A rectangle of the widget in the plane of the scene."""
        s, o = self.scale, self.offset
        return QRectF((rect.x() - o.x()) / s, (rect.y() - o.y()) / s, rect.width() / s, rect.height() / s)

    def to_screen(self, rect: QRectF) -> QRectF:
        """A rectangle of the plane in the widget."""
        s, o = self.scale, self.offset
        return QRectF(rect.x() * s + o.x(), rect.y() * s + o.y(), rect.width() * s, rect.height() * s)

    def place_of(self, key: BoxKey) -> QRectF | None:
        """The rectangle of a box in the plane; None inside a closed scope."""
        hit = self.scene.find(key) if self.scene and self.scene.exists(key) else None
        return QRectF(hit[1], hit[2], hit[0].w, hit[0].h) if hit else None

    def set_view(self, scale: float, offset: QPointF) -> None:
        """Sets the scale, and the offset of the scene's upper left corner."""
        self.scale = min(max(scale, MIN_SCALE), MAX_SCALE)
        self.offset = offset.toPoint()
        self._framing = None
        self.update()
        self.moved.emit()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Multiplies the scale; the point `at` of the widget stays in place."""
        at = at or QPointF(self.rect().center())
        scale = min(max(self.scale * factor, MIN_SCALE), MAX_SCALE)
        ratio = scale / self.scale
        self.set_view(scale, at - (at - QPointF(self.offset)) * ratio)

    def zoom_to(self, scale: float) -> None:
        self.zoom(scale / self.scale)

    def fit(self, rect: QRectF | None = None, most: float = 1.0) -> None:
        """Shows the whole scene, or `rect` of it, as large as the widget allows."""
        rect = rect or self.bounds()
        room = self.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        scale = min(room.width() / rect.width(), room.height() / rect.height(), most)
        scale = min(max(scale, MIN_SCALE), MAX_SCALE)
        self.set_view(scale, QPointF(self.rect().center()) - rect.center() * scale)
        self._framing = self.fit if rect == self.bounds() else None

    def reframe(self) -> bool:
        """Fits or starts again if that set the view; False if it was moved since."""
        if self._framing is None:
            return False
        self._framing()
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: fits again, or else keeps the horizontal center."""
        super().resizeEvent(event)
        if not self.reframe() and event.oldSize().isValid():
            self.offset += QPoint((event.size().width() - event.oldSize().width()) // 2, 0)
        self.moved.emit()

    def start(self) -> None:
        """Shows the whole scene where it is readable, else its beginning."""
        self.fit()
        if self.scale < MIN_START_SCALE:
            bounds = self.bounds()
            room = self.width() - 2 * MARGIN
            scale = max(MIN_START_SCALE, min(START_SCALE, room / bounds.width()))
            wide = bounds.width() * scale > room
            middle = self._first_box_center() if wide else bounds.center().x()
            left = self.width() / 2 - middle * scale
            self.set_view(scale, QPointF(min(left, MARGIN) if wide else left, MARGIN))
        self._framing = self.start

    def _first_box_center(self) -> float:
        """The horizontal center of the first box, inside of all open ones."""
        level, x = self.scene.root if self.scene else None, 0.0
        while level is not None and level.boxes:
            box = level.boxes[0]
            if box.inner is None:
                return x + box.x + box.w / 2
            x, level = x + box.x + PAD, box.inner
        return x

    def center_on(self, key: BoxKey, margin: float = 0.0) -> None:
        """Centers a box, unless it is fully visible at a readable scale. margin: as share of the widget, left free."""
        place = self.place_of(key)
        if place is None:
            return
        scale = max(self.scale, MIN_START_SCALE)
        x, y = self.visible().width() * margin, self.visible().height() * margin
        if self.scale != scale or not self.visible().adjusted(x, y, -x, -y).contains(place):
            self.center_at(place, scale)

    def center_at(self, place: QRectF, scale: float) -> None:
        """Centers a rectangle of the plane, or the upper part of one that is taller than the widget."""
        self.set_view(scale, QPointF(self.rect().center()) - self._focus_point(place, scale) * scale)

    def _focus_point(self, place: QRectF, scale: float) -> QPointF:
        room = self.height() / scale - 2 * MARGIN
        y = place.center().y() if place.height() < room else place.top() + room / 2
        return QPointF(place.center().x(), y)

    def pan(self, dx: int, dy: int) -> None:
        """Moves the scene; copies the part that stays visible, and draws the rest."""
        if dx or dy:
            self.offset += QPoint(dx, dy)
            self._framing = None
            self.scroll(dx, dy)
            self.moved.emit()

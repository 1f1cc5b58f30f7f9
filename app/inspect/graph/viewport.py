"""Which part of a scene is seen, and how large: a scale and an offset over the picture's plane.

zoom, fit, centre, pan ──▶ scale and offset ──▶ to_plane, to_screen
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, Signal
from PySide6.QtWidgets import QWidget

from app.graph_scene.boxes import BoxKey
from app.graph_scene.scene import Scene

MIN_SCALE, MAX_SCALE = 0.004, 3.0
MIN_START_SCALE = 0.5
"""A graph opens no smaller than this: a tall one from its beginning."""
MARGIN = 32


class Viewport(QWidget):
    """A widget on the plane of a scene; what is drawn there is another's."""

    moved = Signal()  # another part is seen

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene: Scene | None = None
        self.scale = 1.0
        self.offset = QPoint(0, 0)

    def show_scene(self, scene: Scene | None) -> None:
        """Shows another scene where the view stands."""
        self.scene = scene
        self.update()
        self.moved.emit()

    def bounds(self) -> QRectF:
        """The whole picture."""
        if self.scene is None:
            return QRectF(0, 0, 1, 1)
        return QRectF(0, 0, max(self.scene.root.width, 1), max(self.scene.root.height, 1))

    def visible(self) -> QRectF:
        """The part of the picture that is seen."""
        return self.to_plane(QRectF(self.rect()))

    def to_plane(self, rect: QRectF) -> QRectF:
        """A part of the widget as a part of the picture."""
        s, o = self.scale, self.offset
        return QRectF((rect.x() - o.x()) / s, (rect.y() - o.y()) / s, rect.width() / s, rect.height() / s)

    def to_screen(self, rect: QRectF) -> QRectF:
        """A part of the picture as a part of the widget."""
        s, o = self.scale, self.offset
        return QRectF(rect.x() * s + o.x(), rect.y() * s + o.y(), rect.width() * s, rect.height() * s)

    def place_of(self, key: BoxKey) -> QRectF | None:
        """Where a box is in the picture; None while it is inside a closed scope."""
        found = self.scene.find(key) if self.scene and self.scene.exists(key) else None
        return QRectF(found[1], found[2], found[0].w, found[0].h) if found else None

    def set_view(self, scale: float, offset: QPointF) -> None:
        """Sees the picture at `scale` with its corner at `offset`."""
        self.scale = min(max(scale, MIN_SCALE), MAX_SCALE)
        self.offset = offset.toPoint()
        self.update()
        self.moved.emit()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Larger or smaller; the point `at` of the widget stays where it is."""
        at = at or QPointF(self.rect().center())
        scale = min(max(self.scale * factor, MIN_SCALE), MAX_SCALE)
        ratio = scale / self.scale
        self.set_view(scale, at - (at - QPointF(self.offset)) * ratio)

    def zoom_to(self, scale: float) -> None:
        """At a scale, around the middle."""
        self.zoom(scale / self.scale)

    def fit(self, rect: QRectF | None = None, most: float = 1.0) -> None:
        """The whole picture, or a part of it, as large as there is room for."""
        rect = rect or self.bounds()
        room = self.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        scale = min(room.width() / rect.width(), room.height() / rect.height(), most)
        scale = min(max(scale, MIN_SCALE), MAX_SCALE)
        self.set_view(scale, QPointF(self.rect().center()) - rect.center() * scale)

    def start(self) -> None:
        """The whole picture where it can be read, else its beginning."""
        self.fit()
        if self.scale < MIN_START_SCALE:
            bounds = self.bounds()
            room = self.width() - 2 * MARGIN
            scale = max(MIN_START_SCALE, min(1.0, room / bounds.width()))
            first = self.scene.root.boxes[0] if self.scene and self.scene.root.boxes else None
            middle = first.x + first.w / 2 if first else bounds.center().x()
            if bounds.width() * scale <= room:
                middle = bounds.center().x()
            self.set_view(scale, QPointF(self.width() / 2 - middle * scale, MARGIN))

    def centre(self, key: BoxKey) -> None:
        """Moves a box into the middle, unless all of it is seen well already."""
        place = self.place_of(key)
        if place is None:
            return
        scale = max(self.scale, MIN_START_SCALE)
        if self.scale == scale and self.visible().contains(place):
            return
        self.set_view(scale, QPointF(self.rect().center()) - self._heart(place) * scale)

    def _heart(self, place: QRectF) -> QPointF:
        """The middle of a box, or the upper part of one that is larger than the window."""
        room = self.height() / max(self.scale, MIN_START_SCALE) - 2 * MARGIN
        y = place.center().y() if place.height() < room else place.top() + room / 2
        return QPointF(place.center().x(), y)

    def pan(self, dx: int, dy: int) -> None:
        """Moves the picture; what stays in sight is copied, and what comes into sight drawn."""
        if dx or dy:
            self.offset += QPoint(dx, dy)
            self.scroll(dx, dy)
            self.moved.emit()

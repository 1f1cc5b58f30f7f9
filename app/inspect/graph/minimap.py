"""The whole picture in a corner, with the part that is seen; drawn once for each layout, moved by dragging."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.inspect.graph.banded_drawing import draw_in_bands
from app.inspect.graph.graph_canvas import GraphCanvas
from app.jobs.time_slices import TimeSlicer
from app.widgets.theme import theme

SIDE, NARROW = 160, 56
"""The longer side at most, and the shorter one at least; in pixels."""


class Minimap(QWidget):
    """A child of the canvas' neighbour, so that panning does not move it."""

    def __init__(self, canvas: GraphCanvas, parent: QWidget) -> None:
        super().__init__(parent)
        self.canvas = canvas
        self._picture: QImage | None = None
        self._slices = TimeSlicer(self)
        self._scale = 1.0
        self.setAccessibleName(self.tr("Overview of the graph"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        canvas.moved.connect(self.update)
        theme().changed.connect(self.renew)

    def renew(self) -> None:
        """The layout or the theme is another."""
        self._picture = None
        self._slices.stop()
        bounds = self.canvas.bounds()
        self._scale = min(SIDE / bounds.width(), SIDE / bounds.height())
        width = max(NARROW, round(bounds.width() * self._scale)) + 8
        height = max(NARROW, round(bounds.height() * self._scale)) + 8
        self.resize(width, height)
        self.update()

    def _corner(self) -> QPointF:
        """Where the picture begins: it stands in the middle."""
        bounds = self.canvas.bounds()
        return QPointF(
            (self.width() - bounds.width() * self._scale) / 2, (self.height() - bounds.height() * self._scale) / 2
        )

    def _render(self) -> None:
        """Begins the picture; a small graph's is done when this returns."""
        ratio = self.devicePixelRatioF()
        picture = self._picture = QImage(self.size() * ratio, QImage.Format.Format_RGB32)
        picture.setDevicePixelRatio(ratio)
        picture.fill(theme().color("surface"))
        canvas, scene = self.canvas, self.canvas.scene
        if scene is not None:
            work = draw_in_bands(picture, canvas.art, scene, canvas.bounds(), self._scale, self._corner())
            self._slices.run(work, lambda _none: self.update(), lambda _error: None)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt's name: the picture, and what is seen of it."""
        if self._picture is None:
            self._render()
        painter = QPainter(self)
        assert self._picture is not None
        painter.drawImage(0, 0, self._picture)
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
        """Qt's name: goes there."""
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: goes along."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())

    def _go(self, at: QPointF) -> None:
        plane = (at - self._corner()) / self._scale
        self.canvas.set_view(self.canvas.scale, QPointF(self.canvas.rect().center()) - plane * self.canvas.scale)

"""The whole graph in a corner with a frame around the visible part; drawn once per layout, and dragged to move."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.inspect.graph.banded_drawing import draw_in_bands
from app.inspect.graph.graph_canvas import GraphCanvas
from app.jobs.time_slices import TimeSlicer
from app.widgets.theme import theme

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
        theme().changed.connect(self.renew)

    def renew(self) -> None:
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
        """Qt's name: draws the graph and the frame."""
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
        """Qt's name: centers the canvas on the point."""
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt's name: follows the pointer."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position())

    def _go(self, at: QPointF) -> None:
        plane = (at - self._corner()) / self._scale
        self.canvas.set_view(self.canvas.scale, QPointF(self.canvas.rect().center()) - plane * self.canvas.scale)

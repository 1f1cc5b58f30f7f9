"""A graphics view that is zoomed by wheel and buttons, and keeps showing the whole scene until it is.

wheel, buttons ──▶ scale;   a resize ──▶ the whole scene again, unless a person has zoomed
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QGraphicsScene, QGraphicsView, QWidget

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

"""Keeps the seen part of a graph in place while scopes open and stages change.

a box, by its name ──remember──▶ ViewAnchor ──another scene──restore──▶ the same box at the same point of the canvas
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF

from app.graph_scene.boxes import BoxKey
from app.inspect.graph.graph_canvas import GraphCanvas
from app.state.graph_model import GraphModel


class ViewAnchor:
    """Remembers one box by name, since its key is another in the next scene, and the canvas point of its corner."""

    def __init__(self, model: GraphModel, canvas: GraphCanvas) -> None:
        self._model, self._canvas = model, canvas
        self._name: tuple[str, str] | None = None
        self._corner = QPointF()

    def remember(self) -> None:
        """Remembers the selected box where it is visible, else the box nearest to the center."""
        canvas, model = self._canvas, self._model
        key = model.selected
        place = canvas.place_of(key) if key is not None else None
        if place is None or not place.intersects(canvas.visible()):
            key = self.center_box()
            place = canvas.place_of(key) if key is not None else None
        self._name = model.name_of(key) if place is not None else None
        if place is not None:
            self._corner = canvas.to_screen(place).topLeft()

    def restore(self) -> None:
        """Moves the remembered box, or the nearest visible scope around it, to its point of the canvas."""
        place = self._place() if self._name is not None else None
        if place is not None:
            self._canvas.set_view(self._canvas.scale, self._corner - place.topLeft() * self._canvas.scale)

    def _place(self) -> QRectF | None:
        scene, outline = self._model.scene, self._model.outline
        if scene is None or outline is None or self._name is None:
            return None
        key = self._model.key_of(self._name)
        if key is None:
            key = outline.nearest(self._name[1]).path
        return self._canvas.place_of(scene.visible_box(key) if isinstance(key, int) else key)

    def center_box(self) -> BoxKey | None:
        """The box nearest to the center of the canvas."""
        scene = self._model.scene
        if scene is None:
            return None
        center = self._canvas.visible().center()
        hit = scene.at(center.x(), center.y())
        if hit is not None:
            return hit[0].key
        near = scene.root.boxes_in(center.y() - 400, center.y() + 400)
        best = min(near, key=lambda b: abs(b.y + b.h / 2 - center.y()) + abs(b.x + b.w / 2 - center.x()), default=None)
        return best.key if best else None

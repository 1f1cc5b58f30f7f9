"""Before and after side by side: two canvases over one scene, that see the same part of it and mark the same boxes.

    GraphView's canvas (after) ◀──moved, selected, pointed at──▶ Pair.before

The places are those of the difference as one picture: what was removed leaves a gap after, what was added one before,
and what was matched stands at the same height in both.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRect

from app.graph_scene.boxes import BoxKey
from app.inspect.graph.graph_canvas import GraphCanvas
from app.widgets import PillLabel
from app.widgets.theme import G


class CanvasPair(QObject):
    """`before` is the other canvas, a sibling of `after`; both are in step while `on`."""

    def __init__(self, after: GraphCanvas) -> None:
        super().__init__(after)
        parent = after.parentWidget()
        self.after, self.before, self.on = after, GraphCanvas(parent), False
        self.before.setAccessibleName(self.tr("Graph before"))
        self.before.hide()
        self._leading = False
        self.words = PillLabel(self.tr("Before"), "removed", parent), PillLabel(self.tr("After"), "added", parent)
        for one, other in ((self.after, self.before), (self.before, self.after)):
            one.moved.connect(lambda one=one, other=other: self._follow(one, other))
            one.hovered.connect(lambda key, other=other: self._point(other, key))
        self._switch(False)

    def _switch(self, on: bool) -> None:
        for word in self.words:
            word.setVisible(on)

    def set_on(self, on: bool) -> None:
        """Shows both, or the one that has all."""
        self.on = on
        self.before.setVisible(on)
        self._switch(on)
        self.before.hide_change("added" if on else "")
        self.after.hide_change("removed" if on else "")
        self.show_scene()

    def show_scene(self) -> None:
        """The scene of the other canvas, its marks with it."""
        if self.on:
            self.before.show_scene(self.after.scene)
            self.before.marks = self.after.marks
            self._follow(self.after, self.before)

    def lay_out(self, rect: QRect) -> None:
        """Both in `rect`, of equal width."""
        half = (rect.width() - G) // 2 if self.on else 0
        self._leading = True
        self.before.setGeometry(rect.adjusted(0, 0, half - rect.width(), 0))
        self.after.setGeometry(rect.adjusted(rect.width() - half, 0, 0, 0) if self.on else rect)
        self._leading = False
        for word, canvas in zip(self.words, (self.before, self.after), strict=True):
            word.adjustSize()
            word.move(canvas.geometry().left() + G, canvas.geometry().bottom() - word.height() - G)
            word.raise_()
        self._follow(self.after, self.before)

    def _follow(self, one: GraphCanvas, other: GraphCanvas) -> None:
        """The other sees what this one sees."""
        if not self.on or self._leading:
            return
        self._leading = True
        other.set_view(one.scale, QPointF(one.offset))
        self._leading = False

    def _point(self, other: GraphCanvas, key: BoxKey | None) -> None:
        if self.on:
            other.marks.over = key
            other.update()

    def update(self) -> None:
        """What is marked is another."""
        if self.on:
            self.before.marks = self.after.marks
            self.before.update()

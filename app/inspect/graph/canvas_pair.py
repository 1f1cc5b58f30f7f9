"""Before and after side by side: two canvases that show the same part of one scene and highlight the same boxes.

    GraphView's canvas (after) ◀──scale, offset, highlights──▶ CanvasPair.before

Both use the layout of the difference: removed nodes leave a gap after, added nodes leave a gap before, and matched
nodes stand at the same height.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QPointF, QRect

from app.graph_scene.boxes import BoxKey
from app.inspect.graph.graph_canvas import GraphCanvas
from app.widgets import PillLabel
from app.widgets.theme import G


class CanvasPair(QObject):
    """`before` is a sibling of `after`; the two are synchronized while `is_shown`."""

    def __init__(self, after: GraphCanvas) -> None:
        super().__init__(after)
        parent = after.parentWidget()
        self.after, self.before, self.is_shown = after, GraphCanvas(parent), False
        self.before.spoken.set_title(self.tr("Graph before"))
        self.before.hide()
        self._synchronizing = False
        self.captions = PillLabel(self.tr("Before"), "removed", parent), PillLabel(self.tr("After"), "added", parent)
        for one, other in ((self.after, self.before), (self.before, self.after)):
            one.moved.connect(lambda one=one, other=other: self._follow(one, other))
            one.hovered.connect(lambda key, other=other: self._hover(other, key))
        self._switch(False)

    def _switch(self, on: bool) -> None:
        for word in self.captions:
            word.setVisible(on)

    def set_shown(self, on: bool) -> None:
        """Shows both canvases, or one with all changes."""
        self.is_shown = on
        with self._synchronized():  # what `before` shows at first is not a move that `after` follows
            self.before.show_scene(self.after.scene if on else None)
            self.before.setVisible(on)
        self._switch(on)
        self.before.hide_change("added" if on else "")
        self.after.hide_change("removed" if on else "")
        self.show_scene()

    def show_scene(self) -> None:
        """Shows the scene and the highlights of `after` in `before`."""
        if self.is_shown:
            with self._synchronized():
                self.before.show_scene(self.after.scene)
            self.update_highlights()
            self._follow(self.after, self.before)

    def lay_out(self, rect: QRect) -> None:
        """Places both canvases in `rect`, with equal widths."""
        half = (rect.width() - G) // 2 if self.is_shown else 0
        with self._synchronized():
            self.before.setGeometry(rect.adjusted(0, 0, half - rect.width(), 0))
            self.after.setGeometry(rect.adjusted(rect.width() - half, 0, 0, 0) if self.is_shown else rect)
        for word, canvas in zip(self.captions, (self.before, self.after), strict=True):
            word.adjustSize()
            word.move(canvas.geometry().left() + G, canvas.geometry().bottom() - word.height() - G)
            word.raise_()
        self._follow(self.after, self.before)

    @contextmanager
    def _synchronized(self) -> Iterator[None]:
        """Neither canvas follows the other meanwhile."""
        self._synchronizing = True
        yield
        self._synchronizing = False

    def _follow(self, one: GraphCanvas, other: GraphCanvas) -> None:
        """Gives the other canvas the scale and offset of this one."""
        if not self.is_shown or self._synchronizing:
            return
        with self._synchronized():
            other.set_view(one.scale, QPointF(one.offset))

    def _hover(self, other: GraphCanvas, key: BoxKey | None) -> None:
        if self.is_shown:
            other.highlights.hovered = key
            other.update()

    def update_highlights(self) -> None:
        if self.is_shown:
            self.before.highlights = self.after.highlights
            self.before.select(self.after.highlights.selected)

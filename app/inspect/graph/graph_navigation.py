"""Commands that move through a graph: from box to box by arrow keys, from change to change, in and out of scopes.

arrow keys, buttons, actions ──▶ GraphNavigation ──▶ selection and open scopes of the model, GraphView.reveal
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt

from app.graph_scene.boxes import BoxKey
from app.inspect.graph.graph_view import GraphView


class GraphNavigation(QObject):
    """Moves through the graph of one view."""

    def __init__(self, view: GraphView) -> None:
        super().__init__(view)
        self._view, self._model, self._canvas = view, view.model, view.canvas
        for canvas in (view.canvas, view.pair.before):
            canvas.key_pressed.connect(self._on_key)

    def step_change(self, by: int) -> None:
        """Reveals the next node that differs in a comparison (1), or the one before (-1)."""
        changes = self._model.changes()
        if not changes:
            return
        key = self._model.selected
        here = key if isinstance(key, int) else -1
        if isinstance(key, str) and self._model.outline is not None:
            here = self._model.outline.scopes[key].first
        after = [n for n in changes if n > here]
        before = [n for n in changes if n < here]
        target = (after[0] if after else changes[0]) if by > 0 else (before[-1] if before else changes[-1])
        self._view.reveal(target)

    def open_all(self) -> None:
        if self._model.outline is not None:
            self._view.anchor.remember()
            self._model.set_opened(set(self._model.outline.scopes))

    def close_all(self) -> None:
        """Restores the scopes that are open at first."""
        if self._model.outline is not None:
            self._view.anchor.remember()
            self._model.set_opened(self._model.outline.overview())

    def show_scope(self, path: str) -> None:
        """Reveals a scope; "" shows the whole graph."""
        if path:
            self._view.reveal(path)
        else:
            self._model.select(None)
            self._canvas.fit()

    # -- arrow keys ------------------------------------------------------------------------------------------

    def _on_key(self, pressed: int) -> None:
        """Up and Down follow the data, Right opens a scope, Left and Backspace close it."""
        if self._model.scene is None:
            return
        key = self._model.selected
        if key is None:
            self._select(self._view.anchor.center_box())
        elif pressed in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            sources, targets = self._canvas.highlights.neighbours
            self._select(self._nearest(sources if pressed == Qt.Key.Key_Up else targets))
        elif pressed == Qt.Key.Key_Right:
            self._open_or_enter(key)
        else:
            self._close_or_leave(key)

    def _nearest(self, keys: set[BoxKey]) -> BoxKey | None:
        """The box of `keys` that is nearest to the selected one."""
        here = self._canvas.place_of(self._model.selected) if self._model.selected is not None else None
        places = [(key, self._canvas.place_of(key)) for key in keys]
        known = [(key, place) for key, place in places if place is not None]
        if here is None or not known:
            return None
        center = here.center()
        return min(known, key=lambda one: (one[1].center() - center).manhattanLength())[0]

    def _select(self, key: BoxKey | None) -> None:
        if key is not None:
            self._model.select(key)
            self._canvas.center_on(key)

    def _open_or_enter(self, key: BoxKey) -> None:
        """Opens a closed scope, or selects the first box of an open one."""
        scene = self._model.scene
        if scene is None or not isinstance(key, str):
            return
        if key not in scene.opened:
            self._view.toggle(key)
            return
        hit = scene.find(key)
        if hit and hit[0].inner and hit[0].inner.boxes:
            self._select(hit[0].inner.boxes[0].key)

    def _close_or_leave(self, key: BoxKey) -> None:
        """Closes an open scope, or selects the scope around a box."""
        scene = self._model.scene
        if scene is None:
            return
        if isinstance(key, str) and key in scene.opened:
            self._view.toggle(key)
            return
        outline = scene.outline
        above = outline.scopes[key].above[-1] if isinstance(key, str) else outline.of[key]
        if above.path:
            self._select(above.path)

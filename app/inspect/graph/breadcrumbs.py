"""Links to the scopes around the selected box."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.graph_scene.boxes import BoxKey, shorten
from app.state.graph_model import GraphModel
from app.widgets import button, label
from app.widgets.plain_text import set_tool_tip


class ScopeBreadcrumbs(QWidget):
    """graph › model › layers.3 › self_attn; `chosen` carries the path of a clicked scope, "" for the whole graph."""

    chosen = Signal(str)

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        model.selectionChanged.connect(self._fill)
        model.sceneChanged.connect(lambda _new: self._fill(model.selected))
        self._fill(None)

    @property
    def paths(self) -> list[str]:
        """The paths of the links, the whole graph first."""
        key, outline = self.model.selected, self.model.outline
        if outline is None:
            return []
        if key is None:
            return [""]
        scope = outline.scopes[key] if isinstance(key, str) else outline.of[key]
        return [one.path for one in scope.line]

    def _fill(self, _key: BoxKey | None) -> None:
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._links: list[tuple[QWidget, ...]] = []
        for place, path in enumerate(self.paths):
            name = path.rpartition("/")[2] or (self.tr("(unnamed)") if path else self.tr("Graph"))
            link = button(shorten(name, 18), role="link", clicked=partial(self.chosen.emit, path))
            set_tool_tip(link, path or self.tr("The whole graph"))
            link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            parts = (label("›", "muted", selectable=False), link) if place else (link,)
            for part in parts:
                self._row.addWidget(part)
            self._links.append(parts)
        self._row.addStretch(1)
        self._fit()

    def _fit(self) -> None:
        """Hides scopes after the first where the width is too small; the last one always stays."""
        widths = [sum(part.sizeHint().width() for part in parts) for parts in self._links]
        out = 0
        while sum(widths) - sum(widths[1 : 1 + out]) > self.width() and out < len(widths) - 2:
            out += 1
        for place, parts in enumerate(self._links):
            for part in parts:
                part.setVisible(not 1 <= place <= out)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt's name: hides or shows links to match the width."""
        super().resizeEvent(event)
        self._fit()

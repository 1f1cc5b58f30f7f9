"""Netron in the place of the picture: what it draws, and the way back.

a key or a button ──▶ NetronSwitch ──ask(scope)──▶ NetronPanel ──shown──▶ the stack;  refused ──▶ banner
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QToolButton, QWidget

from app.inspect.netron.netron_panel import NetronPanel
from app.state.graph_model import GraphModel
from app.widgets import Banner


class NetronSwitch(QObject):
    """`changed` follows when the picture or Netron has come to the front of `stack`."""

    changed = Signal()

    def __init__(
        self, model: GraphModel, picture: QWidget, tool: QToolButton, banner: Banner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._picture, self._tool, self._banner = model, picture, tool, banner
        self.panel = NetronPanel(model)
        self.stack = QStackedWidget()
        self.stack.addWidget(picture)
        self.stack.addWidget(self.panel)
        tool.clicked.connect(self.switch)
        self.panel.shown.connect(lambda: self._front(self.panel))
        self.panel.refused.connect(self._on_refused)
        self.panel.left.connect(self.leave)

    @property
    def drawn(self) -> bool:
        """Whether Netron is in the place of the picture."""
        return self.stack.currentWidget() is self.panel

    def switch(self, on: bool) -> None:
        """Netron draws what is chosen, or the picture is back."""
        if on:
            key, outline = self._model.selected, self._model.outline
            path = key if isinstance(key, str) else ""
            if isinstance(key, int) and outline is not None:
                path = outline.of[key].path
            self.show(path)
        else:
            self.leave()

    def show(self, scope: str) -> None:
        """Netron draws a scope, or the whole graph where `scope` is empty; the picture stays until it can."""
        self._banner.clear()
        self._tool.setChecked(True)
        self.panel.ask(scope)

    def leave(self) -> None:
        """Back to the picture."""
        self.panel.clear()
        self._tool.setChecked(False)
        self._front(self._picture)

    def _front(self, widget: QWidget) -> None:
        self.stack.setCurrentWidget(widget)
        self.changed.emit()

    def _on_refused(self, sentence: str) -> None:
        self.leave()
        self._banner.show_message("info", sentence)

"""Shows Netron in place of the graph, and the graph again.

a key or a button ──▶ NetronSwitch ──request(scope)──▶ NetronPanel ──shown──▶ the stack;  failed ──▶ banner
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QToolButton, QWidget

from app.inspect.netron.netron_panel import NetronPanel
from app.state.graph_model import GraphModel
from app.widgets import Banner


class NetronSwitch(QObject):
    """Switches `stack` between the graph and Netron; `changed` follows each switch."""

    changed = Signal()

    def __init__(
        self, model: GraphModel, graph: QWidget, tool: QToolButton, banner: Banner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._graph, self._tool, self._banner = model, graph, tool, banner
        self.panel = NetronPanel(model)
        self.stack = QStackedWidget()
        self.stack.addWidget(graph)
        self.stack.addWidget(self.panel)
        tool.clicked.connect(self.set_shown)
        self.panel.shown.connect(lambda: self._show(self.panel))
        self.panel.failed.connect(self._on_failed)
        self.panel.closed.connect(self.close)

    @property
    def is_shown(self) -> bool:
        """Whether Netron is shown."""
        return self.stack.currentWidget() is self.panel

    def set_shown(self, on: bool) -> None:
        """Shows the selected scope in Netron, or the graph."""
        if on:
            key, outline = self._model.selected, self._model.outline
            path = key if isinstance(key, str) else ""
            if isinstance(key, int) and outline is not None:
                path = outline.of[key].path
            self.show(path)
        else:
            self.close()

    def show(self, scope: str) -> None:
        """Shows a scope in Netron, or the whole graph where `scope` is empty; the graph stays until Netron is ready."""
        self._banner.clear()
        self._tool.setChecked(True)
        self.panel.request(scope)

    def close(self) -> None:
        """Shows the graph."""
        self.panel.clear()
        self._tool.setChecked(False)
        self._show(self._graph)

    def _show(self, widget: QWidget) -> None:
        self.stack.setCurrentWidget(widget)
        self.changed.emit()

    def _on_failed(self, sentence: str) -> None:
        self.close()
        self._banner.show_message("info", sentence)

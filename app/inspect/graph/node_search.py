"""The search for nodes by name, operator, scope or output; Enter goes from match to match."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.state.graph_model import GraphModel
from app.text.formatting import format_number
from app.widgets import label
from app.widgets.actions import tool_button
from app.widgets.fields import line_edit
from app.widgets.layouts import hbox
from app.widgets.theme import G

WAIT_MS = 120
"""Delay after the last key, before the search of a big graph."""


class NodeSearch(QWidget):
    """Finds nodes; `revealRequested` carries one match, `matchesChanged` all, `closed` follows Escape."""

    revealRequested = Signal(int)  # noqa: N815
    matchesChanged = Signal(list)  # noqa: N815
    closed = Signal()

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.matches: list[int] = []
        self.index = -1
        hint = self.tr("Find (Ctrl+F)")
        self.field = line_edit(self.tr("Find nodes by name, operator or scope"), hint, clear=True)
        self.field.setMinimumWidth(14 * G)
        self.field.setMaximumWidth(30 * G)
        self.field.installEventFilter(self)
        self.count = label("", "muted")
        self.previous_button = tool_button("chevron-up", self.tr("Previous match (N)"), "muted", partial(self.step, -1))
        self.next_button = tool_button("chevron-down", self.tr("Next match (n)"), "muted", partial(self.step, 1))
        hbox(self.field, self.count, self.previous_button, self.next_button, parent=self, spacing=G // 2)
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._timer.timeout.connect(self.search)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        model.sceneChanged.connect(lambda another: self._search_again() if another else None)
        self._refresh()

    def focus_field(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def search(self) -> None:
        """Searches for the typed text, and reveals the first match."""
        self._timer.stop()
        self.matches = self.model.search(self.field.text())
        self.index = -1
        self.matchesChanged.emit(self.matches)
        if self.matches:
            self.step(1)
        self._refresh()

    def _search_again(self) -> None:
        """Searches another graph for the same text, without revealing a match."""
        self.matches = self.model.search(self.field.text())
        self.index = -1
        self.matchesChanged.emit(self.matches)
        self._refresh()

    def step(self, by: int) -> None:
        """Reveals the next match (1), or the one before (-1)."""
        if self._timer.isActive():
            self.search()
        elif self.matches:
            self.index = (
                (self.index + by) % len(self.matches) if self.index >= 0 else (0 if by > 0 else len(self.matches) - 1)
            )
            self.revealRequested.emit(self.matches[self.index])
            self._refresh()

    def _refresh(self) -> None:
        text = ""
        if self.field.text().strip():
            total = format_number(len(self.matches))
            text = f"{self.index + 1} / {total}" if self.index >= 0 else total if self.matches else self.tr("none")
        self.count.setText(text)
        self.count.setVisible(bool(text))
        for part in (self.previous_button, self.next_button):
            part.setVisible(bool(self.matches))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name: Enter goes to the next match, Shift+Enter to the one before, Escape to the graph."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
        return super().eventFilter(watched, event)

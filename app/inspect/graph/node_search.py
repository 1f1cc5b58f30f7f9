"""The search field: looks in names, operators, scopes and outputs; Enter goes from one to the next."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.inspect.graph.stage_bar import tool_button
from app.state.graph_model import GraphModel
from app.text.formatting import format_number
from app.widgets import label
from app.widgets.theme import G

WAIT_MS = 120
"""After the last key, before a big graph is looked through."""


class NodeSearch(QWidget):
    """Finds nodes; `went` is the node to show, `found` all of them, `left` that the graph is to be looked at again."""

    went = Signal(int)
    found = Signal(list)
    left = Signal()

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.hits: list[int] = []
        self.place = -1
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Find (Ctrl+F)"))
        self.field.setAccessibleName(self.tr("Find nodes by name, operator or scope"))
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(14 * G)
        self.field.setMaximumWidth(30 * G)
        self.field.installEventFilter(self)
        self.count = label("", "muted")
        self.back = tool_button("chevron-up", self.tr("Previous match (N)"))
        self.on = tool_button("chevron-down", self.tr("Next match (n)"))
        self.back.clicked.connect(lambda: self.step(-1))
        self.on.clicked.connect(lambda: self.step(1))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(G // 2)
        for part in (self.field, self.count, self.back, self.on):
            row.addWidget(part)
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._timer.timeout.connect(self.look)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        model.sceneChanged.connect(lambda another: self._again() if another else None)
        self._refresh()

    def look(self) -> None:
        """Looks for what is typed, and shows the first that is found."""
        self._timer.stop()
        self.hits = self.model.search(self.field.text())
        self.place = -1
        self.found.emit(self.hits)
        if self.hits:
            self.step(1)
        self._refresh()

    def _again(self) -> None:
        """The graph is another: the same words, without moving."""
        self.hits = self.model.search(self.field.text())
        self.place = -1
        self.found.emit(self.hits)
        self._refresh()

    def step(self, by: int) -> None:
        """Shows the next match, or the one before."""
        if self._timer.isActive():
            self.look()
        elif self.hits:
            self.place = (
                (self.place + by) % len(self.hits) if self.place >= 0 else (0 if by > 0 else len(self.hits) - 1)
            )
            self.went.emit(self.hits[self.place])
            self._refresh()

    def _refresh(self) -> None:
        text = ""
        if self.field.text().strip():
            total = format_number(len(self.hits))
            text = f"{self.place + 1} / {total}" if self.place >= 0 else total if self.hits else self.tr("none")
        self.count.setText(text)
        self.count.setVisible(bool(text))
        for part in (self.back, self.on):
            part.setVisible(bool(self.hits))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name: Enter goes on, Shift+Enter back, Escape to the graph."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.left.emit()
                return True
        return super().eventFilter(watched, event)

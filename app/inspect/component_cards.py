"""The components of a bundle as cards, one of them chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.text.formatting import format_bytes, pluralize
from app.widgets import CardFrame, PillLabel, label, set_role
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G
from workflows.wire.reports.inspection import ComponentReport


class ComponentCard(CardFrame):
    """The card of a component: name, role, file, nodes, bytes; `chosen` follows a click or Enter."""

    chosen = Signal()

    def __init__(self, component: ComponentReport, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.component = component
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"{component.name}, {component.role}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.body.setContentsMargins(G + 4, G, G + 4, G)
        self.body.setSpacing(2)
        head = hbox(label(component.name, "heading", selectable=False), STRETCH, spacing=None)
        if component.role and component.role != component.name:  # no duplicate
            head.addWidget(
                PillLabel(component.role, "prefill" if component.role in ("prefill", "encoder") else "decode")
            )
        self.body.addLayout(head)
        file = label(component.file, "muted", selectable=False)
        set_tool_tip(file, component.file)
        file.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.body.addWidget(file)
        nodes = pluralize(component.nodes, self.tr("1 node"), self.tr("{0} nodes"))
        self.body.addWidget(label(f"{nodes} · {format_bytes(component.bytes)}", "muted", selectable=False))

    def set_chosen(self, on: bool) -> None:
        set_role(self, "true" if on else "false", "chosen")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.chosen.emit()
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: Enter and Space choose, arrows focus the next card."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit()
        elif event.key() == Qt.Key.Key_Down:
            self.focusNextChild()
        elif event.key() == Qt.Key.Key_Up:
            self.focusPreviousChild()
        else:
            super().keyPressEvent(event)


class ComponentList(QWidget):
    """The cards of all components; `chosen` carries the index of one."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: list[ComponentCard] = []
        self._column = vbox(STRETCH, parent=self, margins=(0, 0, G, 0))

    def fill(self, components: tuple[ComponentReport, ...]) -> None:
        for card in self.cards:
            self._column.removeWidget(card)
            card.deleteLater()
        self.cards = [ComponentCard(c) for c in components]
        for place, card in enumerate(self.cards):
            card.chosen.connect(lambda place=place: self.chosen.emit(place))
            self._column.insertWidget(place, card)

    def mark(self, index: int) -> None:
        """Marks one card as chosen; none for -1."""
        for place, card in enumerate(self.cards):
            card.set_chosen(place == index)

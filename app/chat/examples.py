"""What an empty chat shows: an invitation, and questions to begin with."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.chat.intents import Send
from app.widgets import button, label
from app.widgets.theme import G


class Examples(QWidget):
    """`wanted` sends the question that was pressed."""

    wanted = Signal(object)  # Send

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setSpacing(G)
        column.addStretch(1)
        self.invitation = label(self.tr("Ask the model something"), "heading", selectable=False)
        column.addWidget(self.invitation, 0, Qt.AlignmentFlag.AlignHCenter)
        self.hint = label("", "muted", selectable=False)
        column.addWidget(self.hint, 0, Qt.AlignmentFlag.AlignHCenter)
        self.buttons: list[QPushButton] = []
        for text in (
            self.tr("What is 8 times 7?"),
            self.tr("What is the capital of France?"),
            self.tr("What is the opposite of hot?"),
        ):
            one = button(text, clicked=partial(self.wanted.emit, Send(text)))
            one.setMinimumWidth(36 * G)
            self.buttons.append(one)
            column.addWidget(one, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def invite(self, completes: bool, opening: bool) -> None:
        """Asks for a question, or for the beginning of a text where the model `completes`."""
        wanted = self.tr("Begin a text and the model completes it") if completes else self.tr("Ask the model something")
        self.invitation.setText(self.tr("Opening the bundle …") if opening else wanted)
        self.hint.setText("" if completes else self.tr("or begin with one of these:"))
        for one in self.buttons:
            one.setVisible(not completes)

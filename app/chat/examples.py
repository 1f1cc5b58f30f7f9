"""The content of an empty chat: an invitation, and example prompts."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.chat.intents import Send
from app.widgets import button, label
from app.widgets.layouts import STRETCH, vbox
from app.widgets.theme import G

DEMO_PROMPTS = {
    "t5-demo": ("translate English to French: Where is his heavy chair?",),
    "mu-demo": ("Starte den dunklen Modus", "perdona, me duelen los oídos."),
}
"""Example prompts for two demos, in the languages they were trained on; not translated."""


class ExamplePrompts(QWidget):
    """`requested` sends the clicked prompt."""

    requested = Signal(object)  # Send

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.invitation = label(self.tr("Ask the model something"), "heading", selectable=False)
        self.hint = label("", "muted", selectable=False)
        self.buttons: list[QPushButton] = []
        self._texts: tuple[str, ...] = ()
        self._rows = vbox()
        middle = Qt.AlignmentFlag.AlignHCenter
        parts = (self.invitation, 0, middle), (self.hint, 0, middle), self._rows
        vbox(STRETCH, *parts, STRETCH, margins=None, parent=self)

    def _offer(self, texts: tuple[str, ...]) -> None:
        if texts == self._texts:
            return
        self._texts = texts
        for old in self.buttons:
            self._rows.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.buttons = [button(text, clicked=partial(self.requested.emit, Send(text))) for text in texts]
        for one in self.buttons:
            one.setMinimumWidth(36 * G)
            self._rows.addWidget(one, 0, Qt.AlignmentFlag.AlignHCenter)

    def _examples_for(self, name: str) -> tuple[str, ...]:
        """The prompts that a demo was trained for, else prompts for any model that answers."""
        if name.startswith(("qwen3-demo", "qwen3_5-demo")):
            return (
                self.tr("What is 8 times 7?"),
                self.tr("What is the capital of France?"),
                self.tr("What is the opposite of hot?"),
            )
        for demo, texts in DEMO_PROMPTS.items():
            if name.startswith(demo):
                return texts
        return (
            self.tr("Explain in two sentences what a neural network is."),
            self.tr("Write a short poem about a carpenter."),
            self.tr("What can you help me with?"),
        )

    def invite_recording(self) -> None:
        """Invites to have a recording transcribed."""
        self._offer(())
        self.invitation.setText(self.tr("Transcribe a recording"))
        self.hint.setText("")

    def show_invitation(self, name: str, completes: bool, opening: bool) -> None:
        """Invites to ask a question, or to begin a text if the model `completes`. name: the bundle's."""
        self._offer(() if completes else self._examples_for(name))
        invitation = (
            self.tr("Begin a text and the model completes it") if completes else self.tr("Ask the model something")
        )
        self.invitation.setText(self.tr("Opening the bundle …") if opening else invitation)
        self.hint.setText(self.tr("or begin with an example:") if self.buttons else "")

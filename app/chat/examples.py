"""The content of an empty chat: an invitation, and example prompts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QPushButton, QWidget

import resources
from app.chat.intents import Send
from app.widgets.basics import ElidedButton, button, label
from app.widgets.layouts import STRETCH, clear_layout, hbox, vbox
from app.widgets.theme import G
from app.widgets.thumbnail import Thumbnail

DEMO_PROMPTS = {
    "t5-demo": ("translate English to French: Where is his heavy chair?",),
    "mu-demo": ("Starte den dunklen Modus", "perdona, me duelen los oídos."),
}
"""Example prompts for two demos, in the languages they were trained on; not translated."""

_DEMOS = Path(resources.__file__).parent / "demos"


def shipped_files(folder: str, suffix: str) -> list[Path]:
    """The files of a folder of the demos, in the order of their names."""
    return sorted((_DEMOS / folder).glob(f"*{suffix}"))


def picture_questions() -> list[tuple[Path, str]]:
    """The shipped pictures, each with its question, in the language that the demo was trained in."""
    folder = _DEMOS / "vision-pictures"
    rows = json.loads((folder / "pictures.json").read_text("utf-8"))
    return [(folder / row["file"], row["question"]) for row in rows]


class PictureCard(QWidget):
    """A shipped picture beside its question; a click on either asks it."""

    def __init__(self, path: Path, question: str) -> None:
        super().__init__()
        self.ask = button(question)
        self.ask.setAccessibleName(f"{question} · {path.stem}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        hbox(Thumbnail(str(path), 5 * G), (self.ask, 1), parent=self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The picture is pressed (Qt's name)."""
        super().mouseReleaseEvent(event)
        if self.rect().contains(event.position().toPoint()):
            self.ask.click()


class ExamplePrompts(QWidget):
    """`requested` sends the clicked prompt."""

    requested = Signal(object)  # Send
    clipChosen = Signal(str)  # noqa: N815  the path of a shipped recording

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.invitation = label(self.tr("Ask the model something"), "heading", selectable=False)
        self.hint = label("", "muted", selectable=False)
        self.buttons: list[QPushButton] = []
        self._texts: tuple[str, ...] = ()
        self._rows = vbox()
        self.pictures = QWidget()
        self._picture_rows = vbox(parent=self.pictures, spacing=G // 2)
        self.pictures.hide()
        middle = Qt.AlignmentFlag.AlignHCenter
        parts = (self.invitation, 0, middle), (self.hint, 0, middle), self._rows, (self.pictures, 0, middle)
        vbox(STRETCH, *parts, STRETCH, margins=None, parent=self)

    def _offer(self, texts: tuple[str, ...], act: Callable[[str], object] | None = None) -> None:
        """Offers texts as buttons. act: receives the clicked one; else it is sent."""
        if texts == self._texts:
            return
        self._texts = texts
        for old in self.buttons:
            self._rows.removeWidget(old)
            old.hide()
            old.deleteLater()
        send = act or (lambda text: self.requested.emit(Send(text)))
        self.buttons = [ElidedButton(text) for text in texts]
        for one, text in zip(self.buttons, texts, strict=True):
            one.clicked.connect(lambda _checked=False, text=text: send(text))
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
        """Invites to have a recording transcribed, of which some are shipped."""
        self.pictures.hide()
        clips = shipped_files("whisper-clips", ".wav")
        self._offer(tuple(path.name for path in clips), partial(self._choose, clips))
        self.invitation.setText(self.tr("Transcribe a recording"))
        self.hint.setText(self.tr("or begin with an example:") if clips else "")

    def invite_pictures(self) -> None:
        """Offers the shipped pictures, each with the question that was drawn for it."""
        self._offer(())
        if self.pictures.isHidden():
            clear_layout(self._picture_rows)
            for path, question in picture_questions():
                card, sent = PictureCard(path, question), Send(question, (str(path),))
                card.ask.clicked.connect(lambda _checked=False, sent=sent: self.requested.emit(sent))
                self._picture_rows.addWidget(card)
            self.pictures.show()
        self.hint.setText(self.tr("or begin with a picture and its question:"))

    def _choose(self, clips: Sequence[Path], text: str) -> None:
        self.clipChosen.emit(next(str(path) for path in clips if path.name == text))

    def show_invitation(self, name: str, completes: bool, opening: bool) -> None:
        """Invites to ask a question, or to begin a text if the model `completes`. name: the bundle's."""
        self.pictures.hide()
        self._offer(() if completes else self._examples_for(name))
        invitation = (
            self.tr("Begin a text and the model completes it") if completes else self.tr("Ask the model something")
        )
        self.invitation.setText(self.tr("Opening the bundle …") if opening else invitation)
        self.hint.setText(self.tr("or begin with an example:") if self.buttons else "")

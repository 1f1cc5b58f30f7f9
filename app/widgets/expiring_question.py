"""A modal question about something that may end behind it: it goes when what it is about is no longer so.

offer(text, role, act) ──clicked──▶ act, where the subject is still what it was when it was asked
follow(signals …) ──▶ another subject: the question closes by itself, and says `outdated`
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget


class ExpiringQuestion(QMessageBox):
    """subject: what the question is about, as it is now; whoever asks compares nothing else."""

    outdated = Signal()

    def __init__(self, title: str, text: str, more: str, subject: Callable[[], object], parent: QWidget) -> None:
        super().__init__(QMessageBox.Icon.Question, title, "", parent=parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        self.setInformativeText(more)
        self._subject, self._then = subject, subject()
        self._soon = QTimer(self, interval=0, singleShot=True)  # several signals tell of one end
        self._soon.timeout.connect(self._check)

    def offer(self, text: str, role: QMessageBox.ButtonRole, act: Callable[[], object]) -> QPushButton:
        """An answer, which does nothing where the question is no longer about what it was."""
        button = self.addButton(text, role)
        button.clicked.connect(lambda _checked=False: act() if self.holds else None)
        return button

    def refuse(self, text: str) -> None:
        """The answer that changes nothing: of Escape, and of Enter."""
        button = self.addButton(text, QMessageBox.ButtonRole.RejectRole)
        self.setEscapeButton(button)
        self.setDefaultButton(button)

    def follow(self, *signals: SignalInstance) -> None:
        """Look again after each of them."""
        for signal in signals:
            signal.connect(self._soon.start)

    @property
    def holds(self) -> bool:
        """Whether it is still about what it was asked about."""
        return self._subject() == self._then

    def _check(self) -> None:
        if self.isVisible() and not self.holds:
            self.reject()
            self.outdated.emit()

"""A modal question that closes itself when its subject changes.

add_answer(text, role, act) ──clicked──▶ act, if the subject is still the same
check_after(signals …) ──▶ another subject: the question closes and emits `outdated`
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget


class ExpiringQuestion(QMessageBox):
    """subject: returns what the question is about; the answer counts only while its value is the same."""

    outdated = Signal()

    def __init__(self, title: str, text: str, more: str, subject: Callable[[], object], parent: QWidget) -> None:
        super().__init__(QMessageBox.Icon.Question, title, "", parent=parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        self.setInformativeText(more)
        self._subject, self._then = subject, subject()
        self._soon = QTimer(self, interval=0, singleShot=True)  # merges several signals of one change
        self._soon.timeout.connect(self._check)

    def add_answer(self, text: str, role: QMessageBox.ButtonRole, act: Callable[[], object]) -> QPushButton:
        """Add an answer; it does nothing if the subject has changed."""
        button = self.addButton(text, role)
        button.clicked.connect(lambda _checked=False: act() if self.is_valid else None)
        return button

    def add_refusal(self, text: str) -> None:
        """Add the answer that changes nothing: the default, and that of Escape."""
        button = self.addButton(text, QMessageBox.ButtonRole.RejectRole)
        self.setEscapeButton(button)
        self.setDefaultButton(button)

    def check_after(self, *signals: SignalInstance) -> None:
        """Compare the subject after each of these signals."""
        for signal in signals:
            signal.connect(self._soon.start)

    @property
    def is_valid(self) -> bool:
        """Whether the subject is still the same."""
        return self._subject() == self._then

    def _check(self) -> None:
        if self.isVisible() and not self.is_valid:
            self.reject()
            self.outdated.emit()

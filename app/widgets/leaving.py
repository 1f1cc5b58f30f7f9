"""Closing while something runs: a question that must be answered, and that blocks nothing.

closeEvent ──may_close?──▶ yes
                      └──▶ no, and a question: later │ end it ──▶ close again;  wait ──▶ nothing
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.state.context import AppContext

UNASKED = {"open", "generate"}
"""What is lost with the window and missed by nobody: a transcript keeps what was said so far."""


class Leaving(QObject):
    """One for a window."""

    def __init__(self, context: AppContext, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._window = context, window
        self._sure = False
        self.question: QMessageBox | None = None

    @property
    def kinds(self) -> list[str]:
        """The jobs that closing would end."""
        return [one.kind for one in self._context.activities.running if one.kind not in UNASKED]

    def may_close(self) -> bool:
        """Whether nothing runs that would be missed; else a person is asked, and the window closes with the answer."""
        if self._sure or not self.kinds:
            return True
        if self.question is None:
            self.question = self._ask()
            self.question.finished.connect(self._forget)
            self.question.open()
        return False

    def _ask(self) -> QMessageBox:
        box = QMessageBox(QMessageBox.Icon.Question, self.tr("Close Joinery?"), "", parent=self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        build = self._context.build
        if build.running and build.request is not None:
            box.setText(self.tr("A build is running."))
            box.setInformativeText(self.tr("What is finished of it can be kept, and Home will offer to go on with it."))
            self._offer(box, self.tr("Keep it for later"), QMessageBox.ButtonRole.AcceptRole, self._close)
            self._offer(box, self.tr("End it"), QMessageBox.ButtonRole.DestructiveRole, self._end_build)
        else:
            box.setText(self.tr("Something is still running, and closing ends it."))
            box.setInformativeText(self.tr("The line at the bottom of the window says what it is."))
            self._offer(box, self.tr("Close"), QMessageBox.ButtonRole.DestructiveRole, self._close)
        wait = box.addButton(self.tr("Wait"), QMessageBox.ButtonRole.RejectRole)
        box.setEscapeButton(wait)
        box.setDefaultButton(wait)
        return box

    def _offer(self, box: QMessageBox, text: str, role: QMessageBox.ButtonRole, act: Callable[[], None]) -> None:
        box.addButton(text, role).clicked.connect(lambda _checked=False: act())

    def _close(self) -> None:
        self._sure = True
        self._window.close()

    def _end_build(self) -> None:
        request = self._context.build.request
        self._close()
        if request is not None:
            self._context.unfinished.discard(request.out)

    def _forget(self) -> None:
        if self.question is not None:
            self.question.deleteLater()
            self.question = None

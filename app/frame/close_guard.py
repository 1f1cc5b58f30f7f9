"""Closing the window while work is running: a confirmation that does not block the work and expires with it.

closeEvent ──may_close?──▶ yes
                      └──▶ no, and a question: later │ end it ──▶ close again;  wait ──▶ nothing
                              ▲── the work ended: the question closes; other work runs: a new question
"""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox, QWidget

from app.state.context import AppContext
from app.text.formatting import pluralize
from app.widgets.expiring_question import ExpiringQuestion

UNGUARDED = {"open", "generate", "add_machine", "check_machine"}
"""Jobs that may end with the window without a question: the transcript keeps the text so far, and a check changes
nothing."""


class CloseGuard(QObject):
    """The close guard of a window."""

    def __init__(self, context: AppContext, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._window = context, window
        self._sure = False
        self.question: ExpiringQuestion | None = None

    @property
    def kinds(self) -> list[str]:
        """The jobs that closing would end."""
        return [one.kind for one in self._context.activities.running if one.kind not in UNGUARDED]

    def may_close(self) -> bool:
        """Whether no such job and no server runs; otherwise ask, and close the window after the answer."""
        if self._sure or self._subject() is None:
            return True
        if self.question is None:
            self.question = self._new_question()
            self.question.finished.connect(self._forget)
            self.question.outdated.connect(self.may_close)
            self.question.open()
        return False

    def _subject(self) -> object:
        """What closing would end: this build, other work, or nothing."""
        build = self._context.build
        if build.running:
            return "build", build.began
        if self.kinds:
            return "work"
        return "server" if self._context.server.on else None

    def _new_question(self) -> ExpiringQuestion:
        build = self._context.build
        box = ExpiringQuestion(self.tr("Close the window?"), *self._texts(), self._subject, self._window)
        roles = QMessageBox.ButtonRole
        if build.running and build.request is not None:
            out = build.request.out
            box.add_answer(self.tr("Keep it for later"), roles.AcceptRole, self._close)
            box.add_answer(self.tr("End it"), roles.DestructiveRole, lambda: self._end_build(out))
        else:
            box.add_answer(self.tr("Close"), roles.DestructiveRole, self._close)
        box.add_refusal(self.tr("Wait"))
        box.check_after(self._context.activities.changed, build.changed, build.finished, self._context.server.changed)
        return box

    def _texts(self) -> tuple[str, str]:
        """What closing would end, and what comes of it."""
        if self._context.build.running:
            return (
                self.tr("A build is running."),
                self.tr("Finished stages can be saved; the Home page then offers to resume the build."),
            )
        if self.kinds:
            return (
                self.tr("Work is still running; closing the window stops it."),
                self.tr("The status line at the bottom of the window lists it."),
            )
        count = self._context.server.busy
        running = pluralize(count, self.tr("One request runs."), self.tr("{0} requests run."))
        return (
            self.tr("The server is running; closing the window stops it."),
            running if count else self.tr("No request runs."),
        )

    def _close(self) -> None:
        self._sure = True
        self._window.close()

    def _end_build(self, out: str) -> None:
        self._close()
        self._context.unfinished.discard(out)

    def _forget(self) -> None:
        if self.question is not None:
            self.question.deleteLater()
            self.question = None

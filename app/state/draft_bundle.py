"""The bundle that drafts for the one that is open: asked for when it opens, and when another is wanted.

want(folder, bundle) ──▶ UseDraft ──▶ taken: `current` is that one      refused: one sentence, all is as it was
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.jobs.worker_client import WorkerClient
from app.state.bundle_session import BundleSession
from workflows.wire.events import ErrorEvent
from workflows.wire.requests import UseDraft

SESSION_FAILURES = ("cancelled", "crashed", "stopped")
"""Failures that say nothing of the draft: the session tells of them."""


class DraftBundle(QObject):
    """Follows one session. The worker answers in order, so that what is asked before a prompt holds for its reply."""

    taken = Signal(str)  # the folder; empty for none
    refused = Signal(str, str)  # the folder, and why

    def __init__(self, worker: WorkerClient, session: BundleSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker, self._session = worker, session
        self._wanted = self._bundle = ""
        self.current = self._asked = ""
        self._opening = 0  # how often a bundle was opened: what was asked of the one before counts no longer
        session.opened.connect(lambda _ready: self._on_opened())

    @property
    def asking(self) -> bool:
        """Whether a worker's word is still to come."""
        return self._asked != self.current

    def want(self, folder: str, bundle: str) -> None:
        """`folder` is to draft for `bundle`, none for ""; it is asked for once that bundle is open."""
        self._wanted, self._bundle = folder, bundle
        if self._session.ready_for(bundle) is not None:
            self._ask()

    def _on_opened(self) -> None:
        self._opening += 1
        self.current = self._asked = ""
        self._ask()

    def _ask(self) -> None:
        folder, opening = self._wanted, self._opening
        if folder == self._asked or self._session.bundle != self._bundle:
            return
        self._asked = folder
        job = self._worker.request(UseDraft(folder or None))
        job.on_answer(lambda _done: self._on_taken(folder, opening))
        job.on_error(lambda error: self._on_error(folder, opening, error))

    def _on_taken(self, folder: str, opening: int) -> None:
        if opening == self._opening:
            self.current = folder
            if folder == self._asked:
                self.taken.emit(folder)

    def _on_error(self, folder: str, opening: int, error: ErrorEvent) -> None:
        if opening == self._opening and folder == self._asked:
            self._asked = self.current
            if error.kind not in SESSION_FAILURES:
                self._wanted = self.current
                self.refused.emit(folder, error.message)

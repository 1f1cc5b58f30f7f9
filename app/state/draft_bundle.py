"""The bundle that drafts tokens for the open bundle: requested when that opens, and when another one is chosen.

request(folder, bundle) ──▶ UseDraft ──▶ accepted: `current` is that folder      refused: a sentence, nothing changes
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.jobs.worker_client import WorkerClient
from app.state.bundle_session import BundleSession
from workflows.wire.events import ErrorEvent
from workflows.wire.requests import UseDraft

SESSION_FAILURES = ("cancelled", "crashed", "stopped")
"""Failures that the session reports, as they are not about the draft bundle."""


class DraftBundle(QObject):
    """Follows one session. The worker answers in order, so a request before a prompt applies to its reply."""

    accepted = Signal(str)  # the folder; empty for none
    refused = Signal(str, str)  # the folder, and why

    def __init__(self, worker: WorkerClient, session: BundleSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker, self._session = worker, session
        self._wanted = self._bundle = ""
        self.current = self._requested = ""
        self._opening = 0  # counts openings: answers for an earlier one are ignored
        session.opened.connect(lambda _ready: self._on_opened())

    @property
    def requesting(self) -> bool:
        """Whether an answer is awaited."""
        return self._requested != self.current

    def request(self, folder: str, bundle: str) -> None:
        """Requests that `folder` drafts for `bundle`, or none for ""; sent once that bundle is open."""
        self._wanted, self._bundle = folder, bundle
        if self._session.ready_for(bundle) is not None:
            self._send()

    def _on_opened(self) -> None:
        self._opening += 1
        self.current = self._requested = ""
        self._send()

    def _send(self) -> None:
        folder, opening = self._wanted, self._opening
        if folder == self._requested or self._session.bundle != self._bundle:
            return
        self._requested = folder
        job = self._worker.request(UseDraft(folder or None))
        job.on_answer(lambda _done: self._on_accepted(folder, opening))
        job.on_error(lambda error: self._on_error(folder, opening, error))

    def _on_accepted(self, folder: str, opening: int) -> None:
        if opening == self._opening:
            self.current = folder
            if folder == self._requested:
                self.accepted.emit(folder)

    def _on_error(self, folder: str, opening: int, error: ErrorEvent) -> None:
        if opening == self._opening and folder == self._requested:
            self._requested = self.current
            if error.kind not in SESSION_FAILURES:
                self._wanted = self.current
                self.refused.emit(folder, error.message)

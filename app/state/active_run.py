"""The run of the graphs that is executed now, highlighted in the picture of a composite.

BundleSession: generating ──▶ STARTED;   a chunk ──▶ prefill;   a token ──▶ its phase;   the end ──▶ empty
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.state.bundle_session import BundleSession
from workflows.wire.events import ChunkEvent, TokenEvent

STARTED = "begun"
"""A generation began and has reported nothing yet: its first run is executed."""


class ActiveRun(QObject):
    """Follows one session."""

    changed = Signal()

    def __init__(self, session: BundleSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._run = STARTED if session.state == "generating" else ""
        session.stateChanged.connect(self._on_state)
        session.chunk.connect(self._on_chunk)
        session.token.connect(self._on_token)

    def run_of(self, bundle: str) -> str:
        """The name of the run that is executed in `bundle`, STARTED, or empty."""
        return self._run if bundle and bundle == self._session.bundle else ""

    def _on_state(self, state: str) -> None:
        self._set(STARTED if state == "generating" else "")

    def _on_chunk(self, _event: ChunkEvent) -> None:
        self._set("prefill")

    def _on_token(self, event: TokenEvent) -> None:
        self._set(event.phase)

    def _set(self, run: str) -> None:
        if run != self._run:
            self._run = run
            self.changed.emit()

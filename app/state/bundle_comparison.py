"""One prompt, two bundles: each has a worker and a session, and their tokens are shown side by side.

run_prompt() ──▶ lane a ── BundleSession ── WorkerClient
             └─▶ lane b ── BundleSession ── WorkerClient        stop() ends both
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.jobs.worker_client import WorkerClient
from app.state.bundle_session import BundleSession, SessionFailure
from workflows.wire.events import GenerationDone, TokenEvent
from workflows.wire.requests import Turn


class ComparisonLane(QObject):
    """A bundle, its worker, and its answer to the last prompt. `running` is True until the answer ended or failed."""

    changed = Signal()

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._new_worker = new_worker
        self._worker: WorkerClient | None = None
        self.session: BundleSession | None = None
        self.bundle = ""
        self._prompt: tuple[str, dict[str, object]] | None = None
        self.clear_answer()

    def clear_answer(self) -> None:
        """Removes the answer."""
        self.tokens: list[TokenEvent] = []
        self.done: GenerationDone | None = None
        self.failure: SessionFailure | None = None
        self.running = False

    def run_prompt(self, text: str, options: dict[str, object]) -> None:
        """Answers a prompt without the earlier ones as context."""
        self.clear_answer()
        self.running, self._prompt = True, (text, options)
        session = self._ensure_session()
        if session.state == "ready":
            self._begin()
        self.changed.emit()

    def stop(self) -> None:
        """Stops the answer; its tokens stay."""
        if not self.running or self.session is None:
            return
        if self.session.state == "generating":
            self.session.stop()
        else:
            self._prompt = None
            self._end(SessionFailure("cancelled", self.tr("Stopped before the bundle was open.")))

    def close(self) -> None:
        """Ends the worker, which frees the bundle's memory."""
        session, worker, self.session, self._worker = self.session, self._worker, None, None
        self.running = False
        if session is not None and worker is not None:
            session.blockSignals(True)
            worker.retired.connect(session.deleteLater)  # until then it receives signals of its worker
            worker.retire()

    def _ensure_session(self) -> BundleSession:
        """The session of this lane's bundle, open or opening."""
        if self.session is not None and (self.session.bundle != self.bundle or self.session.state == "failed"):
            self.close()
            self.running = True
        if self.session is None:
            self._worker = self._new_worker()
            self.session = BundleSession(self._worker, self)
            self.session.opened.connect(lambda _ready: self._begin())
            self.session.token.connect(self._on_token)
            self.session.finished.connect(self._on_finished)
            self.session.failed.connect(self._end)
            self.session.open(self.bundle)
        return self.session

    def _begin(self) -> None:
        prompt, self._prompt = self._prompt, None
        ready = self.session.ready_for(self.bundle) if self.session is not None else None
        if prompt is None or self.session is None or ready is None:
            return
        text, options = prompt
        self.session.generate([Turn("user", text)] if ready.chat_template else text, options)
        self.changed.emit()

    def _on_token(self, event: TokenEvent) -> None:
        self.tokens.append(event)
        self.changed.emit()

    def _on_finished(self, done: GenerationDone) -> None:
        self.done, self.running = done, False
        self.changed.emit()

    def _end(self, failure: SessionFailure) -> None:
        self.failure, self.running = failure, False
        self.changed.emit()


class BundleComparison(QObject):
    """Two lanes that answer the same prompt."""

    changed = Signal()

    def __init__(self, new_worker: Callable[[], WorkerClient], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lanes = ComparisonLane(new_worker, self), ComparisonLane(new_worker, self)
        self.prompt = ""
        for lane in self.lanes:
            lane.changed.connect(self.changed)

    @property
    def running(self) -> bool:
        """Whether a lane still answers."""
        return any(lane.running for lane in self.lanes)

    @property
    def ready(self) -> bool:
        """Whether both bundles are chosen."""
        return all(lane.bundle for lane in self.lanes)

    @property
    def common_tokens(self) -> int:
        """The number of tokens that both answers begin with in common."""
        one, other = (lane.tokens for lane in self.lanes)
        pairs = enumerate(zip(one, other, strict=False))
        return next((at for at, (a, b) in pairs if a.id != b.id), min(len(one), len(other)))

    @property
    def differs(self) -> bool:
        """Whether the answers are known to differ: in a token, or because one is longer."""
        equal, lengths = self.common_tokens, [len(lane.tokens) for lane in self.lanes]
        if equal < min(lengths):
            return True
        return not self.running and lengths[0] != lengths[1]

    def run_prompt(self, prompt: str, options: dict[str, object]) -> bool:
        """Runs a prompt in both; returns False if it is empty, while a lane answers, or if a bundle is missing."""
        if not prompt.strip() or self.running or not self.ready:
            return False
        self.prompt = prompt.strip()
        for lane in self.lanes:
            lane.run_prompt(self.prompt, options)
        return True

    def stop(self) -> None:
        """Stops both answers."""
        for lane in self.lanes:
            lane.stop()

    def close(self) -> None:
        """Ends both workers."""
        for lane in self.lanes:
            lane.close()
        self.changed.emit()
